// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// I67: the fewest holders of one node that would have to end.

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "core/planner/fix_kinds.hpp"
#include "core/planner/usable.hpp"

namespace tenon::planner {
namespace {

using domain::Allocation;
using domain::DeviceKind;
using domain::Holder;

/// All that one name has on a node: it ends as one.
struct Ending {
  std::string name;
  std::vector<const Allocation*> allocations;
};

std::vector<Ending> endings_of(const NodeCase& node) {
  std::vector<Ending> endings;
  for (const Holder& holder : node.holders) {  // sorted by name
    if (endings.empty() || endings.back().name != holder.name) {
      endings.push_back({holder.name, {}});
    }
    endings.back().allocations.push_back(&holder.allocation);
  }
  return endings;
}

std::int64_t devices_of(const NodeCase& node, const domain::Request& request, DeviceKind wanted,
                        const Allocation& allocation) {
  std::vector<domain::DeviceIndex> devices;
  for (const domain::Grant& grant : allocation.grants) {
    const auto [kind, ordinal] = state::kind_and_ordinal(*node.now.shape, grant.device);
    if (kind == wanted && qualifies(*node.now.shape, request, kind, ordinal)) {
      devices.push_back(grant.device);
    }
  }
  std::ranges::sort(devices);
  return static_cast<std::int64_t>(std::ranges::unique(devices).begin() - devices.begin());
}

std::int64_t memory_of(const Allocation& allocation) {
  std::int64_t bytes = 0;
  for (const domain::MemoryGrant& grant : allocation.memory) bytes += grant.bytes;
  return bytes;
}

std::int64_t cpu_milli_of(const Allocation& allocation) {
  return allocation.cpu_milli + domain::kMilliOfAWhole * allocation.cpus.count();
}

template <class Weigh>
Need need_of(const std::vector<Ending>& endings, std::int64_t amount, Weigh weigh) {
  Need need{{}, amount};
  for (const Ending& ending : endings) {
    std::int64_t weight = 0;
    for (const Allocation* allocation : ending.allocations) weight += weigh(*allocation);
    need.weights.push_back(weight);
  }
  return need;
}

/// Counting alone: what is missing must come from those who end.
std::vector<Need> needs_of(const NodeCase& node, const domain::Request& request,
                           const std::vector<Ending>& endings) {
  std::vector<Need> needs;
  for (const DeviceKind kind : {DeviceKind::kGpu, DeviceKind::kNic, DeviceKind::kNvme}) {
    needs.push_back(need_of(endings, lacking(node.now, request, kind), [&](const Allocation& held) {
      return devices_of(node, request, kind, held);
    }));
  }
  std::int64_t memory_free = 0;
  std::int64_t cores_free = 0;
  for (const state::NumaState& numa : node.now.numa) {
    memory_free += std::max<std::int64_t>(numa.memory_free, 0);
    cores_free += static_cast<std::int64_t>(numa.cores_free.size());
  }
  needs.push_back(need_of(endings, request.memory_bytes - memory_free, memory_of));
  needs.push_back(need_of(endings, request.cpu_milli - node.now.cpu_milli_free, cpu_milli_of));
  needs.push_back(need_of(endings, request.cores - cores_free, [](const Allocation& held) {
    return static_cast<std::int64_t>(held.cpus.count());  // at most one core for each CPU
  }));
  return needs;
}

}  // namespace

std::optional<Fix> find_end_holders(const FixQuestion& question, Work& work) {
  std::optional<Fix> best;
  int most = static_cast<int>(question.cluster.holders.size());
  for (const std::size_t position : question.distinct) {
    const NodeCase& node = question.cases[position];
    const std::vector<Ending> endings = endings_of(node);
    FewestProblem problem;
    problem.elements = static_cast<int>(endings.size());
    problem.most = most;
    problem.needs = needs_of(node, question.request, endings);
    problem.fits = [&](const std::vector<int>& chosen) {
      state::NodeState state = node.now;
      for (const int element : chosen) {
        for (const Allocation* held : endings[static_cast<std::size_t>(element)].allocations) {
          state::release(state, *held);
        }
      }
      return fits(state, question.request, work);
    };
    const auto chosen = fewest(problem, work);
    if (work.exhausted()) return std::nullopt;
    if (!chosen) continue;
    EndHolders change;
    for (const int element : *chosen) {
      change.holders.push_back(endings[static_cast<std::size_t>(element)].name);
    }
    std::string text = text::cat("end ", and_list(change.holders), " on ", node.node->name);
    most = static_cast<int>(chosen->size()) - 1;
    best = Fix{node.node->name, std::move(change), std::move(text)};
    if (most == 0) break;
  }
  return best;
}

}  // namespace tenon::planner
