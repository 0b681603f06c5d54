// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The devices of one node's ResourceSlices as a node.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "domain/node.hpp"
#include "formats/topology/dra_slice.hpp"

namespace tenon::formats::topology {

/// REQUIRES: `slices` are all of the node `name`, of the newest generation of their pools.
[[nodiscard]] Result<domain::Node> node_of_slices(const std::string& name,
                                                  const std::vector<const DraSlice*>& slices,
                                                  std::vector<std::string>& warnings);

}  // namespace tenon::formats::topology
