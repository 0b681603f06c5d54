// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Which NIC each GPU of an allocation would use: a map of the cost that the allocation has at level
// `pair` (docs/invariants.md I50), worked out again from the devices alone.
#pragma once

#include <optional>
#include <vector>

#include "core/topology/shape.hpp"
#include "domain/allocation.hpp"

namespace tenon::views {

struct Pair {
  int gpu = 0;  // ordinals
  int nic = 0;
  topology::Rank rank = topology::kRankUnknown;
  friend bool operator==(const Pair&, const Pair&) = default;
};

/// By GPU, ascending. `gpus_per_nic`: at most so many GPUs to one unit; nothing: as few as the
/// numbers allow. Empty without GPUs or NICs.
[[nodiscard]] std::vector<Pair> pairs_of(const topology::Shape& shape,
                                         const domain::Allocation& allocation,
                                         std::optional<int> gpus_per_nic);

}  // namespace tenon::views
