// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// One check in progress: what is looked at, and what was found. Private to core/checker.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/checker/checker.hpp"
#include "core/topology/shape.hpp"

namespace tenon::checker {

/// Grants of one device, with its kind and ordinal in the state.
struct OnDevice {
  domain::DeviceKind kind{};
  int ordinal = 0;
  std::vector<domain::Grant> grants;
};

struct Audit {
  const state::NodeState& before;
  const domain::Request& request;
  const domain::Allocation& allocation;
  std::vector<OnDevice> devices;  // each granted device once, by device index
  std::vector<Violation> found;

  void report(std::string_view invariant, std::string evidence) {
    found.push_back({std::string{invariant}, std::move(evidence)});
  }
  [[nodiscard]] const topology::Shape& shape() const { return *before.shape; }
};

/// "gpu2".
[[nodiscard]] std::string name_of(domain::DeviceKind kind, int ordinal);

/// Granted devices of a kind, each once, ascending.
[[nodiscard]] std::vector<int> granted(const Audit& audit, domain::DeviceKind kind);
/// NIC ordinals, one for each unit.
[[nodiscard]] std::vector<int> nic_units(const Audit& audit);
/// NUMA nodes (positions) of each granted device; 0 where not known.
[[nodiscard]] std::vector<topology::Mask> numa_of_devices(const Audit& audit);

/// I48: what contradicts itself in the request.
void check_request(Audit& audit);
/// I30, I32 … I35, I22, I52 of the devices.
void check_devices(Audit& audit);
/// I36 … I38.
void check_nearness(Audit& audit);

/// A MIG profile's compute slices and memory slices on a dynamic card, or {0, 0} where the card cannot be
/// cut so; and the first memory slices that are allowed.
struct Cut {
  int compute = 0;
  int memory = 0;
  std::vector<int> starts;
};
[[nodiscard]] Cut cut_of(std::string_view profile, const domain::GpuFacts& card);
/// The compute slices in a well-formed profile; 0 where it is none.
[[nodiscard]] int compute_slices(std::string_view profile);

}  // namespace tenon::checker
