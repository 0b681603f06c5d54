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

std::int64_t CoresMemory::held_by(Mask nodes) const {
  std::int64_t sum = 0;
  while (nodes != 0) {
    const std::int64_t amount = free_memory_[at(pop_lowest(nodes))];
    sum = amount > memory_ - sum ? memory_ : sum + amount;
  }
  return sum;
}

// Can `chosen`, with exactly `more` of `rest`, be a list with so many bytes outside?
bool CoresMemory::memory_completes(Mask chosen, Mask rest, Mask home, std::int64_t outside,
                                   int more) const {
  if (home == 0) home = ~Mask{0};
  const std::int64_t held_here = held_by(chosen & home);
  const std::int64_t held_away = held_by(chosen & ~home);
  const Largest here(free_memory_, rest & home, memory_);
  const Largest away(free_memory_, rest & ~home, memory_);
  if (std::popcount(chosen) + more > memory_) return false;
  for (int a = std::max(0, more - here.count()); a <= std::min(more, away.count()); ++a) {
    const std::int64_t left = std::max<std::int64_t>(0, memory_ - held_here - here.sum(more - a));
    if (left > held_away && left - held_away > away.sum(a)) continue;
    if (std::max<std::int64_t>(std::popcount(chosen & ~home) + a, left) == outside) return true;
  }
  return false;
}

// Of the lists of one cost the smallest: node by node, as long as the rest can complete it.
Mask CoresMemory::smallest_list(Mask rest, Mask home, const HostCost& cost) const {
  Mask chosen = 0;
  for (auto more = static_cast<int>(cost.nodes); more > 0 && rest != 0;) {
    const int node = pop_lowest(rest);
    if (!memory_completes(chosen | bit(node), rest, home, cost.outside, more - 1)) continue;
    chosen |= bit(node);
    --more;
  }
  return chosen;
}

// Where memory has no cost: the smallest list of all. Nodes are filled from home outwards, so a list
// counts only if all of it but the node filled last does not suffice.
bool CoresMemory::any_smallest_list(Mask chosen, Mask rest, Mask home, int more, Mask& list,
                                    Work& work) const {
  if (!work.spend()) return false;
  if (held_by(chosen) == memory_) {
    const Mask away = home == 0 ? 0 : chosen & ~home;
    const Mask last_of = away != 0 ? away : chosen;
    list = chosen;
    return held_by(chosen & ~bit(63 - std::countl_zero(last_of))) < memory_;
  }
  if (more == 0 || held_by(chosen | rest) < memory_) return false;
  const int node = pop_lowest(rest);
  return any_smallest_list(chosen | bit(node), rest, home, more - 1, list, work) ||
         any_smallest_list(chosen, rest, home, more, list, work);
}

std::vector<domain::MemoryGrant> CoresMemory::memory_grant(Mask allowed, Mask home,
                                                           const HostCost& cost, int nodes_max,
                                                           Work& work) const {
  if (memory_ == 0) return {};
  Mask rest = 0;
  for (Mask nodes = allowed; nodes != 0;) {
    const int node = pop_lowest(nodes);
    if (free_memory_[at(node)] > 0) rest |= bit(node);
  }
  Mask chosen = 0;
  if (problem_.layout.memory != Layout::kAbsent ||
      !any_smallest_list(0, rest, home, nodes_max, chosen, work)) {
    chosen = smallest_list(rest, home, cost);
  }

  std::vector<domain::MemoryGrant> grants;
  std::int64_t left = memory_;
  const Mask first = home == 0 ? chosen : chosen & home;
  for (Mask part : {first, chosen & ~first}) {
    while (part != 0) {
      const int node = pop_lowest(part);
      const std::int64_t bytes = std::min(free_memory_[at(node)], left);
      grants.push_back({problem_.shape.numa[at(node)].os_index, bytes});
      left -= bytes;
    }
  }
  std::ranges::sort(grants, {}, &domain::MemoryGrant::numa);
  return grants;
}

}  // namespace tenon::allocation
