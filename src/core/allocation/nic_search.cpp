// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The second half of DeviceSearch: NICs and NVMes beside GPUs that are chosen.

#include <algorithm>
#include <bit>

#include "core/allocation/device_search.hpp"

namespace tenon::allocation {
namespace {

using domain::Cards;
using domain::NicMode;

std::size_t idx(int index) { return static_cast<std::size_t>(index); }

}  // namespace

struct DeviceSearch::NicCandidate {
  int nic = 0;
  int capacity = 1;
  int rank = 0;          // to the nearest GPU of the set
  int twin_before = -1;  // index of the candidate before that is alike for these GPUs
  std::array<std::int16_t, kRanks> units_after{};  // from this one on: units by rank
};

// Candidates in ascending order, and what is known of the best that the later ones can do.
struct DeviceSearch::NicPlan {
  std::vector<NicCandidate> candidates;
  Mask gpus = 0;
  int gpus_to_a_unit = 1;
  std::optional<PairCost> floor;  // with all candidates; of no GPUs, zeros
  std::vector<int> units;         // taken of each candidate so far
};

void DeviceSearch::search_nics(const Partial& partial) {
  if (problem_.nic_units == 0) {
    search_nvmes(partial);
    return;
  }
  NicPlan plan{.gpus = partial.chosen.gpus};
  plan_nics(plan);
  if (!plan.floor) return;
  Partial start = partial;
  if (!begin_may_win(plan, start) || !raise_shared_floor(plan) || !begin_may_win(plan, start)) {
    return;
  }
  find_twins(plan, partial);  // every two candidates are compared: for sets that may win alone
  at(start.floor, problem_.layout.pair, 2) = 0;
  choose_nics(plan, 0, problem_.nic_units, problem_.nics, start);
}

bool DeviceSearch::begin_may_win(const NicPlan& plan, Partial& start) const {
  const auto& pair = problem_.request.pair;
  if (pair && plan.floor->worst > static_cast<int>(pair->bound)) return false;
  raise_pair_floor(plan, problem_.nics, start);
  at(start.floor, problem_.layout.pair, 2) = spare_floor(plan, 0, problem_.nic_units);
  return may_win(start, 0);
}

void DeviceSearch::plan_nics(NicPlan& plan) {
  const int gpus = std::popcount(plan.gpus);
  plan.gpus_to_a_unit = problem_.request.pair
                            ? problem_.request.pair->gpus_per_nic
                            : (gpus + problem_.nic_units - 1) / problem_.nic_units;
  std::array<Mask, kRanks> within{};  // of some GPU of the set
  for (Mask members = plan.gpus; members != 0;) {
    const auto& of_gpu = problem_.nics_within[idx(pop_lowest(members))];
    for (std::size_t rank = 0; rank < within.size(); ++rank) within[rank] |= of_gpu[rank];
  }
  NicLoads loads{};
  plan.candidates.reserve(idx(std::popcount(problem_.nics)));
  for (Mask rest = problem_.nics; rest != 0;) {
    const int nic = pop_lowest(rest);
    NicCandidate candidate{.nic = nic, .capacity = problem_.nic_capacity[idx(nic)]};
    loads[idx(nic)] = candidate.capacity * plan.gpus_to_a_unit;
    while (plan.gpus != 0 && (within[idx(candidate.rank)] & bit(nic)) == 0) ++candidate.rank;
    plan.candidates.push_back(candidate);
  }
  plan.units.assign(plan.candidates.size(), 0);
  std::array<std::int16_t, kRanks> after{};
  for (std::size_t i = plan.candidates.size(); i-- > 0;) {
    auto& candidate = plan.candidates[i];
    auto& units = after[idx(candidate.rank)];
    units = static_cast<std::int16_t>(units + candidate.capacity);
    candidate.units_after = after;
  }
  plan.floor = best_pairs(problem_, plan.gpus, problem_.nics, loads, work_);
}

void DeviceSearch::find_twins(NicPlan& plan, const Partial& partial) const {
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    for (std::size_t before = i; before-- > 0;) {
      if (!alike(plan, partial, plan.candidates[before], plan.candidates[i])) continue;
      plan.candidates[i].twin_before = static_cast<int>(before);
      break;
    }
  }
}

// Fewer units than GPUs: with all NICs at hand the GPUs would spread over too many. False where they
// cannot share so few.
bool DeviceSearch::raise_shared_floor(NicPlan& plan) {
  if (std::popcount(plan.gpus) <= problem_.nic_units) return true;
  const auto shared = shared_floor(problem_, plan.gpus, problem_.nics, plan.gpus_to_a_unit,
                                   problem_.nic_units, work_);
  if (!shared) return false;
  if (std::pair(shared->worst, shared->sum) > std::pair(plan.floor->worst, plan.floor->sum)) {
    plan.floor = shared;
  }
  return true;
}

