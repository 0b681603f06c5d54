// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What is near what, read from a node a second time: I10 … I14 as naively as they are written.
//
// Shares no code with core/topology, which it judges. Slow on purpose: every question walks the tree
// again.
#pragma once

#include <optional>
#include <vector>

#include "domain/node.hpp"

namespace tenon::oracle {

/// os_index of each NUMA node that the device is near to, ascending; empty: not known (I13).
[[nodiscard]] std::vector<int> near_numa(const domain::Node& node, domain::DeviceIndex device);

/// I10: from places alone.
[[nodiscard]] std::optional<domain::Distance> tree_distance(const domain::Node& node,
                                                            domain::DeviceIndex a,
                                                            domain::DeviceIndex b);

/// I11: from places and matrix.
[[nodiscard]] std::optional<domain::Distance> pci_distance(const domain::Node& node,
                                                           domain::DeviceIndex a,
                                                           domain::DeviceIndex b);
[[nodiscard]] int nvlink_count(const domain::Node& node, domain::DeviceIndex a,
                               domain::DeviceIndex b);

/// I14, each group ascending, groups sorted.
using Groups = std::vector<std::vector<domain::DeviceIndex>>;
[[nodiscard]] Groups nvlink_groups(const domain::Node& node);
[[nodiscard]] Groups switch_groups(const domain::Node& node);
[[nodiscard]] Groups numa_groups(const domain::Node& node);

}  // namespace tenon::oracle
