// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// NVLinks from the matrices of bandwidth in an hwloc file.
#pragma once

#include <map>
#include <string>

#include "base/result.hpp"
#include "formats/topology/hwloc_file.hpp"
#include "formats/topology/node_builder.hpp"

namespace tenon::formats::topology {

/// `gpus`: by the names that the matrices use, "OSDev:802". What such a matrix says of CPUs is left
/// out; through switches that it names, two GPUs have the links of the one that has fewer.
Result<void> hwloc_read_links(const HwlocFile& file,
                              const std::map<std::string, NodeBuilder::Handle>& gpus,
                              NodeBuilder& builder);

}  // namespace tenon::formats::topology
