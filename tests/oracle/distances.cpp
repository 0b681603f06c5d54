// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "oracle/distances.hpp"

#include <algorithm>
#include <functional>

namespace tenon::oracle {

using domain::Device;
using domain::DeviceIndex;
using domain::DeviceKind;
using domain::Distance;
using domain::Link;
using domain::Node;
using domain::PlaceIndex;
using domain::PlaceKind;

namespace {

const Device& device_at(const Node& node, DeviceIndex index) {
  return node.devices.at(static_cast<std::size_t>(index));
}

const domain::Place& place_at(const Node& node, PlaceIndex index) {
  return node.places.at(static_cast<std::size_t>(index));
}

/// The places above a device, nearest first.
std::vector<PlaceIndex> way_up(const Node& node, const Device& device) {
  std::vector<PlaceIndex> way;
  for (auto at = device.place; at.has_value(); at = place_at(node, *at).parent) way.push_back(*at);
  return way;
}

std::vector<int> those_of_the_machine(const Node& node, const std::vector<int>& wanted) {
  std::vector<int> there;
  for (const auto& numa : node.numa) {
    if (std::ranges::find(wanted, numa.os_index) != wanted.end()) there.push_back(numa.os_index);
  }
  return there;
}

/// The cell of a row and a column, if the matrix has both and somebody saw it.
std::optional<Link> seen_cell(const Node& node, DeviceIndex row, DeviceIndex column) {
  if (!node.matrix) return {};
  const auto& header = node.matrix->header;
  const auto r = std::ranges::find(header, row);
  const auto c = std::ranges::find(header, column);
  if (r == header.end() || c == header.end()) return {};
  const auto index = static_cast<std::size_t>(r - header.begin()) * header.size() +
                     static_cast<std::size_t>(c - header.begin());
  const Link link = node.matrix->cells.at(index);
  if (link.seen == Link::Seen::kNothing) return {};
  return link;
}

/// Connected components of a relation over some devices.
Groups components(const std::vector<DeviceIndex>& members,
                  const std::function<bool(DeviceIndex, DeviceIndex)>& related) {
  Groups groups;
  std::vector<DeviceIndex> left = members;
  while (!left.empty()) {
    std::vector<DeviceIndex> group{left.front()};
    left.erase(left.begin());
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (std::size_t j = 0; j < left.size();) {
        if (related(group[i], left[j])) {
          group.push_back(left[j]);
          left.erase(left.begin() + static_cast<std::ptrdiff_t>(j));
        } else {
          ++j;
        }
      }
    }
    std::ranges::sort(group);
    groups.push_back(group);
  }
  std::ranges::sort(groups);
  return groups;
}

std::vector<DeviceIndex> devices_of(const Node& node, const std::vector<DeviceKind>& kinds) {
  std::vector<DeviceIndex> found;
  for (std::size_t i = 0; i < node.devices.size(); ++i) {
    if (std::ranges::find(kinds, node.devices[i].kind()) != kinds.end()) {
      found.push_back(static_cast<DeviceIndex>(i));
    }
  }
  return found;
}

bool has_gpu(const Node& node, const std::vector<DeviceIndex>& group) {
  return std::ranges::any_of(
      group, [&](DeviceIndex d) { return device_at(node, d).kind() == DeviceKind::kGpu; });
}

}  // namespace

std::vector<int> near_numa(const Node& node, DeviceIndex index) {
  const Device& device = device_at(node, index);
  if (const auto own = those_of_the_machine(node, device.numa); !own.empty()) return own;
  const auto way = way_up(node, device);
  if (!way.empty() && place_at(node, way.back()).numa.has_value()) {
    const auto top = those_of_the_machine(node, {*place_at(node, way.back()).numa});
    if (!top.empty()) return top;
  }
  if (node.numa.size() == 1) return {node.numa[0].os_index};
  return {};
}

