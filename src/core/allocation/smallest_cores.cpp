// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The last part of CoresMemory: of all choices of the best cost the one with the smallest core ids,
// then the smallest memory nodes (docs/invariants.md I51, I54).

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "base/check.hpp"
#include "core/allocation/core_search.hpp"

namespace tenon::allocation {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

domain::CpuId CoresMemory::next_first(int node, int taken) const {
  const int position = problem_.state.numa[at(node)].cores_free[at(taken)];
  return problem_.shape.numa[at(node)].cores[at(position)].threads.front();
}

// Core ids in ascending order: each is taken if some choice of the best cost has it, together with
// those before. Ids of one node mostly follow each other, so they are tried in bulk.
std::optional<CoresMemory::Found> CoresMemory::smallest_counts(const Question& asked, Work& work) {
  auto found = solve(asked, work);
  if (!found) return found;
  Question question = asked;
  const Key best = key(found->cost);
  const auto completes = [&](int node, int count) {
    Question narrower = question;
    narrower.least[at(node)] = count;
    const auto other = solve(narrower, work);
    if (!other || key(other->cost) != best) return false;
    found = other;
    return true;
  };

  Mask open = asked.allowed & core_nodes_;
  int left = cores_;
  while (left > 0) {
    int node = -1;
    domain::CpuId next = 0;
    domain::CpuId other_next = std::numeric_limits<domain::CpuId>::max();
    for (Mask rest = open; rest != 0;) {
      const int candidate = pop_lowest(rest);
      if (question.least[at(candidate)] >= question.most[at(candidate)]) {
        open &= ~bit(candidate);
        continue;
      }
      const auto first = next_first(candidate, question.least[at(candidate)]);
      if (node < 0 || first < next) {
        if (node >= 0) other_next = next;
        node = candidate;
        next = first;
      } else {
        other_next = std::min(other_next, first);
      }
    }
    if (node < 0) break;  // only where the work was cut
    const int taken = question.least[at(node)];
    const int limit = std::min(question.most[at(node)] - taken, left);
    int bulk = 1;
    while (bulk < limit && next_first(node, taken + bulk) < other_next) ++bulk;

    int fits = 0;
    for (int step = bulk; step > 0 && fits < bulk;) {  // the largest number that completes
      if (fits + step <= bulk && completes(node, taken + fits + step)) {
        fits += step;
      } else {
        step /= 2;
      }
    }
    question.least[at(node)] = taken + fits;
    if (fits < bulk) question.most[at(node)] = taken + fits;
    left -= fits;
  }
  return found;
}

void CoresMemory::add_cores(HostGrant& grant, int node, const std::vector<int>& positions) const {
  for (const int position : positions) {
    const int core = problem_.state.numa[at(node)].cores_free[at(position)];
    const auto& threads = problem_.shape.numa[at(node)].cores[at(core)].threads;
    grant.firsts.push_back(threads.front());
    for (const auto cpu : threads) grant.cpus.insert(cpu);
  }
}

std::optional<CoresMemory::HostGrant> CoresMemory::grant_within(const Question& question,
                                                                Work& work) {
  HostGrant grant;
  if (cores_ == 0) {
    const auto found = without_cores(question);
    if (!found) return std::nullopt;
    grant.cost = found->cost;
    grant.memory = memory_grant(question.allowed, question.devices->near, grant.cost,
                                domain::kRangesMax, work);
    return grant;
  }
  const auto found = smallest_counts(question, work);
  if (!found) return std::nullopt;
  grant.cost = found->cost;
  CoreRuns::Use plain;
  Mask used = 0;
  for (int node = 0; node < kNumaMax; ++node) {
    const int count = found->counts[at(node)];
    if (count == 0) continue;
    used |= bit(node);
    plain.ranges += runs_.plain(node, count).ranges;
    plain.threads += runs_.plain(node, count).threads;
  }
  const int ranges_max = domain::kRangesMax - static_cast<int>(grant.cost.nodes);
  const bool plain_fits =
      !runs_.may_bind() || (plain.ranges <= ranges_max && plain.threads <= runs_.threads_max());
  int ranges = plain.ranges;
  if (plain_fits) {
    for (Mask rest = used; rest != 0;) {
      const int node = pop_lowest(rest);
      std::vector<int> positions(at(found->counts[at(node)]));
      std::iota(positions.begin(), positions.end(), 0);
      add_cores(grant, node, positions);
    }
  } else {
    Question exact = question;
    exact.least = exact.most = found->counts;
    CoreSearch search(*this, exact, work);
    if (!search.run()) return std::nullopt;
    ranges = 0;
    for (Mask rest = used; rest != 0;) {
      const int node = pop_lowest(rest);
      const auto use = search.uses()[at(node)];
      ranges += use.ranges;
      add_cores(grant, node, runs_.choose(node, found->counts[at(node)], use, work));
    }
  }
  std::ranges::sort(grant.firsts);
  const int nodes_max = runs_.may_bind() ? domain::kRangesMax - ranges : domain::kRangesMax;
  grant.memory = memory_grant(question.allowed, used, grant.cost, nodes_max, work);
  return grant;
}

CoresMemory::HostGrant CoresMemory::grant(const Devices& devices, Work& work) {
  const Devices asked = normal(devices);
  if (problem_.request.numa != domain::NumaClause::kSingle) {
    auto only = grant_within(question(allowed_by(asked), asked), work);
    check(only.has_value(), "cores and memory that had a cost can be granted");
    return std::move(*only);
  }
  std::optional<HostGrant> best;
  const auto positions = [](const HostGrant& grant) {
    std::vector<int> numa;
    for (const auto& memory : grant.memory) numa.push_back(memory.numa);
    return numa;
  };
  for (Mask rest = asked.common & alone_ & nodes_; rest != 0;) {
    auto next = grant_within(question(bit(pop_lowest(rest)), asked), work);
    if (!next) continue;
    if (best) {
      const Key ours = key(next->cost);
      const Key theirs = key(best->cost);
      if (ours > theirs) continue;
      if (ours == theirs &&
          std::pair(best->firsts, positions(*best)) <= std::pair(next->firsts, positions(*next))) {
        continue;
      }
    }
    best = std::move(next);
  }
  return best ? std::move(*best) : HostGrant{};
}

}  // namespace tenon::allocation
