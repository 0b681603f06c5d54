// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What a pod asks of one node. Plain data; docs/notation.md has its text form, docs/invariants.md
// the meaning of each clause (I30 … I48).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/distance.hpp"
#include "domain/node.hpp"

namespace tenon::domain {

inline constexpr int kUnitsMax = 64;   // devices of one kind that a request may name
inline constexpr int kRangesMax = 32;  // ranges of cores and memory nodes of an allocation
inline constexpr std::int64_t kMilliOfAWhole = 1000;

enum class GpuMode : std::uint8_t { kWhole, kShareMilli, kShareBytes, kMig };

/// One thing to be given: a whole GPU, a share of one, a partition of one.
struct GpuUnit {
  std::int64_t amount = 0;  // thousandths or bytes, of the share modes
  std::string profile;      // of kMig
  friend bool operator==(const GpuUnit&, const GpuUnit&) = default;
};

/// Where several shares or partitions of one request may lie. Whole GPUs are always apart.
enum class Cards : std::uint8_t { kAny, kOne, kApart };

struct GpuDemand {
  GpuMode mode = GpuMode::kWhole;
  std::vector<GpuUnit> units;
  Cards cards = Cards::kAny;
  std::string model;                  // "" for any; else equal to GpuFacts::model but for case
  std::int64_t memory_bytes_min = 0;  // of the card; 0 for any
  friend bool operator==(const GpuDemand&, const GpuDemand&) = default;
};

enum class NicMode : std::uint8_t { kWhole, kBandwidth, kVf };
enum class RoleWanted : std::uint8_t { kCompute, kStorage, kAny };

struct NicDemand {
  NicMode mode = NicMode::kWhole;
  int count = 0;
  std::int64_t bandwidth_bits = 0;  // of each, of kBandwidth
  Cards cards = Cards::kAny;        // of kVf; whole and bandwidth NICs are always apart
  RoleWanted role = RoleWanted::kCompute;
  std::int64_t rate_bits_min = 0;
  bool bonds = false;     // may a bond be given
  bool non_rdma = false;  // may a NIC without RDMA be given
  friend bool operator==(const NicDemand&, const NicDemand&) = default;
};

/// Each GPU a NIC within `bound`, at most `gpus_per_nic` GPUs to one NIC.
struct PairClause {
  int gpus_per_nic = 1;
  Distance bound = Distance::kSys;
  friend bool operator==(const PairClause&, const PairClause&) = default;
};

enum class NvlinkClause : std::uint8_t { kNone, kConnected, kAll };
enum class CorePlan : std::uint8_t { kPacked, kSpread };
enum class NumaClause : std::uint8_t { kBest, kNone, kNearDevices, kSingle };

/// What to be as near as can be, in the order of docs/invariants.md I50.
enum class Wish : std::uint8_t { kPair, kGpus, kNuma, kMemory, kNvme };
inline constexpr int kWishCount = 5;

struct Request {
  GpuDemand gpu;
  NicDemand nic;
  int nvme_count = 0;
  int cores = 0;  // whole cores, pinned
  CorePlan core_plan = CorePlan::kPacked;
  std::int64_t cpu_milli = 0;  // counted, not pinned
  std::int64_t memory_bytes = 0;

  std::optional<PairClause> pair;
  std::optional<Distance> gpus_within;  // every two GPUs
  NvlinkClause nvlink = NvlinkClause::kNone;
  std::optional<Distance> nvme_within;  // each NVMe of some GPU
  NumaClause numa = NumaClause::kBest;
  std::string arch;  // "" for any

  /// Wishes named in the request, in its order; the others follow in the order of the enum.
  std::vector<Wish> wishes;
  friend bool operator==(const Request&, const Request&) = default;
};

/// True if nothing is asked: such a pod runs anywhere and sees no device (I31).
[[nodiscard]] bool asks_nothing(const Request& request);

/// The wishes in the order in which they count: the named ones first. Without kNuma and kMemory
/// where the request says numa=none.
[[nodiscard]] std::vector<Wish> wish_order(const Request& request);

}  // namespace tenon::domain
