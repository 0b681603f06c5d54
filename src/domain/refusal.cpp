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

std::string_view next_step(RefusalCode code) {
  constexpr std::array<std::string_view, 26> kSteps = {
      "leave out arch=, or add a node of that architecture",
      "ask the administrator to lift the cordon",
      "ask for fewer GPUs",
      "ask for another model, or leave out gpu.model=",
      "lower gpu.mem>=",
      "ask for a smaller share",
      "ask for another profile, or for fewer partitions",
      "leave out gpu.cards=",
      "ask for fewer NICs",
      "ask for nic.role=any, or take more kinds with nic.allow=",
      "lower nic.rate>=",
      "lower nic.bw=",
      "ask for fewer VFs, or leave out vf.cards=",
      "ask for fewer NVMes",
      "weaken the bound of pair, or give more GPUs to one NIC",
      "weaken gpus<=, or ask for fewer GPUs",
      "ask for nvlink=connected or nvlink=best, or for fewer GPUs",
      "weaken nvme<=",
      "ask for fewer cores, or for cpu= instead",
      "ask for less cpu",
      "ask for less memory",
      "weaken numa=",
      "ask for fewer cores",
      "state the fact in the notation, or read another source",
      "mend or leave out the clause that is named",
      "give a cluster that has a node"};
  static_assert(kSteps.size() == static_cast<std::size_t>(RefusalCode::kNoNode) + 1);
  const auto at = static_cast<std::size_t>(code);
  check(at < kSteps.size(), "a code has a next step");
  return kSteps[at];
}

}  // namespace tenon::domain
