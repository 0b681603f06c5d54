// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What is shown of one node: its NUMA nodes, its tree of places, one row for each device, and what
// is odd about it. Every output form draws from this one value.
//
// Words are ready to show; a fact that nobody saw is an empty text or std::nullopt, and how that
// looks ("-", "unknown", null) is the renderer's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/topology/check.hpp"
#include "domain/cluster.hpp"
#include "views/distances_view.hpp"
#include "views/tree_view.hpp"

namespace tenon::views {

struct NumaView {
  int os_index = 0;
  std::optional<int> socket;
  std::string cpus;  // "0-15,96-111"
  int cpu_count = 0;
  std::optional<int> cores;  // nothing: nobody saw which CPUs are siblings
  std::optional<int> cores_free;
  std::string cpus_free;  // not pinned
  std::optional<std::int64_t> memory_bytes;
  std::optional<std::int64_t> memory_bytes_free;
  std::vector<std::string> devices;  // near it: "gpu0", "nic1"
  friend bool operator==(const NumaView&, const NumaView&) = default;
};

/// The nearest device of the other kind: the NIC of a GPU, the GPU of a NIC or NVMe.
struct NearView {
  std::string device;  // "nic0"; the smallest ordinal among equally near ones; "" if there is none
  std::string distance;  // "PIX"; "" where not known
  friend bool operator==(const NearView&, const NearView&) = default;
};

struct DeviceView {
  std::string name;  // "gpu0"
  domain::DeviceKind kind = domain::DeviceKind::kGpu;
  std::string label;  // the source's own name
  std::string id;
  std::string pci;
  std::vector<int> numa;
  std::string model;
  std::optional<std::int64_t> memory_bytes;    // of a GPU
  std::optional<std::int64_t> capacity_bytes;  // of an NVMe
  std::optional<std::int64_t> rate_bits;       // of a NIC
  std::string role;                            // of a NIC: "compute", "storage"
  std::optional<bool> rdma;                    // of a NIC
  bool bond = false;
  int vfs = 0;
  std::string mig;    // of a GPU: "" (off), "dynamic", or its partitions "1g.10gb*2,3g.40gb"
  std::string state;  // "free", "taken", "shared", "partitioned", "cordoned"
  std::string left;   // of what is partly taken: "0.5", "300G", "6 VFs", "2 partitions"
  std::vector<std::string> holders;  // sorted
  std::string cordoned;              // the administrator's reason
  NearView near;
  friend bool operator==(const DeviceView&, const DeviceView&) = default;
};

struct TopologyView {
  std::string node;
  std::string arch;
  std::string cordoned;
  int cpu_count = 0;
  std::optional<std::int64_t> memory_bytes;  // nothing unless every NUMA node with CPUs says it
  std::vector<NumaView> numa;
  std::vector<DeviceView> devices;  // as in domain::Node
  std::vector<TreeItem> tree;
  DistancesView distances;
  std::vector<topology::Finding> findings;
  friend bool operator==(const TopologyView&, const TopologyView&) = default;
};

/// `holders`: those of other nodes are passed over. An Error where two hold the same.
[[nodiscard]] Result<TopologyView> topology_view(const domain::Node& node,
                                                 const std::vector<domain::Holder>& holders);

}  // namespace tenon::views