std::optional<Distance> tree_distance(const Node& node, DeviceIndex a, DeviceIndex b) {
  if (a == b) return Distance::kSame;
  const Device& x = device_at(node, a);
  const Device& y = device_at(node, b);
  if (!x.place || !y.place) return {};
  if (x.pci && y.pci && x.pci->domain == y.pci->domain && x.pci->bus == y.pci->bus &&
      x.pci->device == y.pci->device) {
    return Distance::kPix;
  }
  const auto from_x = way_up(node, x);
  const auto from_y = way_up(node, y);
  const auto met = std::ranges::find_first_of(from_x, from_y);
  if (met == from_x.end()) {
    const auto near_x = near_numa(node, a);
    const auto near_y = near_numa(node, b);
    return std::ranges::find_first_of(near_x, near_y) != near_x.end() ? Distance::kNode
                                                                      : Distance::kSys;
  }
  const auto is_switch = [&](PlaceIndex p) { return place_at(node, p).kind == PlaceKind::kSwitch; };
  const auto switches = std::count_if(from_x.begin(), met, is_switch) +
                        std::count_if(from_y.begin(), std::ranges::find(from_y, *met), is_switch) +
                        (is_switch(*met) ? 1 : 0);
  if (place_at(node, *met).kind == PlaceKind::kBridge) return Distance::kPhb;
  return switches <= 1 ? Distance::kPix : Distance::kPxb;
}

std::optional<Distance> pci_distance(const Node& node, DeviceIndex a, DeviceIndex b) {
  if (a == b) return Distance::kSame;
  auto weakest = tree_distance(node, a, b);
  for (const auto& cell : {seen_cell(node, a, b), seen_cell(node, b, a)}) {
    if (cell && cell->seen == Link::Seen::kDistance) {
      weakest = weakest ? std::max(*weakest, cell->distance) : cell->distance;
    }
  }
  return weakest;
}

int nvlink_count(const Node& node, DeviceIndex a, DeviceIndex b) {
  auto there = seen_cell(node, a, b);
  auto back = seen_cell(node, b, a);
  if (!there) there = back;
  if (!back) back = there;
  if (there) {
    const auto links = [](const Link& cell) {
      return cell.seen == Link::Seen::kNvlink ? int{cell.nvlinks} : 0;
    };
    return std::min(links(*there), links(*back));
  }
  const auto stated = [&](DeviceIndex from, DeviceIndex to) {
    for (const auto& fact : node.nvlinks) {
      if (fact.from == from && fact.to == to) return int{fact.links};
    }
    return 0;
  };
  return std::min(stated(a, b), stated(b, a));
}

Groups nvlink_groups(const Node& node) {
  auto groups = components(devices_of(node, {DeviceKind::kGpu}), [&](DeviceIndex a, DeviceIndex b) {
    return nvlink_count(node, a, b) > 0;
  });
  std::erase_if(groups, [](const auto& group) { return group.size() < 2; });
  return groups;
}

Groups switch_groups(const Node& node) {
  auto groups = components(devices_of(node, {DeviceKind::kGpu, DeviceKind::kNic}),
                           [&](DeviceIndex a, DeviceIndex b) {
                             return domain::within(pci_distance(node, a, b), Distance::kPix);
                           });
  std::erase_if(groups,
                [&](const auto& group) { return group.size() < 2 || !has_gpu(node, group); });
  return groups;
}

Groups numa_groups(const Node& node) {
  Groups groups;
  for (const auto& numa : node.numa) {
    std::vector<DeviceIndex> group;
    for (const DeviceIndex device : devices_of(node, {DeviceKind::kGpu, DeviceKind::kNic})) {
      const auto near = near_numa(node, device);
      if (std::ranges::find(near, numa.os_index) != near.end()) group.push_back(device);
    }
    if (has_gpu(node, group)) groups.push_back(group);
  }
  std::ranges::sort(groups);
  return groups;
}

}  // namespace tenon::oracle
