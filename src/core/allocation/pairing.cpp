// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/pairing.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace tenon::allocation {
namespace {

constexpr int kFar = std::numeric_limits<int>::max() / 2;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

int nearest_rank(const Problem& problem, int gpu, Mask nics) {
  int rank = 0;
  while ((problem.nics_within[at(gpu)][at(rank)] & nics) == 0) ++rank;
  return rank;
}

// Each GPU its nearest NIC, as far as loads allow: where that works out, nothing is better.
std::optional<PairCost> all_nearest(const Problem& problem, Mask gpus, Mask nics,
                                    const NicLoads& loads) {
  NicLoads left = loads;
  Mask open = nics;
  PairCost cost;
  while (gpus != 0) {
    const int gpu = pop_lowest(gpus);
    const int rank = nearest_rank(problem, gpu, nics);
    const Mask near = problem.nics_within[at(gpu)][at(rank)] & open;
    if (near == 0) return std::nullopt;
    const int nic = std::countr_zero(near);
    if (--left[at(nic)] == 0) open &= ~bit(nic);
    cost.worst = std::max(cost.worst, rank);
    cost.sum += rank;
  }
  return cost;
}

// A growing map, one GPU at a time along the cheapest chain of changes (successive shortest
// paths): after each GPU the sum is the least for the GPUs so far.
class Map {
 public:
  Map(const Problem& problem, Mask nics, const NicLoads& loads, int worst)
      : problem_(problem), nics_(nics), left_(loads), worst_(worst) {
    nic_of_.fill(-1);
  }

  bool add(int gpu, Work& work) {
    distance_.fill(kFar);
    from_.fill(-1);
    relax(gpu, 0);
    bool changed = true;
    while (changed) {
      changed = false;
      work.spend();
      for (Mask rest = members_; rest != 0;) {
        const int other = pop_lowest(rest);
        const int nic = nic_of_[at(other)];
        if (distance_[at(nic)] == kFar) continue;
        changed |= relax(other, distance_[at(nic)] - problem_.gpu_nic(other, nic));
      }
    }
    int best = -1;
    for (Mask rest = nics_; rest != 0;) {
      const int nic = pop_lowest(rest);
      if (left_[at(nic)] == 0 || distance_[at(nic)] == kFar) continue;
      if (best < 0 || distance_[at(nic)] < distance_[at(best)]) best = nic;
    }
    if (best < 0) return false;
    sum_ += distance_[at(best)];
    --left_[at(best)];
    members_ |= bit(gpu);
    while (true) {
      const int mover = from_[at(best)];
      const int before = nic_of_[at(mover)];
      nic_of_[at(mover)] = best;
      if (mover == gpu) return true;
      best = before;
    }
  }

  [[nodiscard]] int sum() const { return sum_; }

 private:
  // Every NIC within reach of `gpu`, which leaves its place at cost `base`.
  bool relax(int gpu, int base) {
    bool changed = false;
    for (Mask rest = problem_.nics_within[at(gpu)][at(worst_)] & nics_; rest != 0;) {
      const int nic = pop_lowest(rest);
      const int cost = base + problem_.gpu_nic(gpu, nic);
      if (cost >= distance_[at(nic)]) continue;
      distance_[at(nic)] = cost;
      from_[at(nic)] = gpu;
      changed = true;
    }
    return changed;
  }

  const Problem& problem_;
  Mask nics_;
  NicLoads left_;
  int worst_;
  Mask members_ = 0;  // GPUs in the map
  std::array<int, kDevicesMax> nic_of_{};
  std::array<int, kDevicesMax> distance_{};  // by NIC
  std::array<int, kDevicesMax> from_{};      // by NIC: the GPU that would move there
  int sum_ = 0;
};

// GPUs that share NICs: the cheapest way to cut the set into parts, one part to a NIC.
class Parts {
 public:
  static constexpr int kGpusMax = 8;

