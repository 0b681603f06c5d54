// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// One plain sentence for a clause that does not hold: amounts and devices by name.
//
// Private to core/allocation.
#pragma once

#include <cstdint>
#include <string>

#include "core/state/node_state.hpp"
#include "domain/refusal.hpp"
#include "domain/request.hpp"

namespace tenon::allocation {

/// "nearest usable NIC of gpu2 is nic1, PHB away" for kPair, and so on by the clause that failed.
[[nodiscard]] std::string evidence_of(domain::RefusalCode code, const state::NodeState& state,
                                      const domain::Request& request);

/// Facts that a request may be refused for want of (docs/invariants.md I62).
enum class Guess : std::uint8_t { kDistances, kNuma, kSiblings, kAll };

/// " (gpu0 to nic1)", " (gpu0)" or " (numa0)": the first fact of that sort that nobody saw, of those
/// that the request asks about; or "".
[[nodiscard]] std::string unknown_example(Guess guess, const state::NodeState& state,
                                          const domain::Request& request);

}  // namespace tenon::allocation
