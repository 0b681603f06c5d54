// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/problem.hpp"

#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "core/topology/mig.hpp"

namespace tenon::allocation {
namespace {

using domain::GpuFacts;
using domain::GpuMode;
using domain::MigMode;
using domain::NicMode;
using domain::NicRole;
using domain::RoleWanted;
using domain::Wish;
using state::GpuUse;
using state::NicUse;

bool equal_but_for_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && text::lower(a) == text::lower(b);
}

// Could this card, as it is now, serve one unit of the request by itself?
bool serves(const GpuFacts& facts, const state::GpuState& gpu, GpuMode mode,
            const domain::GpuUnit& unit) {
  if (mode == GpuMode::kWhole) return facts.mig == MigMode::kOff && gpu.use == GpuUse::kFree;
  if (mode == GpuMode::kMig) {
    if (facts.mig == MigMode::kDynamic) {
      const auto cut = topology::mig_cut(unit.profile, facts.memory_bytes);
      return cut && cut->compute_slices <= gpu.compute_slices_free;
    }
    for (std::size_t slot = 0; slot < facts.partitions.size(); ++slot) {
      if (facts.partitions[slot].profile != unit.profile) continue;
      if (!std::ranges::binary_search(gpu.slots_taken, static_cast<int>(slot))) return true;
    }
    return false;
  }
  if (facts.mig != MigMode::kOff || gpu.use == GpuUse::kWhole) return false;
  if (facts.slots && static_cast<std::int64_t>(gpu.slots_taken.size()) >= *facts.slots) {
    return false;
  }
  const auto share = share_of(facts, mode, unit.amount);
  return share && share->milli <= gpu.milli_free &&
         share->bytes <= std::max<std::int64_t>(gpu.bytes_free, 0);
}

}  // namespace

std::optional<Share> share_of(const GpuFacts& facts, GpuMode mode, std::int64_t amount) {
  constexpr std::int64_t kWhole = domain::kMilliOfAWhole;
  if (mode == GpuMode::kShareMilli) {
    if (amount > kWhole) return std::nullopt;
    const std::int64_t memory = facts.memory_bytes.value_or(0);
    // floor(amount x memory / 1000) without leaving 63 bits.
    const std::int64_t bytes = memory / kWhole * amount + memory % kWhole * amount / kWhole;
    return Share{amount, bytes};
  }
  if (!facts.memory_bytes || amount > *facts.memory_bytes) return std::nullopt;
  // The least m with m x memory >= 1000 x amount, found by halving: the products need more bits.
  std::int64_t low = 0;
  std::int64_t high = kWhole;
  const std::int64_t memory = *facts.memory_bytes;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    // middle x memory / 1000 >= amount, in exact integers.
    const std::int64_t floor = memory / kWhole * middle + memory % kWhole * middle / kWhole;
    const bool enough = floor >= amount;
    if (enough) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return Share{low, amount};
}

Layout layout_of(const domain::Request& request) {
  Layout layout;
  int next = 0;
  const auto place = [&](int& level, int values) {
    level = next;
    next += values;
  };
  for (const Wish wish : domain::wish_order(request)) {
    if (wish == Wish::kPair) place(layout.pair, 3);
    if (wish == Wish::kGpus) place(layout.gpus, 4);
    if (wish == Wish::kNuma) place(layout.numa, 1);
    if (wish == Wish::kMemory) place(layout.memory, 2);
    if (wish == Wish::kNvme) place(layout.nvme, 2);
  }
  for (int* level : {&layout.nvlink_groups, &layout.switches, &layout.numa_nodes,
                     &layout.gpus_broken, &layout.nics_broken, &layout.core_nodes}) {
    place(*level, 1);
  }
  return layout;
}

Cost cost_of(const CostVector& vector, const domain::Request& request) {
  Cost cost;
  std::size_t next = 0;
  const auto add = [&](std::string_view name, std::size_t values) {
    Level level{name, {}};
    for (std::size_t i = 0; i < values; ++i) level.values.push_back(vector.at(next++));
    cost.levels.push_back(std::move(level));
  };
  for (const Wish wish : domain::wish_order(request)) {
    if (wish == Wish::kPair) add("pair", 3);
    if (wish == Wish::kGpus) add("gpus", 4);
    if (wish == Wish::kNuma) add("numa", 1);
    if (wish == Wish::kMemory) add("memory", 2);
    if (wish == Wish::kNvme) add("nvme", 2);
  }
  for (const std::string_view name :
       {"nvlink-groups", "switches", "numa-nodes", "gpus-broken", "nics-broken", "core-nodes"}) {
    add(name, 1);
  }
  return cost;
}

