// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The PCI tree of one node: what stands between two cards, and so how near they are.
//
// A tree is a value: build it once from what a reader found, then only ask.
// Thread safety: const access from any thread.
//
// Invariants
//   (1) Only a host bridge has no parent; a parent is older than its children: no cycle.
//   (2) below_one_bridge(a, b) == below_one_bridge(b, a), and of a card to itself it is kSame.
//   (3) Along any path down from a host bridge, cards are leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "domain/distance.hpp"

namespace tenon::topology {

class PciTree {
 public:
  /// Names a vertex of the tree that made it; meaningless in any other.
  enum class Vertex : std::uint32_t {};

  [[nodiscard]] Vertex add_host_bridge();

  /// REQUIRES: `host_bridge` is a host bridge.
  [[nodiscard]] Vertex add_root_port(Vertex host_bridge);

  /// One switch, its up port and its down ports together. Straight under a host bridge it gets a
  /// root port of its own.
  /// REQUIRES: `parent` is not a card.
  [[nodiscard]] Vertex add_switch(Vertex parent);

  /// REQUIRES: `parent` is not a card.
  [[nodiscard]] Vertex add_card(Vertex parent);

  /// kSame, kPix, kPxb or kPhb; nothing where the host bridges differ: NUMA nodes decide then.
  /// REQUIRES: `a` and `b` are cards. Cost: O(depth), which hardware keeps below ten.
  [[nodiscard]] std::optional<domain::Distance> below_one_bridge(Vertex a, Vertex b) const;

 private:
  enum class Kind : std::uint8_t { kHostBridge, kRootPort, kSwitch, kCard };

  struct Node {
    Kind kind;
    std::uint32_t depth;   // 0 for a host bridge
    std::uint32_t parent;  // its own index for a host bridge
  };

  [[nodiscard]] Vertex add(Kind kind, Vertex parent);
  [[nodiscard]] const Node& at(Vertex vertex) const;

  std::vector<Node> nodes_;  // indexed by Vertex, oldest first
};

}  // namespace tenon::topology
