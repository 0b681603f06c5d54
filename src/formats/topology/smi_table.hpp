// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The text of `nvidia-smi topo -m` as a table: names, cells, affinities, legend; nothing judged yet.
//
// Invariants: `devices` are distinct; `cells` is square, row by row, X on its diagonal and nowhere
// else; `facts` and `legend` have one entry for each device.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "domain/cpu_set.hpp"
#include "domain/node.hpp"
#include "formats/topology/reader.hpp"

namespace tenon::formats::topology {

/// What stands behind the cells of a row.
struct SmiFacts {
  std::optional<domain::CpuSet> cpus;
  std::vector<int> numa;        // ascending
  std::optional<int> gpu_numa;  // the node that is the GPU's own memory
  std::size_t line = 0;         // of the row; 0 where there is none
};

struct SmiTable {
  std::vector<std::string> devices;  // header order, then devices that have a row only
  std::vector<domain::Link> cells;
  std::vector<SmiFacts> facts;
  std::vector<std::string> legend;  // "mlx5_3"; "" where the legend does not name the device
  std::vector<std::string> warnings;

  [[nodiscard]] domain::Link& cell(std::size_t row, std::size_t column) {
    return cells[row * devices.size() + column];
  }
  [[nodiscard]] const domain::Link& cell(std::size_t row, std::size_t column) const {
    return cells[row * devices.size() + column];
  }
};

/// True if a header line is there with a row under it.
[[nodiscard]] bool has_smi_table(std::string_view text);

[[nodiscard]] Result<SmiTable> parse_smi_table(std::string_view text, std::string_view name);

}  // namespace tenon::formats::topology
