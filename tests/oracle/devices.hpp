// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The choices of each kind, on their own: devices, cores, memory. Each list is in the order of its
// ids (I51), so that the first of equal cost has the smallest.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "oracle/oracle.hpp"

namespace tenon::oracle {

inline constexpr std::size_t kChoicesMax = 20'000;  // of one kind; more: too large

struct DeviceChoice {
  std::vector<int> of_unit;  // ordinals
  std::vector<domain::Grant> grants;
};
/// Nothing: too many. An empty list: no choice is allowed. No demand: one empty choice.
[[nodiscard]] std::optional<std::vector<DeviceChoice>> gpu_choices(const Situation& s,
                                                                   const domain::GpuDemand& demand);
[[nodiscard]] std::optional<std::vector<DeviceChoice>> nic_choices(const Situation& s,
                                                                   const domain::NicDemand& demand);
[[nodiscard]] std::optional<std::vector<DeviceChoice>> nvme_choices(const Situation& s, int count);

struct CoreChoice {
  std::vector<int> counts;     // by NUMA position
  std::vector<int> first_ids;  // the plain smallest: first threads, ascending
  int ranges = 0;              // of these (I42)
  int threads = 0;
  Bits nodes = 0;
  /// The fewest ranges of any cores with these counts whose threads are at most what is free to pin;
  /// above kRangesMax where there are none.
  int ranges_least = 0;
};
[[nodiscard]] std::optional<std::vector<CoreChoice>> core_choices(const Situation& s,
                                                                  const domain::Request& request);

/// All threads of the plain smallest cores with these counts.
[[nodiscard]] domain::CpuSet cpus_of(const Situation& s, const std::vector<int>& counts);

/// I42 for some cores of one NUMA node, by first thread.
[[nodiscard]] int ranges_of(std::span<const domain::Core> cores);

}  // namespace tenon::oracle
