// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// One request on one node, prepared for the search: who may be given at all, as bit masks and small
// tables.
//
// Constant after construction. Borrows state and request.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/allocation/cost.hpp"
#include "core/state/node_state.hpp"
#include "domain/request.hpp"

namespace tenon::allocation {

using topology::Mask;
using topology::Rank;

inline constexpr int kDevicesMax = domain::kDevicesOfAKindMax;
inline constexpr int kNumaMax = domain::kNumaNodesMax;
inline constexpr int kRanks = topology::kRankUnknown + 1;

[[nodiscard]] constexpr Mask bit(int index) { return Mask{1} << static_cast<unsigned>(index); }

/// The lowest set bit's index, taken out of the mask. REQUIRES: mask != 0.
[[nodiscard]] inline int pop_lowest(Mask& mask) {
  const int lowest = std::countr_zero(mask);
  mask &= mask - 1;
  return lowest;
}

/// All values of a cost in a row, in the order in which they count; unused ones are 0.
using CostVector = std::array<std::int64_t, 18>;

/// Where each level begins in a CostVector; kAbsent where the request has no such level.
struct Layout {
  static constexpr int kAbsent = -1;
  int pair = kAbsent;    // worst, sum, spare
  int gpus = kAbsent;    // nvlink worst, nvlink sum, pci worst, pci sum
  int numa = kAbsent;    // sum
  int memory = kAbsent;  // outside, nodes
  int nvme = kAbsent;    // worst, sum
  int nvlink_groups = kAbsent;
  int switches = kAbsent;
  int numa_nodes = kAbsent;
  int gpus_broken = kAbsent;
  int nics_broken = kAbsent;
  int core_nodes = kAbsent;
};

[[nodiscard]] Layout layout_of(const domain::Request& request);
[[nodiscard]] Cost cost_of(const CostVector& vector, const domain::Request& request);

/// Sets of intact groups that one device belongs to: bit i is the i-th group of its kind.
struct Memberships {
  Mask nvlink = 0;
  Mask switches = 0;
  Mask numa = 0;
  friend bool operator==(const Memberships&, const Memberships&) = default;
};

struct Problem {
  Problem(const state::NodeState& node_state, const domain::Request& asked);

  const state::NodeState& state;
  const topology::Shape& shape;
  const domain::Request& request;
  Layout layout;

  int gpu_units = 0;
  int nic_units = 0;
  int nvme_units = 0;

  Mask gpus = 0;  // candidates: each could serve one unit at least
  Mask nics = 0;
  Mask nvmes = 0;
  std::array<int, kDevicesMax> nic_capacity{};  // units that one NIC may give

  Mask gpus_free = 0;  // wholly free and not cordoned
  Mask nics_free = 0;
  std::array<Memberships, kDevicesMax> gpu_groups{};
  std::array<Memberships, kDevicesMax> nic_groups{};

  /// GPUs that may stand beside one, by gpus<= and nvlink=all.
  std::array<Mask, kDevicesMax> gpu_beside{};
  std::array<Mask, kDevicesMax> gpu_linked{};  // candidates with nvlinks > 0
  /// Candidates NICs of a GPU with at most that rank.
  std::array<std::array<Mask, kRanks>, kDevicesMax> nics_within{};

  [[nodiscard]] Rank gpu_gpu(int a, int b) const {
    return shape.gpu_gpu[cell(a, b, shape.gpus.size())];
  }
  [[nodiscard]] int nvlinks(int a, int b) const {
    return shape.gpu_gpu_nvlinks[cell(a, b, shape.gpus.size())];
  }
  [[nodiscard]] Rank gpu_nic(int gpu, int nic) const {
    return shape.gpu_nic[cell(gpu, nic, shape.nics.size())];
  }
  [[nodiscard]] Rank gpu_nvme(int gpu, int nvme) const {
    return shape.gpu_nvme[cell(gpu, nvme, shape.nvmes.size())];
  }

  /// Ranks of a NIC to GPUs that are candidates: bit g of the r-th mask is bit r of the rank to g.
  std::array<std::array<Mask, 3>, kDevicesMax> nic_ranks{};

  /// GPUs that may be swapped without any change of cost have the same class; the one before it in
  /// its class, or -1. A search takes the smallest of a class first.
  std::array<int, kDevicesMax> gpu_twin_before{};

  /// What one of the two can be given, as it is now, the other can be given too.
  [[nodiscard]] bool cards_are_alike(int a, int b) const;

 private:
  static std::size_t cell(int row, int column, std::size_t columns) {
    return static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column);
  }
  void find_gpus();
  void find_nics();
  void find_groups();
  void find_neighbours();
  void find_twins();
  [[nodiscard]] bool are_twins(int a, int b) const;
};

/// Why one GPU or NIC is no candidate, in the order in which it is asked.
enum class Usable : std::uint8_t { kYes, kCordoned, kModel, kMemory, kRole, kRate, kHeld };
[[nodiscard]] Usable gpu_usable(const Problem& problem, int gpu);
[[nodiscard]] Usable nic_usable(const Problem& problem, int nic);

/// The share of one GPU that a unit takes; nothing where the card's memory is not known but needed,
/// or smaller than the unit.
struct Share {
  std::int64_t milli = 0;
  std::int64_t bytes = 0;
};
[[nodiscard]] std::optional<Share> share_of(const domain::GpuFacts& facts, domain::GpuMode mode,
                                            std::int64_t amount);

}  // namespace tenon::allocation
