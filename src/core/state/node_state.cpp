// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/state/node_state.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"
#include "core/state/take.hpp"

namespace tenon::state {

using domain::Allocation;
using domain::CpuSet;
using domain::DeviceIndex;
using domain::DeviceKind;
using domain::Grant;
using text::cat;

namespace {

std::unexpected<Error> not_free(std::string what) { return bad_input("", std::move(what)); }

void recount_free_cores(NodeState& state, const CpuSet& changed) {
  for (std::size_t i = 0; i < state.numa.size(); ++i) {
    const auto& numa = state.shape->numa[i];
    if (!numa.cpus.intersects(changed)) continue;
    auto& free = state.numa[i].cores_free;
    free.clear();
    for (std::size_t c = 0; c < numa.cores.size(); ++c) {
      const bool pinned = std::ranges::any_of(numa.cores[c].threads, [&](domain::CpuId cpu) {
        return state.cpus_pinned.contains(cpu);
      });
      if (!pinned) free.push_back(static_cast<int>(c));
    }
  }
}

Result<void> take_cpus(NodeState& state, const Allocation& allocation) {
  CpuSet all;
  for (const auto& numa : state.shape->numa) all.insert(numa.cpus);
  if (!all.contains_all(allocation.cpus)) {
    return not_free(cat("cpus ", allocation.cpus.to_text(), " are not all of this node"));
  }
  if (state.cpus_pinned.intersects(allocation.cpus)) {
    return not_free(cat("cpus ", allocation.cpus.to_text(), " are not all free"));
  }
  if (allocation.cpu_milli < 0) return not_free("counted cpu is below zero");
  const std::int64_t pinned_milli = domain::kMilliOfAWhole * allocation.cpus.count();
  if (pinned_milli > state.cpu_milli_free ||
      allocation.cpu_milli > state.cpu_milli_free - pinned_milli) {
    return not_free(cat("cpu needs ", allocation.cpu_milli, " and ", pinned_milli,
                        " pinned thousandths, has ", state.cpu_milli_free));
  }
  state.cpu_milli_free -= pinned_milli + allocation.cpu_milli;
  state.cpus_pinned.insert(allocation.cpus);
  if (!allocation.cpus.empty()) recount_free_cores(state, allocation.cpus);
  return {};
}

NumaState* numa_at(NodeState& state, int os_index) {
  for (std::size_t i = 0; i < state.numa.size(); ++i) {
    if (state.shape->numa[i].os_index == os_index) return &state.numa[i];
  }
  return nullptr;
}

Result<void> take_memory(NodeState& state, const domain::MemoryGrant& grant) {
  NumaState* numa = numa_at(state, grant.numa);
  if (numa == nullptr) return not_free(cat("numa", grant.numa, " is not there"));
  if (grant.bytes <= 0) return not_free(cat("no memory is asked of numa", grant.numa));
  if (numa->memory_free < grant.bytes) {
    return not_free(cat("numa", grant.numa, " has ", std::max<std::int64_t>(numa->memory_free, 0),
                        " of ", grant.bytes, " bytes free"));
  }
  numa->memory_free -= grant.bytes;
  return {};
}

Result<void> take_device(NodeState& state, const Grant& grant) {
  const auto& shape = *state.shape;
  const auto index = static_cast<std::size_t>(grant.device);
  if (index >= shape.gpus.size() + shape.nics.size() + shape.nvmes.size()) {
    return not_free(cat("device number ", index, " is not there"));
  }
  const auto [kind, ordinal] = kind_and_ordinal(shape, grant.device);
  const auto at = static_cast<std::size_t>(ordinal);
  const auto wrong = [&]() -> std::optional<std::string> {
    switch (kind) {
      case DeviceKind::kGpu:
        return take(state.gpus[at], shape.gpus[at], grant);
      case DeviceKind::kNic:
        return take(state.nics[at], shape.nics[at], grant);
      default:
        return take(state.nvmes[at], grant);
    }
  }();
  if (wrong) return not_free(cat(domain::to_text(kind), ordinal, " ", *wrong));
  return {};
}

Result<void> take_all(NodeState& state, const Allocation& allocation) {
  for (const Grant& grant : allocation.grants) {
    if (auto taken = take_device(state, grant); !taken) return taken;
  }
  for (const auto& grant : allocation.memory) {
    if (auto taken = take_memory(state, grant); !taken) return taken;
  }
  return take_cpus(state, allocation);
}

}  // namespace

bool operator==(const NodeState& a, const NodeState& b) {
  const auto& [cordoned, shape, gpus, nics, nvmes, numa, cpus_pinned, cpu_milli_free] = a;
  if ((shape == nullptr) != (b.shape == nullptr)) return false;
  return (shape == b.shape || *shape == *b.shape) && cordoned == b.cordoned && gpus == b.gpus &&
         nics == b.nics && nvmes == b.nvmes && numa == b.numa && cpus_pinned == b.cpus_pinned &&
         cpu_milli_free == b.cpu_milli_free;
}

NodeState empty_state(const domain::Node& node, std::shared_ptr<const topology::Shape> shape) {
  check(shape != nullptr, "a state stands on a shape");
  NodeState state{.cordoned = node.cordoned.has_value()};
  for (const auto& facts : shape->gpus) {
    state.gpus.push_back({.bytes_free = facts.memory_bytes.value_or(-1)});
  }
  for (const auto& facts : shape->nics) {
    state.nics.push_back({.bits_free = facts.rate_bits.value_or(-1)});
  }
  state.nvmes.resize(shape->nvmes.size());
  for (const auto& device : node.devices) {
    const auto at = static_cast<std::size_t>(device.ordinal);
    const bool cordoned = device.cordoned.has_value();
    if (device.kind() == DeviceKind::kGpu) state.gpus.at(at).cordoned = cordoned;
    if (device.kind() == DeviceKind::kNic) state.nics.at(at).cordoned = cordoned;
    if (device.kind() == DeviceKind::kNvme) state.nvmes.at(at).cordoned = cordoned;
  }
  std::int64_t cpus = 0;
  for (const auto& numa : shape->numa) {
    NumaState free{.memory_free = numa.memory_bytes};
    for (std::size_t c = 0; c < numa.cores.size(); ++c) {
      free.cores_free.push_back(static_cast<int>(c));
    }
    state.numa.push_back(std::move(free));
    cpus += numa.cpus.count();
  }
  state.cpu_milli_free = domain::kMilliOfAWhole * cpus;
  state.shape = std::move(shape);
  return state;
}

Result<void> apply(NodeState& state, const Allocation& allocation) {
  NodeState next = state;
  if (auto taken = take_all(next, allocation); !taken) return taken;
  state = std::move(next);
  return {};
}

void release(NodeState& state, const Allocation& allocation) {
  for (const Grant& grant : allocation.grants) {
    const auto [kind, ordinal] = kind_and_ordinal(*state.shape, grant.device);
    const auto at = static_cast<std::size_t>(ordinal);
    if (kind == DeviceKind::kGpu) {
      give_back(state.gpus[at], state.shape->gpus[at], grant);
    } else if (kind == DeviceKind::kNic) {
      give_back(state.nics[at], state.shape->nics[at], grant);
    } else {
      state.nvmes[at].taken = false;
    }
  }
  for (const auto& grant : allocation.memory) {
    NumaState* numa = numa_at(state, grant.numa);
    check(numa != nullptr, "memory goes back to where it was taken");
    numa->memory_free += grant.bytes;
  }
  check(state.cpus_pinned.contains_all(allocation.cpus), "CPUs go back once");
  state.cpus_pinned.erase(allocation.cpus);
  state.cpu_milli_free += allocation.cpu_milli + domain::kMilliOfAWhole * allocation.cpus.count();
  if (!allocation.cpus.empty()) recount_free_cores(state, allocation.cpus);
}

Result<NodeState> state_of(const domain::Node& node, const std::vector<domain::Holder>& holders) {
  auto state = empty_state(node, std::make_shared<const topology::Shape>(topology::shape_of(node)));
  for (const auto& holder : holders) {
    if (holder.node != node.name) continue;
    if (auto taken = apply(state, holder.allocation); !taken) {
      Error error = taken.error();
      error.what = cat(holder.name, " on ", node.name, ": ", error.what);
      error.advice = "correct the holder, or remove the other one that has it";
      return std::unexpected(std::move(error));
    }
  }
  return state;
}

DeviceIndex index_of(const topology::Shape& shape, DeviceKind kind, int ordinal) {
  auto index = static_cast<std::size_t>(ordinal);
  if (kind != DeviceKind::kGpu) index += shape.gpus.size();
  if (kind == DeviceKind::kNvme) index += shape.nics.size();
  return DeviceIndex{static_cast<std::uint32_t>(index)};
}

std::pair<DeviceKind, int> kind_and_ordinal(const topology::Shape& shape, DeviceIndex device) {
  const auto index = static_cast<std::size_t>(device);
  const std::size_t gpus = shape.gpus.size();
  const std::size_t nics = shape.nics.size();
  check(index < gpus + nics + shape.nvmes.size(), "a device belongs to its node");
  if (index < gpus) return {DeviceKind::kGpu, static_cast<int>(index)};
  if (index < gpus + nics) return {DeviceKind::kNic, static_cast<int>(index - gpus)};
  return {DeviceKind::kNvme, static_cast<int>(index - gpus - nics)};
}

}  // namespace tenon::state
