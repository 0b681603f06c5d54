// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/topology/distances.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "core/topology/pci_tree.hpp"

namespace tenon::topology {
namespace {

using domain::Device;
using domain::DeviceIndex;
using domain::Distance;
using domain::Link;
using domain::Node;
using domain::Place;
using domain::PlaceKind;

using Vertex = PciTree::Vertex;

Vertex add_place(PciTree& tree, const Place& place, const std::vector<Vertex>& older) {
  if (place.kind == PlaceKind::kBridge) return tree.add_host_bridge();
  const Vertex parent =
      place.parent ? older.at(static_cast<std::size_t>(*place.parent)) : tree.add_host_bridge();
  return place.kind == PlaceKind::kPort ? tree.add_root_port(parent) : tree.add_switch(parent);
}

// The part of the answer that a PCI tree gives (I10).
class TreeDistances {
 public:
  explicit TreeDistances(const Node& node) : node_(node) {
    std::vector<Vertex> places;
    for (const Place& place : node.places) places.push_back(add_place(tree_, place, places));
    for (std::size_t i = 0; i < node.devices.size(); ++i) {
      const auto& place = node.devices[i].place;
      cards_.push_back(
          place ? std::optional(tree_.add_card(places.at(static_cast<std::size_t>(*place))))
                : std::nullopt);
      numa_.push_back(numa_of(node, DeviceIndex{static_cast<std::uint32_t>(i)}));
    }
  }

  [[nodiscard]] std::optional<Distance> between(std::size_t a, std::size_t b) const {
    if (!cards_[a] || !cards_[b]) return std::nullopt;
    if (a == b) return Distance::kSame;
    if (one_card(a, b)) return Distance::kPix;
    if (const auto near = tree_.below_one_bridge(*cards_[a], *cards_[b])) return near;
    const bool meet = std::ranges::any_of(numa_[a], [&](int os_index) {
      return std::ranges::find(numa_[b], os_index) != numa_[b].end();
    });
    return meet ? Distance::kNode : Distance::kSys;
  }

 private:
  [[nodiscard]] bool one_card(std::size_t a, std::size_t b) const {
    const auto& x = node_.devices[a].pci;
    const auto& y = node_.devices[b].pci;
    return x && y && x->domain == y->domain && x->bus == y->bus && x->device == y->device;
  }

  const Node& node_;
  PciTree tree_;
  std::vector<std::optional<Vertex>> cards_;  // by device
  std::vector<std::vector<int>> numa_;        // by device
};

// One direction's count of NVLinks, where a cell of the matrix states it.
std::optional<std::uint8_t> nvlinks_of(const Link& cell) {
  if (cell.seen == Link::Seen::kNvlink) return cell.nvlinks;
  if (cell.seen == Link::Seen::kDistance) return std::uint8_t{0};
  return std::nullopt;
}

// Of the sources that state a distance the weakest; nothing where none does.
std::optional<Distance> weakest(const Link& there, const Link& back,
                                std::optional<Distance> by_tree) {
  std::optional<Distance> answer = by_tree;
  for (const Link* cell : {&there, &back}) {
    if (cell->seen != Link::Seen::kDistance) continue;
    answer = answer ? std::max(*answer, cell->distance) : cell->distance;
  }
  return answer;
}

Link link_of(std::optional<Distance> pci, std::uint8_t nvlinks) {
  if (nvlinks > 0) return {.seen = Link::Seen::kNvlink, .nvlinks = nvlinks};
  if (pci) return {.seen = Link::Seen::kDistance, .distance = *pci};
  return {};
}

}  // namespace

Distances::Distances(const Node& node) : size_(node.devices.size()), cells_(size_ * size_) {
  const auto index = [&](std::size_t row, std::size_t column) { return row * size_ + column; };

  std::vector<bool> in_matrix(size_ * size_, false);
  if (node.matrix) {
    const auto& header = node.matrix->header;
    check(node.matrix->cells.size() == header.size() * header.size(), "a matrix is square");
    for (std::size_t r = 0; r < header.size(); ++r) {
      for (std::size_t c = 0; c < header.size(); ++c) {
        const auto at =
            index(static_cast<std::size_t>(header[r]), static_cast<std::size_t>(header[c]));
        cells_.at(at).read = node.matrix->cells[r * header.size() + c];
        in_matrix[at] = true;
      }
    }
  }
  std::vector<std::uint8_t> stated(size_ * size_, 0);
  for (const auto& fact : node.nvlinks) {
    stated.at(index(static_cast<std::size_t>(fact.from), static_cast<std::size_t>(fact.to))) =
        fact.links;
  }

  const TreeDistances tree(node);
  for (std::size_t a = 0; a < size_; ++a) {
    cells_[index(a, a)].pci = Distance::kSame;
    for (std::size_t b = a + 1; b < size_; ++b) {
      Cell& there = cells_[index(a, b)];
      Cell& back = cells_[index(b, a)];
      there.pci = back.pci = weakest(there.read, back.read, tree.between(a, b));

      const auto x = nvlinks_of(there.read);
      const auto y = nvlinks_of(back.read);
      there.nvlinks = back.nvlinks =
          x || y ? std::min(x.value_or(domain::kNvlinksMax), y.value_or(domain::kNvlinksMax))
                 : std::min(stated[index(a, b)], stated[index(b, a)]);
    }
  }
  for (std::size_t at = 0; at < cells_.size(); ++at) {
    if (in_matrix[at]) continue;
    cells_[at].read = at % size_ == at / size_ ? Link{.seen = Link::Seen::kSelf}
                                               : link_of(cells_[at].pci, cells_[at].nvlinks);
  }
}

std::optional<Distance> Distances::pci(DeviceIndex a, DeviceIndex b) const { return at(a, b).pci; }

int Distances::nvlinks(DeviceIndex a, DeviceIndex b) const { return at(a, b).nvlinks; }

Link Distances::as_read(DeviceIndex row, DeviceIndex column) const { return at(row, column).read; }

const Distances::Cell& Distances::at(DeviceIndex row, DeviceIndex column) const {
  const auto r = static_cast<std::size_t>(row);
  const auto c = static_cast<std::size_t>(column);
  check(r < size_ && c < size_, "a device belongs to the node that was measured");
  return cells_[r * size_ + c];
}

std::vector<int> numa_of(const Node& node, DeviceIndex device) {
  const Device& it = node.devices.at(static_cast<std::size_t>(device));
  if (!it.numa.empty()) return it.numa;
  if (it.place) {
    const Place* place = &node.places.at(static_cast<std::size_t>(*it.place));
    while (place->parent) place = &node.places.at(static_cast<std::size_t>(*place->parent));
    if (place->numa) return {*place->numa};
  }
  if (node.numa.size() == 1) return {node.numa.front().os_index};
  return {};
}

}  // namespace tenon::topology
