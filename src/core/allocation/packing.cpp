// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/packing.hpp"

#include <algorithm>
#include <bit>

#include "base/check.hpp"

namespace tenon::allocation {
namespace {

using domain::Cards;
using domain::GpuMode;
using domain::Grant;
using domain::GrantMode;
using domain::MigMode;
using topology::MigCut;
using topology::SliceMask;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

bool has(const std::vector<int>& sorted, int number) {
  return std::ranges::binary_search(sorted, number);
}

SliceMask slices_of(const std::vector<int>& taken) {
  SliceMask mask = 0;
  for (const int slice : taken) mask = static_cast<SliceMask>(mask | (1U << at(slice)));
  return mask;
}

// The smallest sequence of first slices for `cuts`, beside the slices already taken.
bool place_cuts(const std::vector<MigCut>& cuts, std::size_t next, SliceMask taken,
                std::vector<int>& firsts) {
  if (next == cuts.size()) return true;
  for (int first = 0; first < topology::kMigMemorySlices; ++first) {
    if ((cuts[next].first_slices & (1U << at(first))) == 0) continue;
    const SliceMask covered = cuts[next].covered(first);
    if ((covered & taken) != 0) continue;
    firsts.push_back(first);
    if (place_cuts(cuts, next + 1, static_cast<SliceMask>(taken | covered), firsts)) return true;
    firsts.pop_back();
  }
  return false;
}

int smallest_not_in(const std::vector<int>& sorted) {
  int slot = 0;
  while (has(sorted, slot)) ++slot;
  return slot;
}

}  // namespace

struct Packing::Fill {
  std::int64_t milli_free = 0;
  std::int64_t bytes_free = 0;
  std::int64_t slots_free = 0;
  int compute_slices_free = 0;
  std::vector<int> taken;    // partitions of a fixed card
  std::vector<MigCut> cuts;  // of a dynamic card
};

Packing::Packing(const Problem& problem) : problem_(problem) {
  const auto& units = problem.request.gpu.units;
  for (std::size_t i = 0; i < units.size(); ++i) {
    equal_before_[i] = -1;
    for (std::size_t j = 0; j < i; ++j) {
      if (units[j] == units[i]) equal_before_[i] = static_cast<int>(j);
    }
  }
}

bool Packing::put(Fill& fill, int unit, int gpu) const {
  const auto& facts = problem_.shape.gpus[at(gpu)];
  const auto& demand = problem_.request.gpu;
  const auto& asked = demand.units[at(unit)];
  if (demand.mode == GpuMode::kMig && facts.mig == MigMode::kFixed) {
    for (std::size_t slot = 0; slot < facts.partitions.size(); ++slot) {
      const int number = static_cast<int>(slot);
      if (facts.partitions[slot].profile != asked.profile || has(fill.taken, number)) continue;
      fill.taken.insert(std::ranges::lower_bound(fill.taken, number), number);
      return true;
    }
    return false;
  }
  if (demand.mode == GpuMode::kMig) {
    const auto cut = topology::mig_cut(asked.profile, facts.memory_bytes);
    if (!cut || cut->compute_slices > fill.compute_slices_free) return false;
    fill.compute_slices_free -= cut->compute_slices;
    fill.cuts.push_back(*cut);
    return cuts_fit(fill, gpu);
  }
  const auto share = share_of(facts, demand.mode, asked.amount);
  if (!share || share->milli > fill.milli_free || share->bytes > fill.bytes_free ||
      fill.slots_free == 0) {
    return false;
  }
  fill.milli_free -= share->milli;
  fill.bytes_free -= share->bytes;
  --fill.slots_free;
  return true;
}

bool Packing::cuts_fit(const Fill& fill, int gpu) const {
  std::vector<int> firsts;
  return place_cuts(fill.cuts, 0, slices_of(problem_.state.gpus[at(gpu)].slots_taken), firsts);
}

bool Packing::fit(Mask gpus, UnitCards& cards, Work& work) const {
  std::vector<Fill> fills(problem_.shape.gpus.size());
  for (Mask rest = gpus; rest != 0;) {
    const int gpu = pop_lowest(rest);
    const auto& free = problem_.state.gpus[at(gpu)];
    const auto& facts = problem_.shape.gpus[at(gpu)];
    Fill& fill = fills[at(gpu)];
    fill.milli_free = free.milli_free;
    fill.bytes_free = std::max<std::int64_t>(free.bytes_free, 0);
    fill.slots_free = facts.slots.value_or(static_cast<int>(domain::kMilliOfAWhole)) -
                      static_cast<std::int64_t>(free.slots_taken.size());
    fill.compute_slices_free = free.compute_slices_free;
    fill.taken = free.slots_taken;
  }
  return have_room(gpus, fills) && place(0, gpus, gpus, fills, cards, work);
}

// Sets of too few cards come first, and to try all ways to divide units among them is endless where
// the units are many and equal. So each kind of unit is asked alone, and thousandths in one sum.
bool Packing::have_room(Mask gpus, const std::vector<Fill>& fills) const {
  const auto& demand = problem_.request.gpu;
  for (int unit = 0; unit < problem_.gpu_units; ++unit) {
    if (equal_before_[at(unit)] >= 0) continue;
    auto wanted = std::ranges::count(demand.units, demand.units[at(unit)]);
    for (Mask rest = gpus; rest != 0 && wanted > 0;) {
      const int gpu = pop_lowest(rest);
      for (Fill fill = fills[at(gpu)]; wanted > 0 && put(fill, unit, gpu);) --wanted;
    }
    if (wanted > 0) return false;
  }
  if (demand.mode != GpuMode::kShareMilli) return true;
  std::int64_t milli = 0;
  for (const auto& unit : demand.units) milli += unit.amount;
  for (Mask rest = gpus; rest != 0;) milli -= fills[at(pop_lowest(rest))].milli_free;
  return milli <= 0;
}

bool Packing::place(int unit, Mask gpus, Mask uncovered, std::vector<Fill>& fills, UnitCards& cards,
                    Work& work) const {
  if (unit == problem_.gpu_units) return uncovered == 0;
  if (std::popcount(uncovered) > problem_.gpu_units - unit) return false;
  if (!work.spend()) return false;
  const int equal = equal_before_[at(unit)];
  const bool apart = problem_.request.gpu.cards == Cards::kApart;
  for (Mask rest = apart ? uncovered : gpus; rest != 0;) {
    const int gpu = pop_lowest(rest);
    if (equal >= 0 && gpu < cards[at(equal)]) continue;  // a swap of equal units is no change
    const Fill before = fills[at(gpu)];
    if (put(fills[at(gpu)], unit, gpu)) {
      cards[at(unit)] = static_cast<std::uint8_t>(gpu);
      if (place(unit + 1, gpus, uncovered & ~bit(gpu), fills, cards, work)) return true;
    }
    fills[at(gpu)] = before;
  }
  return false;
}

std::vector<Grant> Packing::grants(const UnitCards& cards) const {
  const auto& demand = problem_.request.gpu;
  std::vector<Grant> grants;
  for (int unit = 0; unit < problem_.gpu_units; ++unit) {
    const int gpu = cards[at(unit)];
    Grant grant{.device = state::index_of(problem_.shape, domain::DeviceKind::kGpu, gpu)};
    if (demand.mode == GpuMode::kMig) {
      grant.mode = GrantMode::kMig;
      grant.profile = demand.units[at(unit)].profile;
    } else if (demand.mode != GpuMode::kWhole) {
      const auto share =
          share_of(problem_.shape.gpus[at(gpu)], demand.mode, demand.units[at(unit)].amount);
      check(share.has_value(), "a share was put on a card that can give it");
      grant.mode = GrantMode::kShare;
      grant.amount = share->milli;
      grant.bytes = share->bytes;
    }
    grants.push_back(std::move(grant));
  }
  if (demand.mode == GpuMode::kWhole) return grants;
  Mask used = 0;
  for (int unit = 0; unit < problem_.gpu_units; ++unit) used |= bit(cards[at(unit)]);
  while (used != 0) add_slots(grants, pop_lowest(used));
  return grants;
}

void Packing::add_slots(std::vector<Grant>& grants, int gpu) const {
  const auto& facts = problem_.shape.gpus[at(gpu)];
  std::vector<int> taken = problem_.state.gpus[at(gpu)].slots_taken;
  const auto device = state::index_of(problem_.shape, domain::DeviceKind::kGpu, gpu);
  std::vector<Grant*> mine;
  for (Grant& grant : grants) {
    if (grant.device == device) mine.push_back(&grant);
  }
  if (facts.mig == MigMode::kDynamic) {
    std::vector<MigCut> cuts;
    for (const Grant* grant : mine) {
      cuts.push_back(*topology::mig_cut(grant->profile, facts.memory_bytes));
    }
    std::vector<int> firsts;
    check(place_cuts(cuts, 0, slices_of(taken), firsts), "cuts that were put on a card fit");
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i]->slot = firsts[i];
    return;
  }
  for (Grant* grant : mine) {
    int slot = smallest_not_in(taken);
    if (facts.mig == MigMode::kFixed) {
      slot = 0;
      while (facts.partitions[at(slot)].profile != grant->profile || has(taken, slot)) ++slot;
    }
    grant->slot = slot;
    taken.insert(std::ranges::lower_bound(taken, slot), slot);
  }
}

}  // namespace tenon::allocation
