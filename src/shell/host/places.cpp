// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/places.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tenon::host {

using domain::PlaceIndex;
using domain::PlaceKind;

std::optional<PlaceIndex> PlaceMaker::place_of(const PciFunction& function) {
  if (!function.host_bridge) return std::nullopt;
  const auto [bridge, fresh] = bridges_.try_emplace(*function.host_bridge);
  if (fresh) bridge->second = add(PlaceKind::kBridge, std::nullopt, std::nullopt);
  PlaceIndex here = bridge->second;
  // Bridges alternate on the way down: root port, then up port and down port of each switch.
  for (std::size_t i = 0; i < function.bridges.size(); ++i) {
    const bool down_port = i >= 2 && i % 2 == 0;
    if (down_port) continue;  // one place with its up port
    const auto [port, is_new] = ports_.try_emplace(function.bridges[i]);
    if (is_new) {
      port->second = add(i == 0 ? PlaceKind::kPort : PlaceKind::kSwitch, here, function.bridges[i]);
    }
    here = port->second;
  }
  return here;
}

PlaceIndex PlaceMaker::add(PlaceKind kind, std::optional<PlaceIndex> parent,
                           std::optional<domain::PciAddress> pci) {
  static constexpr std::string_view kNames[] = {"bridge", "port", "sw"};
  const auto which = static_cast<std::size_t>(kind);
  const PlaceIndex added{static_cast<std::uint32_t>(node_.places.size())};
  node_.places.push_back({.kind = kind,
                          .name = text::cat(kNames[which], counts_[which]++),
                          .parent = parent,
                          .numa = {},
                          .pci = pci});
  return added;
}

void PlaceMaker::set_numa(std::span<const PciFunction> functions) {
  struct Said {
    std::optional<int> numa;
    bool agreed = true;
  };
  std::map<std::string_view, Said> said;
  for (const auto& function : functions) {
    if (!function.host_bridge || !bridges_.contains(*function.host_bridge)) continue;
    const auto numa = numa_of(function, node_);
    if (numa.empty()) continue;
    Said& of_bridge = said[*function.host_bridge];
    const bool first = !of_bridge.numa;
    if (first) of_bridge.numa = numa.front();
    of_bridge.agreed = of_bridge.agreed && numa.size() == 1 && numa.front() == *of_bridge.numa;
  }
  for (const auto& [name, place] : bridges_) {
    const auto found = said.find(name);
    if (found == said.end() || !found->second.agreed) continue;
    node_.places[static_cast<std::size_t>(place)].numa = found->second.numa;
  }
}

std::vector<int> numa_of(const PciFunction& function, const domain::Node& node) {
  if (function.numa_node && std::ranges::find(node.numa, *function.numa_node,
                                              &domain::NumaNode::os_index) != node.numa.end()) {
    return {*function.numa_node};
  }
  std::vector<int> near;
  bool all = true;
  for (const auto& numa : node.numa) {
    if (function.local_cpus.intersects(numa.cpus)) near.push_back(numa.os_index);
    all = all && function.local_cpus.contains_all(numa.cpus);
  }
  if (all) near.clear();
  return near;
}

std::optional<int> numa_of_top(const domain::Node& node, domain::PlaceIndex place) {
  auto here = static_cast<std::size_t>(place);
  while (node.places[here].parent) here = static_cast<std::size_t>(*node.places[here].parent);
  return node.places[here].numa;
}

}  // namespace tenon::host
