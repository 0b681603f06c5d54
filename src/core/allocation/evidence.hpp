// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// One plain sentence for a clause that does not hold: amounts and devices by name.
//
// Private to core/allocation.
#pragma once

#include <string>

#include "core/state/node_state.hpp"
#include "domain/refusal.hpp"
#include "domain/request.hpp"

namespace tenon::allocation {

/// "nearest free NIC of gpu2 is nic1, PHB away" for kPair, and so on by the clause that failed.
[[nodiscard]] std::string evidence_of(domain::RefusalCode code, const state::NodeState& state,
                                      const domain::Request& request);

/// ": gpu0 and nic1", the first pair of candidates whose distance is not known, or "".
[[nodiscard]] std::string unknown_example(const state::NodeState& state,
                                          const domain::Request& request);

}  // namespace tenon::allocation
