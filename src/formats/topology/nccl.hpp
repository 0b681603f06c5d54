// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Topology files of NCCL and RCCL (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE).
//
// A `cpu` is a NUMA node; a `pci` of class 0604 is a whole switch; NVLink and xGMI are stated GPU by
// GPU. Which host bridge a switch hangs under is not in the file.
#pragma once

#include <span>
#include <string_view>

#include "base/result.hpp"
#include "formats/topology/reader.hpp"

namespace tenon::formats::topology {

/// Also true of an NCCL graph, which nccl_read refuses by name.
[[nodiscard]] bool nccl_recognises(std::string_view bytes);
[[nodiscard]] Result<Machines> nccl_read(std::span<const Source> sources);

}  // namespace tenon::formats::topology