Usable gpu_usable(const Problem& problem, int gpu) {
  const auto at = static_cast<std::size_t>(gpu);
  const auto& facts = problem.shape.gpus[at];
  const auto& free = problem.state.gpus[at];
  const auto& demand = problem.request.gpu;
  if (!demand.model.empty() && !equal_but_for_case(demand.model, facts.model)) {
    return Usable::kModel;
  }
  if (demand.memory_bytes_min > 0 && facts.memory_bytes.value_or(-1) < demand.memory_bytes_min) {
    return Usable::kMemory;
  }
  if (free.cordoned) return Usable::kCordoned;
  const bool any = std::ranges::any_of(demand.units, [&](const domain::GpuUnit& unit) {
    return serves(facts, free, demand.mode, unit);
  });
  return any ? Usable::kYes : Usable::kHeld;
}

Usable nic_usable(const Problem& problem, int nic) {
  const auto at = static_cast<std::size_t>(nic);
  const auto& facts = problem.shape.nics[at];
  const auto& free = problem.state.nics[at];
  const auto& demand = problem.request.nic;
  if (facts.bond && !demand.bonds) return Usable::kRole;
  if (facts.rdma == false && !demand.non_rdma) return Usable::kRole;
  if (demand.role == RoleWanted::kCompute &&
      facts.role.value_or(NicRole::kCompute) != NicRole::kCompute) {
    return Usable::kRole;
  }
  if (demand.role == RoleWanted::kStorage && facts.role != NicRole::kStorage) return Usable::kRole;
  if (demand.rate_bits_min > 0 && facts.rate_bits.value_or(-1) < demand.rate_bits_min) {
    return Usable::kRate;
  }
  if (free.cordoned) return Usable::kCordoned;
  if (demand.mode == NicMode::kWhole) {
    return free.use == NicUse::kFree ? Usable::kYes : Usable::kHeld;
  }
  if (demand.mode == NicMode::kBandwidth) {
    if (!facts.rate_bits) return Usable::kRate;
    const bool open = free.use == NicUse::kFree || free.use == NicUse::kBandwidth;
    return open && demand.bandwidth_bits <= free.bits_free ? Usable::kYes : Usable::kHeld;
  }
  const bool open = free.use == NicUse::kFree || free.use == NicUse::kVf;
  return open && static_cast<int>(free.vfs_taken.size()) < facts.vfs ? Usable::kYes : Usable::kHeld;
}

Problem::Problem(const state::NodeState& node_state, const domain::Request& asked)
    : state(node_state), shape(*node_state.shape), request(asked), layout(layout_of(asked)) {
  gpu_units = static_cast<int>(asked.gpu.units.size());
  nic_units = asked.nic.count;
  nvme_units = asked.nvme_count;
  find_gpus();
  find_nics();
  for (std::size_t i = 0; i < shape.nvmes.size() && nvme_units > 0; ++i) {
    if (!state.nvmes[i].taken && !state.nvmes[i].cordoned) nvmes |= bit(static_cast<int>(i));
  }
  find_groups();
  find_neighbours();
  find_twins();
}

void Problem::find_gpus() {
  for (std::size_t i = 0; i < shape.gpus.size(); ++i) {
    const int gpu = static_cast<int>(i);
    if (state.gpus[i].use == GpuUse::kFree && !state.gpus[i].cordoned) gpus_free |= bit(gpu);
    if (gpu_units > 0 && gpu_usable(*this, gpu) == Usable::kYes) gpus |= bit(gpu);
  }
}

void Problem::find_nics() {
  const bool many = request.nic.mode == NicMode::kVf && request.nic.cards != domain::Cards::kApart;
  for (std::size_t i = 0; i < shape.nics.size(); ++i) {
    const int nic = static_cast<int>(i);
    if (state.nics[i].use == NicUse::kFree && !state.nics[i].cordoned) nics_free |= bit(nic);
    if (nic_units == 0 || nic_usable(*this, nic) != Usable::kYes) continue;
    const int functions = shape.nics[i].vfs - static_cast<int>(state.nics[i].vfs_taken.size());
    nic_capacity[i] = many ? std::min(functions, nic_units) : 1;
    nics |= bit(nic);
  }
}

