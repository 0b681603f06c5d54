// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The shape of a node: all that placement asks of its hardware, as dense integers. Two nodes of one
// build have equal shapes; who holds what is not part of it (core/state).
//
// Bits and indices: devices of a kind by ordinal, NUMA nodes by their position in Node::numa.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "domain/node.hpp"
#include "domain/request.hpp"

namespace tenon::topology {

/// A Distance as a number, or kRankUnknown: worse than any (docs/invariants.md I50).
using Rank = std::uint8_t;
inline constexpr Rank kRankUnknown = 6;

/// Bit i stands for the device with ordinal i, or the NUMA node at position i.
using Mask = std::uint64_t;

/// Devices that are worth more together (docs/invariants.md I14).
struct Group {
  Mask gpus = 0;
  Mask nics = 0;
  friend bool operator==(const Group&, const Group&) = default;
};

struct Shape {
  std::string arch;
  std::vector<domain::GpuFacts> gpus;    // by ordinal
  std::vector<domain::NicFacts> nics;    // by ordinal
  std::vector<domain::NvmeFacts> nvmes;  // by ordinal

  // Flattened tables, row by row; a square one has its kind's count as its side.
  std::vector<Rank> gpu_gpu;
  std::vector<std::uint8_t> gpu_gpu_nvlinks;
  std::vector<Rank> gpu_nic;   // row: GPU
  std::vector<Rank> gpu_nvme;  // row: GPU
  std::vector<Rank> nic_nic;

  std::vector<Mask> gpu_numa;  // 0: not known
  std::vector<Mask> nic_numa;
  std::vector<Mask> nvme_numa;

  struct Numa {
    int os_index = 0;
    int socket = 0;  // position among the node's sockets; a socket of its own where not known
    domain::CpuSet cpus;
    std::vector<domain::Core> cores;  // sorted by first thread; empty where siblings are not known
    bool cores_known = false;
    std::int64_t memory_bytes = -1;  // -1: not known
    friend bool operator==(const Numa&, const Numa&) = default;
  };
  std::vector<Numa> numa;

  std::vector<Group> nvlink_groups;  // each sorted by its smallest GPU
  std::vector<Group> switch_groups;
  std::vector<Group> numa_groups;  // of NUMA nodes with at least one GPU, by position

  friend bool operator==(const Shape&, const Shape&) = default;
};

[[nodiscard]] Shape shape_of(const domain::Node& node);

}  // namespace tenon::topology
