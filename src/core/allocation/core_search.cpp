// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/core_search.hpp"

#include <algorithm>
#include <bit>

#include "core/allocation/core_limits.hpp"

namespace tenon::allocation {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

CoreSearch::CoreSearch(CoresMemory& host, const CoresMemory::Question& question, Work& work)
    : host_(host), question_(question), work_(work) {
  for (Mask rest = question.allowed & host.core_nodes_; rest != 0;) {
    const int node = pop_lowest(rest);
    if (question.most[at(node)] > 0) order_.push_back(node);
  }
  std::ranges::stable_sort(order_, {}, [&](int node) { return far(node); });

  std::vector<int> sizes;
  for (const int node : order_) sizes.push_back(question.most[at(node)]);
  std::ranges::sort(sizes, std::greater<>());
  int held = 0;
  for (const int size : sizes) {
    if (held >= host.cores_) break;
    held += size;
    ++core_nodes_floor_;
  }
  if (const auto memory = host.best_memory(question.allowed, 0, domain::kRangesMax)) {
    memory_nodes_floor_ = memory->nodes;
  }
}

std::int64_t CoreSearch::far(int node) const {
  if (host_.problem_.layout.numa == Layout::kAbsent) return 0;
  return question_.devices->far[at(node)];
}

std::optional<CoresMemory::Found> CoreSearch::run() {
  if (!host_.best_memory(question_.allowed, 0, domain::kRangesMax)) return std::nullopt;
  choose(0, 0, 0);
  return best_;
}

std::optional<std::int64_t> CoreSearch::fill_socket(Mask nodes, int total, Mask in, Mask out,
                                                    Counts& counts) const {
  std::int64_t sum = 0;
  int left = total;
  for (const int node : order_) {
    if ((nodes & bit(node)) == 0) continue;
    const int least = std::max(question_.least[at(node)], (in & bit(node)) != 0 ? 1 : 0);
    counts[at(node)] = least;
    left -= least;
    sum += far(node) * least;
  }
  if (left < 0) return std::nullopt;
  for (const int node : order_) {
    if (left == 0) break;
    if ((nodes & ~out & bit(node)) == 0) continue;
    const int more = std::min(left, question_.most[at(node)] - counts[at(node)]);
    counts[at(node)] += more;
    left -= more;
    sum += far(node) * more;
  }
  if (left > 0) return std::nullopt;
  return sum;
}

std::optional<CoreSearch::Fill> CoreSearch::fill(Mask in, Mask out) const {
  Fill fill;
  int more_left = host_.sockets_with_one_more_;
  struct Choice {
    std::int64_t extra;
    std::size_t socket;
  };
  std::vector<Choice> choices;
  Counts with_more{};
  for (std::size_t i = 0; i < host_.sockets_.size(); ++i) {
    const auto& socket = host_.sockets_[i];
    const auto usual = fill_socket(socket.nodes, socket.least, in, out, fill.counts);
    if (usual && host_.sockets_with_one_more_ == 0) {
      fill.numa += *usual;
      continue;
    }
    const auto more = host_.sockets_with_one_more_ > 0
                          ? fill_socket(socket.nodes, socket.least + 1, in, out, with_more)
                          : std::nullopt;
    if (!usual && !more) return std::nullopt;
    if (usual) {
      fill.numa += *usual;
      if (more) choices.push_back({*more - *usual, i});
    } else {
      fill.numa += *more;
      --more_left;
      choices.push_back({-1, i});  // taken already; its counts are copied below
    }
  }
  if (host_.sockets_with_one_more_ == 0) return fill;
  std::ranges::stable_sort(choices, {}, &Choice::extra);
  for (const Choice& choice : choices) {
    const bool forced = choice.extra < 0;
    if (!forced && more_left <= 0) break;
    if (!forced) {
      fill.numa += choice.extra;
      --more_left;
    }
    for (Mask rest = host_.sockets_[choice.socket].nodes; rest != 0;) {
      const auto node = at(pop_lowest(rest));
      fill.counts[node] = with_more[node];
    }
  }
  if (more_left != 0) return std::nullopt;
  return fill;
}

void CoreSearch::choose(std::size_t next, Mask in, Mask out) {
  if (!work_.spend()) return;
  const auto cheapest = fill(in, out);
  if (!cheapest) return;
  Mask open = in;
  for (std::size_t i = next; i < order_.size(); ++i) open |= bit(order_[i]);
  std::int64_t home = 0;
  for (Mask rest = open; rest != 0 && home < host_.memory_;) {
    home += std::min(host_.memory_ - home, host_.free_memory_[at(pop_lowest(rest))]);
  }
  const CoresMemory::HostCost floor{
      .numa = cheapest->numa,
      .outside = host_.memory_ - home,
      .nodes = memory_nodes_floor_,
      .core_nodes = std::max<std::int64_t>(core_nodes_floor_, std::popcount(in))};
  if (!improves(floor)) return;
  offer(*cheapest);
  if (next == order_.size()) {
    if (host_.runs_.may_bind()) offer_exact(in);
    return;
  }
  if (!improves(floor)) return;
  const int node = order_[next];
  choose(next + 1, in | bit(node), out);
  if (question_.least[at(node)] == 0) choose(next + 1, in, out | bit(node));
}

bool CoreSearch::improves(const CoresMemory::HostCost& cost) const {
  return !best_ || host_.key(cost) < host_.key(best_->cost);
}

bool CoreSearch::plain_within(const Counts& counts, int ranges) const {
  CoreRuns::Use total;
  for (const int node : order_) {
    const auto use = host_.runs_.plain(node, counts[at(node)]);
    total.ranges += use.ranges;
    total.threads += use.threads;
  }
  return total.ranges <= ranges && total.threads <= host_.runs_.threads_max();
}

CoreSearch::Uses CoreSearch::plain_uses(const Counts& counts) const {
  Uses uses{};
  for (const int node : order_) uses[at(node)] = host_.runs_.plain(node, counts[at(node)]);
  return uses;
}

// Counts that are cheapest for what is decided so far are a full answer, if their smallest cores
// keep the limits.
void CoreSearch::offer(const Fill& fill) {
  Mask used = 0;
  for (const int node : order_) {
    if (fill.counts[at(node)] > 0) used |= bit(node);
  }
  const auto memory = host_.best_memory(question_.allowed, used, domain::kRangesMax);
  if (!memory) return;
  const CoresMemory::HostCost cost{fill.numa, memory->outside, memory->nodes, std::popcount(used)};
  if (!improves(cost)) return;
  if (host_.runs_.may_bind() && !plain_within(fill.counts, domain::kRangesMax - memory->nodes)) {
    return;
  }
  record(cost, fill.counts, plain_uses(fill.counts));
}

// Exactly the nodes of `in`, with every number of memory nodes that might leave enough ranges.
void CoreSearch::offer_exact(Mask in) {
  for (const auto& memory : host_.memory_options(question_.allowed, in)) {
    offer_limited(in, memory);
  }
}

void CoreSearch::offer_limited(Mask in, const CoresMemory::MemoryOption& memory) {
  CoreLimits limits(host_.runs_, domain::kRangesMax - memory.nodes, work_);
  const bool uneven = host_.sockets_with_one_more_ > 0;
  for (const auto& socket : host_.sockets_) {
    for (Mask rest = socket.nodes & in; rest != 0;) {
      const int node = pop_lowest(rest);
      limits.add_node(node, std::max(question_.least[at(node)], 1), question_.most[at(node)],
                      far(node));
    }
    limits.end_socket(socket.least,
                      uneven ? CoreLimits::OneMore::kMaybe : CoreLimits::OneMore::kNever);
  }
  const auto found = limits.cheapest(host_.sockets_with_one_more_);
  if (!found) return;
  const CoresMemory::HostCost cost{found->numa, memory.outside, memory.nodes, std::popcount(in)};
  if (improves(cost)) record(cost, found->counts, found->uses);
}

void CoreSearch::record(const CoresMemory::HostCost& cost, const Counts& counts, const Uses& uses) {
  best_ = CoresMemory::Found{cost, counts};
  best_uses_ = uses;
}

}  // namespace tenon::allocation
