// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "oracle/oracle.hpp"

#include <algorithm>

#include "oracle/devices.hpp"

namespace tenon::oracle {

using domain::GpuMode;
using domain::NumaClause;
using domain::Request;

bool badly_asked(const Request& r) {
  const auto gpus = r.gpu.units.size();
  const auto nics = static_cast<std::size_t>(std::max(r.nic.count, 0));
  if (gpus > domain::kUnitsMax || nics > domain::kUnitsMax || r.nvme_count > domain::kUnitsMax) {
    return true;
  }
  for (const auto& unit : r.gpu.units) {
    if (r.gpu.mode == GpuMode::kShareMilli && (unit.amount <= 0 || unit.amount > 1000)) return true;
    if (r.gpu.mode == GpuMode::kShareBytes && unit.amount <= 0) return true;
    if (r.gpu.mode == GpuMode::kMig && !profile_from_text(unit.profile)) return true;
  }
  if (nics > 0 && r.nic.mode == domain::NicMode::kBandwidth && r.nic.bandwidth_bits <= 0)
    return true;
  const bool gpu_cards = r.gpu.cards != domain::Cards::kAny;
  if (gpu_cards && (gpus == 0 || r.gpu.mode == GpuMode::kWhole)) return true;
  const bool vf_cards = r.nic.cards != domain::Cards::kAny;
  if (vf_cards && (nics == 0 || r.nic.mode != domain::NicMode::kVf)) return true;
  if (r.pair) {
    if (gpus == 0 || nics == 0 || r.pair->gpus_per_nic < 1) return true;
    const bool apart = r.gpu.mode == GpuMode::kWhole || r.gpu.cards == domain::Cards::kApart;
    if (apart && static_cast<std::size_t>(r.pair->gpus_per_nic) * nics < gpus) return true;
  }
  if (r.nvme_within && (r.nvme_count == 0 || gpus == 0)) return true;
  if ((r.gpus_within || r.nvlink != domain::NvlinkClause::kNone) && gpus == 0) return true;
  if (r.numa == NumaClause::kSingle && r.core_plan == domain::CorePlan::kSpread) return true;
  return r.cores > 0 && r.cpu_milli > 0;
}

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// I37.
bool gpus_near(const Situation& s, const Request& r, const std::vector<int>& gpus) {
  std::vector<int> reached;
  if (!gpus.empty()) reached.push_back(gpus.front());
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const int g : gpus) {
      if (s.nvlinks[at(reached[i])][at(g)] > 0 && std::ranges::find(reached, g) == reached.end()) {
        reached.push_back(g);
      }
    }
  }
  if (r.nvlink == domain::NvlinkClause::kConnected && reached.size() != gpus.size()) return false;
  for (const int a : gpus) {
    for (const int b : gpus) {
      if (a == b) continue;
      if (r.gpus_within && s.gpu_gpu[at(a)][at(b)] > static_cast<int>(*r.gpus_within)) return false;
      if (r.nvlink == domain::NvlinkClause::kAll && s.nvlinks[at(a)][at(b)] == 0) return false;
    }
  }
  return true;
}

/// Sets of NUMA nodes that could give the memory together, as ascending lists, sorted.
std::vector<std::vector<int>> memory_sets(const Situation& s, std::int64_t bytes) {
  if (bytes == 0) return {{}};
  std::vector<std::vector<int>> sets;
  for (Bits bits = 1; bits < bit(static_cast<int>(s.numa.size())); ++bits) {
    std::vector<int> set;
    Wide sum = 0;
    bool all_give = true;
    for (int n = 0; n < static_cast<int>(s.numa.size()); ++n) {
      if ((bits & bit(n)) == 0) continue;
      set.push_back(n);
      sum += s.numa[at(n)].memory_free;
      all_give = all_give && s.numa[at(n)].memory_free > 0;
    }
    if (all_give && sum >= bytes) sets.push_back(set);
  }
  std::ranges::sort(sets);
  return sets;
}

/// I53, or false where a node of the set would give nothing.
bool amounts(const Situation& s, const std::vector<int>& set, Bits home, std::int64_t bytes,
             std::vector<std::int64_t>& of_node) {
  of_node.assign(s.numa.size(), 0);
  for (const bool at_home : {true, false}) {
    for (const int n : set) {
      if (((home & bit(n)) != 0) != at_home) continue;
      if (bytes == 0) return false;
      of_node[at(n)] = std::min(bytes, s.numa[at(n)].memory_free);
      bytes -= of_node[at(n)];
    }
  }
  return true;
}

