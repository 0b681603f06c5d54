// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What stands inside what in a drawing of a node: text and picture are drawn from this one tree.
//
// Where a source shows no PCI tree (a matrix), the tree is what its distances say: devices within one
// switch of each other stand in one box, those within several in a box around it. A device whose NUMA
// node nobody saw stands with a device that is at most NODE away, for that is what NODE means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "views/topology_view.hpp"

namespace tenon::render {

struct Box {
  enum class Kind : std::uint8_t { kNuma, kPlace, kNear, kDevice };
  Kind kind = Kind::kNuma;
  std::string name;                // "numa0", "sw1", "gpu3"; of kNear the distance: "PIX"
  std::string pci;                 // of a place, where known
  std::optional<std::size_t> row;  // into TopologyView::devices or ::numa
  std::vector<Box> children;
  friend bool operator==(const Box&, const Box&) = default;
};

/// The NUMA boxes of a node, in its order; one without a row holds what has no known NUMA node.
[[nodiscard]] std::vector<Box> layout_of(const views::TopologyView& view);

/// "one switch", "several switches" …: what a distance is in a PCI tree.
[[nodiscard]] std::string_view meaning_of(std::string_view distance);

/// The square in the order and by the names of the devices ("gpu0"), as they stand in a drawing.
[[nodiscard]] views::DistancesView square_by_device(const views::TopologyView& view);

/// NVLinks in words, a line for each group of GPUs: "gpu0 gpu1 gpu2 gpu3: NV4 between every two".
[[nodiscard]] std::vector<std::string> nvlink_lines(const views::TopologyView& view);

}  // namespace tenon::render
