// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The allocator's oracle: every answer that a request could get on one node, tried one by one.
//
// Written from docs/invariants.md I20 … I54 alone; shares no code with core/allocation, core/state
// or core/topology. An answer is a unit → GPU map, a multiset of NICs, a set of NVMes, a number of
// cores for each NUMA node, and a set of NUMA nodes for memory; ids and amounts follow from these
// (I51 … I53). What is skipped is skipped for one reason only: with levels that can only grow it
// is already worse than the best, and it is known that there are many answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/cluster.hpp"
#include "oracle/cost.hpp"

namespace tenon::oracle {

enum class Outcome : std::uint8_t {
  kFits,
  kRefused,
  kBadlyAsked,
  kTooLarge,  // more than Bounds allows; nothing is known
};

/// Work is counted: one for each answer looked at, and some for each pair of device sets.
struct Bounds {
  std::int64_t steps_max = 60'000;
  int nodes_max = 10;  // NUMA nodes that can give memory: 2^n sets
};

struct Opinion {
  Outcome outcome = Outcome::kRefused;
  // Of kFits:
  domain::Allocation best;
  Levels levels;
  bool ids_compared = true;  // false where I54 leaves a choice
  int answers = 0;           // counted up to kAnswersCounted, then "many"
  std::int64_t steps = 0;
  bool ranges_bite = false;  // the smallest cores of some answer are too many ranges
};
inline constexpr int kAnswersCounted = 4;

[[nodiscard]] Opinion ask(const Situation& s, const domain::Request& request,
                          const Bounds& bounds = {});

/// I48.
[[nodiscard]] bool badly_asked(const domain::Request& request);

/// The answer in plain numbers, as levels_of() takes it. NICs by unit, GPUs by grant.
[[nodiscard]] Chosen read_back(const Situation& s, const domain::Node& node,
                               const domain::Allocation& allocation);

}  // namespace tenon::oracle