class Search {
 public:
  Search(const Situation& s, const Request& r, const Bounds& bounds)
      : s_(s), r_(r), bounds_(bounds), order_(wishes_in_order(r)) {}

  Opinion run() {
    const auto gpus = gpu_choices(s_, r_.gpu);
    const auto nics = nic_choices(s_, r_.nic);
    const auto nvmes = nvme_choices(s_, r_.nvme_count);
    const auto cores = core_choices(s_, r_);
    const bool too_many_sets =
        r_.memory_bytes > 0 && static_cast<int>(s_.numa.size()) > bounds_.nodes_max;
    if (!gpus || !nics || !nvmes || !cores || too_many_sets) {
      opinion_.outcome = Outcome::kTooLarge;
      return opinion_;
    }
    cores_ = *cores;
    memory_ = memory_sets(s_, r_.memory_bytes);
    opinion_.ranges_bite = std::ranges::any_of(
        cores_, [](const CoreChoice& c) { return c.ranges > domain::kRangesMax; });
    opinion_.outcome = Outcome::kRefused;
    for (const auto& gpu : *gpus) {
      chosen_.gpus = gpu.of_unit;
      gpus_ = distinct(gpu.of_unit);
      if (!gpus_near(s_, r_, gpus_)) continue;
      levels_.gpus = gpus_level(s_, gpus_);
      for (const auto& nic : *nics) {
        chosen_.nics = nic.of_unit;
        if (!pairs()) continue;
        for (const auto& nvme : *nvmes) {
          chosen_.nvmes = nvme.of_unit;
          devices_ = {&gpu, &nic, &nvme};
          if (!with_devices()) {
            opinion_.outcome = Outcome::kTooLarge;
            return opinion_;
          }
        }
      }
    }
    return opinion_;
  }

 private:
  /// Nothing with these levels or more can be the best, and there are many answers.
  bool hopeless() {
    return opinion_.answers >= kAnswersCounted && price_of(levels_, order_) > best_;
  }

  /// I36, and the level `pair`.
  bool pairs() {
    levels_.numa = {};
    levels_.memory = {};
    levels_.nvme = {};
    levels_.left = {};
    levels_.pair = pair_at_best(s_, gpus_, chosen_.nics);
    const int bound = r_.pair ? static_cast<int>(r_.pair->bound) : kNotKnownRank;
    if (levels_.pair[0] > bound) return false;
    if (hopeless()) return false;
    opinion_.steps += 8;
    const auto level =
        pair_level(s_, gpus_, chosen_.nics, pair_most(r_, gpus_.size(), chosen_.nics.size()));
    if (!level || (*level)[0] > bound) return false;
    levels_.pair = *level;
    return true;
  }

  /// False: too much work.
  bool with_devices() {
    opinion_.steps += 2;
    levels_.numa = {};
    levels_.memory = {};
    levels_.nvme = nvme_level(s_, gpus_, chosen_.nvmes);
    if (r_.nvme_within && !chosen_.nvmes.empty() &&
        levels_.nvme[0] > static_cast<int>(*r_.nvme_within)) {
      return true;
    }
    levels_.left = left_level(s_, bits_of(gpus_), bits_of(chosen_.nics));
    if (hopeless()) return opinion_.steps <= bounds_.steps_max;
    near_ = numa_of_devices(s_, chosen_);
    for (const auto& cores : cores_) {
      for (const auto& set : memory_) {
        if (++opinion_.steps > bounds_.steps_max) return false;
        look_at(cores, set);
      }
    }
    return true;
  }

  /// I40 and I41, of the NUMA nodes that cores and memory use.
  [[nodiscard]] bool numa_holds(Bits used) const {
    Bits common = ~Bits{0};
    Bits some = 0;
    for (const Bits near : near_) {
      common &= near;
      some |= near;
    }
    if (r_.numa == NumaClause::kSingle && (used != 0 || !near_.empty())) {
      for (int n = 0; n < static_cast<int>(s_.numa.size()); ++n) {
        if ((common & bit(n)) != 0 && (used & ~bit(n)) == 0) return true;
      }
      return false;
    }
    return r_.numa != NumaClause::kNearDevices || near_.empty() || (used & ~some) == 0;
  }

