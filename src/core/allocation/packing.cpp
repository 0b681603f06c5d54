// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/packing.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "base/check.hpp"
#include "base/key.hpp"

namespace tenon::allocation {
namespace {

using domain::Cards;
using domain::GpuMode;
using domain::Grant;
using domain::GrantMode;
using domain::MigMode;
using topology::MigCut;
using topology::SliceMask;

constexpr std::size_t kFailedMax = 65'536;  // some megabytes

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
  std::vector<MigCut> cuts;  // of a dynamic card, the largest first
};

Packing::Packing(const Problem& problem) : problem_(problem) {
  const auto& units = problem.request.gpu.units;
  for (std::size_t i = 0; i < units.size(); ++i) {
    equal_before_[i] = -1;
    for (std::size_t j = 0; j < i; ++j) {
      if (units[j] == units[i]) equal_before_[i] = static_cast<int>(j);
    }
  }
  if (problem.request.gpu.mode == GpuMode::kWhole) return;  // nothing to pack
  for (Mask rest = problem.gpus; rest != 0;) {
    const int gpu = pop_lowest(rest);
    int first = 0;
    while ((problem.gpus & bit(first)) == 0 || !problem.cards_are_alike(first, gpu)) ++first;
    alike_[at(gpu)] = first;
  }
  if (problem.request.gpu.mode != GpuMode::kMig) return;
  for (std::size_t i = 0; i < units.size(); ++i) least_cut_[i] = least_cut(units[i].profile);
}

MigCut Packing::least_cut(const std::string& profile) const {
  MigCut least{.compute_slices = topology::kMigComputeSlices,
               .memory_slices = topology::kMigMemorySlices};
  for (Mask rest = problem_.gpus; rest != 0;) {
    const auto& facts = problem_.shape.gpus[at(pop_lowest(rest))];
    if (facts.mig == MigMode::kFixed) return {};
    const auto cut = topology::mig_cut(profile, facts.memory_bytes);
    if (!cut) continue;
    least.compute_slices = std::min(least.compute_slices, cut->compute_slices);
    least.memory_slices = std::min(least.memory_slices, cut->memory_slices);
  }
  return least;
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
    fill.cuts.insert(std::ranges::upper_bound(fill.cuts, *cut, std::ranges::greater{}), *cut);
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

bool Packing::fit(Mask gpus, UnitCards& cards, Work& work) {
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
  return have_room(0, gpus, fills) && place(0, gpus, gpus, fills, cards, work);
}

// Sets of too few cards come first, and to try all ways to divide units among them is endless where
// the units are many and equal. So each kind of unit is asked alone, and amounts in one sum.
bool Packing::have_room(int first, Mask gpus, const std::vector<Fill>& fills) const {
  const auto units = std::span(problem_.request.gpu.units).subspan(at(first));
  for (int unit = first; unit < problem_.gpu_units; ++unit) {
    if (equal_before_[at(unit)] >= first) continue;
    auto wanted = std::ranges::count(units, units[at(unit - first)]);
    for (Mask rest = gpus; rest != 0 && wanted > 0;) {
      const int gpu = pop_lowest(rest);
      for (Fill fill = fills[at(gpu)]; wanted > 0 && put(fill, unit, gpu);) --wanted;
    }
    if (wanted > 0) return false;
  }
  return sums_have_room(first, gpus, fills);
}

bool Packing::sums_have_room(int first, Mask gpus, const std::vector<Fill>& fills) const {
  const auto& demand = problem_.request.gpu;
  std::int64_t amount = 0;
  int compute_slices = 0;
  int memory_slices = 0;
  for (int unit = first; unit < problem_.gpu_units; ++unit) {
    amount += demand.units[at(unit)].amount;
    compute_slices += least_cut_[at(unit)].compute_slices;
    memory_slices += least_cut_[at(unit)].memory_slices;
  }
  for (Mask rest = gpus; rest != 0;) {
    const int gpu = pop_lowest(rest);
    const Fill& fill = fills[at(gpu)];
    amount -= demand.mode == GpuMode::kShareMilli ? fill.milli_free : fill.bytes_free;
    if (problem_.shape.gpus[at(gpu)].mig != MigMode::kDynamic) continue;
    compute_slices -= fill.compute_slices_free;
    memory_slices -= topology::kMigMemorySlices -
                     std::popcount(slices_of(problem_.state.gpus[at(gpu)].slots_taken));
    for (const MigCut& cut : fill.cuts) memory_slices += cut.memory_slices;
  }
  return amount <= 0 && compute_slices <= 0 && memory_slices <= 0;
}

// Where nothing is found for the units from this one on, nothing will be for the same units beside
// cards filled alike, whichever of them is which. That holds although equal units are only tried in
// the order of their cards: whatever that leaves out is a map with smaller cards, in other words one
// that was tried before.
bool Packing::place(int unit, Mask gpus, Mask uncovered, std::vector<Fill>& fills, UnitCards& cards,
                    Work& work) {
  if (unit == problem_.gpu_units) return uncovered == 0;
  if (std::popcount(uncovered) > problem_.gpu_units - unit) return false;
  if (!work.spend()) return false;
  if (!failed_.empty() && failed_.contains(key_of(unit, gpus, uncovered, fills))) return false;
  const auto& units = problem_.request.gpu.units;
  if (unit > 0 && units[at(unit)] != units[at(unit - 1)]) {
    if (!work.spend(std::popcount(gpus)) || !have_room(unit, gpus, fills)) return false;
  }
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
  if (!work.cut && failed_.size() < kFailedMax) {
    failed_.insert(key_of(unit, gpus, uncovered, fills));
  }
  return false;
}

std::string Packing::key_of(int unit, Mask gpus, Mask uncovered,
                            const std::vector<Fill>& fills) const {
  std::vector<std::string> cards;
  for (Mask rest = gpus; rest != 0;) {
    const int gpu = pop_lowest(rest);
    const auto& [milli_free, bytes_free, slots_free, compute_slices_free, taken, cuts] =
        fills[at(gpu)];
    Key key(cards.emplace_back());
    key.add(alike_[at(gpu)]);
    key.add((uncovered & bit(gpu)) != 0);
    key.add(milli_free);
    key.add(bytes_free);
    key.add(slots_free);
    key.add(compute_slices_free);
    key.add(taken);
    key.add(cuts.size());
    for (const auto& [compute_slices, memory_slices, first_slices] : cuts) {
      key.add(compute_slices);
      key.add(memory_slices);
      key.add(first_slices);
    }
  }
  std::ranges::sort(cards);
  std::string all;
  Key(all).add(unit);
  for (const std::string& card : cards) all += card;
  return all;
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
