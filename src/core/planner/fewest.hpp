// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The fewest elements of a set that make something fit: devices to free, holders to end, devices to
// add.
//
// The question is monotone: a set that fits still fits with more in it. A set that does not fit is
// grown until nothing more can join it; then every answer has something from outside it, which is
// one more need that the next candidate must meet. Needs that are plain counting ("two more GPUs")
// are given from the start, so that the first candidate is often the answer.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/allocation/allocate.hpp"

namespace tenon::planner {

/// Counted work of one search for a fix.
class Work {
 public:
  Work(const allocation::Limits& limits, std::int64_t steps_max)
      : limits_(limits), steps_max_(steps_max), steps_left_(steps_max) {}

  /// True while work is left.
  bool spend(std::int64_t steps) {
    steps_left_ -= steps;
    if (steps_left_ < 0) complete_ = false;
    return steps_left_ >= 0;
  }
  [[nodiscard]] bool exhausted() const { return steps_left_ < 0; }

  /// A "does not fit" that was not proven, or a case that was left out.
  void not_proven() { complete_ = false; }
  [[nodiscard]] bool complete() const { return complete_; }

  [[nodiscard]] std::int64_t steps() const { return steps_max_ - steps_left_; }
  [[nodiscard]] const allocation::Limits& limits() const { return limits_; }

 private:
  allocation::Limits limits_;
  std::int64_t steps_max_;
  std::int64_t steps_left_;
  bool complete_ = true;
};

/// Every answer has a total weight of at least `amount`.
struct Need {
  std::vector<std::int64_t> weights;  // by element, none negative
  std::int64_t amount = 0;
};

struct FewestProblem {
  int elements = 0;
  int most = 0;  // larger answers are of no use
  std::vector<Need> needs;
  /// Where true, the element may only join with the one before it: a second copy of something.
  /// Empty: none.
  std::vector<bool> follows;
  /// Is asked of ascending sets only.
  std::function<bool(const std::vector<int>&)> fits;
};

/// Ascending; the smallest sequence among equally many. Nothing where no set of at most `most`
/// elements fits, or where work ran out.
[[nodiscard]] std::optional<std::vector<int>> fewest(const FewestProblem& problem, Work& work);

}  // namespace tenon::planner
