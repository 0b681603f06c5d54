// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// How many cores each NUMA node gives: branch and bound over the set of nodes that give any. Inside
// a set the cost is linear in the counts, so the nearest nodes are filled first.
//
// Private to cores_memory.cpp.
#pragma once

#include "core/allocation/cores_memory.hpp"

namespace tenon::allocation {

class CoreSearch {
 public:
  CoreSearch(CoresMemory& host, const CoresMemory::Question& question, Work& work);

  [[nodiscard]] std::optional<CoresMemory::Found> run();

  /// Ranges and threads that each node of the best answer may use; only after run().
  [[nodiscard]] const std::array<CoreRuns::Use, kNumaMax>& uses() const { return best_uses_; }

 private:
  using Counts = CoresMemory::Counts;
  using Uses = std::array<CoreRuns::Use, kNumaMax>;

  struct Fill {
    std::int64_t numa = 0;
    Counts counts{};
  };

  [[nodiscard]] std::int64_t far(int node) const;
  /// The least numa sum with at least one core of each of `in` and none of `out`.
  [[nodiscard]] std::optional<Fill> fill(Mask in, Mask out) const;
  [[nodiscard]] std::optional<std::int64_t> fill_socket(Mask nodes, int total, Mask in, Mask out,
                                                        Counts& counts) const;
  void choose(std::size_t next, Mask in, Mask out);
  void offer(const Fill& fill);
  void offer_exact(Mask in);
  void offer_limited(Mask in, const CoresMemory::MemoryOption& memory);
  [[nodiscard]] bool plain_within(const Counts& counts, int ranges) const;
  [[nodiscard]] bool improves(const CoresMemory::HostCost& cost) const;
  void record(const CoresMemory::HostCost& cost, const Counts& counts, const Uses& uses);
  [[nodiscard]] Uses plain_uses(const Counts& counts) const;

  CoresMemory& host_;
  const CoresMemory::Question& question_;
  Work& work_;
  std::vector<int> order_;  // nodes that can give cores, nearest first
  std::int64_t core_nodes_floor_ = 0;
  std::int64_t memory_nodes_floor_ = 0;
  std::optional<CoresMemory::Found> best_;
  Uses best_uses_{};
};

}  // namespace tenon::allocation
