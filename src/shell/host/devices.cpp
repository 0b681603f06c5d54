// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/devices.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "shell/host/facts.hpp"
#include "shell/host/places.hpp"

namespace tenon::host {
namespace {

using domain::Device;
using domain::DeviceKind;
using domain::NicFacts;
using domain::PciAddress;
using text::cat;

// A function that is a device, or a bond of several.
struct Candidate {
  Device device;
  std::vector<std::string> interfaces;  // of a NIC
};

using Candidates = std::array<std::vector<Candidate>, 3>;  // by kind

std::optional<DeviceKind> kind_of(const FileTree& tree, const PciFunction& function) {
  if (is_gpu(tree, function)) return DeviceKind::kGpu;
  if (is_nvme(function)) return DeviceKind::kNvme;
  if (is_nic(tree, function)) return DeviceKind::kNic;
  return std::nullopt;
}

bool shown(std::span<const PciFunction> functions, const PciAddress& address) {
  const auto found = std::ranges::lower_bound(functions, address, {}, &PciFunction::address);
  return found != functions.end() && found->address == address;
}

std::unexpected<Error> too_many(std::string_view node, std::string_view what, int most) {
  return std::unexpected(Error{ErrorKind::kTooLarge, std::string{node},
                               cat(what, ", at most ", most), "give the tree of one machine"});
}

// The kernel's own number of VFs, else as many as the tree shows.
int count_vfs(const FileTree& tree, const PciFunction& function,
              const std::map<PciAddress, int>& seen) {
  const auto line = tree.line("sriov_numvfs", function.directory);
  const auto number = line ? text::to_u64(*line) : std::nullopt;
  if (number) return static_cast<int>(std::min<std::uint64_t>(*number, 0xFFFF));
  const auto found = seen.find(function.address);
  return found == seen.end() ? 0 : found->second;
}

bool one_card(const PciAddress& a, const PciAddress& b) {
  return a.domain == b.domain && a.bus == b.bus && a.device == b.device;
}

// One device for ports that are joined: near to all that any of them is near to, at a place only
// where they share it.
Candidate join(const std::string& name, std::span<const Candidate> ports) {
  Candidate bond{.device = ports.front().device, .interfaces = {name}};
  Device& device = bond.device;
  auto& facts = std::get<NicFacts>(device.facts);
  const PciAddress first = *device.pci;
  bool same_card = true;
  for (const Candidate& port : ports.subspan(1)) {
    const auto& more = std::get<NicFacts>(port.device.facts);
    if (facts.rate_bits && more.rate_bits) {
      *facts.rate_bits += *more.rate_bits;
    } else {
      facts.rate_bits.reset();
    }
    if (more.rdma.value_or(false)) facts.rdma = true;
    if (facts.model != more.model) facts.model.clear();
    facts.vfs += more.vfs;
    if (port.device.place != device.place) device.place.reset();
    same_card = same_card && one_card(first, *port.device.pci);
    device.numa.insert(device.numa.end(), port.device.numa.begin(), port.device.numa.end());
  }
  facts.bond = true;
  std::ranges::sort(device.numa);
  device.numa.erase(std::ranges::unique(device.numa).begin(), device.numa.end());
  device.label = name;
  device.id.clear();
  if (!same_card) device.pci.reset();
  return bond;
}

// Takes the ports of each bond out of the NICs and puts the bond where its first port stood.
void join_bonds(const FileTree& tree, std::vector<Candidate>& nics,
                std::vector<std::string>& warnings) {
  for (const auto& [name, members] : bonds(tree)) {
    const auto joins = [&](const Candidate& nic) {
      return std::ranges::any_of(nic.interfaces, [&](const auto& interface) {
        return std::ranges::find(members, interface) != members.end();
      });
    };
    std::vector<Candidate> ports;
    std::ranges::copy_if(nics, std::back_inserter(ports), joins);
    if (ports.empty()) {
      warnings.push_back(cat("bond ", text::quoted(name), " joins no NIC that is shown; left out"));
      continue;
    }
    *std::ranges::find_if(nics, joins) = join(name, ports);
    std::erase_if(nics, joins);
  }
}

Result<Candidates> find_candidates(const FileTree& tree, std::span<const PciFunction> functions,
                                   domain::Node& node) {
  std::map<PciAddress, int> vfs_seen;
  for (const auto& function : functions) {
    if (function.physical) ++vfs_seen[*function.physical];
  }
  constexpr std::size_t kFunctionsMax =
      std::size_t{4} * domain::kDevicesOfAKindMax;  // before bonds join some
  Candidates candidates;
  PlaceMaker places{node};
  for (const auto& function : functions) {
    const auto kind = kind_of(tree, function);
    if (!kind || (function.physical && shown(functions, *function.physical))) continue;
    auto& of_kind = candidates[static_cast<std::size_t>(*kind)];
    if (of_kind.size() == kFunctionsMax) {
      return too_many(node.name, cat("too many functions that are a ", domain::to_text(*kind)),
                      domain::kDevicesOfAKindMax);
    }
    Candidate found;
    found.device.pci = function.address;
    found.device.place = places.place_of(function);
    found.device.numa = numa_of(function, node);
    switch (*kind) {
      case DeviceKind::kGpu:
        read_gpu(tree, function, found.device);
        break;
      case DeviceKind::kNic:
        read_nic(tree, function, found.device);
        std::get<NicFacts>(found.device.facts).vfs = count_vfs(tree, function, vfs_seen);
        for (auto& interface : interfaces(tree, function)) {
          found.interfaces.push_back(std::move(interface.name));
        }
        break;
      case DeviceKind::kNvme:
        read_nvme(tree, function, found.device);
        break;
    }
    of_kind.push_back(std::move(found));
  }
  places.set_numa(functions);
  return candidates;
}

}  // namespace

Result<void> add_devices(const FileTree& tree, std::span<const PciFunction> functions,
                         domain::Node& node, std::vector<std::string>& warnings) {
  auto candidates = find_candidates(tree, functions, node);
  if (!candidates) return std::unexpected(candidates.error());
  join_bonds(tree, (*candidates)[static_cast<std::size_t>(DeviceKind::kNic)], warnings);

  for (auto& of_kind : *candidates) {
    if (of_kind.size() > domain::kDevicesOfAKindMax) {
      return too_many(node.name,
                      cat(of_kind.size(), " devices of the kind ",
                          domain::to_text(of_kind.front().device.kind())),
                      domain::kDevicesOfAKindMax);
    }
    int ordinal = 0;
    for (auto& [device, interface_names] : of_kind) {
      device.ordinal = ordinal++;
      const auto* nic = std::get_if<NicFacts>(&device.facts);
      if (nic != nullptr && nic->vfs > domain::kVfsOfANicMax) {
        return too_many(node.name, cat(to_text(device), " has ", nic->vfs, " VFs"),
                        domain::kVfsOfANicMax);
      }
      // What the place's top says need not be said again.
      const auto top = device.place ? numa_of_top(node, *device.place) : std::nullopt;
      if (top && device.numa == std::vector{*top}) device.numa.clear();
      node.devices.push_back(std::move(device));
    }
  }
  return {};
}

}  // namespace tenon::host
