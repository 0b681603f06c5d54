// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A choice of devices while it grows, and what it costs at least however it is completed.
//
// Private to the search.
#pragma once

#include <array>
#include <cstdint>

#include "core/allocation/cores_memory.hpp"
#include "core/allocation/packing.hpp"
#include "core/allocation/problem.hpp"

namespace tenon::allocation {

/// What the granted devices say of NUMA nodes, counted one device at a time.
class Affinities {
 public:
  void add(Mask numa);
  [[nodiscard]] CoresMemory::Devices devices() const;
  [[nodiscard]] Mask common() const { return common_; }

 private:
  std::array<std::uint8_t, kNumaMax> near_count_{};
  std::uint8_t known_ = 0;
  int count_ = 0;
  Mask near_ = 0;
  Mask common_ = ~Mask{0};
};

/// The devices of a choice, as the ids of docs/invariants.md I51 see them.
struct DeviceChoice {
  Mask gpus = 0;
  UnitCards unit_cards{};
  std::array<std::uint8_t, kDevicesMax> nic_units{};  // units of each NIC
  Mask nvmes = 0;
};

struct Partial {
  CostVector floor{};  // no completion costs less
  DeviceChoice chosen;
  Affinities affinities;
  Memberships broken;  // intact groups that are not any more
};

/// Of two sets of equal size the one whose ascending members are the smaller sequence: -1, 0, 1.
[[nodiscard]] int compare_sets(Mask a, Mask b);
/// The same of NIC units with repeats, looking only at NICs below `end`.
[[nodiscard]] int compare_units(const DeviceChoice& a, const DeviceChoice& b, int end);
[[nodiscard]] int compare_cards(const DeviceChoice& a, const DeviceChoice& b, int units);

}  // namespace tenon::allocation
