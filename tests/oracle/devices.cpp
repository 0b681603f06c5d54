// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "oracle/devices.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "base/text.hpp"

namespace tenon::oracle {

using domain::Cards;
using domain::Core;
using domain::GpuMode;
using domain::Grant;
using domain::GrantMode;
using domain::MigMode;
using domain::NicMode;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

int smallest_not_in(const std::vector<int>& taken) {
  int number = 0;
  while (std::ranges::find(taken, number) != taken.end()) ++number;
  return number;
}

/// I32 and what else concerns the card alone.
bool gpu_usable(const GpuView& gpu, const domain::GpuDemand& demand) {
  if (gpu.cordoned || gpu.whole) return false;
  if (!demand.model.empty() &&
      (gpu.facts.model.empty() || text::lower(gpu.facts.model) != text::lower(demand.model))) {
    return false;
  }
  if (demand.memory_bytes_min > 0 &&
      (!gpu.facts.memory_bytes || *gpu.facts.memory_bytes < demand.memory_bytes_min)) {
    return false;
  }
  switch (demand.mode) {
    case GpuMode::kWhole:
      return gpu.facts.mig == MigMode::kOff && gpu.free();
    case GpuMode::kShareMilli:
      return gpu.facts.mig == MigMode::kOff;
    case GpuMode::kShareBytes:
      return gpu.facts.mig == MigMode::kOff && gpu.facts.memory_bytes.has_value() &&
             *gpu.facts.memory_bytes > 0;
    case GpuMode::kMig:
      return gpu.facts.mig != MigMode::kOff;
  }
  return false;
}

bool cards_hold(Cards cards, const std::vector<int>& of_unit) {
  const auto number = distinct(of_unit).size();
  if (cards == Cards::kOne) return number <= 1;
  if (cards == Cards::kApart) return number == of_unit.size();
  return true;
}

/// A share of one card, or nothing where it does not fit beside what `gpu` has (I22).
std::optional<Grant> add_share(GpuView& gpu, GpuMode mode, std::int64_t asked) {
  const auto memory = gpu.facts.memory_bytes;
  Wide milli = asked;
  Wide bytes = memory ? Wide{asked} * *memory / 1000 : 0;
  if (mode == GpuMode::kShareBytes) {
    bytes = asked;
    milli = (Wide{1000} * asked + *memory - 1) / *memory;
  }
  if (gpu.milli_used + milli > 1000) return {};
  if (memory && gpu.bytes_used + bytes > *memory) return {};
  if (gpu.facts.slots && static_cast<int>(gpu.share_slots.size()) >= *gpu.facts.slots) return {};
  const int slot = smallest_not_in(gpu.share_slots);
  gpu.milli_used += static_cast<std::int64_t>(milli);
  gpu.bytes_used += static_cast<std::int64_t>(bytes);
  gpu.share_slots.push_back(slot);
  return Grant{.mode = GrantMode::kShare,
               .amount = static_cast<std::int64_t>(milli),
               .bytes = static_cast<std::int64_t>(bytes),
               .slot = slot};
}

/// First slices of partitions on a dynamic card, the smallest sequence, or nothing.
bool cut(const GpuView& gpu, const std::vector<std::string>& profiles, std::vector<int>& slots) {
  if (slots.size() == profiles.size()) return true;
  const auto profile = profile_from_text(profiles[slots.size()]);
  const auto size = profile ? memory_slices(*profile, gpu.facts.memory_bytes) : std::nullopt;
  if (!size || gpu.compute_used + profile->compute > 7) return false;
  for (const int first : first_slices(*profile, *size)) {
    GpuView after = gpu;
    bool clear = first + *size <= 8;
    for (int i = first; i < first + *size; ++i) {
      clear = clear && std::ranges::find(gpu.partitions_used, i) == gpu.partitions_used.end();
      after.partitions_used.push_back(i);
    }
    after.compute_used += profile->compute;
    if (!clear) continue;
    slots.push_back(first);
    if (cut(after, profiles, slots)) return true;
    slots.pop_back();
  }
  return false;
}

/// Fixed partitions of exactly these names, each the smallest free one, or nothing.
bool pick_fixed(const GpuView& gpu, const std::vector<std::string>& profiles,
                std::vector<int>& slots) {
  std::vector<int> used = gpu.partitions_used;
  for (const auto& profile : profiles) {
    int slot = 0;
    const int count = static_cast<int>(gpu.facts.partitions.size());
    while (slot < count && (gpu.facts.partitions[at(slot)].profile != profile ||
                            std::ranges::find(used, slot) != used.end())) {
      ++slot;
    }
    if (slot == count) return false;
    used.push_back(slot);
    slots.push_back(slot);
  }
  return true;
}

/// The grants of a unit → GPU map, or nothing where a card cannot hold its units.
std::optional<std::vector<Grant>> gpu_grants(const Situation& s, const domain::GpuDemand& demand,
                                             const std::vector<int>& of_unit) {
  std::vector<Grant> grants;
  for (const int g : distinct(of_unit)) {
    GpuView gpu = s.gpus[at(g)];
    std::vector<std::string> profiles;
    for (std::size_t u = 0; u < of_unit.size(); ++u) {
      if (of_unit[u] != g) continue;
      if (demand.mode == GpuMode::kMig) {
        profiles.push_back(demand.units[u].profile);
        continue;
      }
      std::optional<Grant> grant = Grant{.mode = GrantMode::kWhole};
      if (demand.mode != GpuMode::kWhole) {
        grant = add_share(gpu, demand.mode, demand.units[u].amount);
      }
      if (!grant) return {};
      grant->device = s.gpu_index[at(g)];
      grants.push_back(*grant);
    }
    std::vector<int> slots;
    const bool held = gpu.facts.mig == MigMode::kDynamic ? cut(gpu, profiles, slots)
                                                         : pick_fixed(gpu, profiles, slots);
    if (!held) return {};
    for (std::size_t i = 0; i < profiles.size(); ++i) {
      grants.push_back({.device = s.gpu_index[at(g)],
                        .mode = GrantMode::kMig,
                        .slot = slots[i],
                        .profile = profiles[i]});
    }
  }
  return grants;
}

/// Every sequence of `length` ordinals below `count` in lexicographic order; `floor(prefix)` is the
/// smallest allowed next one. False: there are more than kChoicesMax x 4.
template <class Floor, class Take>
bool each_sequence(std::size_t length, int count, const Floor& floor, const Take& take,
                   std::vector<int>& prefix, std::size_t& seen) {
  if (prefix.size() == length) {
    take(prefix);
    return ++seen <= kChoicesMax * 4;
  }
  for (int i = floor(prefix); i < count; ++i) {
    prefix.push_back(i);
    const bool more = each_sequence(length, count, floor, take, prefix, seen);
    prefix.pop_back();
    if (!more) return false;
  }
  return true;
}

bool nic_usable(const NicView& nic, const domain::NicDemand& demand) {
  if (nic.cordoned || nic.whole) return false;
  if (nic.facts.bond && !demand.bonds) return false;
  if (nic.facts.rdma == false && !demand.non_rdma) return false;
  const bool storage = nic.facts.role == domain::NicRole::kStorage;
  if (demand.role == domain::RoleWanted::kCompute && storage) return false;
  if (demand.role == domain::RoleWanted::kStorage && !storage) return false;
  if (demand.rate_bits_min > 0 &&
      (!nic.facts.rate_bits || *nic.facts.rate_bits < demand.rate_bits_min)) {
    return false;
  }
  switch (demand.mode) {
    case NicMode::kWhole:
      return nic.free();
    case NicMode::kBandwidth:
      return nic.vfs_used.empty() && nic.facts.rate_bits.has_value() &&
             *nic.facts.rate_bits - nic.bits_used >= demand.bandwidth_bits;
    case NicMode::kVf:
      return !nic.by_bandwidth && static_cast<int>(nic.vfs_used.size()) < nic.facts.vfs;
  }
  return false;
}

}  // namespace

