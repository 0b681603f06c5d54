// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// I69: a node with more devices, and the fewest that make a request fit.

#include <algorithm>
#include <limits>

#include "oracle/distances.hpp"
#include "oracle/fix_oracle.hpp"

namespace tenon::oracle {

using domain::DeviceIndex;
using domain::DeviceKind;
using domain::Distance;
using domain::Node;
using domain::Request;

namespace {

constexpr int kAddedMax = 8;
constexpr int kTriesMax = 4'000;  // of one kind; more: too large

const domain::Device& device_at(const Node& node, DeviceIndex index) {
  return node.devices.at(static_cast<std::size_t>(index));
}

/// A device of the node as it would be: an old one, or the n-th new one, which stands beside it.
struct Slot {
  DeviceIndex site{};
  std::size_t added = 0;  // 0: the old one
  [[nodiscard]] bool is_new() const { return added > 0; }
  friend bool operator==(const Slot&, const Slot&) = default;
};

/// What I69 says of distances and NVLinks of new devices.
class Neighbours {
 public:
  explicit Neighbours(const Node& node) : node_(node), no_cards_(node) {
    for (auto& device : no_cards_.devices) device.pci.reset();
  }

  [[nodiscard]] int rank(const Slot& a, const Slot& b, bool both_gpus) const {
    const auto distance = [&]() -> std::optional<Distance> {
      if (a == b) return Distance::kSame;
      if (!a.is_new() && !b.is_new()) return pci_distance(node_, a.site, b.site);
      if (a.site != b.site) return pci_distance(no_cards_, a.site, b.site);
      const auto& place = device_at(node_, a.site).place;
      if (place) {
        const auto kind = node_.places.at(static_cast<std::size_t>(*place)).kind;
        return kind == domain::PlaceKind::kBridge ? Distance::kPhb : Distance::kPix;
      }
      const bool in_matrix = node_.matrix && std::ranges::find(node_.matrix->header, a.site) !=
                                                 node_.matrix->header.end();
      if (!in_matrix || (both_gpus && nvlinks(a, b) > 0)) return {};
      return Distance::kPix;
    }();
    return distance ? static_cast<int>(*distance) : kNotKnownRank;
  }

  /// Of two GPUs.
  [[nodiscard]] int nvlinks(const Slot& a, const Slot& b) const {
    if (a == b) return 0;
    for (const Slot& slot : {a, b}) {
      if (slot.is_new() && to_every_other(slot.site) == 0) return 0;
    }
    return a.site == b.site ? to_every_other(a.site) : nvlink_count(node_, a.site, b.site);
  }

 private:
  /// The fewest NVLinks that a GPU has to another; 0 where there is no other.
  [[nodiscard]] int to_every_other(DeviceIndex gpu) const {
    int fewest = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < node_.devices.size(); ++i) {
      const auto other = static_cast<DeviceIndex>(i);
      if (other == gpu || node_.devices[i].kind() != DeviceKind::kGpu) continue;
      fewest = std::min(fewest, nvlink_count(node_, gpu, other));
    }
    return fewest == std::numeric_limits<int>::max() ? 0 : fewest;
  }

