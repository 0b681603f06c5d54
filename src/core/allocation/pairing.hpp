// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// GPUs to NICs, the best map: first its worst rank as small as can be, then the sum of ranks
// (docs/invariants.md I36, I50 level `pair`).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/allocation/problem.hpp"
#include "core/allocation/work.hpp"

namespace tenon::allocation {

struct PairCost {
  int worst = 0;
  int sum = 0;
  friend bool operator==(const PairCost&, const PairCost&) = default;
};

/// How many GPUs each NIC may take, by ordinal; only those of `nics` count.
using NicLoads = std::array<int, kDevicesMax>;

/// Nothing where the NICs cannot take all the GPUs. Adds its work to `work`.
[[nodiscard]] std::optional<PairCost> best_pairs(const Problem& problem, Mask gpus, Mask nics,
                                                 const NicLoads& loads, Work& work);

/// Not above best_pairs() of any `units` NIC units out of `nics`, each for at most `most` GPUs: what
/// the GPUs cost if they may come together freely, without regard to which NIC is taken already.
/// (0, 0) where there are too many GPUs to say; nothing where no such units exist.
[[nodiscard]] std::optional<PairCost> shared_floor(const Problem& problem, Mask gpus, Mask nics,
                                                   int most, int units, Work& work);

}  // namespace tenon::allocation
