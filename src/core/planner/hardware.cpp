// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/planner/hardware.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "core/topology/distances.hpp"

namespace tenon::planner {
namespace {

using domain::Device;
using domain::DeviceIndex;
using domain::DeviceKind;
using domain::Distance;
using domain::Link;
using domain::Node;

constexpr DeviceIndex index_of(std::size_t at) {
  return DeviceIndex{static_cast<std::uint32_t>(at)};
}
constexpr std::size_t at_of(DeviceIndex index) { return static_cast<std::size_t>(index); }

/// How a node grows by devices of one kind: who stands for whom.
class Growth {
 public:
  Growth(const Node& node, const std::vector<NewDevice>& added)
      : old_(node), distances_(node), added_(added) {
    kind_ = static_cast<DeviceKind>(added.front().facts.index());
    for (const Device& device : node.devices) {
      if (device.kind() <= kind_) ++first_new_;
      if (device.kind() == kind_) ++of_kind_;
    }
    check(of_kind_ + added.size() <= std::size_t{domain::kDevicesOfAKindMax},
          "a node has a bounded number of devices of a kind");
  }

  [[nodiscard]] Node grown() const {
    Node node = old_;
    add_devices(node);
    if (node.matrix) node.matrix = grown_matrix();
    node.nvlinks = grown_nvlinks();
    return node;
  }

 private:
  [[nodiscard]] std::size_t size() const { return old_.devices.size() + added_.size(); }
  [[nodiscard]] bool is_new(std::size_t at) const {
    return at >= first_new_ && at < first_new_ + added_.size();
  }
  /// The old device that stands there, or that the new one stands beside.
  [[nodiscard]] std::size_t site(std::size_t at) const {
    if (is_new(at)) return at_of(added_[at - first_new_].beside);
    return at < first_new_ ? at : at - added_.size();
  }
  [[nodiscard]] DeviceIndex moved_index(DeviceIndex old) const {
    return at_of(old) < first_new_ ? old : index_of(at_of(old) + added_.size());
  }

  void add_devices(Node& node) const {
    std::vector<Device> fresh;
    for (const NewDevice& one : added_) {
      check(static_cast<DeviceKind>(one.facts.index()) == kind_, "added devices are of one kind");
      const Device& beside = old_.devices.at(at_of(one.beside));
      Device device;
      device.ordinal = static_cast<int>(of_kind_ + fresh.size());
      device.place = beside.place;
      device.numa = beside.numa;
      device.facts = one.facts;
      fresh.push_back(std::move(device));
    }
    node.devices.insert(node.devices.begin() + static_cast<std::ptrdiff_t>(first_new_),
                        fresh.begin(), fresh.end());
  }

  /// NVLinks of a new GPU to any other: those of a GPU that has them to all others, through a switch.
  /// 0 where the one beside it is no such GPU.
  [[nodiscard]] std::uint8_t switched_nvlinks(std::size_t gpu) const {
    int fewest = std::numeric_limits<std::uint8_t>::max();
    std::size_t others = 0;
    for (std::size_t other = 0; other < old_.devices.size(); ++other) {
      if (other == gpu || old_.devices[other].kind() != DeviceKind::kGpu) continue;
      fewest = std::min(fewest, distances_.nvlinks(index_of(gpu), index_of(other)));
      ++others;
    }
    return others == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(fewest);
  }

  [[nodiscard]] bool is_gpu(std::size_t at) const {
    return is_new(at) ? kind_ == DeviceKind::kGpu
                      : old_.devices[site(at)].kind() == DeviceKind::kGpu;
  }

  /// NVLinks between two devices, at least one of them new.
  [[nodiscard]] std::uint8_t nvlinks(std::size_t a, std::size_t b) const {
    if (!is_gpu(a) || !is_gpu(b)) return 0;
    if (site(a) == site(b)) return switched_nvlinks(site(a));
    for (const std::size_t one : {a, b}) {
      if (is_new(one) && switched_nvlinks(site(one)) == 0) return 0;
    }
    return static_cast<std::uint8_t>(distances_.nvlinks(index_of(site(a)), index_of(site(b))));
  }

  [[nodiscard]] Distance beside_each_other(std::size_t old) const {
    const auto& place = old_.devices[old].place;
    const bool on_the_bridge = place && old_.places.at(static_cast<std::size_t>(*place)).kind ==
                                            domain::PlaceKind::kBridge;
    return on_the_bridge ? Distance::kPhb : Distance::kPix;
  }

