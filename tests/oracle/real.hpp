// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The captured machines of the shared data, as the readers give them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/node.hpp"

namespace tenon::oracle {

struct RealNode {
  std::string_view source;  // the folder below topo/: one for each kind of capture
  std::string file;         // below the source; empty where all files of the source are read as one
  domain::Node node;
};

/// Every machine that some file of the five sources describes and that has a device; by source, then
/// by file. Empty where the shared data is absent.
[[nodiscard]] std::vector<RealNode> real_nodes();

/// How many of each source: "80 captured machines (nvidia-smi-topo 21, …)".
[[nodiscard]] std::string to_text(const std::vector<RealNode>& nodes);

/// Their nodes alone, in the same order.
[[nodiscard]] std::vector<domain::Node> nodes_of(const std::vector<RealNode>& nodes);

}  // namespace tenon::oracle
