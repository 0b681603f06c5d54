// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/allocate.hpp"
#include "core/allocation/problem.hpp"
#include "core/allocation/refuse.hpp"

namespace tenon::allocation {

Fit fits(const state::NodeState& state, const domain::Request& request, const Limits& limits) {
  if (badly_asked(request)) return {};
  const Problem problem(state, request);
  if (refused_at_sight(problem)) return {};
  const Answer answer = search(problem, limits);
  const bool found = answer.result.has_value();
  return {.fits = found, .proven = found || answer.proven_best, .steps = answer.steps};
}

}  // namespace tenon::allocation
