// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Cores and memory for devices that are already chosen: how many of each NUMA node, exactly best
// (docs/invariants.md I39 … I42, I50 levels numa, memory, core-nodes, I53, I54).
//
// The answer depends on the devices only through Devices, so it is remembered by that.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/allocation/core_runs.hpp"
#include "core/allocation/problem.hpp"
#include "core/allocation/work.hpp"

namespace tenon::allocation {

class CoresMemory {
 public:
  /// What the NUMA nodes (by position) need to know of the granted devices.
  struct Devices {
    std::array<std::uint8_t, kNumaMax> far{};  // devices with known NUMA nodes, this not among them
    Mask near = 0;                             // nodes to which some device is near
    Mask common = ~Mask{0};                    // nodes to which every device is near
    int count = 0;
    friend bool operator==(const Devices&, const Devices&) = default;
  };

  struct HostCost {
    std::int64_t numa = 0;
    std::int64_t outside = 0;
    std::int64_t nodes = 0;
    std::int64_t core_nodes = 0;
  };

  struct HostGrant {
    HostCost cost;  // what it costs in fact: better than asked where a search was cut
    std::vector<domain::CpuId> firsts;  // first threads of the cores, ascending
    domain::CpuSet cpus;
    std::vector<domain::MemoryGrant> memory;
  };

  explicit CoresMemory(const Problem& problem);

  /// Nothing where cores or memory do not fit. Adds its work to `work`.
  [[nodiscard]] std::optional<HostCost> best(const Devices& devices, Work& work);

  /// The smallest ids at the best cost. REQUIRES: best() gave a cost for these devices.
  [[nodiscard]] HostGrant grant(const Devices& devices, Work& work);

  /// Sets the levels numa, memory and core-nodes.
  void write(const HostCost& cost, CostVector& vector) const;

  /// Not above the numa value of any choice with these devices and more. 0 where it does not count.
  [[nodiscard]] std::int64_t numa_floor(const Devices& devices) const;

  /// With numa=single: the nodes that have all cores and memory by themselves; else all.
  [[nodiscard]] Mask alone() const { return alone_; }
  /// False: cores, counted CPU or memory do not suffice, wherever they are.
  [[nodiscard]] bool enough() const { return enough_; }

 private:
  using Counts = std::array<int, kNumaMax>;
  using Key = std::array<std::int64_t, 4>;
  struct Question {
    Mask allowed = 0;  // nodes that may give cores and memory
    const Devices* devices = nullptr;
    Counts least{};  // of cores
    Counts most{};
  };
  struct Found {
    HostCost cost;
    Counts counts{};
  };
  struct Socket {
    Mask nodes = 0;
    int least = 0;  // cores that it must give, or one more
  };
  friend class CoreSearch;
  struct MemoryOption {
    std::int64_t outside = 0;
    int nodes = 0;
  };

  void find_sockets();
  [[nodiscard]] Devices normal(const Devices& devices) const;
  [[nodiscard]] Mask allowed_by(const Devices& devices) const;
  [[nodiscard]] Question question(Mask allowed, const Devices& devices) const;
  [[nodiscard]] Key key(const HostCost& cost) const;
  [[nodiscard]] std::optional<Found> solve(const Question& question, Work& work);
  [[nodiscard]] std::optional<Found> without_cores(const Question& question) const;

  [[nodiscard]] std::vector<MemoryOption> memory_options(Mask allowed, Mask home) const;
  [[nodiscard]] std::optional<MemoryOption> best_memory(Mask allowed, Mask home,
                                                        int nodes_max) const;
  [[nodiscard]] std::vector<domain::MemoryGrant> memory_grant(Mask allowed, Mask home,
                                                              const HostCost& cost, int nodes_max,
                                                              Work& work) const;
  [[nodiscard]] std::int64_t held_by(Mask nodes) const;  // at most what is asked
  [[nodiscard]] bool memory_completes(Mask chosen, Mask rest, Mask home, std::int64_t outside,
                                      int more) const;
  [[nodiscard]] Mask smallest_list(Mask rest, Mask home, const HostCost& cost) const;
  [[nodiscard]] bool any_smallest_list(Mask chosen, Mask rest, Mask home, int more, Mask& list,
                                       Work& work) const;

  [[nodiscard]] std::optional<Found> smallest_counts(const Question& asked, Work& work);
  [[nodiscard]] std::optional<HostGrant> grant_within(const Question& question, Work& work);
  void add_cores(HostGrant& grant, int node, const std::vector<int>& positions) const;
  [[nodiscard]] domain::CpuId next_first(int node, int taken) const;

  int cores_;
  std::int64_t memory_;
  const Problem& problem_;
  Counts free_cores_{};
  std::array<std::int64_t, kNumaMax> free_memory_{};
  Mask nodes_ = 0;       // all
  Mask core_nodes_ = 0;  // with a free core
  Mask alone_ = ~Mask{0};
  std::vector<Socket> sockets_;  // one for all where cores are packed
  int sockets_with_one_more_ = 0;
  CoreRuns runs_;
  bool enough_ = true;

  struct Memo {
    bool used = false;
    Devices devices;
    std::optional<HostCost> cost;
  };
  std::vector<Memo> memo_;
  std::size_t memo_used_ = 0;
};

}  // namespace tenon::allocation
