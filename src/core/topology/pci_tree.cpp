// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/topology/pci_tree.hpp"

#include "base/check.hpp"

namespace tenon::topology {

using domain::Distance;

PciTree::Vertex PciTree::add_host_bridge() {
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({.kind = Kind::kHostBridge, .depth = 0, .parent = index});
  return Vertex{index};
}

PciTree::Vertex PciTree::add_root_port(Vertex host_bridge) {
  check(at(host_bridge).kind == Kind::kHostBridge, "a root port hangs under a host bridge");
  return add(Kind::kRootPort, host_bridge);
}

PciTree::Vertex PciTree::add_switch(Vertex parent) {
  const Kind above = at(parent).kind;
  if (above == Kind::kHostBridge) return add(Kind::kSwitch, add(Kind::kRootPort, parent));
  return add(Kind::kSwitch, parent);
}

PciTree::Vertex PciTree::add_card(Vertex parent) { return add(Kind::kCard, parent); }

std::optional<Distance> PciTree::below_one_bridge(Vertex a, Vertex b) const {
  check(at(a).kind == Kind::kCard && at(b).kind == Kind::kCard, "distance is asked between cards");
  if (a == b) return Distance::kSame;

  // Climb both sides to where they meet, counting each switch once: when it is left, or met.
  int switches = 0;
  auto x = static_cast<std::uint32_t>(a);
  auto y = static_cast<std::uint32_t>(b);
  const auto climb = [&](std::uint32_t& index) {
    switches += nodes_[index].kind == Kind::kSwitch ? 1 : 0;
    index = nodes_[index].parent;
  };
  while (nodes_[x].depth > nodes_[y].depth) climb(x);
  while (nodes_[y].depth > nodes_[x].depth) climb(y);
  while (x != y && nodes_[x].depth > 0) {
    climb(x);
    climb(y);
  }

  if (x != y) return std::nullopt;
  const Kind meeting = nodes_[x].kind;
  if (meeting == Kind::kHostBridge) return Distance::kPhb;
  if (meeting == Kind::kSwitch) ++switches;
  return switches <= 1 ? Distance::kPix : Distance::kPxb;
}

PciTree::Vertex PciTree::add(Kind kind, Vertex parent) {
  check(at(parent).kind != Kind::kCard, "a card is a leaf");
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(
      {.kind = kind, .depth = at(parent).depth + 1, .parent = static_cast<std::uint32_t>(parent)});
  return Vertex{index};
}

const PciTree::Node& PciTree::at(Vertex vertex) const {
  const auto index = static_cast<std::size_t>(vertex);
  check(index < nodes_.size(), "a vertex belongs to the tree that made it");
  return nodes_[index];
}

}  // namespace tenon::topology
