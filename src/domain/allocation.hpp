// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What a holder has on one node: the answer to a request, and the reason why something is taken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/cpu_set.hpp"
#include "domain/node.hpp"

namespace tenon::domain {

enum class GrantMode : std::uint8_t { kWhole, kShare, kMig, kVf, kBandwidth };

/// One device, or one part of one.
///
/// | mode       | amount         | bytes            | slot                                  |
/// | whole      | 0              | 0                | 0                                     |
/// | share      | thousandths    | of memory, or 0  | the smallest number that no share has |
/// | mig        | 0              | 0                | partition, or first memory slice      |
/// | vf         | 0              | 0                | number of the function                |
/// | bandwidth  | bits per second| 0                | 0                                     |
///
/// A share takes both of a GPU's amounts: what is not asked for follows from what is (I22).
struct Grant {
  DeviceIndex device{};
  GrantMode mode = GrantMode::kWhole;
  std::int64_t amount = 0;
  std::int64_t bytes = 0;
  int slot = 0;
  std::string profile;  // of kMig
  friend bool operator==(const Grant&, const Grant&) = default;
};

struct MemoryGrant {
  int numa = 0;  // os_index
  std::int64_t bytes = 0;
  friend bool operator==(const MemoryGrant&, const MemoryGrant&) = default;
};

struct Allocation {
  std::vector<Grant> grants;  // sorted by (device, slot)
  CpuSet cpus;                // pinned: whole cores
  std::int64_t cpu_milli = 0;
  std::vector<MemoryGrant> memory;  // sorted by numa, each at most once, bytes > 0
  friend bool operator==(const Allocation&, const Allocation&) = default;
};

enum class HolderKind : std::uint8_t { kPod, kReservation };

/// Who has what. A reservation is a holder like a pod.
struct Holder {
  HolderKind kind = HolderKind::kPod;
  std::string name;
  std::string node;
  Allocation allocation;
  friend bool operator==(const Holder&, const Holder&) = default;
};

}  // namespace tenon::domain
