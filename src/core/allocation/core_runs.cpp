// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/core_runs.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/check.hpp"

namespace tenon::allocation {
namespace {

constexpr int kNone = std::numeric_limits<int>::max() / 2;
constexpr int kRanges = domain::kRangesMax;
constexpr std::int64_t kCellsMax = 300'000;  // of a table, times ranges: about 80 MB

std::size_t at(int index) { return static_cast<std::size_t>(index); }

bool consecutive(const domain::Core& core) {
  return core.threads.back() - core.threads.front() + 1 == static_cast<int>(core.threads.size());
}

bool goes_on(const domain::Core& before, const domain::Core& core) {
  if (consecutive(before) && consecutive(core) &&
      core.threads.front() == before.threads.back() + 1) {
    return true;
  }
  if (before.threads.size() != core.threads.size()) return false;
  for (std::size_t i = 0; i < core.threads.size(); ++i) {
    if (core.threads[i] != before.threads[i] + 1) return false;
  }
  return true;
}

}  // namespace

CoreRuns::CoreRuns(const Problem& problem) : cores_(problem.request.cores) {
  const auto& state = problem.state;
  threads_max_ = static_cast<int>(
      std::min<std::int64_t>(state.cpu_milli_free / domain::kMilliOfAWhole, kNone));
  std::vector<int> all_threads;
  int ranges = 0;
  for (std::size_t n = 0; n < state.numa.size(); ++n) {
    const auto& cores = problem.shape.numa[n].cores;
    std::vector<Free> free;
    std::vector<Use> prefix{{}};
    const domain::Core* before = nullptr;
    for (const int position : state.numa[n].cores_free) {
      const domain::Core& core = cores[at(position)];
      const Free entry{.start_cost = consecutive(core) ? 1 : static_cast<int>(core.threads.size()),
                       .continues = before != nullptr && goes_on(*before, core),
                       .threads = static_cast<int>(core.threads.size())};
      Use use = prefix.back();
      use.ranges += entry.continues ? 0 : entry.start_cost;
      use.threads += entry.threads;
      prefix.push_back(use);
      all_threads.push_back(entry.threads);
      free.push_back(entry);
      before = &core;
    }
    ranges += prefix.back().ranges;
    free_.push_back(std::move(free));
    prefix_.push_back(std::move(prefix));
  }
  tables_.resize(free_.size());

  std::ranges::sort(all_threads);
  const auto asked = std::min(at(cores_), all_threads.size());
  int fewest = 0;
  int most = 0;
  for (std::size_t i = 0; i < asked; ++i) {
    fewest += all_threads[i];
    most += all_threads[all_threads.size() - 1 - i];
  }
  threads_suffice_ = fewest <= threads_max_;
  int memory_nodes = 0;
  if (problem.request.memory_bytes > 0) {
    for (const auto& numa : state.numa) memory_nodes += numa.memory_free > 0 ? 1 : 0;
  }
  threads_may_bind_ = most > threads_max_;
  may_bind_ = threads_may_bind_ || ranges + memory_nodes > kRanges;
  if (may_bind_ && cores_ > 0) ranges_suffice_ = hold_within(kRanges - (memory_nodes > 0 ? 1 : 0));
}

// Do so many ranges of any nodes hold the cores? Each run of free cores is taken or not.
bool CoreRuns::hold_within(int ranges) const {
  std::array<int, kRanges + 1> most{};  // cores by ranges spent
  const auto take = [&](int price, int cores) {
    for (int spent = kRanges; spent >= price; --spent) {
      most[at(spent)] = std::max(most[at(spent)], most[at(spent - price)] + cores);
    }
  };
  for (const auto& free : free_) {
    int price = 0;
    int length = 0;
    for (const Free& core : free) {
      if (!core.continues) {
        if (length > 0) take(price, length);
        price = core.start_cost;
        length = 0;
      }
      ++length;
    }
    if (length > 0) take(price, length);
  }
  return most[at(ranges)] >= cores_;
}

CoreRuns::Use CoreRuns::plain(int node, int count) const { return prefix_[at(node)][at(count)]; }

std::size_t CoreRuns::index(int node, int from, int count, int ranges, int chosen) const {
  const std::size_t counts = std::min(at(cores_), free_[at(node)].size()) + 1;
  return ((at(from) * counts + at(count)) * (kRanges + 1) + at(ranges)) * 2 + at(chosen);
}

const CoreRuns::Table& CoreRuns::table(int node, Work& work) {
  auto& slot = tables_[at(node)];
  if (slot) return *slot;
  const auto& free = free_[at(node)];
  const int size = static_cast<int>(free.size());
  const int most = std::min(cores_, size);
  work.spend(static_cast<std::int64_t>(size + 1) * (most + 1));
  slot.emplace();
  auto& least = slot->least;
  least.assign(index(node, size + 1, 0, 0, 0), kNone);
  for (int ranges = 0; ranges <= kRanges; ++ranges) {
    least[index(node, size, 0, ranges, 0)] = least[index(node, size, 0, ranges, 1)] = 0;
  }
  for (int from = size - 1; from >= 0; --from) {
    const Free& core = free[at(from)];
    for (int count = 0; count <= most; ++count) {
      for (int ranges = 0; ranges <= kRanges; ++ranges) {
        for (int chosen = 0; chosen < 2; ++chosen) {
          int best = least[index(node, from + 1, count, ranges, 0)];
          const int cost = chosen == 1 && core.continues ? 0 : core.start_cost;
          if (count > 0 && cost <= ranges) {
            const int rest = least[index(node, from + 1, count - 1, ranges - cost, 1)];
            best = std::min({best, kNone, rest + core.threads});
          }
          least[index(node, from, count, ranges, chosen)] = best;
        }
      }
    }
  }
  return *slot;
}

std::optional<int> CoreRuns::threads(int node, int count, int ranges, Work& work) {
  const auto most = static_cast<std::int64_t>(std::min(at(cores_), free_[at(node)].size()));
  if ((most + 1) * (static_cast<std::int64_t>(free_[at(node)].size()) + 1) > kCellsMax) {
    work.cut = true;
    return std::nullopt;
  }
  const int least = table(node, work).least[index(node, 0, count, ranges, 0)];
  if (least >= kNone) return std::nullopt;
  return least;
}

std::vector<int> CoreRuns::choose(int node, int count, Use use, Work& work) {
  const auto& least = table(node, work).least;
  const auto& free = free_[at(node)];
  std::vector<int> chosen;
  int before = 0;
  for (int from = 0; count > 0; ++from) {
    check(at(from) < free.size(), "a choice within the limits is there");
    const Free& core = free[at(from)];
    const int cost = before == 1 && core.continues ? 0 : core.start_cost;
    const bool takes =
        cost <= use.ranges &&
        least[index(node, from + 1, count - 1, use.ranges - cost, 1)] + core.threads <= use.threads;
    before = takes ? 1 : 0;
    if (!takes) continue;
    chosen.push_back(from);
    use.ranges -= cost;
    use.threads -= core.threads;
    --count;
  }
  return chosen;
}

}  // namespace tenon::allocation
