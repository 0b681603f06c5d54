// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// CPUs that NUMA nodes claim, and what is left where two claim the same one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "domain/cpu_set.hpp"

namespace tenon::formats::topology {

using CpuClaims = std::map<int, domain::CpuSet>;  // by os_index

/// A CPU that two nodes claim is of neither: which one lies is not known. One sentence for each
/// pair of nodes that had CPUs in common.
[[nodiscard]] std::vector<std::string> drop_contested(CpuClaims& claims);

}  // namespace tenon::formats::topology
