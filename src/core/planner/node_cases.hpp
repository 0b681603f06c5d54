// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A cluster made ready for questions: each node with its state and its own holders.
//
// Invariants
//   (1) One case for each node, in the order of the cluster.
//   (2) Nodes of equal shape share one Shape value, so comparing two states is cheap.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "core/state/node_state.hpp"
#include "domain/cluster.hpp"

namespace tenon::planner {

struct NodeCase {
  const domain::Node* node = nullptr;
  std::vector<domain::Holder> holders;  // sorted by name
  state::NodeState now;
};

/// WARNING: the cases point into the cluster.
[[nodiscard]] Result<std::vector<NodeCase>> node_cases(const domain::Cluster& cluster);

/// The node with nobody on it: cordons as they are, or lifted.
enum class Cordons : std::uint8_t { kKept, kLifted };
[[nodiscard]] state::NodeState emptied(const NodeCase& node, Cordons cordons);

}  // namespace tenon::planner
