// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Units onto cards: which GPU serves which share or partition, so that all fit at the same time
// (docs/invariants.md I22, I34, I35).
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/allocation/problem.hpp"
#include "core/allocation/work.hpp"
#include "core/topology/mig.hpp"
#include "domain/allocation.hpp"

namespace tenon::allocation {

/// GPU ordinal of each unit.
using UnitCards = std::array<std::uint8_t, domain::kUnitsMax>;

class Packing {
 public:
  explicit Packing(const Problem& problem);

  /// The smallest map, unit by unit, that uses exactly the cards of `gpus`; false where there is
  /// none, or the work was cut.
  [[nodiscard]] bool fit(Mask gpus, UnitCards& cards, Work& work);

  /// The grants of such a map, slots as in I52, in the order of the units.
  [[nodiscard]] std::vector<domain::Grant> grants(const UnitCards& cards) const;

 private:
  struct Fill;  // a card while units are put on it

  [[nodiscard]] bool put(Fill& fill, int unit, int gpu) const;
  [[nodiscard]] bool cuts_fit(const Fill& fill, int gpu) const;
  [[nodiscard]] bool have_room(int first, Mask gpus, const std::vector<Fill>& fills) const;
  [[nodiscard]] bool sums_have_room(int first, Mask gpus, const std::vector<Fill>& fills) const;
  [[nodiscard]] topology::MigCut least_cut(const std::string& profile) const;
  [[nodiscard]] bool place(int unit, Mask gpus, Mask uncovered, std::vector<Fill>& fills,
                           UnitCards& cards, Work& work);
  [[nodiscard]] std::string key_of(int unit, Mask gpus, Mask uncovered,
                                   const std::vector<Fill>& fills) const;
  void add_slots(std::vector<domain::Grant>& grants, int gpu) const;

  const Problem& problem_;
  std::array<int, domain::kUnitsMax> equal_before_{};  // the last equal unit before, or -1
  std::array<int, kDevicesMax> alike_{};               // the first card alike, itself maybe
  /// The fewest slices that a unit takes of any card: none where a fixed partition may serve it.
  std::array<topology::MigCut, domain::kUnitsMax> least_cut_{};
  /// Keys of what the units before left, where the others found no room.
  std::set<std::string> failed_;
};

}  // namespace tenon::allocation
