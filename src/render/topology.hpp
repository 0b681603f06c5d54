// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A node's topology as tables and values; its picture is topology_svg.hpp's.
#pragma once

#include <string>
#include <vector>

#include "core/topology/check.hpp"
#include "render/table.hpp"
#include "render/value.hpp"
#include "views/topology_view.hpp"

namespace tenon::render {

/// The machine as a tree: one row for the node, each NUMA node, switch and device.
[[nodiscard]] Table topology_tree(const views::TopologyView& view, Charset charset);

/// One row for each device, of all nodes: for CSV and names ("a1/gpu0").
[[nodiscard]] Table device_table(const std::vector<views::TopologyView>& views);

[[nodiscard]] Value topology_value(const views::TopologyView& view);

struct NodeDistances {
  std::string node;
  views::DistancesView distances;
};

/// The square; its first column names the row.
[[nodiscard]] Table distances_table(const views::DistancesView& view);

/// One row for each ordered pair of two devices, of all nodes: squares of several nodes have no
/// columns in common.
[[nodiscard]] Table distances_list(const std::vector<NodeDistances>& all);

/// {"GPU0":{"GPU1":"NV12"}}: without the device itself; null where nobody saw it.
[[nodiscard]] Value distances_value(const views::DistancesView& view);

struct NodeFindings {
  std::string node;
  std::vector<topology::Finding> findings;
};
[[nodiscard]] Table findings_table(const std::vector<NodeFindings>& all);
[[nodiscard]] Value findings_value(const NodeFindings& findings);

}  // namespace tenon::render
