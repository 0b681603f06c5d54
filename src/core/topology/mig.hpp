// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// How a card in dynamic MIG mode can be cut: 7 compute and 8 memory slices (docs/invariants.md I35).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "domain/node.hpp"

namespace tenon::topology {

inline constexpr int kMigComputeSlices = 7;
inline constexpr int kMigMemorySlices = 8;

/// A set of memory slices: bit i is slice i.
using SliceMask = std::uint8_t;

/// What one partition takes of a card.
struct MigCut {
  int compute_slices = 0;
  int memory_slices = 0;
  SliceMask first_slices = 0;  // where it may begin
  friend auto operator<=>(const MigCut&, const MigCut&) = default;

  /// The memory slices that it covers when it begins at `first`.
  [[nodiscard]] constexpr SliceMask covered(int first) const {
    return static_cast<SliceMask>(((1U << static_cast<unsigned>(memory_slices)) - 1U)
                                  << static_cast<unsigned>(first));
  }
};

/// True of "Ng" and "Ng.Mgb", with or without "+…": what a request may name (I48).
[[nodiscard]] bool is_mig_profile(std::string_view profile);

/// The cut for `profile` on a dynamic card; nothing where this card cannot be cut so.
[[nodiscard]] std::optional<MigCut> mig_cut(std::string_view profile,
                                            std::optional<std::int64_t> card_memory_bytes);

}  // namespace tenon::topology