  void look_at(const CoreChoice& cores, const std::vector<int>& set) {
    if (!numa_holds(cores.nodes | bits_of(set))) return;
    chosen_.cores = cores.counts;
    if (!amounts(s_, set, memory_home(s_, chosen_), r_.memory_bytes, chosen_.memory)) return;
    const int memory_nodes = static_cast<int>(set.size());
    const std::int64_t threads_free = s_.milli_free / 1000;
    const bool plain =
        cores.ranges + memory_nodes <= domain::kRangesMax && cores.threads <= threads_free;
    if (!plain && cores.ranges_least + memory_nodes > domain::kRangesMax) return;

    Levels levels = levels_;
    add_cores_and_memory(s_, r_, chosen_, near_, levels);
    Price price = price_of(levels, order_);
    if (opinion_.answers < kAnswersCounted) ++opinion_.answers;
    const bool first = opinion_.outcome != Outcome::kFits;
    if (!first && price > best_) return;
    if (!first && price == best_) {
      opinion_.ids_compared = opinion_.ids_compared && plain;
      return;
    }
    opinion_.outcome = Outcome::kFits;
    opinion_.ids_compared = plain;
    opinion_.levels = levels;
    best_ = std::move(price);
    keep(cores);
  }

  void keep(const CoreChoice& cores) {
    domain::Allocation& best = opinion_.best;
    best = {};
    for (const DeviceChoice* choice : devices_) {
      best.grants.insert(best.grants.end(), choice->grants.begin(), choice->grants.end());
    }
    std::ranges::stable_sort(best.grants, [](const auto& a, const auto& b) {
      return std::pair(a.device, a.slot) < std::pair(b.device, b.slot);
    });
    best.cpus = cpus_of(s_, cores.counts);
    best.cpu_milli = r_.cpu_milli;
    for (std::size_t n = 0; n < chosen_.memory.size(); ++n) {
      if (chosen_.memory[n] > 0) best.memory.push_back({s_.numa[n].os_index, chosen_.memory[n]});
    }
  }

  const Situation& s_;
  const Request& r_;
  const Bounds bounds_;
  const std::vector<domain::Wish> order_;
  std::vector<CoreChoice> cores_;
  std::vector<std::vector<int>> memory_;

  Chosen chosen_;
  std::vector<int> gpus_;  // distinct
  std::vector<Bits> near_;
  std::array<const DeviceChoice*, 3> devices_{};
  Levels levels_;
  Price best_;
  Opinion opinion_;
};

}  // namespace

Opinion ask(const Situation& s, const Request& request, const Bounds& bounds) {
  Opinion opinion;
  if (badly_asked(request)) {
    opinion.outcome = Outcome::kBadlyAsked;
    return opinion;
  }
  const bool nothing = request.gpu.units.empty() && request.nic.count == 0 &&
                       request.nvme_count == 0 && request.cores == 0 && request.cpu_milli == 0 &&
                       request.memory_bytes == 0 && request.arch.empty();
  if (s.cordoned && !nothing) return opinion;
  if (!request.arch.empty() && request.arch != s.arch) return opinion;
  if (request.cpu_milli > s.milli_free) return opinion;
  return Search(s, request, bounds).run();
}

Chosen read_back(const Situation& s, const domain::Node& node,
                 const domain::Allocation& allocation) {
  Chosen chosen;
  chosen.cores.assign(s.numa.size(), 0);
  chosen.memory.assign(s.numa.size(), 0);
  for (const auto& grant : allocation.grants) {
    const auto& device = node.devices.at(static_cast<std::size_t>(grant.device));
    switch (device.kind()) {
      case domain::DeviceKind::kGpu:
        chosen.gpus.push_back(device.ordinal);
        break;
      case domain::DeviceKind::kNic:
        chosen.nics.push_back(device.ordinal);
        break;
      case domain::DeviceKind::kNvme:
        chosen.nvmes.push_back(device.ordinal);
        break;
    }
  }
  for (std::size_t n = 0; n < s.numa.size(); ++n) {
    for (const auto& core : s.numa[n].cores_free) {
      chosen.cores[n] += allocation.cpus.contains(core.threads.front()) ? 1 : 0;
    }
    for (const auto& memory : allocation.memory) {
      if (memory.numa == s.numa[n].os_index) chosen.memory[n] += memory.bytes;
    }
  }
  return chosen;
}

}  // namespace tenon::oracle