  Parts(const Problem& problem, Mask gpus, Mask nics, int most, int units)
      : problem_(problem), nics_(nics), most_(most), units_(units) {
    while (gpus != 0) gpus_.push_back(pop_lowest(gpus));
  }

  // The least sum with no rank above `worst`.
  std::optional<int> least(int worst) {
    const std::size_t sets = std::size_t{1} << gpus_.size();
    std::array<int, std::size_t{1} << kGpusMax> cost{};
    for (std::size_t part = 1; part < sets; ++part) {
      cost[part] = std::popcount(part) <= most_ ? cost_of(part, worst) : kFar;
    }
    std::array<int, std::size_t{1} << kGpusMax> reached{};
    reached.fill(kFar);
    reached[0] = 0;
    for (int unit = 0; unit < units_; ++unit) {
      auto next = reached;  // a unit may serve nobody
      for (std::size_t set = 0; set < sets - 1; ++set) {
        if (reached[set] == kFar) continue;
        const std::size_t open = sets - 1 - set;
        const std::size_t first = open & (~open + 1);
        // Every part of the open GPUs that has the first of them.
        for (std::size_t part = open;; part = (part - 1) & open) {
          if ((part & first) != 0 && cost[part] != kFar) {
            next[set | part] = std::min(next[set | part], reached[set] + cost[part]);
          }
          if (part == 0) break;
        }
      }
      if (next == reached) break;
      reached = next;
    }
    return reached[sets - 1] == kFar ? std::nullopt : std::optional(reached[sets - 1]);
  }

 private:
  int cost_of(std::size_t part, int worst) const {
    Mask near = nics_;
    for (std::size_t rest = part; rest != 0; rest &= rest - 1) {
      near &= problem_.nics_within[at(gpus_[at(std::countr_zero(rest))])][at(worst)];
    }
    int least = kFar;
    while (near != 0) {
      const int nic = pop_lowest(near);
      int sum = 0;
      for (std::size_t rest = part; rest != 0; rest &= rest - 1) {
        sum += problem_.gpu_nic(gpus_[at(std::countr_zero(rest))], nic);
      }
      least = std::min(least, sum);
    }
    return least;
  }

  const Problem& problem_;
  std::vector<int> gpus_;
  Mask nics_;
  int most_;
  int units_;
};

}  // namespace

std::optional<PairCost> shared_floor(const Problem& problem, Mask gpus, Mask nics, int most,
                                     int units, Work& work) {
  const int count = std::popcount(gpus);
  if (count > Parts::kGpusMax || count == 0) return PairCost{};
  Parts parts(problem, gpus, nics, most, units);
  int worst = 0;
  for (Mask rest = gpus; rest != 0;) {
    worst = std::max(worst, nearest_rank(problem, pop_lowest(rest), nics));
  }
  for (; worst < kRanks; ++worst) {
    work.spend(std::int64_t{1} << static_cast<unsigned>(count / 2));
    if (const auto sum = parts.least(worst)) return PairCost{worst, *sum};
  }
  return std::nullopt;
}

std::optional<PairCost> best_pairs(const Problem& problem, Mask gpus, Mask nics,
                                   const NicLoads& loads, Work& work) {
  work.spend();
  if (gpus == 0) return PairCost{};
  if (nics == 0) return std::nullopt;
  if (const auto nearest = all_nearest(problem, gpus, nics, loads)) return nearest;

  int worst = 0;
  for (Mask rest = gpus; rest != 0;) {
    worst = std::max(worst, nearest_rank(problem, pop_lowest(rest), nics));
  }
  for (; worst < kRanks; ++worst) {
    Map map(problem, nics, loads, worst);
    bool complete = true;
    for (Mask rest = gpus; rest != 0 && complete;) complete = map.add(pop_lowest(rest), work);
    if (complete) return PairCost{worst, map.sum()};
  }
  return std::nullopt;
}

}  // namespace tenon::allocation
