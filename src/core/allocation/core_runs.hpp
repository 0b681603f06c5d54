// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Which free cores of a NUMA node, when the smallest ones would make too many ranges or threads
// (docs/invariants.md I23, I42, I54).
//
// Both limits rarely matter; may_bind() tells, from totals alone.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/allocation/problem.hpp"
#include "core/allocation/work.hpp"

namespace tenon::allocation {

class CoreRuns {
 public:
  /// What chosen cores cost: ranges and threads.
  struct Use {
    int ranges = 0;
    int threads = 0;
    friend auto operator<=>(const Use&, const Use&) = default;
  };

  explicit CoreRuns(const Problem& problem);

  /// False: no choice of cores of this request can break a limit.
  [[nodiscard]] bool may_bind() const { return may_bind_; }
  [[nodiscard]] int threads_max() const { return threads_max_; }
  /// False: not even the cores with the fewest threads are within the limit of threads.
  [[nodiscard]] bool threads_suffice() const { return threads_suffice_; }
  /// False: whatever nodes give cores, the request's are more than 32 ranges hold.
  [[nodiscard]] bool ranges_suffice() const { return ranges_suffice_; }
  /// False: no choice of cores of this request takes too many threads.
  [[nodiscard]] bool threads_may_bind() const { return threads_may_bind_; }

  /// Of the first `count` free cores of a node.
  [[nodiscard]] Use plain(int node, int count) const;

  /// The least threads of `count` cores within `ranges`; nothing where there is no such choice.
  [[nodiscard]] std::optional<int> threads(int node, int count, int ranges, Work& work);

  /// Positions (in NumaState::cores_free) of the smallest choice within both.
  /// REQUIRES: threads(node, count, use.ranges) is at most use.threads.
  [[nodiscard]] std::vector<int> choose(int node, int count, Use use, Work& work);

 private:
  struct Free {
    int start_cost = 1;      // ranges of a run that begins here
    bool continues = false;  // the run of the free core before
    int threads = 1;
  };
  /// The least threads of `count` cores from position `from` on, within `ranges`, after the core
  /// before was chosen or not.
  struct Table {
    std::vector<int> least;
  };
  [[nodiscard]] bool hold_within(int ranges) const;
  [[nodiscard]] const Table& table(int node, Work& work);
  [[nodiscard]] std::size_t index(int node, int from, int count, int ranges, int chosen) const;

  int cores_;
  std::vector<std::vector<Free>> free_;   // by node, by position
  std::vector<std::vector<Use>> prefix_;  // by node: of the first i
  std::vector<std::optional<Table>> tables_;
  int threads_max_ = 0;
  bool may_bind_ = false;
  bool threads_suffice_ = true;
  bool threads_may_bind_ = false;
  bool ranges_suffice_ = true;
};

}  // namespace tenon::allocation
