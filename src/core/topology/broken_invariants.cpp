// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "core/topology/findings.hpp"

namespace tenon::topology {
namespace {

using domain::Device;
using domain::DeviceKind;
using domain::Node;
using domain::NumaNode;
using domain::Place;
using domain::PlaceKind;
using text::cat;

std::string numa_name(const NumaNode& numa) { return cat("numa", numa.os_index); }

// "cores" must be the node's CPUs, each once, threads and cores ascending.
bool cores_cover(const NumaNode& numa) {
  domain::CpuSet seen;
  int threads = 0;
  std::optional<domain::CpuId> last_first;
  for (const auto& core : *numa.cores) {
    if (core.threads.empty() || !std::ranges::is_sorted(core.threads)) return false;
    if (core.threads.size() > domain::kThreadsOfACoreMax) return false;
    if (last_first && core.threads.front() <= *last_first) return false;
    last_first = core.threads.front();
    for (const auto cpu : core.threads) {
      seen.insert(cpu);
      ++threads;
    }
  }
  return seen == numa.cpus && threads == numa.cpus.count();
}

void numa_nodes(const Node& node, Findings& findings) {
  if (node.numa.size() > domain::kNumaNodesMax) {
    findings.error("too-many", node.name,
                   cat(node.numa.size(), " NUMA nodes, at most ", domain::kNumaNodesMax));
  }
  for (std::size_t i = 0; i < node.numa.size(); ++i) {
    const NumaNode& numa = node.numa[i];
    if (i > 0 && node.numa[i - 1].os_index >= numa.os_index) {
      findings.error("numa-order", numa_name(numa),
                     "NUMA nodes stand in ascending order, each once");
    }
    if (numa.memory_bytes && *numa.memory_bytes < 0) {
      findings.error("negative-amount", numa_name(numa), "memory is below zero");
    }
    if (numa.cores && !cores_cover(numa)) {
      findings.error("cores-disagree", numa_name(numa),
                     cat("the cores do not cover CPUs ", numa.cpus.to_text(),
                         " exactly once, in ascending order"));
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (!numa.cpus.intersects(node.numa[j].cpus)) continue;
      findings.error("cpu-in-two-numa-nodes", cat(numa_name(node.numa[j]), " ", numa_name(numa)),
                     cat("both have CPUs of ", numa.cpus.to_text()));
    }
  }
}

bool may_hang(PlaceKind kind, const Place* parent) {
  if (parent == nullptr) return kind != PlaceKind::kPort;
  if (kind == PlaceKind::kBridge) return false;
  return kind == PlaceKind::kSwitch || parent->kind == PlaceKind::kBridge;
}

void places(const Node& node, Findings& findings) {
  for (std::size_t i = 0; i < node.places.size(); ++i) {
    const Place& place = node.places[i];
    const Place* parent = nullptr;
    if (place.parent) {
      const auto above = static_cast<std::size_t>(*place.parent);
      if (above >= i) {
        findings.error("place-order", place.name, "a place is younger than its parent");
        continue;
      }
      parent = &node.places[above];
    }
    if (!may_hang(place.kind, parent)) {
      findings.error("place-kind", place.name,
                     "a port hangs under a bridge, a switch under a port, bridge or switch, a "
                     "bridge under nothing");
    }
  }
}

void amounts(const Device& device, Findings& findings) {
  bool negative = false;
  if (const auto* gpu = std::get_if<domain::GpuFacts>(&device.facts)) {
    negative = gpu->memory_bytes.value_or(0) < 0 || gpu->slots.value_or(0) < 0;
  } else if (const auto* nic = std::get_if<domain::NicFacts>(&device.facts)) {
    negative = nic->rate_bits.value_or(0) < 0 || nic->vfs < 0;
    if (nic->vfs > domain::kVfsOfANicMax) {
      findings.error("too-many", to_text(device),
                     cat(nic->vfs, " VFs, at most ", domain::kVfsOfANicMax));
    }
  } else {
    negative = std::get<domain::NvmeFacts>(device.facts).capacity_bytes.value_or(0) < 0;
  }
  if (negative) findings.error("negative-amount", to_text(device), "an amount is below zero");
}

void devices(const Node& node, Findings& findings) {
  int counts[3] = {0, 0, 0};
  DeviceKind last = DeviceKind::kGpu;
  for (const Device& device : node.devices) {
    int& count = counts[static_cast<std::size_t>(device.kind())];
    if (device.kind() < last || device.ordinal != count) {
      findings.error("device-order", to_text(device),
                     "devices stand as GPUs, NICs, NVMes, each kind counted from 0");
    }
    last = device.kind();
    ++count;
    if (count == domain::kDevicesOfAKindMax + 1) {
      findings.error("too-many", cat(domain::to_text(device.kind())),
                     cat("more than ", domain::kDevicesOfAKindMax, " devices of a kind"));
    }
    if (device.place && static_cast<std::size_t>(*device.place) >= node.places.size()) {
      findings.error("no-such-place", to_text(device), "the device hangs under no place");
    }
    amounts(device, findings);
  }
}

// A bond has the address of one of the ports that it joins.
bool is_bond(const Device& device) {
  const auto* nic = std::get_if<domain::NicFacts>(&device.facts);
  return nic != nullptr && nic->bond;
}

void addresses(const Node& node, Findings& findings) {
  std::map<domain::PciAddress, const Device*> owner;
  for (const Device& device : node.devices) {
    if (!device.pci || is_bond(device)) continue;
    const auto [entry, fresh] = owner.try_emplace(*device.pci, &device);
    if (fresh) continue;
    findings.error("duplicate-pci-address", cat(to_text(*entry->second), " ", to_text(device)),
                   cat("both are at ", to_text(*device.pci)));
  }
}

void links(const Node& node, Findings& findings) {
  const auto absent = [&](domain::DeviceIndex index) {
    return static_cast<std::size_t>(index) >= node.devices.size();
  };
  if (node.matrix) {
    const auto& header = node.matrix->header;
    if (node.matrix->cells.size() != header.size() * header.size()) {
      findings.error("matrix-shape", node.name, "the matrix is not square");
    }
    auto sorted = header;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end() || std::ranges::any_of(header, absent)) {
      findings.error("matrix-header", node.name, "a device of the matrix is absent or repeated");
    }
  }
  for (std::size_t i = 0; i < node.nvlinks.size(); ++i) {
    const auto& fact = node.nvlinks[i];
    const auto no_gpu = [&](domain::DeviceIndex index) {
      return absent(index) ||
             node.devices[static_cast<std::size_t>(index)].kind() != DeviceKind::kGpu;
    };
    if (no_gpu(fact.from) || no_gpu(fact.to) || fact.from == fact.to) {
      findings.error("nvlink-end", node.name, "an NVLink joins two GPUs of the node");
    }
    const auto key = [](const domain::NvlinkFact& it) { return std::pair(it.from, it.to); };
    if (i > 0 && key(node.nvlinks[i - 1]) >= key(fact)) {
      findings.error("nvlink-order", node.name, "stated NVLinks are sorted, each pair once");
    }
  }
}

}  // namespace

void find_broken_invariants(const Node& node, Findings& findings) {
  numa_nodes(node, findings);
  places(node, findings);
  devices(node, findings);
  addresses(node, findings);
  links(node, findings);
}

}  // namespace tenon::topology
