// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// How many cores of each node where the limits on ranges or threads bind: a dynamic program over
// the nodes, socket by socket. Rare; private to core_search.cpp.
#pragma once

#include <array>
#include <compare>
#include <map>
#include <optional>
#include <vector>

#include "core/allocation/core_runs.hpp"
#include "core/allocation/work.hpp"

namespace tenon::allocation {

class CoreLimits {
 public:
  struct Found {
    std::int64_t numa = 0;
    std::array<int, kNumaMax> counts{};
    std::array<CoreRuns::Use, kNumaMax> uses{};
  };

  CoreLimits(CoreRuns& runs, int ranges_max, Work& work);

  /// A node gives `least` to `most` cores, each at cost `far`.
  void add_node(int node, int least, int most, std::int64_t far);

  /// The nodes since the last call give `least` cores together, or one more.
  enum class OneMore : std::uint8_t { kNever, kMaybe };
  void end_socket(int least, OneMore one_more);

  /// With exactly so many sockets that give one more.
  [[nodiscard]] std::optional<Found> cheapest(int sockets_with_one_more) const;

 private:
  struct State {
    int cores = 0;  // of this socket so far
    int with_more = 0;
    CoreRuns::Use use;
    friend auto operator<=>(const State& a, const State& b) = default;
  };
  struct Step {
    std::int64_t numa = 0;
    int before = -1;  // index into steps_
    int node = -1;
    int count = 0;
    CoreRuns::Use use;
  };
  void reach(std::map<State, int>& states, const State& state, const Step& step);

  CoreRuns& runs_;
  int ranges_max_;
  Work& work_;
  std::vector<Step> steps_;
  std::map<State, int> states_;  // the cheapest step that leads there
};

}  // namespace tenon::allocation
