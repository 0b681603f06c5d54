// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What is free on one node: its shape, less what holders have.
//
// Invariants (docs/invariants.md I20 … I24)
//   (1) Free amounts are never negative; apply and release of one allocation restore the value,
//       byte for byte.
//   (2) A GPU is given whole, in shares, or in MIG partitions, never two ways at a time; a NIC whole,
//       by bandwidth, or by VF likewise.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "core/topology/mig.hpp"
#include "core/topology/shape.hpp"
#include "domain/cluster.hpp"

namespace tenon::state {

/// kMig: by partitions, of a card in MIG mode. A card that nobody has is kFree, in MIG mode too.
enum class GpuUse : std::uint8_t { kFree, kWhole, kShared, kMig };
enum class NicUse : std::uint8_t { kFree, kWhole, kBandwidth, kVf };

struct GpuState {
  GpuUse use = GpuUse::kFree;
  bool cordoned = false;
  std::int64_t milli_free = domain::kMilliOfAWhole;
  std::int64_t bytes_free = -1;  // -1: the card's memory is not known
  std::vector<int> slots_taken;  // ascending: of shares, of partitions (fixed), memory slices
                                 // covered (dynamic)
  int compute_slices_free = topology::kMigComputeSlices;  // of MigMode::kDynamic
  friend bool operator==(const GpuState&, const GpuState&) = default;
};

struct NicState {
  NicUse use = NicUse::kFree;
  bool cordoned = false;
  std::int64_t bits_free = -1;  // -1: the rate is not known
  std::vector<int> vfs_taken;   // ascending
  friend bool operator==(const NicState&, const NicState&) = default;
};

struct NvmeState {
  bool taken = false;
  bool cordoned = false;
  friend bool operator==(const NvmeState&, const NvmeState&) = default;
};

struct NumaState {
  /// Positions in Shape::Numa::cores of the cores with no thread held, ascending.
  std::vector<int> cores_free;
  std::int64_t memory_free = -1;  // -1: not known
  friend bool operator==(const NumaState&, const NumaState&) = default;
};

struct NodeState {
  bool cordoned = false;
  std::shared_ptr<const topology::Shape> shape;
  std::vector<GpuState> gpus;
  std::vector<NicState> nics;
  std::vector<NvmeState> nvmes;
  std::vector<NumaState> numa;  // by position, as in the shape
  domain::CpuSet cpus_pinned;
  std::int64_t cpu_milli_free = 0;  // all CPUs, less pinned, less counted

  /// Equal shape values, not equal pointers.
  friend bool operator==(const NodeState& a, const NodeState& b);
};

/// The node with nobody on it.
[[nodiscard]] NodeState empty_state(const domain::Node& node,
                                    std::shared_ptr<const topology::Shape> shape);

/// Takes an allocation. An Error names what is not free or not there; then `state` is unchanged.
[[nodiscard]] Result<void> apply(NodeState& state, const domain::Allocation& allocation);

/// Gives back what apply() took. REQUIRES: apply(state, allocation) was the way here, or a
/// later apply of others.
void release(NodeState& state, const domain::Allocation& allocation);

/// The node with those of `holders` on it that name it. An Error names holder and device.
[[nodiscard]] Result<NodeState> state_of(const domain::Node& node,
                                         const std::vector<domain::Holder>& holders);

/// Bytes that two states of equal shape share if, and only if, they are equal: to look answers up by.
void append_key(std::string& bytes, const NodeState& state);

/// DeviceIndex of `Node::devices` from kind and ordinal, given invariant (1) of domain/node.hpp.
[[nodiscard]] domain::DeviceIndex index_of(const topology::Shape& shape, domain::DeviceKind kind,
                                           int ordinal);
[[nodiscard]] std::pair<domain::DeviceKind, int> kind_and_ordinal(const topology::Shape& shape,
                                                                  domain::DeviceIndex device);

}  // namespace tenon::state