void Problem::find_groups() {
  const auto intact = [&](const topology::Group& group) {
    return (group.gpus & ~gpus_free) == 0 && (group.nics & ~nics_free) == 0;
  };
  const auto enter = [&](const std::vector<topology::Group>& groups, Mask Memberships::* kind) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (!intact(groups[i])) continue;
      Mask members = groups[i].gpus;
      while (members != 0) {
        gpu_groups[static_cast<std::size_t>(pop_lowest(members))].*kind |= bit(static_cast<int>(i));
      }
      members = groups[i].nics;
      while (members != 0) {
        nic_groups[static_cast<std::size_t>(pop_lowest(members))].*kind |= bit(static_cast<int>(i));
      }
    }
  };
  enter(shape.nvlink_groups, &Memberships::nvlink);
  enter(shape.switch_groups, &Memberships::switches);
  enter(shape.numa_groups, &Memberships::numa);
}

void Problem::find_neighbours() {
  for (Mask rest = gpus; rest != 0;) {
    const int gpu = pop_lowest(rest);
    const auto at = static_cast<std::size_t>(gpu);
    for (Mask others = gpus; others != 0;) {
      const int other = pop_lowest(others);
      const bool linked = nvlinks(gpu, other) > 0;
      if (linked && other != gpu) gpu_linked[at] |= bit(other);
      const bool near =
          !request.gpus_within || gpu_gpu(gpu, other) <= static_cast<Rank>(*request.gpus_within);
      if (near && (linked || request.nvlink != domain::NvlinkClause::kAll)) {
        gpu_beside[at] |= bit(other);
      }
    }
    gpu_beside[at] |= bit(gpu);
    for (Mask others = nics; others != 0;) {
      const int nic = pop_lowest(others);
      const std::size_t nearest = gpu_nic(gpu, nic);
      for (std::size_t rank = nearest; rank < kRanks; ++rank) nics_within[at][rank] |= bit(nic);
      auto& planes = nic_ranks[static_cast<std::size_t>(nic)];
      for (std::size_t i = 0; i < planes.size(); ++i) {
        if (((nearest >> i) & 1U) != 0) planes[i] |= bit(gpu);
      }
    }
  }
}

void Problem::find_twins() {
  gpu_twin_before.fill(-1);
  for (Mask rest = gpus; rest != 0;) {
    const int gpu = pop_lowest(rest);
    Mask before = gpus & (bit(gpu) - 1);
    while (before != 0) {
      const int other = 63 - std::countl_zero(before);
      before &= ~bit(other);
      if (!are_twins(other, gpu)) continue;
      gpu_twin_before[static_cast<std::size_t>(gpu)] = other;
      break;
    }
  }
}

// Swapping them leaves every cost and every clause as it is. Such swaps compose, so this is an
// equivalence.
bool Problem::are_twins(int a, int b) const {
  const auto x = static_cast<std::size_t>(a);
  const auto y = static_cast<std::size_t>(b);
  if (shape.gpu_numa[x] != shape.gpu_numa[y] || gpu_groups[x] != gpu_groups[y]) return false;
  if (nics_within[x] != nics_within[y] || !cards_are_alike(a, b)) return false;
  for (Mask others = gpus & ~bit(a) & ~bit(b); others != 0;) {
    const int other = pop_lowest(others);
    if (gpu_gpu(a, other) != gpu_gpu(b, other) || nvlinks(a, other) != nvlinks(b, other)) {
      return false;
    }
  }
  for (Mask others = nvmes; others != 0;) {
    const int nvme = pop_lowest(others);
    if (gpu_nvme(a, nvme) != gpu_nvme(b, nvme)) return false;
  }
  return true;
}

bool Problem::cards_are_alike(int a, int b) const {
  const auto x = static_cast<std::size_t>(a);
  const auto y = static_cast<std::size_t>(b);
  if (state.gpus[x] != state.gpus[y]) return false;
  const GpuFacts& f = shape.gpus[x];
  const GpuFacts& g = shape.gpus[y];
  return request.gpu.mode == GpuMode::kWhole ||
         (f.memory_bytes == g.memory_bytes && f.mig == g.mig && f.partitions == g.partitions &&
          f.slots == g.slots);
}

}  // namespace tenon::allocation
