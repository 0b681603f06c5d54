// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The drawing of one node: NUMA nodes at the top, then places, devices as leaves.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/node.hpp"

namespace tenon::views {

struct TreeItem {
  enum class Kind : std::uint8_t { kNuma, kPlace, kDevice };
  Kind kind = Kind::kNuma;
  std::string name;  // "numa0", "sw1", "gpu3"; "numa?" holds what has no known NUMA node
  std::string pci;   // of a place, where known
  std::optional<std::size_t> row;  // of a device: in Node::devices; of a NUMA node: in Node::numa
  std::vector<TreeItem> children;
  friend bool operator==(const TreeItem&, const TreeItem&) = default;
};

/// Every NUMA node and every device once, siblings by their smallest device. Implied bridges and
/// places without a device are left out.
[[nodiscard]] std::vector<TreeItem> tree_view(const domain::Node& node);

}  // namespace tenon::views
