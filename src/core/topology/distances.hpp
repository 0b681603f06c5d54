// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What is near what on one node: one answer for each pair of devices, from all that was seen.
//
// Invariants (docs/invariants.md I10 … I14)
//   (1) pci(a, b) == pci(b, a) and nvlinks(a, b) == nvlinks(b, a): of two directions the weaker,
//       of matrix and tree the weaker; a cell that nobody saw takes its mirror.
//   (2) pci is nothing where no source says it: a matrix cell NVn says nothing of PCI.
//   (3) as_read(a, b) is what the matrix says; without a matrix, what (1) gives.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "domain/node.hpp"

namespace tenon::topology {

class Distances {
 public:
  /// REQUIRES: domain/node.hpp invariants. Cost: O(devices squared x depth of the tree).
  explicit Distances(const domain::Node& node);

  [[nodiscard]] std::optional<domain::Distance> pci(domain::DeviceIndex a,
                                                    domain::DeviceIndex b) const;
  [[nodiscard]] int nvlinks(domain::DeviceIndex a, domain::DeviceIndex b) const;
  [[nodiscard]] domain::Link as_read(domain::DeviceIndex row, domain::DeviceIndex column) const;

 private:
  struct Cell {
    std::optional<domain::Distance> pci;
    std::uint8_t nvlinks = 0;
    domain::Link read;
  };
  [[nodiscard]] const Cell& at(domain::DeviceIndex row, domain::DeviceIndex column) const;

  std::size_t size_;
  std::vector<Cell> cells_;
};

/// os_index of each NUMA node that the device is near to: what it says itself, else what the top
/// of its place says, else the only NUMA node of a machine that has one; else empty: not known.
[[nodiscard]] std::vector<int> numa_of(const domain::Node& node, domain::DeviceIndex device);

}  // namespace tenon::topology
