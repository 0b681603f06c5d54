// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A domain "no": an answer with a stable code, evidence, and one plain sentence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::domain {

/// Four answers that are never mixed, from the mildest. Over several nodes the mildest counts.
enum class Verdict : std::uint8_t {
  kNotNow,      // fits this node once holders have gone: wait
  kForbidden,   // fits but for an administrator's cordon: ask the administrator
  kNeverFits,   // not even on the empty node: change the request or the cluster
  kBadlyAsked,  // contradicts itself: mend the request
};
[[nodiscard]] std::string_view to_text(Verdict verdict);  // "not now", "forbidden" …

/// The rule that failed. Codes are stable: scripts and tests read them. docs/refusals.md has each
/// with its meaning and next step.
enum class RefusalCode : std::uint8_t {
  kArch,  // the node's architecture is another, or not known
  kNodeCordoned,
  kGpuCount,  // fewer usable GPUs than asked
  kGpuModel,
  kGpuMemory,
  kGpuShare,      // no GPU has that much of itself left
  kGpuPartition,  // no MIG partition of that profile is left
  kGpuCards,      // one card, or cards apart, cannot hold the units
  kNicCount,
  kNicRole,
  kNicRate,
  kNicBandwidth,
  kNicFunction,  // no VF is left
  kNvmeCount,
  kPair,  // GPUs and NICs are there, but not near enough
  kGpuDistance,
  kNvlink,
  kNvmeDistance,
  kCores,
  kCpu,
  kMemory,
  kNuma,      // no one NUMA node, or not the devices', has it all
  kRanges,    // more than kRangesMax ranges of cores and memory
  kNotKnown,  // a clause needs a fact that nobody saw
  kRequest,   // the request contradicts itself
  kNoNode,    // the cluster has no node
};
[[nodiscard]] std::string_view to_text(RefusalCode code);  // "gpu-count", "pair" …

/// What the asker can do about it: "ask for fewer GPUs".
[[nodiscard]] std::string_view next_step(RefusalCode code);

struct Refusal {
  Verdict verdict = Verdict::kNeverFits;
  RefusalCode code = RefusalCode::kRequest;
  std::string evidence;  // "nic needs 8 has 4", "nearest NIC of gpu2 is PHB away"
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

}  // namespace tenon::domain
