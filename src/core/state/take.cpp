// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/state/take.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"
#include "core/topology/mig.hpp"

namespace tenon::state {
namespace {

using domain::GpuFacts;
using domain::Grant;
using domain::GrantMode;
using domain::MigMode;
using domain::NicFacts;
using text::cat;

using Wrong = std::optional<std::string>;

bool has(const std::vector<int>& sorted, int number) {
  return std::ranges::binary_search(sorted, number);
}

void put(std::vector<int>& sorted, int number) {
  sorted.insert(std::ranges::lower_bound(sorted, number), number);
}

void drop(std::vector<int>& sorted, int number) {
  const auto at = std::ranges::lower_bound(sorted, number);
  check(at != sorted.end() && *at == number, "a slot goes back once");
  sorted.erase(at);
}

Wrong take_whole(GpuState& gpu, const GpuFacts& facts) {
  if (facts.mig != MigMode::kOff) return "is in MIG mode: it is given by partitions";
  if (gpu.use != GpuUse::kFree) return "is not wholly free";
  gpu.use = GpuUse::kWhole;
  gpu.milli_free = 0;
  gpu.bytes_free = facts.memory_bytes ? 0 : -1;
  return {};
}

Wrong take_share(GpuState& gpu, const GpuFacts& facts, const Grant& grant) {
  if (facts.mig != MigMode::kOff) return "is in MIG mode: it is given by partitions";
  if (gpu.use == GpuUse::kWhole) return "is held whole";
  if (grant.amount < 1 || grant.amount > gpu.milli_free) {
    return cat("has ", gpu.milli_free, " of ", grant.amount, " thousandths free");
  }
  if (grant.bytes < 0 || grant.bytes > std::max<std::int64_t>(gpu.bytes_free, 0)) {
    return cat("has ", std::max<std::int64_t>(gpu.bytes_free, 0), " of ", grant.bytes,
               " bytes free");
  }
  // A share takes a thousandth at least, so the smallest free slot is always below 1000.
  const std::int64_t slots =
      std::min<std::int64_t>(facts.slots.value_or(domain::kMilliOfAWhole), domain::kMilliOfAWhole);
  if (grant.slot < 0 || grant.slot >= slots) return cat("has no slot ", grant.slot);
  if (has(gpu.slots_taken, grant.slot)) return cat("slot ", grant.slot, " is held");
  gpu.use = GpuUse::kShared;
  gpu.milli_free -= grant.amount;
  if (gpu.bytes_free >= 0) gpu.bytes_free -= grant.bytes;
  put(gpu.slots_taken, grant.slot);
  return {};
}

Wrong take_fixed(GpuState& gpu, const GpuFacts& facts, const Grant& grant) {
  if (grant.slot < 0 || static_cast<std::size_t>(grant.slot) >= facts.partitions.size()) {
    return cat("has no partition ", grant.slot);
  }
  const auto& partition = facts.partitions[static_cast<std::size_t>(grant.slot)];
  if (partition.profile != grant.profile) {
    return cat("partition ", grant.slot, " is a ", partition.profile, ", not a ", grant.profile);
  }
  if (has(gpu.slots_taken, grant.slot)) return cat("partition ", grant.slot, " is held");
  gpu.use = GpuUse::kMig;
  put(gpu.slots_taken, grant.slot);
  return {};
}

Wrong take_dynamic(GpuState& gpu, const GpuFacts& facts, const Grant& grant) {
  const auto cut = topology::mig_cut(grant.profile, facts.memory_bytes);
  if (!cut) return cat("cannot be cut into a ", grant.profile);
  if (grant.slot < 0 || grant.slot >= topology::kMigMemorySlices ||
      (cut->first_slices & (1U << static_cast<unsigned>(grant.slot))) == 0) {
    return cat("a ", grant.profile, " cannot begin at slice ", grant.slot);
  }
  if (cut->compute_slices > gpu.compute_slices_free) {
    return cat("has ", gpu.compute_slices_free, " of ", cut->compute_slices,
               " compute slices free");
  }
  for (int i = grant.slot; i < grant.slot + cut->memory_slices; ++i) {
    if (has(gpu.slots_taken, i)) return cat("slice ", i, " is held");
    put(gpu.slots_taken, i);
  }
  gpu.use = GpuUse::kMig;
  gpu.compute_slices_free -= cut->compute_slices;
  return {};
}

}  // namespace

Wrong take(GpuState& gpu, const GpuFacts& facts, const Grant& grant) {
  if (grant.mode == GrantMode::kWhole) return take_whole(gpu, facts);
  if (grant.mode == GrantMode::kShare) return take_share(gpu, facts, grant);
  if (grant.mode != GrantMode::kMig) return "is no NIC";
  if (facts.mig == MigMode::kFixed) return take_fixed(gpu, facts, grant);
  if (facts.mig == MigMode::kDynamic) return take_dynamic(gpu, facts, grant);
  return "is not in MIG mode";
}

Wrong take(NicState& nic, const NicFacts& facts, const Grant& grant) {
  switch (grant.mode) {
    case GrantMode::kWhole:
      if (nic.use != NicUse::kFree) return "is not wholly free";
      nic.use = NicUse::kWhole;
      nic.bits_free = facts.rate_bits ? 0 : -1;
      return {};
    case GrantMode::kBandwidth:
      if (nic.use != NicUse::kFree && nic.use != NicUse::kBandwidth) {
        return "is held whole or by functions";
      }
      if (!facts.rate_bits) return "has a rate that nobody saw";
      if (grant.amount < 1 || grant.amount > nic.bits_free) {
        return cat("has ", nic.bits_free, " of ", grant.amount, " bits per second free");
      }
      nic.use = NicUse::kBandwidth;
      nic.bits_free -= grant.amount;
      return {};
    case GrantMode::kVf:
      if (nic.use != NicUse::kFree && nic.use != NicUse::kVf) {
        return "is held whole or by bandwidth";
      }
      if (grant.slot < 0 || grant.slot >= facts.vfs) return cat("has no function ", grant.slot);
      if (has(nic.vfs_taken, grant.slot)) return cat("function ", grant.slot, " is held");
      nic.use = NicUse::kVf;
      put(nic.vfs_taken, grant.slot);
      return {};
    default:
      return "is no GPU";
  }
}

Wrong take(NvmeState& nvme, const Grant& grant) {
  if (grant.mode != GrantMode::kWhole) return "is given whole";
  if (nvme.taken) return "is held";
  nvme.taken = true;
  return {};
}

void give_back(GpuState& gpu, const GpuFacts& facts, const Grant& grant) {
  switch (grant.mode) {
    case GrantMode::kWhole:
      check(gpu.use == GpuUse::kWhole, "a whole GPU goes back once");
      gpu.use = GpuUse::kFree;
      gpu.milli_free = domain::kMilliOfAWhole;
      gpu.bytes_free = facts.memory_bytes.value_or(-1);
      return;
    case GrantMode::kShare:
      drop(gpu.slots_taken, grant.slot);
      gpu.milli_free += grant.amount;
      if (gpu.bytes_free >= 0) gpu.bytes_free += grant.bytes;
      break;
    default:
      if (facts.mig == MigMode::kFixed) {
        drop(gpu.slots_taken, grant.slot);
      } else {
        const auto cut = topology::mig_cut(grant.profile, facts.memory_bytes);
        check(cut.has_value(), "a partition goes back as it was cut");
        for (int i = grant.slot; i < grant.slot + cut->memory_slices; ++i) drop(gpu.slots_taken, i);
        gpu.compute_slices_free += cut->compute_slices;
      }
  }
  if (gpu.slots_taken.empty()) gpu.use = GpuUse::kFree;
}

void give_back(NicState& nic, const NicFacts& facts, const Grant& grant) {
  switch (grant.mode) {
    case GrantMode::kWhole:
      check(nic.use == NicUse::kWhole, "a whole NIC goes back once");
      nic.use = NicUse::kFree;
      nic.bits_free = facts.rate_bits.value_or(-1);
      return;
    case GrantMode::kBandwidth:
      nic.bits_free += grant.amount;
      if (nic.bits_free == facts.rate_bits) nic.use = NicUse::kFree;
      return;
    default:
      drop(nic.vfs_taken, grant.slot);
      if (nic.vfs_taken.empty()) nic.use = NicUse::kFree;
  }
}

}  // namespace tenon::state
