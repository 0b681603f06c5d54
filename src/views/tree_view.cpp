// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "views/tree_view.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "core/topology/distances.hpp"

namespace tenon::views {
namespace {

using domain::DeviceIndex;
using domain::Node;

/// A vertex of the drawing, with the smallest device in it, by which siblings are ordered.
struct Drawn {
  std::size_t first_device = 0;
  TreeItem item;
};

class Drawing {
 public:
  explicit Drawing(const Node& node) : node_(node), inside_(node.places.size()) {
    for (std::size_t i = 0; i < node.places.size(); ++i) {
      const auto& parent = node.places[i].parent;
      if (parent) inside_[static_cast<std::size_t>(*parent)].push_back(i);
    }
  }

  std::vector<TreeItem> draw() {
    std::map<std::optional<std::size_t>, std::vector<Drawn>> tops;  // by position of the NUMA node
    for (std::size_t i = 0; i < node_.places.size(); ++i) {
      if (node_.places[i].parent) continue;
      std::vector<Drawn> drawn = draw_place(i);
      if (drawn.empty()) continue;
      const auto numa = numa_of_top(i, drawn.front().first_device);
      std::ranges::move(drawn, std::back_inserter(tops[numa]));
    }
    for (std::size_t i = 0; i < node_.devices.size(); ++i) {
      if (!node_.devices[i].place) tops[numa_of_device(i)].push_back(leaf(i));
    }

    std::vector<TreeItem> tree;
    for (std::size_t i = 0; i < node_.numa.size(); ++i) {
      tree.push_back({.kind = TreeItem::Kind::kNuma,
                      .name = text::cat("numa", node_.numa[i].os_index),
                      .row = i,
                      .children = in_order(std::move(tops[i]))});
    }
    if (auto& rest = tops[std::nullopt]; !rest.empty()) {
      tree.push_back(
          {.kind = TreeItem::Kind::kNuma, .name = "numa?", .children = in_order(std::move(rest))});
    }
    return tree;
  }

 private:
  [[nodiscard]] Drawn leaf(std::size_t device) const {
    return {
        device,
        {.kind = TreeItem::Kind::kDevice, .name = to_text(node_.devices[device]), .row = device}};
  }

  static std::vector<TreeItem> in_order(std::vector<Drawn> drawn) {
    std::ranges::sort(drawn, {}, &Drawn::first_device);
    std::vector<TreeItem> items;
    for (Drawn& one : drawn) items.push_back(std::move(one.item));
    return items;
  }

  /// One vertex; what hangs there, for an implied bridge; nothing where no device is inside.
  // Recursion is as deep as the PCI tree, which its readers bound.
  [[nodiscard]] std::vector<Drawn> draw_place(std::size_t index) const {
    std::vector<Drawn> children;
    for (const std::size_t inner : inside_[index]) {
      std::ranges::move(draw_place(inner), std::back_inserter(children));
    }
    for (std::size_t i = 0; i < node_.devices.size(); ++i) {
      const auto& place = node_.devices[i].place;
      if (place && static_cast<std::size_t>(*place) == index) children.push_back(leaf(i));
    }
    const domain::Place& place = node_.places[index];
    if (place.implied || children.empty()) return children;
    const std::size_t first = std::ranges::min(children, {}, &Drawn::first_device).first_device;
    Drawn drawn{first, {.kind = TreeItem::Kind::kPlace, .name = place.name}};
    if (place.pci) drawn.item.pci = to_text(*place.pci);
    drawn.item.children = in_order(std::move(children));
    std::vector<Drawn> one;
    one.push_back(std::move(drawn));
    return one;
  }

  [[nodiscard]] std::optional<std::size_t> position_of(int os_index) const {
    const auto found = std::ranges::find(node_.numa, os_index, &domain::NumaNode::os_index);
    if (found == node_.numa.end()) return std::nullopt;
    return static_cast<std::size_t>(found - node_.numa.begin());
  }

  [[nodiscard]] std::optional<std::size_t> numa_of_device(std::size_t device) const {
    const auto near = topology::numa_of(node_, DeviceIndex{static_cast<std::uint32_t>(device)});
    return near.empty() ? std::nullopt : position_of(near.front());
  }

  [[nodiscard]] std::optional<std::size_t> numa_of_top(std::size_t place,
                                                       std::size_t first_device) const {
    if (node_.places[place].numa) return position_of(*node_.places[place].numa);
    return numa_of_device(first_device);
  }

  const Node& node_;
  std::vector<std::vector<std::size_t>> inside_;  // places straight inside each place
};

}  // namespace

std::vector<TreeItem> tree_view(const Node& node) { return Drawing(node).draw(); }

}  // namespace tenon::views