// Beside these GPUs, would taking one instead of the other change nothing but ids?
bool DeviceSearch::alike(const NicPlan& plan, const Partial& partial, const NicCandidate& a,
                         const NicCandidate& b) const {
  const auto x = idx(a.nic);
  const auto y = idx(b.nic);
  if (a.rank != b.rank || a.capacity != b.capacity) return false;
  if (problem_.shape.nic_numa[x] != problem_.shape.nic_numa[y]) return false;
  if (((problem_.nics_free >> x) & 1U) != ((problem_.nics_free >> y) & 1U)) return false;
  const auto& g = problem_.nic_groups[x];
  const auto& h = problem_.nic_groups[y];
  if (((g.switches ^ h.switches) & ~partial.broken.switches) != 0) return false;
  if (((g.numa ^ h.numa) & ~partial.broken.numa) != 0) return false;
  for (std::size_t i = 0; i < problem_.nic_ranks[x].size(); ++i) {
    if (((problem_.nic_ranks[x][i] ^ problem_.nic_ranks[y][i]) & plan.gpus) != 0) return false;
  }
  return true;
}

// The pair level with only `open` NICs: each GPU its nearest, and never less than with all.
void DeviceSearch::raise_pair_floor(const NicPlan& plan, Mask open, Partial& partial) const {
  int worst = plan.floor->worst;
  int sum = 0;
  for (Mask members = plan.gpus; members != 0;) {
    const auto gpu = idx(pop_lowest(members));
    int rank = 0;
    while (rank < kRanks - 1 && (problem_.nics_within[gpu][idx(rank)] & open) == 0) ++rank;
    worst = std::max(worst, rank);
    sum += rank;
  }
  if (worst == plan.floor->worst) sum = std::max(sum, plan.floor->sum);
  at(partial.floor, problem_.layout.pair, 0) = worst;
  at(partial.floor, problem_.layout.pair, 1) = sum;
}

// The least that `units` more units add to `spare`, from candidate `next` on.
std::int64_t DeviceSearch::spare_floor(const NicPlan& plan, std::size_t next, int units) const {
  if (next == plan.candidates.size() || plan.gpus == 0) return 0;
  std::int64_t sum = 0;
  for (int rank = 0; rank < kRanks && units > 0; ++rank) {
    const int taken = std::min<int>(units, plan.candidates[next].units_after[idx(rank)]);
    sum += std::int64_t{rank} * taken;
    units -= taken;
  }
  return sum;
}

void DeviceSearch::choose_nics(NicPlan& plan, std::size_t next, int left, Mask open,
                               const Partial& partial) {
  if (!work_.spend()) return;
  if (left == 0) {
    end_nics(plan, partial);
    return;
  }
  if (next == plan.candidates.size()) return;
  const auto& candidate = plan.candidates[next];
  int capacity = 0;
  for (const std::int16_t units : candidate.units_after) capacity += units;
  if (capacity < left) return;

  int most = std::min(candidate.capacity, left);
  int least = 0;
  if (candidate.twin_before >= 0) {
    const auto twin = idx(candidate.twin_before);
    if (plan.units[twin] < plan.candidates[twin].capacity) most = 0;
  }
  if (problem_.request.nic.mode == NicMode::kVf && problem_.request.nic.cards == Cards::kOne) {
    if (most < left) most = 0;
    least = most;
  }
  for (int units = most; units >= 0; --units) {
    if (units < least && units > 0) continue;
    Partial child = units > 0 ? with_nic(partial, candidate.nic, units, candidate.rank) : partial;
    Mask child_open = open;
    if (units == 0 && plan.gpus != 0) {
      child_open &= ~bit(candidate.nic);
      raise_pair_floor(plan, child_open, child);
    }
    if (problem_.request.numa == domain::NumaClause::kSingle &&
        (child.affinities.common() & host_.alone()) == 0) {
      continue;
    }
    Partial judged = child;
    at(judged.floor, problem_.layout.pair, 2) += spare_floor(plan, next + 1, left - units);
    if (!may_win(judged, candidate.nic + 1)) continue;
    plan.units[next] = units;
    choose_nics(plan, next + 1, left - units, child_open, child);
    plan.units[next] = 0;
  }
}

Partial DeviceSearch::with_nic(const Partial& partial, int nic, int units, int rank) const {
  Partial next = partial;
  const auto& layout = problem_.layout;
  next.chosen.nic_units[idx(nic)] = static_cast<std::uint8_t>(units);
  next.affinities.add(problem_.shape.nic_numa[idx(nic)]);
  if (partial.chosen.gpus != 0) at(next.floor, layout.pair, 2) += std::int64_t{rank} * units;
  const auto& groups = problem_.nic_groups[idx(nic)];
  next.broken.switches |= groups.switches;
  next.broken.numa |= groups.numa;
  at(next.floor, layout.switches, 0) = std::popcount(next.broken.switches);
  at(next.floor, layout.numa_nodes, 0) = std::popcount(next.broken.numa);
  // Whole NICs are all counted from the start.
  if (problem_.request.nic.mode != NicMode::kWhole && (problem_.nics_free & bit(nic)) != 0) {
    ++at(next.floor, layout.nics_broken, 0);
  }
  return next;
}

