// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/device_search.hpp"

#include <algorithm>
#include <bit>

namespace tenon::allocation {
namespace {

using domain::Cards;
using domain::GpuMode;
using domain::kNvlinksMax;

constexpr std::size_t kListedMax = 16'384;
constexpr std::size_t kTriedFirst = 16;  // of a list that is too long, for a first good answer

std::size_t idx(int index) { return static_cast<std::size_t>(index); }

}  // namespace

DeviceSearch::DeviceSearch(const Problem& problem, CoresMemory& host, Packing& packing, Work& work)
    : problem_(problem), host_(host), packing_(packing), work_(work) {
  const int units = problem.gpu_units;
  const int cards = std::popcount(problem.gpus);
  gpus_most_ = std::min(units, cards);
  gpus_least_ = units > 0 ? 1 : 0;
  if (problem.request.gpu.mode == GpuMode::kWhole || problem.request.gpu.cards == Cards::kApart) {
    gpus_least_ = gpus_most_ = units;
  } else if (problem.request.gpu.cards == Cards::kOne) {
    gpus_most_ = gpus_least_;
  }
  nearest_least_ = problem.gpus != 0 ? topology::kRankUnknown : 0;
  nvlink_least_ = kNvlinksMax;
  gpu_rank_least_ = topology::kRankUnknown;
  for (Mask rest = problem.gpus; rest != 0;) {
    const int gpu = pop_lowest(rest);
    if (problem.nics != 0) {
      int rank = 0;
      while (problem.nics_within[idx(gpu)][idx(rank)] == 0) ++rank;
      nearest_nic_[idx(gpu)] = static_cast<std::uint8_t>(rank);
    }
    nearest_least_ = std::min<int>(nearest_least_, nearest_nic_[idx(gpu)]);
    for (Mask others = rest; others != 0;) {
      const int other = pop_lowest(others);
      nvlink_least_ = std::min(nvlink_least_, kNvlinksMax - problem.nvlinks(gpu, other));
      gpu_rank_least_ = std::min<int>(gpu_rank_least_, problem.gpu_gpu(gpu, other));
    }
  }
}

std::int64_t& DeviceSearch::at(CostVector& cost, int level, int value) const {
  return cost[idx(level + value)];
}

void DeviceSearch::run() {
  if (!host_.enough()) return;
  Partial nothing;
  const auto& layout = problem_.layout;
  at(nothing.floor, layout.gpus_broken, 0) = 0;
  if (problem_.request.nic.mode == domain::NicMode::kWhole) {
    at(nothing.floor, layout.nics_broken, 0) = problem_.nic_units;
  }
  if (gpus_least_ > std::popcount(problem_.gpus)) return;
  if (problem_.nvme_units > std::popcount(problem_.nvmes)) return;
  choose_gpus(Pass::kList, problem_.gpus, nothing);
  search_listed();
  if (list_is_full_) choose_gpus(Pass::kSearch, problem_.gpus, nothing);
}

// Sets in ascending order of their members, each at most once.
void DeviceSearch::choose_gpus(Pass pass, Mask rest, const Partial& partial) {
  if (!work_.spend() || (pass == Pass::kList && list_is_full_)) return;
  const int count = std::popcount(partial.chosen.gpus);
  if (count >= gpus_least_) end_gpus(pass, partial);
  if (count == gpus_most_) return;
  while (rest != 0 && count + std::popcount(rest) >= gpus_least_) {
    const int gpu = pop_lowest(rest);
    const int twin = problem_.gpu_twin_before[idx(gpu)];
    if (twin >= 0 && (partial.chosen.gpus & bit(twin)) == 0) continue;
    const Mask beside = rest & problem_.gpu_beside[idx(gpu)];
    if (count + 1 + std::popcount(beside) < gpus_least_) continue;
    const Partial next = with_gpu(partial, gpu);
    if ((next.affinities.common() & host_.alone()) == 0 &&
        problem_.request.numa == domain::NumaClause::kSingle) {
      continue;
    }
    if (pass == Pass::kSearch && !gpus_may_win(next)) continue;
    choose_gpus(pass, beside, next);
  }
}

Partial DeviceSearch::with_gpu(const Partial& partial, int gpu) const {
  Partial next = partial;
  const auto& layout = problem_.layout;
  for (Mask others = partial.chosen.gpus; others != 0;) {
    const int other = pop_lowest(others);
    const int links = kNvlinksMax - problem_.nvlinks(gpu, other);
    const int rank = problem_.gpu_gpu(gpu, other);
    auto& worst_links = at(next.floor, layout.gpus, 0);
    worst_links = std::max<std::int64_t>(worst_links, links);
    at(next.floor, layout.gpus, 1) += links;
    auto& worst_rank = at(next.floor, layout.gpus, 2);
    worst_rank = std::max<std::int64_t>(worst_rank, rank);
    at(next.floor, layout.gpus, 3) += rank;
  }
  if (problem_.nic_units > 0) {
    auto& worst = at(next.floor, layout.pair, 0);
    worst = std::max<std::int64_t>(worst, nearest_nic_[idx(gpu)]);
    at(next.floor, layout.pair, 1) += nearest_nic_[idx(gpu)];
  }
  const auto& groups = problem_.gpu_groups[idx(gpu)];
  next.broken.nvlink |= groups.nvlink;
  next.broken.switches |= groups.switches;
  next.broken.numa |= groups.numa;
  at(next.floor, layout.nvlink_groups, 0) = std::popcount(next.broken.nvlink);
  at(next.floor, layout.switches, 0) = std::popcount(next.broken.switches);
  at(next.floor, layout.numa_nodes, 0) = std::popcount(next.broken.numa);
  if ((problem_.gpus_free & bit(gpu)) != 0) ++at(next.floor, layout.gpus_broken, 0);
  next.chosen.gpus |= bit(gpu);
  next.affinities.add(problem_.shape.gpu_numa[idx(gpu)]);
  return next;
}

Partial DeviceSearch::with_gpus(Mask gpus) const {
  Partial partial;
  if (problem_.request.nic.mode == domain::NicMode::kWhole) {
    at(partial.floor, problem_.layout.nics_broken, 0) = problem_.nic_units;
  }
  while (gpus != 0) partial = with_gpu(partial, pop_lowest(gpus));
  return partial;
}

void DeviceSearch::end_gpus(Pass pass, const Partial& partial) {
  const Mask gpus = partial.chosen.gpus;
  if (problem_.request.nvlink == domain::NvlinkClause::kConnected && !are_connected(gpus)) return;
  if (problem_.request.pair &&
      std::popcount(gpus) > problem_.request.pair->gpus_per_nic * problem_.nic_units) {
    return;
  }
  if (pass == Pass::kSearch) {
    search_set(partial);
  } else if (listed_.size() == kListedMax) {
    list_is_full_ = true;
  } else {
    listed_.push_back({partial.floor, gpus});
  }
}

void DeviceSearch::search_listed() {
  const auto before = [](const GpuSet& a, const GpuSet& b) {
    if (a.floor != b.floor) return a.floor < b.floor;
    return compare_sets(a.gpus, b.gpus) < 0;
  };
  std::size_t count = listed_.size();
  if (list_is_full_) {
    count = kTriedFirst;
    std::ranges::partial_sort(listed_, listed_.begin() + kTriedFirst, before);
  } else {
    std::ranges::sort(listed_, before);
  }
  for (std::size_t i = 0; i < count && !work_.cut; ++i) {
    if (best_ && listed_[i].floor > best_->cost) break;
    search_set(with_gpus(listed_[i].gpus));
  }
}

// The same question while GPUs are still missing: each of them costs something too.
bool DeviceSearch::gpus_may_win(const Partial& partial) const {
  const int count = std::popcount(partial.chosen.gpus);
  const int left = std::max(0, gpus_least_ - count);
  const std::int64_t pairs = left * count + left * (left - 1) / 2;
  const auto& layout = problem_.layout;
  Partial raised = partial;
  if (pairs > 0) {
    at(raised.floor, layout.gpus, 1) += pairs * nvlink_least_;
    at(raised.floor, layout.gpus, 3) += pairs * gpu_rank_least_;
  }
  if (problem_.nic_units > 0)
    at(raised.floor, layout.pair, 1) += std::int64_t{left} * nearest_least_;
  if (problem_.request.gpu.mode == GpuMode::kWhole) {
    at(raised.floor, layout.gpus_broken, 0) += left;
  }
  return may_win(raised, 0);
}

bool DeviceSearch::are_connected(Mask gpus) const {
  Mask reached = gpus & (~gpus + 1);
  for (Mask open = reached; open != 0;) {
    const int gpu = pop_lowest(open);
    const Mask more = problem_.gpu_linked[idx(gpu)] & gpus & ~reached;
    reached |= more;
    open |= more;
  }
  return reached == gpus;
}

void DeviceSearch::search_set(Partial partial) {
  if (problem_.request.gpu.mode == GpuMode::kWhole) {
    Mask rest = partial.chosen.gpus;
    for (std::size_t unit = 0; rest != 0; ++unit) {
      partial.chosen.unit_cards[unit] = static_cast<std::uint8_t>(pop_lowest(rest));
    }
  } else if (partial.chosen.gpus != 0 &&
             !packing_.fit(partial.chosen.gpus, partial.chosen.unit_cards, work_)) {
    return;
  }
  if (!may_win(partial, 0)) return;
  search_nics(partial);
}

bool DeviceSearch::may_win(const Partial& partial, int nics_end) const {
  if (!best_) return true;
  for (std::size_t i = 0; i < partial.floor.size(); ++i) {
    std::int64_t floor = partial.floor[i];
    if (static_cast<int>(i) == problem_.layout.numa) {
      floor = std::max(floor, host_.numa_floor(partial.affinities.devices()));
    }
    if (floor != best_->cost[i]) return floor < best_->cost[i];
  }
  return ids_may_win(partial, nics_end);
}

// At equal cost: do the ids that are decided already make the sequence larger?
bool DeviceSearch::ids_may_win(const Partial& partial, int nics_end) const {
  const auto& ours = partial.chosen;
  const auto& theirs = best_->chosen;
  if (problem_.request.gpu.mode != GpuMode::kWhole && std::popcount(ours.gpus) < gpus_least_) {
    return true;
  }
  if (problem_.request.gpu.mode == GpuMode::kWhole) {
    // Sets grow in ascending order: what is chosen are the first members.
    Mask first = 0;
    Mask rest = theirs.gpus;
    for (int i = std::popcount(ours.gpus); i > 0; --i) first |= bit(pop_lowest(rest));
    const int order = compare_sets(ours.gpus, first);
    if (order != 0) return order < 0;
    if (std::popcount(ours.gpus) < gpus_least_) return true;
  }
  const int cards = compare_cards(ours, theirs, problem_.gpu_units);
  if (cards != 0) return cards < 0;
  const int nics = compare_units(ours, theirs, nics_end);
  if (nics != 0) return nics < 0;
  return true;
}

}  // namespace tenon::allocation