  const Node& node_;
  Node no_cards_;  // a new device is no function of its neighbour's card
};

/// A NIC that is just what the request asks for.
NicView nic_as_asked(const domain::NicDemand& demand, Bits numa) {
  NicView nic{.numa = numa};
  if (demand.role == domain::RoleWanted::kStorage) nic.facts.role = domain::NicRole::kStorage;
  if (demand.rate_bits_min > 0) nic.facts.rate_bits = demand.rate_bits_min;
  if (demand.mode == domain::NicMode::kVf) nic.facts.vfs = demand.count;
  if (demand.mode == domain::NicMode::kBandwidth) {
    nic.facts.rate_bits = std::max(demand.rate_bits_min, demand.bandwidth_bits);
  }
  return nic;
}

void add_view(const Node& node, const Request& request, DeviceKind kind, DeviceIndex beside,
              Situation& s) {
  const auto& device = device_at(node, beside);
  const auto ordinal = static_cast<std::size_t>(device.ordinal);
  const Bits numa = device.kind() == DeviceKind::kGpu   ? s.gpus[ordinal].numa
                    : device.kind() == DeviceKind::kNic ? s.nics[ordinal].numa
                                                        : s.nvmes[ordinal].numa;
  // Grants name a new device by a number that no old one has.
  const auto next = static_cast<DeviceIndex>(s.gpus.size() + s.nics.size() + s.nvmes.size());
  switch (kind) {
    case DeviceKind::kGpu:
      s.gpus.push_back({.facts = std::get<domain::GpuFacts>(device.facts), .numa = numa});
      s.gpu_index.push_back(next);
      return;
    case DeviceKind::kNic:
      s.nics.push_back(
          device.kind() == DeviceKind::kNic
              ? NicView{.facts = std::get<domain::NicFacts>(device.facts), .numa = numa}
              : nic_as_asked(request.nic, numa));
      s.nic_index.push_back(next);
      return;
    case DeviceKind::kNvme:
      s.nvmes.push_back({.numa = numa});
      s.nvme_index.push_back(next);
      return;
  }
}

/// Where one more device of a kind may stand.
std::vector<DeviceIndex> sites_of(const Node& node, DeviceKind kind) {
  std::vector<DeviceIndex> sites;
  for (std::size_t i = 0; i < node.devices.size(); ++i) {
    const auto there = node.devices[i].kind();
    if (there == kind || there == DeviceKind::kGpu) sites.push_back(static_cast<DeviceIndex>(i));
  }
  return sites;
}

int units_of(const Request& r, DeviceKind kind) {
  return kind == DeviceKind::kGpu   ? static_cast<int>(r.gpu.units.size())
         : kind == DeviceKind::kNic ? r.nic.count
                                    : r.nvme_count;
}

/// The next ascending sequence of positions below `end`, with repeats; false after the last one.
bool next_sequence(std::vector<std::size_t>& sequence, std::size_t end) {
  for (std::size_t i = sequence.size(); i-- > 0;) {
    if (sequence[i] + 1 == end) continue;
    std::fill(sequence.begin() + static_cast<std::ptrdiff_t>(i), sequence.end(), sequence[i] + 1);
    return true;
  }
  return false;
}

}  // namespace

Situation grown(const Case& c, const Addition& addition) {
  Situation s(c.node, c.holders);
  std::array<std::vector<Slot>, 3> slots;  // by kind
  for (std::size_t i = 0; i < c.node.devices.size(); ++i) {
    slots.at(static_cast<std::size_t>(c.node.devices[i].kind()))
        .push_back({.site = static_cast<DeviceIndex>(i)});
  }
  auto& of_kind = slots.at(static_cast<std::size_t>(addition.kind));
  for (std::size_t i = 0; i < addition.beside.size(); ++i) {
    of_kind.push_back({.site = addition.beside[i], .added = i + 1});
    add_view(c.node, c.request, addition.kind, addition.beside[i], s);
  }
  const Neighbours neighbours(c.node);
  const auto& [gpus, nics, nvmes] = slots;
  const auto ranks = [&](const std::vector<Slot>& columns) {
    std::vector<std::vector<int>> table;
    for (const Slot& gpu : gpus) {
      auto& row = table.emplace_back();
      for (const Slot& other : columns) {
        row.push_back(neighbours.rank(gpu, other, &columns == &gpus));
      }
    }
    return table;
  };
  s.gpu_gpu = ranks(gpus);
  s.gpu_nic = ranks(nics);
  s.gpu_nvme = ranks(nvmes);
  s.nvlinks.clear();
  for (const Slot& a : gpus) {
    auto& row = s.nvlinks.emplace_back();
    for (const Slot& b : gpus) row.push_back(neighbours.nvlinks(a, b));
  }
  return s;
}

std::optional<Addition> fewest_additions(const Case& c) {
  for (const auto kind : {DeviceKind::kNic, DeviceKind::kGpu, DeviceKind::kNvme}) {
    const auto sites = sites_of(c.node, kind);
    // An answer has use for one new device for each unit.
    const auto most = static_cast<std::size_t>(std::min(kAddedMax, units_of(c.request, kind)));
    int tries = 0;
    for (std::size_t size = 1; size <= most && !sites.empty(); ++size) {
      std::vector<std::size_t> sequence(size, 0);
      do {
        if (++tries > kTriesMax) throw TooLarge{};
        Addition addition{.kind = kind};
        for (const auto i : sequence) addition.beside.push_back(sites[i]);
        if (fits(grown(c, addition), c.request)) return addition;
      } while (next_sequence(sequence, sites.size()));
    }
  }
  return {};
}

}  // namespace tenon::oracle