std::optional<std::vector<DeviceChoice>> gpu_choices(const Situation& s,
                                                     const domain::GpuDemand& demand) {
  std::vector<int> usable;
  for (int g = 0; g < static_cast<int>(s.gpus.size()); ++g) {
    if (gpu_usable(s.gpus[at(g)], demand)) usable.push_back(g);
  }
  const bool apart = demand.mode == GpuMode::kWhole;
  std::vector<DeviceChoice> choices;
  const auto floor = [&](const std::vector<int>& prefix) {
    for (std::size_t u = prefix.size(); u-- > 0;) {
      if (demand.units[u] == demand.units[prefix.size()]) return prefix[u] + (apart ? 1 : 0);
    }
    return 0;
  };
  const auto take = [&](const std::vector<int>& picked) {
    std::vector<int> of_unit;
    for (const int i : picked) of_unit.push_back(usable[at(i)]);
    if (apart && distinct(of_unit).size() != of_unit.size()) return;
    if (!cards_hold(demand.cards, of_unit)) return;
    if (auto grants = gpu_grants(s, demand, of_unit)) {
      choices.push_back({.of_unit = of_unit, .grants = std::move(*grants)});
    }
  };
  std::vector<int> prefix;
  std::size_t seen = 0;
  if (!each_sequence(demand.units.size(), static_cast<int>(usable.size()), floor, take, prefix,
                     seen) ||
      choices.size() > kChoicesMax) {
    return {};
  }
  return choices;
}

