// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// One request on a cluster: where it goes and why, or why not and what would help.
//
// Pure. Node of the answer: best cost, then smallest position in the cluster (policies come later).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/allocation/allocate.hpp"
#include "core/planner/fix.hpp"
#include "core/state/node_state.hpp"
#include "domain/cluster.hpp"

namespace tenon::planner {

/// What one node says to the request.
struct NodeAnswer {
  std::string node;
  allocation::Answer answer;  // a refusal's verdict is final here
};

struct Placement {
  std::vector<NodeAnswer> nodes;      // in the order of the cluster
  std::optional<std::size_t> chosen;  // index into nodes
  /// Of the whole cluster when nothing was chosen: the mildest verdict (I61), the node that gave it.
  std::optional<domain::Refusal> refusal;
  std::optional<std::size_t> refused_by;
  std::optional<Fix> fix;  // the nearest, if it was wanted and one was found
  bool fix_searched = false;
  bool fix_search_complete = false;  // FixSearch::complete
  std::int64_t fix_steps = 0;
};

enum class FixWanted : std::uint8_t { kNo, kYes };

/// An Error where the cluster contradicts itself (two holders of one device).
[[nodiscard]] Result<Placement> place(const domain::Cluster& cluster,
                                      const domain::Request& request,
                                      const allocation::Limits& limits, FixWanted fix);

}  // namespace tenon::planner
