// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// How far apart the GPUs and NICs of one node are: a square of words.
#pragma once

#include <string>
#include <vector>

#include "domain/node.hpp"

namespace tenon::views {

struct DistancesView {
  /// As in the header row of a matrix that was read, else GPUn and NICn, counted by PCI address.
  std::vector<std::string> names;
  std::vector<domain::DeviceIndex> devices;  // parallel to names
  /// Row by row: "X", "PIX" … "SYS", "NV12"; "" where nobody saw it. As read, both directions.
  std::vector<std::string> cells;

  [[nodiscard]] const std::string& at(std::size_t row, std::size_t column) const {
    return cells[row * names.size() + column];
  }
  friend bool operator==(const DistancesView&, const DistancesView&) = default;
};

[[nodiscard]] DistancesView distances_view(const domain::Node& node);

}  // namespace tenon::views
