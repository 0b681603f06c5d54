// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/core_limits.hpp"

#include <utility>

namespace tenon::allocation {

CoreLimits::CoreLimits(CoreRuns& runs, int ranges_max, Work& work)
    : runs_(runs), ranges_max_(ranges_max), work_(work) {
  steps_.push_back({});
  states_[State{}] = 0;
}

void CoreLimits::reach(std::map<State, int>& states, const State& state, const Step& step) {
  const auto [entry, fresh] = states.try_emplace(state, static_cast<int>(steps_.size()));
  if (!fresh) {
    if (steps_[static_cast<std::size_t>(entry->second)].numa <= step.numa) return;
    entry->second = static_cast<int>(steps_.size());
  }
  steps_.push_back(step);
}

void CoreLimits::add_node(int node, int least, int most, std::int64_t far) {
  struct Option {
    int count;
    CoreRuns::Use use;
  };
  std::vector<Option> options;
  for (int count = least; count <= most; ++count) {
    int fewest_threads = -1;
    for (int ranges = 0; ranges <= ranges_max_; ++ranges) {
      const auto threads = runs_.threads(node, count, ranges, work_);
      if (work_.cut) return;
      if (!threads || (fewest_threads >= 0 && *threads >= fewest_threads)) continue;
      fewest_threads = *threads;
      options.push_back({count, {ranges, *threads}});
      if (!runs_.threads_may_bind()) break;
    }
  }
  std::map<State, int> next;
  for (const auto& [state, index] : states_) {
    for (const Option& option : options) {
      if (!work_.spend()) return;
      State after = state;
      after.cores += option.count;
      after.use.ranges += option.use.ranges;
      after.use.threads += runs_.threads_may_bind() ? option.use.threads : 0;
      if (after.use.ranges > ranges_max_ || after.use.threads > runs_.threads_max()) continue;
      const std::int64_t numa = steps_[static_cast<std::size_t>(index)].numa;
      reach(next, after, {numa + far * option.count, index, node, option.count, option.use});
    }
  }
  states_ = std::move(next);
}

void CoreLimits::end_socket(int least, OneMore one_more) {
  std::map<State, int> next;
  for (const auto& [state, index] : states_) {
    const int more = state.cores - least;
    if (more != 0 && (more != 1 || one_more != OneMore::kMaybe)) continue;
    State after = state;
    after.cores = 0;
    after.with_more += more;
    const Step copy = steps_[static_cast<std::size_t>(index)];
    reach(next, after, copy);
  }
  states_ = std::move(next);
}

std::optional<CoreLimits::Found> CoreLimits::cheapest(int sockets_with_one_more) const {
  if (work_.cut) return std::nullopt;
  int best = -1;
  for (const auto& [state, index] : states_) {
    if (state.with_more != sockets_with_one_more) continue;
    if (best < 0 || steps_[static_cast<std::size_t>(index)].numa <
                        steps_[static_cast<std::size_t>(best)].numa) {
      best = index;
    }
  }
  if (best < 0) return std::nullopt;
  Found found{.numa = steps_[static_cast<std::size_t>(best)].numa};
  for (int index = best; index > 0;) {
    const Step& step = steps_[static_cast<std::size_t>(index)];
    if (step.node >= 0) {
      found.counts[static_cast<std::size_t>(step.node)] = step.count;
      found.uses[static_cast<std::size_t>(step.node)] = step.use;
    }
    index = step.before;
  }
  return found;
}

}  // namespace tenon::allocation