std::optional<std::vector<DeviceChoice>> nic_choices(const Situation& s,
                                                     const domain::NicDemand& demand) {
  std::vector<int> usable;
  for (int n = 0; n < static_cast<int>(s.nics.size()); ++n) {
    if (nic_usable(s.nics[at(n)], demand)) usable.push_back(n);
  }
  const int step = demand.mode == NicMode::kVf ? 0 : 1;
  std::vector<DeviceChoice> choices;
  const auto take = [&](const std::vector<int>& picked) {
    DeviceChoice choice;
    for (const int i : picked) choice.of_unit.push_back(usable[at(i)]);
    if (!cards_hold(demand.cards, choice.of_unit)) return;
    std::map<int, std::vector<int>> used;
    for (const int n : choice.of_unit) {
      const NicView& nic = s.nics[at(n)];
      Grant grant{.device = s.nic_index[at(n)], .mode = GrantMode::kWhole};
      if (demand.mode == NicMode::kBandwidth) {
        grant.mode = GrantMode::kBandwidth;
        grant.amount = demand.bandwidth_bits;
      } else if (demand.mode == NicMode::kVf) {
        auto& taken = used.try_emplace(n, nic.vfs_used).first->second;
        if (static_cast<int>(taken.size()) >= nic.facts.vfs) return;
        grant.mode = GrantMode::kVf;
        grant.slot = smallest_not_in(taken);
        taken.push_back(grant.slot);
      }
      choice.grants.push_back(grant);
    }
    choices.push_back(std::move(choice));
  };
  const auto floor = [&](const std::vector<int>& prefix) {
    return prefix.empty() ? 0 : prefix.back() + step;
  };
  std::vector<int> prefix;
  std::size_t seen = 0;
  if (!each_sequence(at(demand.count), static_cast<int>(usable.size()), floor, take, prefix,
                     seen) ||
      choices.size() > kChoicesMax) {
    return {};
  }
  return choices;
}

