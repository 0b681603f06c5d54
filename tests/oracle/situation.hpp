// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// One node and its holders, as the oracle sees them: distances as ranks, and what is free.
//
// Built from domain values alone; core/state and core/topology have their own books.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/cluster.hpp"

namespace tenon::oracle {

/// Bit i: the device of that ordinal, or the NUMA node at that position.
using Bits = std::uint64_t;
[[nodiscard]] constexpr Bits bit(int i) { return Bits{1} << static_cast<unsigned>(i); }

/// Products of amounts do not fit 64 bits.
__extension__ using Wide = __int128;

inline constexpr int kNotKnownRank = 6;

/// A MIG profile as a request writes it (I48).
struct Profile {
  int compute = 0;
  std::int64_t gb = 0;  // 0: not said
  bool more = false;    // "+me" and its like: of a fixed partition only
};
[[nodiscard]] std::optional<Profile> profile_from_text(std::string_view text);
/// Memory slices on a dynamic card of that memory, or nothing where it does not match (I35).
[[nodiscard]] std::optional<int> memory_slices(const Profile& profile,
                                               std::optional<std::int64_t> card_bytes);
/// The first slices that I35 allows.
[[nodiscard]] std::vector<int> first_slices(const Profile& profile, int size);

struct GpuView {
  domain::GpuFacts facts;
  bool cordoned = false;
  bool whole = false;  // somebody has it whole
  std::int64_t milli_used = 0;
  std::int64_t bytes_used = 0;
  std::vector<int> share_slots;
  std::vector<int> partitions_used;  // fixed: partitions; dynamic: memory slices
  int compute_used = 0;              // dynamic
  Bits numa = 0;
  [[nodiscard]] bool free() const {
    return !whole && share_slots.empty() && partitions_used.empty();
  }
};

struct NicView {
  domain::NicFacts facts;
  bool cordoned = false;
  bool whole = false;
  bool by_bandwidth = false;
  std::int64_t bits_used = 0;
  std::vector<int> vfs_used;
  Bits numa = 0;
  [[nodiscard]] bool free() const { return !whole && !by_bandwidth && vfs_used.empty(); }
};

struct NvmeView {
  bool cordoned = false;
  bool taken = false;
  Bits numa = 0;
};

struct NumaView {
  int os_index = 0;
  int socket = 0;  // equal numbers: one socket; one of its own where not known
  bool has_cpus = false;
  std::vector<domain::Core> cores_free;  // by first thread; none where siblings are not known
  std::int64_t memory_free = 0;
};

struct GroupBits {
  Bits gpus = 0;
  Bits nics = 0;
};

struct Situation {
  explicit Situation(const domain::Node& node, const std::vector<domain::Holder>& holders);

  std::string arch;
  bool cordoned = false;
  std::vector<GpuView> gpus;
  std::vector<NicView> nics;
  std::vector<NvmeView> nvmes;
  std::vector<NumaView> numa;
  std::int64_t milli_free = 0;  // counted CPU

  std::vector<std::vector<int>> gpu_gpu, gpu_nic, gpu_nvme;  // ranks (I50)
  std::vector<std::vector<int>> nvlinks;
  std::array<std::vector<GroupBits>, 3> intact;  // NVLink, switch and NUMA groups, now intact

  std::vector<domain::DeviceIndex> gpu_index, nic_index, nvme_index;  // by ordinal

 private:
  void take(const domain::Node& node, const domain::Allocation& allocation, domain::CpuSet& pinned);
};

}  // namespace tenon::oracle
