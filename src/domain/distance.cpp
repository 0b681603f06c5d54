// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "domain/distance.hpp"

#include <array>

#include "base/check.hpp"

namespace tenon::domain {
namespace {

constexpr std::array<std::string_view, 6> kWords = {"SAME", "PIX", "PXB", "PHB", "NODE", "SYS"};

}  // namespace

std::string_view to_text(Distance distance) {
  const auto at = static_cast<std::size_t>(distance);
  check(at < kWords.size(), "a distance has a word");
  return kWords[at];
}

std::optional<Distance> distance_from_text(std::string_view word) {
  // SAME is what a device is to itself; nobody asks for it, and a matrix writes X.
  for (std::size_t i = 1; i < kWords.size(); ++i) {
    if (kWords[i] == word) return static_cast<Distance>(i);
  }
  return std::nullopt;
}

}  // namespace tenon::domain