  /// A cell of the matrix, of which at least one side is new.
  [[nodiscard]] Link new_cell(std::size_t row, std::size_t column) const {
    if (row == column) return {.seen = Link::Seen::kSelf};
    if (const std::uint8_t links = nvlinks(row, column); links > 0) {
      return {.seen = Link::Seen::kNvlink, .nvlinks = links};
    }
    if (site(row) == site(column)) {
      return {.seen = Link::Seen::kDistance, .distance = beside_each_other(site(row))};
    }
    // A cell NVn of the old pair says nothing of PCI.
    const Link old = distances_.as_read(index_of(site(row)), index_of(site(column)));
    return old.seen == Link::Seen::kDistance ? old : Link{};
  }

  [[nodiscard]] domain::Matrix grown_matrix() const {
    domain::Matrix matrix;
    for (const DeviceIndex device : old_.matrix->header) {
      matrix.header.push_back(moved_index(device));
    }
    for (std::size_t i = 0; i < added_.size(); ++i) {
      if (std::ranges::find(old_.matrix->header, added_[i].beside) != old_.matrix->header.end()) {
        matrix.header.push_back(index_of(first_new_ + i));
      }
    }
    const std::size_t old_side = old_.matrix->header.size();
    for (std::size_t r = 0; r < matrix.header.size(); ++r) {
      for (std::size_t c = 0; c < matrix.header.size(); ++c) {
        const bool as_it_was = r < old_side && c < old_side;
        matrix.cells.push_back(as_it_was
                                   ? old_.matrix->cells[r * old_side + c]
                                   : new_cell(at_of(matrix.header[r]), at_of(matrix.header[c])));
      }
    }
    return matrix;
  }

  [[nodiscard]] std::vector<domain::NvlinkFact> grown_nvlinks() const {
    std::vector<domain::NvlinkFact> facts;
    for (const domain::NvlinkFact& fact : old_.nvlinks) {
      facts.push_back({moved_index(fact.from), moved_index(fact.to), fact.links});
    }
    for (std::size_t a = 0; a < size(); ++a) {
      for (std::size_t b = 0; b < size(); ++b) {
        if (a == b || (!is_new(a) && !is_new(b))) continue;
        const std::uint8_t links = nvlinks(a, b);
        if (links > 0 && !in_matrix(a, b)) facts.push_back({index_of(a), index_of(b), links});
      }
    }
    std::ranges::sort(facts, {},
                      [](const domain::NvlinkFact& fact) { return std::pair(fact.from, fact.to); });
    return facts;
  }

  [[nodiscard]] bool in_matrix(std::size_t a, std::size_t b) const {
    if (!old_.matrix) return false;
    const auto& header = old_.matrix->header;
    return std::ranges::find(header, index_of(site(a))) != header.end() &&
           std::ranges::find(header, index_of(site(b))) != header.end();
  }

  const Node& old_;
  topology::Distances distances_;
  const std::vector<NewDevice>& added_;
  DeviceKind kind_ = DeviceKind::kGpu;
  std::size_t first_new_ = 0;  // index of the first new device
  std::size_t of_kind_ = 0;    // old devices of the kind
};

}  // namespace

Node with_devices(const Node& node, const std::vector<NewDevice>& added) {
  return added.empty() ? node : Growth(node, added).grown();
}

std::vector<domain::Holder> moved(const std::vector<domain::Holder>& holders, const Node& from,
                                  const Node& to) {
  std::vector<domain::Holder> result = holders;
  for (domain::Holder& holder : result) {
    for (domain::Grant& grant : holder.allocation.grants) {
      const Device& device = from.devices.at(at_of(grant.device));
      const auto index = domain::find_device(to, device.kind(), device.ordinal);
      check(index.has_value(), "what was there is still there");
      grant.device = *index;
    }
  }
  return result;
}

bool equal_hardware(const Node& a, const Node& b) {
  const auto equal_device = [](const Device& x, const Device& y) {
    return x.ordinal == y.ordinal && x.place == y.place && x.numa == y.numa && x.facts == y.facts;
  };
  return a.arch == b.arch && a.numa == b.numa && a.places == b.places && a.matrix == b.matrix &&
         a.nvlinks == b.nvlinks && std::ranges::equal(a.devices, b.devices, equal_device);
}

}  // namespace tenon::planner
