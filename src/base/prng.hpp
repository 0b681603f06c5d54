// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Chance as a value: the same seed gives the same numbers on every platform and compiler.
//
// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
// Not for secrets.
#pragma once

#include <cstdint>

#include "base/check.hpp"

namespace tenon {

class Prng {
 public:
  explicit constexpr Prng(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] constexpr std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }

  /// Evenly one of 0 … bound - 1. REQUIRES: bound > 0.
  [[nodiscard]] constexpr std::uint64_t below(std::uint64_t bound) {
    check(bound > 0, "a draw needs at least one outcome");
    const std::uint64_t rejected = (0 - bound) % bound;  // 2^64 mod bound: the uneven rest
    while (true) {
      const std::uint64_t draw = next();
      if (draw >= rejected) return draw % bound;
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace tenon
