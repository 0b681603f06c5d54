// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/topology/shape.hpp"

#include <algorithm>
#include <bit>
#include <map>

#include "core/topology/distances.hpp"

namespace tenon::topology {
namespace {

using domain::Device;
using domain::DeviceIndex;
using domain::DeviceKind;
using domain::Distance;
using domain::Node;

constexpr Mask bit(std::size_t index) { return Mask{1} << index; }

Rank rank_of(std::optional<Distance> distance) {
  return distance ? static_cast<Rank>(*distance) : kRankUnknown;
}

// The devices of one kind, by ordinal.
std::vector<DeviceIndex> devices_of(const Node& node, DeviceKind kind) {
  std::vector<DeviceIndex> found;
  for (std::size_t i = 0; i < node.devices.size(); ++i) {
    if (node.devices[i].kind() == kind) found.push_back(DeviceIndex{static_cast<std::uint32_t>(i)});
  }
  return found;
}

// os_index -> positions; an os_index that no NUMA node has is left out: it says nothing.
Mask numa_mask(const Node& node, DeviceIndex device) {
  Mask mask = 0;
  for (const int os_index : numa_of(node, device)) {
    for (std::size_t i = 0; i < node.numa.size(); ++i) {
      if (node.numa[i].os_index == os_index) mask |= bit(i);
    }
  }
  return mask;
}

std::vector<Rank> ranks(const Distances& distances, const std::vector<DeviceIndex>& rows,
                        const std::vector<DeviceIndex>& columns) {
  std::vector<Rank> table;
  table.reserve(rows.size() * columns.size());
  for (const DeviceIndex row : rows) {
    for (const DeviceIndex column : columns) table.push_back(rank_of(distances.pci(row, column)));
  }
  return table;
}

std::vector<Shape::Numa> numa_nodes(const Node& node) {
  std::vector<Shape::Numa> nodes;
  std::map<int, int> position_of_socket;
  int sockets = 0;
  for (const auto& from : node.numa) {
    Shape::Numa numa{.os_index = from.os_index, .cpus = from.cpus};
    if (from.socket) {
      const auto [entry, fresh] = position_of_socket.try_emplace(*from.socket, sockets);
      if (fresh) ++sockets;
      numa.socket = entry->second;
    } else {
      numa.socket = sockets++;
    }
    if (from.cores) numa.cores = *from.cores;
    numa.cores_known = from.cores.has_value();
    numa.memory_bytes = from.memory_bytes.value_or(-1);
    nodes.push_back(std::move(numa));
  }
  return nodes;
}

// GPUs are vertices 0 … gpus - 1, NICs follow: connected components of `joined`.
template <class Joined>
std::vector<Group> components(std::size_t gpus, std::size_t nics, const Joined& joined) {
  std::vector<bool> seen(gpus + nics, false);
  std::vector<Group> groups;
  for (std::size_t first = 0; first < gpus; ++first) {
    if (seen[first]) continue;
    Group group;
    std::vector<std::size_t> open{first};
    seen[first] = true;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      (at < gpus ? group.gpus : group.nics) |= bit(at < gpus ? at : at - gpus);
      for (std::size_t other = 0; other < gpus + nics; ++other) {
        if (seen[other] || !joined(at, other)) continue;
        seen[other] = true;
        open.push_back(other);
      }
    }
    if (std::popcount(group.gpus) + std::popcount(group.nics) >= 2) groups.push_back(group);
  }
  return groups;
}

void add_groups(Shape& shape) {
  const std::size_t gpus = shape.gpus.size();
  const std::size_t nics = shape.nics.size();
  shape.nvlink_groups = components(gpus, 0, [&](std::size_t a, std::size_t b) {
    return shape.gpu_gpu_nvlinks[a * gpus + b] > 0;
  });
  const auto rank = [&](std::size_t a, std::size_t b) {
    if (a > b) std::swap(a, b);
    if (b < gpus) return shape.gpu_gpu[a * gpus + b];
    if (a < gpus) return shape.gpu_nic[a * nics + b - gpus];
    return shape.nic_nic[(a - gpus) * nics + b - gpus];
  };
  shape.switch_groups = components(gpus, nics, [&](std::size_t a, std::size_t b) {
    return rank(a, b) <= static_cast<Rank>(Distance::kPix);
  });
  for (std::size_t n = 0; n < shape.numa.size(); ++n) {
    Group group;
    for (std::size_t i = 0; i < gpus; ++i) {
      if (shape.gpu_numa[i] & bit(n)) group.gpus |= bit(i);
    }
    for (std::size_t i = 0; i < nics; ++i) {
      if (shape.nic_numa[i] & bit(n)) group.nics |= bit(i);
    }
    if (group.gpus != 0) shape.numa_groups.push_back(group);
  }
}

}  // namespace

Shape shape_of(const Node& node) {
  const Distances distances(node);
  const auto gpus = devices_of(node, DeviceKind::kGpu);
  const auto nics = devices_of(node, DeviceKind::kNic);
  const auto nvmes = devices_of(node, DeviceKind::kNvme);

  Shape shape;
  shape.arch = node.arch;
  const auto device = [&](DeviceIndex at) -> const Device& {
    return node.devices[static_cast<std::size_t>(at)];
  };
  for (const DeviceIndex at : gpus) {
    shape.gpus.push_back(std::get<domain::GpuFacts>(device(at).facts));
    shape.gpu_numa.push_back(numa_mask(node, at));
    for (const DeviceIndex other : gpus) {
      shape.gpu_gpu_nvlinks.push_back(static_cast<std::uint8_t>(distances.nvlinks(at, other)));
    }
  }
  for (const DeviceIndex at : nics) {
    shape.nics.push_back(std::get<domain::NicFacts>(device(at).facts));
    shape.nic_numa.push_back(numa_mask(node, at));
  }
  for (const DeviceIndex at : nvmes) {
    shape.nvmes.push_back(std::get<domain::NvmeFacts>(device(at).facts));
    shape.nvme_numa.push_back(numa_mask(node, at));
  }
  shape.gpu_gpu = ranks(distances, gpus, gpus);
  shape.gpu_nic = ranks(distances, gpus, nics);
  shape.gpu_nvme = ranks(distances, gpus, nvmes);
  shape.nic_nic = ranks(distances, nics, nics);
  shape.numa = numa_nodes(node);
  add_groups(shape);
  return shape;
}

}  // namespace tenon::topology
