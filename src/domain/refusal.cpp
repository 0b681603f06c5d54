// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "domain/refusal.hpp"

#include <array>

#include "base/check.hpp"

namespace tenon::domain {

std::string_view to_text(Verdict verdict) {
  constexpr std::array<std::string_view, 4> kWords = {"not now", "forbidden", "never fits",
                                                      "badly asked"};
  const auto at = static_cast<std::size_t>(verdict);
  check(at < kWords.size(), "a verdict has a word");
  return kWords[at];
}

std::string_view to_text(RefusalCode code) {
  constexpr std::array<std::string_view, 26> kWords = {
      "arch",          "node-cordoned", "gpu-count", "gpu-model",    "gpu-memory", "gpu-share",
      "gpu-partition", "gpu-cards",     "nic-count", "nic-role",     "nic-rate",   "nic-bandwidth",
      "nic-function",  "nvme-count",    "pair",      "gpu-distance", "nvlink",     "nvme-distance",
      "cores",         "cpu",           "memory",    "numa",         "ranges",     "not-known",
      "request",       "no-node"};
  static_assert(kWords.size() == static_cast<std::size_t>(RefusalCode::kNoNode) + 1);
  const auto at = static_cast<std::size_t>(code);
  check(at < kWords.size(), "a code has a word");
  return kWords[at];
}

}  // namespace tenon::domain
