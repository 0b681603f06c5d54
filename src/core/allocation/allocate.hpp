// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Chooses what one request gets on one node: GPUs, NICs, their pairing, NVMes, cores and memory,
// together.
//
// Pure: equal arguments give equal answers. The state is borrowed and never changed.
// Invariants of an answer (docs/invariants.md I20 … I54)
//   (1) Nothing is held beyond its limit: state::apply accepts the allocation.
//   (2) Every clause of the request holds.
//   (3) If proven_best, no allowed allocation has a smaller (cost, ids).
//   (4) A refusal with proven_best means that no allowed allocation exists.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>

#include "core/allocation/cost.hpp"
#include "core/state/node_state.hpp"
#include "domain/allocation.hpp"
#include "domain/refusal.hpp"
#include "domain/request.hpp"

namespace tenon::allocation {

/// Work is counted, not timed, so that a search that was cut off is repeatable.
struct Limits {
  std::int64_t steps_max = 2'000'000;
};

struct Answer {
  /// The refusal's verdict is kBadlyAsked or kNotNow: whether waiting helps is the planner's to say.
  std::expected<domain::Allocation, domain::Refusal> result;
  Cost cost;                // of an allocation
  bool proven_best = true;  // false: the limit cut the search
  std::int64_t steps = 0;   // work done
};

[[nodiscard]] Answer allocate(const state::NodeState& state, const domain::Request& request,
                              const Limits& limits = {});

struct Fit {
  bool fits = false;
  bool proven = true;  // false: the limit cut the search before anything was found
  std::int64_t steps = 0;
};

/// The same question without the reason of a refusal, which may cost several searches: for those
/// who ask about many sets.
[[nodiscard]] Fit fits(const state::NodeState& state, const domain::Request& request,
                       const Limits& limits = {});

/// What contradicts itself in the request alone (I48), or nothing.
[[nodiscard]] std::optional<domain::Refusal> badly_asked(const domain::Request& request);

}  // namespace tenon::allocation
