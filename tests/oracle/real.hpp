// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The captured machines of the shared data, as the readers give them.
#pragma once

#include <string>
#include <vector>

#include "domain/node.hpp"

namespace tenon::oracle {

struct RealNode {
  std::string file;  // below the shared data
  domain::Node node;
};

/// Every machine that some file under `topo` describes and that has a GPU or a NIC; sorted by file.
/// Empty where the shared data is absent.
[[nodiscard]] std::vector<RealNode> real_nodes();

}  // namespace tenon::oracle
