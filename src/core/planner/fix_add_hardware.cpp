// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// I69: the fewest more devices of one kind on one node.

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/text.hpp"
#include "core/planner/fix_kinds.hpp"
#include "core/planner/hardware.hpp"
#include "core/planner/usable.hpp"

namespace tenon::planner {
namespace {

using domain::DeviceIndex;
using domain::DeviceKind;
using domain::Node;

bool fits_grown(const NodeCase& node, const Node& grown, const domain::Request& request,
                Work& work) {
  // A new shape has to know the distance of every two devices.
  const auto devices = static_cast<std::int64_t>(grown.devices.size());
  if (!work.spend(devices * devices / 4)) return false;
  auto state =
      state::empty_state(grown, std::make_shared<const topology::Shape>(topology::shape_of(grown)));
  for (const domain::Holder& holder : moved(node.holders, *node.node, grown)) {
    if (!state::apply(state, holder.allocation)) return false;
  }
  return fits(state, request, work);
}

/// A NIC or NVMe as the request asks for: no fact that it does not ask for is made up.
NewDevice as_asked(const domain::Request& request, DeviceKind kind, DeviceIndex beside) {
  if (kind == DeviceKind::kNvme) return {beside, domain::NvmeFacts{}};
  const domain::NicDemand& demand = request.nic;
  domain::NicFacts nic;
  const std::int64_t bandwidth =
      demand.mode == domain::NicMode::kBandwidth ? demand.bandwidth_bits : 0;
  if (const auto rate = std::max(demand.rate_bits_min, bandwidth); rate > 0) nic.rate_bits = rate;
  if (demand.role == domain::RoleWanted::kStorage) nic.role = domain::NicRole::kStorage;
  if (demand.mode == domain::NicMode::kVf) nic.vfs = std::min(demand.count, domain::kVfsOfANicMax);
  return {beside, std::move(nic)};
}

/// What may be added once, and beside whom.
std::vector<NewDevice> sites_of(const Node& node, const domain::Request& request, DeviceKind kind) {
  std::vector<NewDevice> sites;
  for (std::size_t i = 0; i < node.devices.size(); ++i) {
    const DeviceIndex beside{static_cast<std::uint32_t>(i)};
    const domain::Device& device = node.devices[i];
    if (device.kind() == kind) {
      sites.push_back({beside, device.facts});
    } else if (device.kind() == DeviceKind::kGpu) {
      sites.push_back(as_asked(request, kind, beside));
    }
  }
  return sites;
}

/// Without a matrix, two sites are one where place, NUMA nodes and facts are equal.
void drop_repeated(const Node& node, std::vector<NewDevice>& sites) {
  if (node.matrix || !node.nvlinks.empty()) return;
  std::vector<NewDevice> kept;
  for (NewDevice& site : sites) {
    const auto& device = node.devices[static_cast<std::size_t>(site.beside)];
    const bool seen =
        device.place && std::ranges::any_of(kept, [&](const NewDevice& other) {
          const auto& its = node.devices[static_cast<std::size_t>(other.beside)];
          return its.place == device.place && its.numa == device.numa && other.facts == site.facts;
        });
    if (!seen) kept.push_back(std::move(site));
  }
  sites = std::move(kept);
}

struct Thing {
  DeviceKind kind;
  std::string_view one;
  std::string_view many;
};
constexpr std::array<Thing, 3> kThings{{{DeviceKind::kNic, "NIC", "NICs"},
                                        {DeviceKind::kGpu, "GPU", "GPUs"},
                                        {DeviceKind::kNvme, "NVMe", "NVMes"}}};

int units_of(const domain::Request& request, DeviceKind kind) {
  if (kind == DeviceKind::kGpu) return static_cast<int>(request.gpu.units.size());
  return kind == DeviceKind::kNic ? request.nic.count : request.nvme_count;
}

std::string what_of(const Node& node, const Thing& thing, const std::vector<NewDevice>& added) {
  std::vector<std::string> places;
  for (std::size_t i = 0; i < added.size();) {
    std::size_t last = i;
    while (last < added.size() && added[last].beside == added[i].beside) ++last;
    const auto& beside = node.devices[static_cast<std::size_t>(added[i].beside)];
    places.push_back(text::cat(last - i, " ", last - i == 1 ? thing.one : thing.many, " beside ",
                               domain::to_text(beside)));
    i = last;
  }
  return and_list(places);
}

Fix fix_of(const NodeCase& node, std::string what, Node grown) {
  std::string text = text::cat("add ", what, " on ", node.node->name);
  return {node.node->name, AddHardware{std::move(what), std::move(grown)}, std::move(text)};
}

std::optional<Fix> add_devices(const FixQuestion& question, const Thing& thing, Work& work) {
  const int units = units_of(question.request, thing.kind);
  if (units == 0) return std::nullopt;
  std::optional<Fix> best;
  int most = std::min(kAddDevicesMax, units);
  for (const std::size_t position : question.distinct) {
    const NodeCase& node = question.cases[position];
    auto sites = sites_of(*node.node, question.request, thing.kind);
    drop_repeated(*node.node, sites);
    const auto present = static_cast<int>(std::ranges::count(
        node.node->devices, thing.kind, [](const auto& device) { return device.kind(); }));
    const int room = domain::kDevicesOfAKindMax - present;
    if (sites.empty() || room < 1) continue;
    if (static_cast<int>(sites.size()) > room) sites.resize(static_cast<std::size_t>(room));
    const int copies = std::min(most, room / static_cast<int>(sites.size()));

    FewestProblem problem;
    problem.elements = static_cast<int>(sites.size()) * copies;
    problem.most = most;
    const auto site_at = [&](int element) -> const NewDevice& {
      return sites[static_cast<std::size_t>(element / copies)];
    };
    Need need{{}, lacking(node.now, question.request, thing.kind)};
    for (int element = 0; element < problem.elements; ++element) {
      problem.follows.push_back(element % copies > 0);
      need.weights.push_back(1);
    }
    problem.needs.push_back(std::move(need));
    const auto grown_by = [&](const std::vector<int>& chosen) {
      std::vector<NewDevice> added;
      for (const int element : chosen) added.push_back(site_at(element));
      return added;
    };
    problem.fits = [&](const std::vector<int>& chosen) {
      return fits_grown(node, with_devices(*node.node, grown_by(chosen)), question.request, work);
    };
    const auto chosen = fewest(problem, work);
    if (work.exhausted()) return std::nullopt;
    if (!chosen) continue;
    const auto added = grown_by(*chosen);
    most = static_cast<int>(added.size()) - 1;
    best = fix_of(node, what_of(*node.node, thing, added), with_devices(*node.node, added));
    if (most == 0) break;
  }
  return best;
}

}  // namespace

std::optional<Fix> find_add_hardware(const FixQuestion& question, Work& work) {
  for (const Thing& thing : kThings) {
    auto fix = add_devices(question, thing, work);
    if (fix || work.exhausted()) return fix;
  }
  return std::nullopt;
}

}  // namespace tenon::planner