std::optional<std::vector<DeviceChoice>> nvme_choices(const Situation& s, int count) {
  std::vector<int> usable;
  for (int v = 0; v < static_cast<int>(s.nvmes.size()); ++v) {
    if (!s.nvmes[at(v)].cordoned && !s.nvmes[at(v)].taken) usable.push_back(v);
  }
  std::vector<DeviceChoice> choices;
  const auto take = [&](const std::vector<int>& picked) {
    DeviceChoice choice;
    for (const int i : picked) {
      choice.of_unit.push_back(usable[at(i)]);
      choice.grants.push_back({.device = s.nvme_index[at(usable[at(i)])]});
    }
    choices.push_back(std::move(choice));
  };
  const auto floor = [](const std::vector<int>& prefix) {
    return prefix.empty() ? 0 : prefix.back() + 1;
  };
  std::vector<int> prefix;
  std::size_t seen = 0;
  if (!each_sequence(at(count), static_cast<int>(usable.size()), floor, take, prefix, seen) ||
      choices.size() > kChoicesMax) {
    return {};
  }
  return choices;
}

namespace {

bool consecutive(const Core& core) {
  for (std::size_t t = 1; t < core.threads.size(); ++t) {
    if (core.threads[t] != core.threads[t - 1] + 1) return false;
  }
  return true;
}

bool goes_on(const Core& before, const Core& core) {
  if (consecutive(before) && consecutive(core) &&
      core.threads.front() == before.threads.back() + 1) {
    return true;
  }
  if (before.threads.size() != core.threads.size()) return false;
  for (std::size_t t = 0; t < core.threads.size(); ++t) {
    if (core.threads[t] != before.threads[t] + 1) return false;
  }
  return true;
}

int run_price(const Core& first) {
  return consecutive(first) ? 1 : static_cast<int>(first.threads.size());
}

constexpr int kNever = domain::kRangesMax + 1;

/// least[c][r]: the fewest threads of c of these cores that make exactly r ranges (r up to kNever,
/// which stands for all above the limit).
std::vector<std::vector<int>> fewest_threads(const std::vector<Core>& cores, int count_max) {
  constexpr int kNone = std::numeric_limits<int>::max() / 2;
  const std::vector<std::vector<int>> nothing(at(count_max) + 1,
                                              std::vector<int>(at(kNever) + 1, kNone));
  auto with = nothing;     // the last core looked at is chosen
  auto without = nothing;  // it is not
  without[0][0] = 0;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    auto next_with = nothing;
    auto next_without = nothing;
    const int threads = static_cast<int>(cores[i].threads.size());
    const bool joins = i > 0 && goes_on(cores[i - 1], cores[i]);
    for (std::size_t c = 0; c < nothing.size(); ++c) {
      for (int r = 0; r <= kNever; ++r) {
        const int either = std::min(with[c][at(r)], without[c][at(r)]);
        next_without[c][at(r)] = either;
        if (c + 1 == nothing.size()) continue;
        const auto put = [&](int from, int ranges) {
          int& there = next_with[c + 1][at(std::min(ranges, kNever))];
          there = std::min(there, from + threads);
        };
        put(without[c][at(r)], r + run_price(cores[i]));
        put(with[c][at(r)], r + (joins ? 0 : run_price(cores[i])));
      }
    }
    with = std::move(next_with);
    without = std::move(next_without);
  }
  for (std::size_t c = 0; c < nothing.size(); ++c) {
    for (int r = 0; r <= kNever; ++r) {
      with[c][at(r)] = std::min(with[c][at(r)], without[c][at(r)]);
    }
  }
  return with;
}

/// The fewest ranges of cores with these counts, their threads at most `threads_max`.
int least_ranges(const Situation& s, const std::vector<int>& counts, std::int64_t threads_max,
                 std::vector<std::vector<std::vector<int>>>& tables, int count_max) {
  std::vector<std::int64_t> threads(at(kNever) + 1, std::numeric_limits<int>::max());
  threads[0] = 0;
  if (tables.empty()) {
    for (const auto& numa : s.numa) tables.push_back(fewest_threads(numa.cores_free, count_max));
  }
  for (std::size_t n = 0; n < counts.size(); ++n) {
    if (counts[n] == 0) continue;
    std::vector<std::int64_t> next(at(kNever) + 1, std::numeric_limits<int>::max());
    for (int a = 0; a <= kNever; ++a) {
      for (int b = 0; b <= kNever; ++b) {
        auto& there = next[at(std::min(a + b, kNever))];
        there = std::min(there, threads[at(a)] + tables[n][at(counts[n])][at(b)]);
      }
    }
    threads = std::move(next);
  }
  for (int r = 0; r < kNever; ++r) {
    if (threads[at(r)] <= threads_max) return r;
  }
  return kNever;
}

