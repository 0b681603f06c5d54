// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The second opinion on an answer: each invariant that it breaks, by number.
//
// Pure. Shares no code with what it checks (core/allocation), and does not look for an answer itself.
// It says whether an allocation is allowed (docs/invariants.md I20 … I54), not whether it is the best.
#pragma once

#include <string>
#include <vector>

#include "core/state/node_state.hpp"
#include "domain/allocation.hpp"
#include "domain/request.hpp"

namespace tenon::checker {

struct Violation {
  std::string invariant;  // "I36"
  std::string evidence;   // "gpu2 finds no NIC within PIX"
  friend bool operator==(const Violation&, const Violation&) = default;
};

/// Empty: allowed. Any values may be given; indices that name nothing are violations too.
[[nodiscard]] std::vector<Violation> check_allocation(const state::NodeState& before,
                                                      const domain::Request& request,
                                                      const domain::Allocation& allocation);

/// "I36 gpu2 finds no NIC within PIX", a line each.
[[nodiscard]] std::string to_text(const std::vector<Violation>& violations);

}  // namespace tenon::checker
