// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "oracle/cost.hpp"

#include <algorithm>
#include <limits>

namespace tenon::oracle {

using domain::Wish;

std::vector<int> distinct(std::vector<int> ordinals) {
  std::ranges::sort(ordinals);
  const auto rest = std::ranges::unique(ordinals);
  ordinals.erase(rest.begin(), rest.end());
  return ordinals;
}

Bits bits_of(const std::vector<int>& ordinals) {
  Bits bits = 0;
  for (const int i : ordinals) bits |= bit(i);
  return bits;
}

std::vector<Wish> wishes_in_order(const domain::Request& request) {
  std::vector<Wish> order;
  const auto add = [&](Wish wish) {
    const bool dropped =
        request.numa == domain::NumaClause::kNone && (wish == Wish::kNuma || wish == Wish::kMemory);
    if (!dropped && std::ranges::find(order, wish) == order.end()) order.push_back(wish);
  };
  for (const Wish wish : request.wishes) add(wish);
  for (const Wish wish : {Wish::kPair, Wish::kGpus, Wish::kNuma, Wish::kMemory, Wish::kNvme}) {
    add(wish);
  }
  return order;
}

std::vector<std::pair<std::string, std::vector<std::int64_t>>> named(
    const Levels& levels, const std::vector<Wish>& order) {
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> all;
  const auto add = [&](std::string name, const auto& values) {
    all.emplace_back(std::move(name), std::vector<std::int64_t>(values.begin(), values.end()));
  };
  for (const Wish wish : order) {
    switch (wish) {
      case Wish::kPair:
        add("pair", levels.pair);
        break;
      case Wish::kGpus:
        add("gpus", levels.gpus);
        break;
      case Wish::kNuma:
        add("numa", levels.numa);
        break;
      case Wish::kMemory:
        add("memory", levels.memory);
        break;
      case Wish::kNvme:
        add("nvme", levels.nvme);
        break;
    }
  }
  constexpr std::array kLeft{"nvlink-groups", "switches",    "numa-nodes",
                             "gpus-broken",   "nics-broken", "core-nodes"};
  for (std::size_t i = 0; i < kLeft.size(); ++i) all.push_back({kLeft[i], {levels.left[i]}});
  return all;
}

Price price_of(const Levels& levels, const std::vector<Wish>& order) {
  Price price;
  price.reserve(18);
  const auto add = [&](const auto& values) {
    price.insert(price.end(), values.begin(), values.end());
  };
  for (const Wish wish : order) {
    if (wish == Wish::kPair) add(levels.pair);
    if (wish == Wish::kGpus) add(levels.gpus);
    if (wish == Wish::kNuma) add(levels.numa);
    if (wish == Wish::kMemory) add(levels.memory);
    if (wish == Wish::kNvme) add(levels.nvme);
  }
  add(levels.left);
  return price;
}

std::vector<Bits> numa_of_devices(const Situation& s, const Chosen& chosen) {
  std::vector<Bits> all;
  for (const int g : distinct(chosen.gpus)) all.push_back(s.gpus[static_cast<std::size_t>(g)].numa);
  for (const int n : distinct(chosen.nics)) all.push_back(s.nics[static_cast<std::size_t>(n)].numa);
  for (const int v : distinct(chosen.nvmes)) {
    all.push_back(s.nvmes[static_cast<std::size_t>(v)].numa);
  }
  return all;
}

Bits memory_home(const Situation& s, const Chosen& chosen) {
  Bits home = 0;
  for (std::size_t n = 0; n < chosen.cores.size(); ++n) {
    if (chosen.cores[n] > 0) home |= bit(static_cast<int>(n));
  }
  if (home != 0) return home;
  for (const Bits near : numa_of_devices(s, chosen)) home |= near;
  return home;
}

namespace {

int rank(const std::vector<std::vector<int>>& table, int row, int column) {
  return table[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
}

int nearest_rank(const std::vector<std::vector<int>>& table, const std::vector<int>& gpus, int to) {
  int nearest = kNotKnownRank;
  for (const int g : gpus) nearest = std::min(nearest, rank(table, g, to));
  return nearest;
}

/// The smallest sum of ranks over maps that use no rank above `worst`. GPUs choose one after the
/// other; what matters of the earlier ones is how often each unit is used, a number with a digit a
/// unit.
std::optional<int> smallest_sum(const Situation& s, const std::vector<int>& gpus,
                                const std::vector<int>& nics, int most, int worst) {
  const auto base = static_cast<std::size_t>(most) + 1;
  std::vector<std::size_t> digit(nics.size());
  std::size_t states = 1;
  for (auto& d : digit) {
    d = states;
    states *= base;
  }
  constexpr int kNone = std::numeric_limits<int>::max();
  std::vector<int> sums(states, kNone);
  sums[0] = 0;
  for (const int g : gpus) {
    std::vector<int> next(states, kNone);
    for (std::size_t used = 0; used < states; ++used) {
      if (sums[used] == kNone) continue;
      for (std::size_t u = 0; u < nics.size(); ++u) {
        const int r = rank(s.gpu_nic, g, nics[u]);
        if (r > worst || (used / digit[u]) % base == base - 1) continue;
        int& there = next[used + digit[u]];
        there = std::min(there, sums[used] + r);
      }
    }
    sums = std::move(next);
  }
  const int best = *std::ranges::min_element(sums);
  if (best == kNone) return {};
  return best;
}

}  // namespace

int pair_most(const domain::Request& request, std::size_t gpus, std::size_t nics) {
  if (request.pair) return std::min(request.pair->gpus_per_nic, static_cast<int>(gpus));
  return nics == 0 ? 1 : static_cast<int>((gpus + nics - 1) / nics);
}

std::array<std::int64_t, 3> pair_at_best(const Situation& s, const std::vector<int>& gpus,
                                         const std::vector<int>& nics) {
  if (gpus.empty() || nics.empty()) return {0, 0, 0};
  std::array<std::int64_t, 3> level{};
  for (const int g : gpus) {
    int nearest = kNotKnownRank;
    for (const int n : nics) nearest = std::min(nearest, rank(s.gpu_nic, g, n));
    level[0] = std::max<std::int64_t>(level[0], nearest);
    level[1] += nearest;
  }
  for (const int n : nics) level[2] += nearest_rank(s.gpu_nic, gpus, n);
  return level;
}

std::optional<std::array<std::int64_t, 3>> pair_level(const Situation& s,
                                                      const std::vector<int>& gpus,
                                                      const std::vector<int>& nics, int most) {
  auto level = pair_at_best(s, gpus, nics);
  if (gpus.empty() || nics.empty()) return level;
  for (int worst = static_cast<int>(level[0]); worst <= kNotKnownRank; ++worst) {
    if (const auto sum = smallest_sum(s, gpus, nics, most, worst)) {
      return std::array<std::int64_t, 3>{worst, *sum, level[2]};
    }
  }
  return {};
}

std::array<std::int64_t, 4> gpus_level(const Situation& s, const std::vector<int>& gpus) {
  std::array<std::int64_t, 4> level{};
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    for (std::size_t j = i + 1; j < gpus.size(); ++j) {
      const std::int64_t links = 255 - rank(s.nvlinks, gpus[i], gpus[j]);
      const std::int64_t pci = rank(s.gpu_gpu, gpus[i], gpus[j]);
      level[0] = std::max(level[0], links);
      level[1] += links;
      level[2] = std::max(level[2], pci);
      level[3] += pci;
    }
  }
  return level;
}

std::array<std::int64_t, 2> nvme_level(const Situation& s, const std::vector<int>& gpus,
                                       const std::vector<int>& nvmes) {
  std::array<std::int64_t, 2> level{};
  if (gpus.empty()) return level;
  for (const int v : nvmes) {
    const int nearest = nearest_rank(s.gpu_nvme, gpus, v);
    level[0] = std::max<std::int64_t>(level[0], nearest);
    level[1] += nearest;
  }
  return level;
}

std::array<std::int64_t, 6> left_level(const Situation& s, Bits gpus, Bits nics) {
  std::array<std::int64_t, 6> level{};
  for (std::size_t kind = 0; kind < s.intact.size(); ++kind) {
    for (const auto& group : s.intact[kind]) {
      if ((group.gpus & gpus) != 0 || (group.nics & nics) != 0) ++level[kind];
    }
  }
  for (std::size_t g = 0; g < s.gpus.size(); ++g) {
    if ((gpus & bit(static_cast<int>(g))) != 0 && s.gpus[g].free()) ++level[3];
  }
  for (std::size_t n = 0; n < s.nics.size(); ++n) {
    if ((nics & bit(static_cast<int>(n))) != 0 && s.nics[n].free()) ++level[4];
  }
  return level;
}

void add_cores_and_memory(const Situation& s, const domain::Request& request, const Chosen& chosen,
                          const std::vector<Bits>& devices, Levels& levels) {
  levels.numa = {};
  levels.memory = {};
  levels.left[5] = 0;
  for (std::size_t n = 0; n < chosen.cores.size(); ++n) {
    if (chosen.cores[n] == 0) continue;
    const Bits here = bit(static_cast<int>(n));
    for (const Bits near : devices) {
      if (near != 0 && (near & here) == 0) levels.numa[0] += chosen.cores[n];
    }
    if (request.core_plan == domain::CorePlan::kPacked) ++levels.left[5];
  }
  const Bits home = memory_home(s, chosen);
  for (std::size_t n = 0; n < chosen.memory.size(); ++n) {
    if (chosen.memory[n] == 0) continue;
    if (home != 0 && (home & bit(static_cast<int>(n))) == 0) levels.memory[0] += chosen.memory[n];
    ++levels.memory[1];
  }
}

Levels levels_of(const Situation& s, const domain::Request& request, const Chosen& chosen) {
  const auto gpus = distinct(chosen.gpus);
  Levels levels;
  levels.pair =
      pair_level(s, gpus, chosen.nics, pair_most(request, gpus.size(), chosen.nics.size())).value();
  levels.gpus = gpus_level(s, gpus);
  levels.nvme = nvme_level(s, gpus, chosen.nvmes);
  levels.left = left_level(s, bits_of(gpus), bits_of(chosen.nics));
  add_cores_and_memory(s, request, chosen, numa_of_devices(s, chosen), levels);
  return levels;
}

}  // namespace tenon::oracle