bool spread_evenly(const Situation& s, const std::vector<int>& counts, int total) {
  std::map<int, int> of_socket;
  for (std::size_t n = 0; n < s.numa.size(); ++n) {
    if (s.numa[n].has_cpus) of_socket[s.numa[n].socket] += counts[n];
  }
  const int sockets = static_cast<int>(of_socket.size());
  return std::ranges::all_of(of_socket, [&](const auto& socket) {
    return socket.second >= total / sockets && socket.second <= (total + sockets - 1) / sockets;
  });
}

}  // namespace

domain::CpuSet cpus_of(const Situation& s, const std::vector<int>& counts) {
  domain::CpuSet cpus;
  for (std::size_t n = 0; n < counts.size(); ++n) {
    for (int i = 0; i < counts[n]; ++i) {
      for (const auto cpu : s.numa[n].cores_free[at(i)].threads) cpus.insert(cpu);
    }
  }
  return cpus;
}

int ranges_of(std::span<const Core> cores) {
  int ranges = 0;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    if (i == 0 || !goes_on(cores[i - 1], cores[i])) ranges += run_price(cores[i]);
  }
  return ranges;
}

std::optional<std::vector<CoreChoice>> core_choices(const Situation& s,
                                                    const domain::Request& request) {
  const auto nodes = s.numa.size();
  std::vector<CoreChoice> choices;
  std::vector<std::vector<std::vector<int>>> tables;
  std::vector<int> counts(nodes, 0);
  bool too_many = false;
  const auto take = [&] {
    if (request.cores > 0 && request.core_plan == domain::CorePlan::kSpread &&
        !spread_evenly(s, counts, request.cores)) {
      return;
    }
    CoreChoice choice{.counts = counts};
    for (std::size_t n = 0; n < nodes; ++n) {
      const auto first = std::span<const Core>(s.numa[n].cores_free).first(at(counts[n]));
      choice.ranges += ranges_of(first);
      if (counts[n] > 0) choice.nodes |= bit(static_cast<int>(n));
      for (const auto& core : first) {
        choice.first_ids.push_back(core.threads.front());
        choice.threads += static_cast<int>(core.threads.size());
      }
    }
    std::ranges::sort(choice.first_ids);
    choice.ranges_least = choice.ranges;
    const std::int64_t threads_max = s.milli_free / 1000;
    // Room for memory nodes beside the ranges: the plain choice is fine if it needs no more than any.
    if (request.cores > 0 && (choice.threads > threads_max ||
                              choice.ranges + static_cast<int>(nodes) > domain::kRangesMax)) {
      choice.ranges_least = least_ranges(s, counts, threads_max, tables, request.cores);
    }
    choices.push_back(std::move(choice));
  };
  const auto each = [&](auto&& self, std::size_t n, int left) -> void {
    if (too_many || choices.size() > kChoicesMax) {
      too_many = true;
      return;
    }
    if (n == nodes) {
      if (left == 0) take();
      return;
    }
    const int most = std::min(left, static_cast<int>(s.numa[n].cores_free.size()));
    for (int c = 0; c <= most; ++c) {
      counts[n] = c;
      self(self, n + 1, left - c);
    }
    counts[n] = 0;
  };
  each(each, 0, request.cores);
  if (too_many) return {};
  std::ranges::stable_sort(choices, {}, &CoreChoice::first_ids);
  return choices;
}

}  // namespace tenon::oracle
