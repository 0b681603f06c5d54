// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The memory part of CoresMemory: how many bytes of which NUMA nodes, when it is known which nodes
// are home (R in docs/invariants.md I50 and I53).

#include <algorithm>
#include <bit>

#include "core/allocation/cores_memory.hpp"

namespace tenon::allocation {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Sums of the largest amounts: entry k is what the k largest hold together, at most `enough`.
class Largest {
 public:
  Largest(const std::array<std::int64_t, kNumaMax>& amounts, Mask nodes, std::int64_t enough) {
    std::vector<std::int64_t> sorted;
    while (nodes != 0) {
      const std::int64_t amount = amounts[at(pop_lowest(nodes))];
      if (amount > 0) sorted.push_back(std::min(amount, enough));
    }
    std::ranges::sort(sorted, std::greater<>());
    for (const std::int64_t amount : sorted) {
      sums_.push_back(amount > enough - sums_.back() ? enough : sums_.back() + amount);
    }
  }
  [[nodiscard]] int count() const { return static_cast<int>(sums_.size()) - 1; }
  [[nodiscard]] std::int64_t sum(int largest) const { return sums_[at(largest)]; }

 private:
  std::vector<std::int64_t> sums_{0};
};

}  // namespace

// For each number of nodes the fewest bytes away from home, as long as more nodes mean fewer bytes.
std::vector<CoresMemory::MemoryOption> CoresMemory::memory_options(Mask allowed, Mask home) const {
  if (memory_ == 0) return {{0, 0}};
  if (home == 0) home = allowed;
  const Largest here(free_memory_, allowed & home, memory_);
  const Largest away(free_memory_, allowed & ~home, memory_);
  std::vector<MemoryOption> options;
  for (int nodes = 1; nodes <= here.count() + away.count() && nodes <= memory_; ++nodes) {
    std::optional<std::int64_t> fewest;
    for (int a = std::max(0, nodes - here.count()); a <= std::min(nodes, away.count()); ++a) {
      const std::int64_t rest = memory_ - here.sum(nodes - a);
      if (rest > away.sum(a)) continue;
      const std::int64_t outside = std::max<std::int64_t>(a, rest);
      if (!fewest || outside < *fewest) fewest = outside;
    }
    if (!fewest || (!options.empty() && *fewest >= options.back().outside)) continue;
    options.push_back({*fewest, nodes});
    if (*fewest == 0 || problem_.layout.memory == Layout::kAbsent) break;
  }
  return options;
}

std::optional<CoresMemory::MemoryOption> CoresMemory::best_memory(Mask allowed, Mask home,
                                                                  int nodes_max) const {
  const auto options = memory_options(allowed, home);
  std::optional<MemoryOption> best;
  for (const auto& option : options) {
    if (option.nodes <= nodes_max) best = option;  // later ones have fewer bytes outside
  }
  return best;
}

// Can `chosen`, with at most `slots` of `rest` (exactly, where the number of nodes is a cost), be a
// list of that cost?
bool CoresMemory::memory_completes(Mask chosen, Mask rest, Mask home, const HostCost& cost,
                                   int slots) const {
  if (home == 0) home = ~Mask{0};
  const bool counts = problem_.layout.memory != Layout::kAbsent;
  const auto held = [&](Mask nodes) {
    std::int64_t sum = 0;
    while (nodes != 0) {
      const std::int64_t amount = free_memory_[at(pop_lowest(nodes))];
      sum = amount > memory_ - sum ? memory_ : sum + amount;
    }
    return sum;
  };
  const std::int64_t held_here = held(chosen & home);
  const std::int64_t held_away = held(chosen & ~home);
  const Largest here(free_memory_, rest & home, memory_);
  const Largest away(free_memory_, rest & ~home, memory_);
  const int fixed = std::popcount(chosen);
  for (int nodes = counts ? slots : 0; nodes <= slots; ++nodes) {
    if (fixed + nodes > memory_) break;
    for (int a = std::max(0, nodes - here.count()); a <= std::min(nodes, away.count()); ++a) {
      const std::int64_t left =
          std::max<std::int64_t>(0, memory_ - held_here - here.sum(nodes - a));
      if (left > held_away && left - held_away > away.sum(a)) continue;
      const std::int64_t outside = std::max<std::int64_t>(std::popcount(chosen & ~home) + a, left);
      if (!counts || outside == cost.outside) return true;
    }
  }
  return false;
}

std::vector<domain::MemoryGrant> CoresMemory::memory_grant(Mask allowed, Mask home,
                                                           const HostCost& cost,
                                                           int nodes_max) const {
  if (memory_ == 0) return {};
  const bool counts = problem_.layout.memory != Layout::kAbsent;
  const int size = counts ? static_cast<int>(cost.nodes) : nodes_max;
  Mask chosen = 0;
  Mask rest = 0;
  for (Mask nodes = allowed; nodes != 0;) {
    const int node = pop_lowest(nodes);
    if (free_memory_[at(node)] > 0) rest |= bit(node);
  }
  // The smallest list: it ends as soon as it may, else goes on with the smallest node that works.
  while (!memory_completes(chosen, 0, home, cost, 0)) {
    if (rest == 0) return {};
    const int node = pop_lowest(rest);
    const int slots = size - std::popcount(chosen) - 1;
    if (slots >= 0 && memory_completes(chosen | bit(node), rest, home, cost, slots)) {
      chosen |= bit(node);
    }
  }

  std::vector<domain::MemoryGrant> grants;
  std::int64_t left = memory_;
  int others = std::popcount(chosen);
  const Mask first = home == 0 ? chosen : chosen & home;
  for (Mask part : {first, chosen & ~first}) {
    while (part != 0) {
      const int node = pop_lowest(part);
      --others;  // each of those to come gives a byte at least
      const std::int64_t bytes = std::min(free_memory_[at(node)], left - others);
      grants.push_back({problem_.shape.numa[at(node)].os_index, bytes});
      left -= bytes;
    }
  }
  std::ranges::sort(grants, {}, &domain::MemoryGrant::numa);
  return grants;
}

}  // namespace tenon::allocation