void DeviceSearch::end_nics(const NicPlan& plan, const Partial& partial) {
  NicLoads loads{};
  Mask nics = 0;
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    if (plan.units[i] == 0) continue;
    const int nic = plan.candidates[i].nic;
    loads[idx(nic)] = plan.units[i] * plan.gpus_to_a_unit;
    nics |= bit(nic);
  }
  const auto pairs = best_pairs(problem_, plan.gpus, nics, loads, work_);
  if (!pairs) return;
  const auto& clause = problem_.request.pair;
  if (clause && pairs->worst > static_cast<int>(clause->bound)) return;
  Partial next = partial;
  at(next.floor, problem_.layout.pair, 0) = pairs->worst;
  at(next.floor, problem_.layout.pair, 1) = pairs->sum;
  if (!may_win(next, kDevicesMax)) return;
  search_nvmes(next);
}

struct DeviceSearch::NvmePlan {
  struct Candidate {
    int nvme = 0;
    int rank = 0;
    int twin_before = -1;
  };
  std::vector<Candidate> candidates;
  Mask chosen = 0;
};

void DeviceSearch::search_nvmes(const Partial& partial) {
  if (problem_.nvme_units == 0) {
    end_devices(partial);
    return;
  }
  NvmePlan plan;
  for (Mask rest = problem_.nvmes; rest != 0;) {
    NvmePlan::Candidate candidate{.nvme = pop_lowest(rest)};
    if (partial.chosen.gpus != 0) candidate.rank = topology::kRankUnknown;
    for (Mask gpus = partial.chosen.gpus; gpus != 0;) {
      candidate.rank =
          std::min<int>(candidate.rank, problem_.gpu_nvme(pop_lowest(gpus), candidate.nvme));
    }
    const auto& bound = problem_.request.nvme_within;
    if (bound && candidate.rank > static_cast<int>(*bound)) continue;
    for (std::size_t before = plan.candidates.size(); before-- > 0;) {
      const auto& other = plan.candidates[before];
      if (other.rank != candidate.rank || problem_.shape.nvme_numa[idx(other.nvme)] !=
                                              problem_.shape.nvme_numa[idx(candidate.nvme)]) {
        continue;
      }
      candidate.twin_before = static_cast<int>(before);
      break;
    }
    plan.candidates.push_back(candidate);
  }
  choose_nvmes(plan, 0, problem_.nvme_units, partial);
}

void DeviceSearch::choose_nvmes(NvmePlan& plan, std::size_t next, int left,
                                const Partial& partial) {
  if (!work_.spend()) return;
  if (left == 0) {
    end_devices(partial);
    return;
  }
  if (plan.candidates.size() - next < idx(left)) return;
  const auto& candidate = plan.candidates[next];
  const bool twin_left = candidate.twin_before >= 0 &&
                         (plan.chosen & bit(plan.candidates[idx(candidate.twin_before)].nvme)) == 0;
  if (!twin_left) {
    Partial child = partial;
    child.chosen.nvmes |= bit(candidate.nvme);
    child.affinities.add(problem_.shape.nvme_numa[idx(candidate.nvme)]);
    auto& worst = at(child.floor, problem_.layout.nvme, 0);
    worst = std::max<std::int64_t>(worst, candidate.rank);
    at(child.floor, problem_.layout.nvme, 1) += candidate.rank;
    if (may_win(child, kDevicesMax)) {
      plan.chosen |= bit(candidate.nvme);
      choose_nvmes(plan, next + 1, left - 1, child);
      plan.chosen &= ~bit(candidate.nvme);
    }
  }
  choose_nvmes(plan, next + 1, left, partial);
}

void DeviceSearch::end_devices(const Partial& partial) {
  const auto host = host_.best(partial.affinities.devices(), work_);
  if (!host) return;
  Best found{partial.floor, partial.chosen, partial.affinities};
  host_.write(*host, found.cost);
  if (best_) {
    if (found.cost > best_->cost) return;
    if (found.cost == best_->cost) {
      int order = compare_cards(found.chosen, best_->chosen, problem_.gpu_units);
      if (order == 0) order = compare_units(found.chosen, best_->chosen, kDevicesMax);
      if (order == 0) order = compare_sets(found.chosen.nvmes, best_->chosen.nvmes);
      if (order >= 0) return;
    }
  }
  best_ = found;
}

}  // namespace tenon::allocation
