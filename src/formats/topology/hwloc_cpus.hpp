// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// CPUs, cores, packages and memory of an hwloc tree.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/result.hpp"
#include "domain/cpu_set.hpp"
#include "formats/topology/hwloc_file.hpp"
#include "formats/topology/node_builder.hpp"

namespace tenon::formats::topology {

class HwlocCpus {
 public:
  explicit HwlocCpus(const HwlocFile& file) : file_(file) {}

  /// Collects everything below `machine` that is no I/O.
  Result<void> collect(pugi::xml_node machine);

  /// Writes the NUMA nodes. REQUIRES: collect succeeded, once.
  void settle(NodeBuilder& builder);

  /// The NUMA nodes of an object that I/O hangs under: those of its nodeset that have CPUs. Empty
  /// where these are all nodes of a machine with several: nothing is said then.
  /// REQUIRES: settle.
  [[nodiscard]] Result<std::vector<int>> near(pugi::xml_node object) const;

 private:
  struct Numa {
    int os_index = 0;
    domain::CpuSet reach;  // hwloc's cpuset: whose memory it is, not only whose own CPUs these are
    std::optional<std::int64_t> memory_bytes;
  };
  struct Cpu {
    domain::CpuId id;
    std::optional<int> package;
    std::size_t core;  // kNoCore where no core is above it
  };
  static constexpr std::size_t kNoCore = static_cast<std::size_t>(-1);

  Result<void> visit(pugi::xml_node object, std::optional<int> package, std::size_t core);
  Result<void> take_numa(pugi::xml_node object);
  Result<void> take_cpu(pugi::xml_node object, std::optional<int> package, std::size_t core);
  void drop_disallowed();
  void give_cpus_to_nodes();
  void write(const Numa& numa, NodeBuilder& builder) const;

  const HwlocFile& file_;
  pugi::xml_node machine_;
  std::vector<Numa> nodes_;
  std::vector<Cpu> cpus_;  // ascending after collect
  std::size_t cores_ = 0;
  std::set<int> gpu_memory_;  // NUMA nodes that are not the host's
  std::optional<domain::CpuSet> allowed_cpus_;
  std::optional<domain::CpuSet> allowed_nodes_;
  std::map<int, domain::CpuSet> owned_;  // by os_index: the CPUs of each node
};

}  // namespace tenon::formats::topology
