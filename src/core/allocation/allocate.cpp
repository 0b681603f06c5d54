// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/allocate.hpp"

#include <algorithm>

#include "core/allocation/cores_memory.hpp"
#include "core/allocation/device_search.hpp"
#include "core/allocation/packing.hpp"
#include "core/allocation/problem.hpp"
#include "core/allocation/refuse.hpp"
#include "core/allocation/work.hpp"

namespace tenon::allocation {
namespace {

using domain::Allocation;
using domain::DeviceKind;
using domain::Grant;
using domain::GrantMode;
using domain::NicMode;

void add_nics(const Problem& problem, const DeviceChoice& chosen, std::vector<Grant>& grants) {
  for (std::size_t i = 0; i < problem.shape.nics.size(); ++i) {
    Grant grant{.device = state::index_of(problem.shape, DeviceKind::kNic, static_cast<int>(i))};
    if (problem.request.nic.mode == NicMode::kBandwidth) {
      grant.mode = GrantMode::kBandwidth;
      grant.amount = problem.request.nic.bandwidth_bits;
    }
    if (problem.request.nic.mode == NicMode::kVf) grant.mode = GrantMode::kVf;
    const auto& taken = problem.state.nics[i].vfs_taken;
    for (int unit = 0; unit < chosen.nic_units[i]; ++unit) {
      if (grant.mode == GrantMode::kVf) {
        while (std::ranges::binary_search(taken, grant.slot)) ++grant.slot;
      }
      grants.push_back(grant);
      ++grant.slot;
    }
  }
}

Allocation allocation_of(const Problem& problem, const Packing& packing, const DeviceChoice& chosen,
                         CoresMemory::HostGrant host) {
  Allocation allocation;
  allocation.grants = packing.grants(chosen.unit_cards);
  add_nics(problem, chosen, allocation.grants);
  for (Mask rest = chosen.nvmes; rest != 0;) {
    allocation.grants.push_back(
        {.device = state::index_of(problem.shape, DeviceKind::kNvme, pop_lowest(rest))});
  }
  std::ranges::sort(allocation.grants, [](const Grant& a, const Grant& b) {
    return std::pair(a.device, a.slot) < std::pair(b.device, b.slot);
  });
  allocation.cpus = std::move(host.cpus);
  allocation.cpu_milli = problem.request.cpu_milli;
  allocation.memory = std::move(host.memory);
  return allocation;
}

}  // namespace

Answer search(const Problem& problem, const Limits& limits) {
  CoresMemory host(problem);
  Packing packing(problem);
  Work work{.steps_max = limits.steps_max};
  DeviceSearch devices(problem, host, packing, work);
  devices.run();

  Answer answer{.result = Allocation{}, .proven_best = !work.cut, .steps = work.steps};
  if (!devices.best()) {
    answer.result = std::unexpected(domain::Refusal{});
    return answer;
  }
  // Ids of cores and memory have the full limit for themselves: the devices are decided.
  Work rest{.steps_max = limits.steps_max};
  auto cost = devices.best()->cost;
  auto granted = host.grant(devices.best()->affinities.devices(), rest);
  host.write(granted.cost, cost);
  answer.cost = cost_of(cost, problem.request);
  answer.result = allocation_of(problem, packing, devices.best()->chosen, std::move(granted));
  answer.proven_best = answer.proven_best && !rest.cut;
  answer.steps += rest.steps;
  return answer;
}

Answer allocate(const state::NodeState& state, const domain::Request& request,
                const Limits& limits) {
  if (auto refusal = badly_asked(request)) {
    return {.result = std::unexpected(std::move(*refusal))};
  }
  const Problem problem(state, request);
  if (auto refusal = refused_at_sight(problem)) {
    return {.result = std::unexpected(std::move(*refusal))};
  }
  Answer answer = search(problem, limits);
  if (!answer.result) answer.result = std::unexpected(explain(state, request, limits));
  return answer;
}

}  // namespace tenon::allocation
