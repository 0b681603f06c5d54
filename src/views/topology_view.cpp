// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "views/topology_view.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "core/state/node_state.hpp"
#include "core/topology/distances.hpp"
#include "core/topology/mig.hpp"
#include "domain/quantity.hpp"

namespace tenon::views {
namespace {

using domain::Device;
using domain::DeviceIndex;
using domain::DeviceKind;
using domain::Node;

constexpr DeviceIndex index_of(std::size_t at) {
  return DeviceIndex{static_cast<std::uint32_t>(at)};
}

std::optional<std::int64_t> known(std::int64_t amount) {
  return amount < 0 ? std::nullopt : std::optional(amount);
}

NumaView numa_view(const Node& node, const state::NodeState& state, std::size_t position) {
  const domain::NumaNode& numa = node.numa[position];
  const state::NumaState& free = state.numa[position];
  NumaView view{.os_index = numa.os_index,
                .socket = numa.socket,
                .cpus = numa.cpus.to_text(),
                .cpu_count = numa.cpus.count(),
                .memory_bytes = numa.memory_bytes,
                .memory_bytes_free = known(free.memory_free)};
  if (numa.cores) {
    view.cores = static_cast<int>(numa.cores->size());
    view.cores_free = static_cast<int>(free.cores_free.size());
  }
  domain::CpuSet cpus = numa.cpus;
  cpus.erase(state.cpus_pinned);
  view.cpus_free = cpus.to_text();
  for (std::size_t i = 0; i < node.devices.size(); ++i) {
    const auto near = topology::numa_of(node, index_of(i));
    if (std::ranges::find(near, numa.os_index) != near.end()) {
      view.devices.push_back(to_text(node.devices[i]));
    }
  }
  return view;
}

std::string mig_text(const domain::GpuFacts& gpu) {
  if (gpu.mig == domain::MigMode::kOff) return "";
  if (gpu.mig == domain::MigMode::kDynamic) return "dynamic";
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < gpu.partitions.size();) {
    std::size_t end = i;
    while (end < gpu.partitions.size() &&
           gpu.partitions[end].profile == gpu.partitions[i].profile) {
      ++end;
    }
    runs.push_back(end - i == 1 ? gpu.partitions[i].profile
                                : text::cat(gpu.partitions[i].profile, "*", end - i));
    i = end;
  }
  return text::join(runs, ",");
}

std::string counted(std::size_t count, std::string_view one) {
  return text::cat(count, " ", one, count == 1 ? "" : "s");
}

/// What is taken of a device, and what is left of one that is taken in part.
struct Use {
  std::string_view state;
  std::string left;
};

Use use_of(const domain::GpuFacts& facts, const state::GpuState& gpu) {
  switch (gpu.use) {
    case state::GpuUse::kFree:
      return {"free", ""};
    case state::GpuUse::kWhole:
      return {"taken", ""};
    case state::GpuUse::kShared:
      return {"shared", domain::milli_to_text(gpu.milli_free)};
    case state::GpuUse::kMig:
      break;
  }
  const std::size_t taken = gpu.slots_taken.size();
  if (facts.mig == domain::MigMode::kDynamic) {
    return {"partitioned", counted(topology::kMigMemorySlices - taken, "memory slice")};
  }
  return {"partitioned", counted(facts.partitions.size() - taken, "partition")};
}

Use use_of(const domain::NicFacts& facts, const state::NicState& nic) {
  switch (nic.use) {
    case state::NicUse::kFree:
      return {"free", ""};
    case state::NicUse::kWhole:
      return {"taken", ""};
    case state::NicUse::kBandwidth:
      return {"shared", domain::rate_to_text(nic.bits_free)};
    case state::NicUse::kVf:
      break;
  }
  return {"shared", counted(static_cast<std::size_t>(facts.vfs) - nic.vfs_taken.size(), "VF")};
}

void show_gpu(DeviceView& view, const domain::GpuFacts& facts, const state::GpuState& state) {
  view.model = facts.model;
  view.memory_bytes = facts.memory_bytes;
  view.mig = mig_text(facts);
  auto [use, left] = use_of(facts, state);
  view.state = state.cordoned ? "cordoned" : use;
  view.left = std::move(left);
}

void show_nic(DeviceView& view, const domain::NicFacts& facts, const state::NicState& state) {
  view.model = facts.model;
  view.rate_bits = facts.rate_bits;
  if (facts.role) view.role = *facts.role == domain::NicRole::kStorage ? "storage" : "compute";
  view.rdma = facts.rdma;
  view.bond = facts.bond;
  view.vfs = facts.vfs;
  auto [use, left] = use_of(facts, state);
  view.state = state.cordoned ? "cordoned" : use;
  view.left = std::move(left);
}

void show_nvme(DeviceView& view, const domain::NvmeFacts& facts, const state::NvmeState& state) {
  view.model = facts.model;
  view.capacity_bytes = facts.capacity_bytes;
  view.state = state.cordoned ? "cordoned" : state.taken ? "taken" : "free";
}

/// The nearest NIC of a GPU, the nearest GPU of any other device.
NearView near_view(const Node& node, const topology::Distances& distances, std::size_t device) {
  const DeviceKind wanted = node.devices[device].kind() == DeviceKind::kGpu ? DeviceKind::kNic  //
                                                                            : DeviceKind::kGpu;
  std::optional<std::size_t> nearest;
  std::optional<domain::Distance> shortest;
  for (std::size_t other = 0; other < node.devices.size(); ++other) {
    if (node.devices[other].kind() != wanted) continue;
    const auto distance = distances.pci(index_of(device), index_of(other));
    if (!distance || (shortest && *distance >= *shortest)) continue;
    nearest = other;
    shortest = distance;
  }
  if (!nearest) return {};
  return {to_text(node.devices[*nearest]), std::string(to_text(*shortest))};
}

std::vector<std::string> holders_of(const std::vector<domain::Holder>& holders, const Node& node,
                                    DeviceIndex device) {
  std::vector<std::string> names;
  for (const domain::Holder& holder : holders) {
    if (holder.node == node.name &&
        std::ranges::find(holder.allocation.grants, device, &domain::Grant::device) !=
            holder.allocation.grants.end()) {
      names.push_back(holder.name);
    }
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

DeviceView device_view(const Node& node, const state::NodeState& state,
                       const topology::Distances& distances,
                       const std::vector<domain::Holder>& holders, std::size_t at) {
  const Device& device = node.devices[at];
  DeviceView view{.name = to_text(device),
                  .kind = device.kind(),
                  .label = device.label,
                  .id = device.id,
                  .numa = topology::numa_of(node, index_of(at)),
                  .holders = holders_of(holders, node, index_of(at)),
                  .cordoned = device.cordoned.value_or(""),
                  .near = near_view(node, distances, at)};
  if (device.pci) view.pci = to_text(*device.pci);
  const auto ordinal = static_cast<std::size_t>(device.ordinal);
  if (const auto* gpu = std::get_if<domain::GpuFacts>(&device.facts)) {
    show_gpu(view, *gpu, state.gpus[ordinal]);
  } else if (const auto* nic = std::get_if<domain::NicFacts>(&device.facts)) {
    show_nic(view, *nic, state.nics[ordinal]);
  } else {
    show_nvme(view, std::get<domain::NvmeFacts>(device.facts), state.nvmes[ordinal]);
  }
  return view;
}

std::optional<std::int64_t> memory_of(const Node& node) {
  std::int64_t bytes = 0;
  bool any = false;
  for (const domain::NumaNode& numa : node.numa) {
    if (!numa.memory_bytes) {
      if (!numa.cpus.empty()) return std::nullopt;
      continue;
    }
    bytes += *numa.memory_bytes;
    any = true;
  }
  return any ? std::optional(bytes) : std::nullopt;
}

}  // namespace

Result<TopologyView> topology_view(const Node& node, const std::vector<domain::Holder>& holders) {
  const auto state = state::state_of(node, holders);
  if (!state) return std::unexpected(state.error());
  TopologyView view{.node = node.name,
                    .arch = node.arch,
                    .cordoned = node.cordoned.value_or(""),
                    .memory_bytes = memory_of(node),
                    .tree = tree_view(node),
                    .distances = distances_view(node),
                    .findings = topology::check_node(node)};
  for (std::size_t i = 0; i < node.numa.size(); ++i) {
    view.numa.push_back(numa_view(node, *state, i));
    view.cpu_count += view.numa.back().cpu_count;
  }
  const topology::Distances distances(node);
  for (std::size_t i = 0; i < node.devices.size(); ++i) {
    view.devices.push_back(device_view(node, *state, distances, holders, i));
  }
  return view;
}

}  // namespace tenon::views
