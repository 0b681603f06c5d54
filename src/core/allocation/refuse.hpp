// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Why a request does not fit: the rule that failed, and evidence in one plain sentence.
//
// Private to core/allocation.
#pragma once

#include <optional>

#include "core/allocation/allocate.hpp"
#include "core/allocation/problem.hpp"
#include "core/state/node_state.hpp"
#include "domain/refusal.hpp"
#include "domain/request.hpp"

namespace tenon::allocation {

/// The exact search alone: a refusal in its answer has no code and no evidence yet.
/// REQUIRES: well asked, and not refused at sight.
[[nodiscard]] Answer search(const Problem& problem, const Limits& limits);

/// What is refused without a search: a cordoned node, another architecture, fewer devices, cores or
/// bytes than asked.
[[nodiscard]] std::optional<domain::Refusal> refused_at_sight(const Problem& problem);

/// The clause without which a request would fit, or `not-known` (docs/invariants.md I62).
/// REQUIRES: search() refuses it.
[[nodiscard]] domain::Refusal explain(const state::NodeState& state, const domain::Request& request,
                                      const Limits& limits);

}  // namespace tenon::allocation
