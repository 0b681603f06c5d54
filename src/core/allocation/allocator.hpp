// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// allocate() with a memory: nodes of one shape in one state get one answer, looked up after the
// first time.
//
// Owned by the caller, who decides how long it lives; not for several threads at a time.
// Invariants
//   (1) allocate(s, r, l) of this class equals the function of that name, steps included.
//   (2) At most as many answers as asked for are kept, and a bounded number of shapes: callers with
//       many nodes share one Shape among those that are alike.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/allocation/allocate.hpp"

namespace tenon::allocation {

class Allocator {
 public:
  /// REQUIRES: answers_max > 0.
  explicit Allocator(std::size_t answers_max = 4096);

  /// WARNING: the answer is good until the next call.
  [[nodiscard]] const Answer& allocate(const state::NodeState& state,
                                       const domain::Request& request, const Limits& limits = {});

  struct Counts {
    std::int64_t asked = 0;
    std::int64_t remembered = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  struct Entry {
    std::string key;  // "" where nothing is kept
    std::shared_ptr<const topology::Shape> shape;
    Answer answer;
  };

  struct Known {
    std::shared_ptr<const topology::Shape> asked;  // kept alive, so that its address stays its own
    std::shared_ptr<const topology::Shape> stands_for;  // for all equal ones
    std::uint64_t number = 0;
  };
  [[nodiscard]] const Known& interned(const std::shared_ptr<const topology::Shape>& shape);

  std::vector<Entry> entries_;  // by hash of the key; a newcomer puts an older one out
  std::vector<Known> shapes_;
  std::uint64_t shapes_seen_ = 0;
  std::string key_;
  Counts counts_;
};

}  // namespace tenon::allocation
