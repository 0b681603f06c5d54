// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The kinds of fixes, each in a file of its own. Private to this folder.
//
// Each answers with its smallest fix over all nodes (docs/invariants.md I65 … I69), or nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/planner/fewest.hpp"
#include "core/planner/fix.hpp"
#include "core/planner/node_cases.hpp"

namespace tenon::planner {

/// A request that no node of the cluster takes.
struct FixQuestion {
  const domain::Cluster& cluster;
  const domain::Request& request;
  const std::vector<NodeCase>& cases;  // all nodes
  /// Positions of one node of each class: equal states, equal holdings, equal hardware. The first
  /// of a class stands for it, as equal fixes go to the smaller position.
  std::vector<std::size_t> distinct;
};

[[nodiscard]] std::optional<Fix> find_free_devices(const FixQuestion& question, Work& work);
[[nodiscard]] std::optional<Fix> find_relax_clause(const FixQuestion& question, Work& work);
[[nodiscard]] std::optional<Fix> find_end_holders(const FixQuestion& question, Work& work);
[[nodiscard]] std::optional<Fix> find_ask_less(const FixQuestion& question, Work& work);
[[nodiscard]] std::optional<Fix> find_add_hardware(const FixQuestion& question, Work& work);

/// What `request` says to `state`, in counted work; an unproven "no" is noted in `work`.
[[nodiscard]] bool fits(const state::NodeState& state, const domain::Request& request, Work& work);

/// Where another request would go: best cost, then smallest position.
[[nodiscard]] std::optional<std::size_t> best_node(const FixQuestion& question,
                                                   const domain::Request& request, Work& work);

/// The words of two requests that differ: {"pair<=PIX", "pair<=PXB"}.
struct ClauseChange {
  std::string from;
  std::string to;
};
[[nodiscard]] ClauseChange clause_change(const domain::Request& from, const domain::Request& to);

/// "a", "a and b", "a, b and c".
[[nodiscard]] std::string and_list(const std::vector<std::string>& parts);

}  // namespace tenon::planner
