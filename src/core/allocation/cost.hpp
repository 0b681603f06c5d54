// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// How good an allocation is: levels compared in order, smaller is better (docs/invariants.md I50).
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tenon::allocation {

struct Level {
  std::string_view name;  // "pair", "gpus", "numa", "memory", "nvme", "nvlink-groups" …
  std::vector<std::int64_t> values;
  friend auto operator<=>(const Level&, const Level&) = default;
};

/// All costs of one request have the same levels in the same order, so they compare level by level.
struct Cost {
  std::vector<Level> levels;
  friend auto operator<=>(const Cost&, const Cost&) = default;
};

}  // namespace tenon::allocation
