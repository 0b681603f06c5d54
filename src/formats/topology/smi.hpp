// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// `nvidia-smi topo -m` (or -mp): a matrix of words, CPU and NUMA affinity of each GPU, a legend.
//
// As printed, as pasted (colours, blanks for tabs, prose around it), and with gaps.
#pragma once

#include <span>
#include <string_view>

#include "base/result.hpp"
#include "formats/topology/reader.hpp"

namespace tenon::formats::topology {

[[nodiscard]] bool smi_recognises(std::string_view bytes);
[[nodiscard]] Result<Machines> smi_read(std::span<const Source> sources);

}  // namespace tenon::formats::topology
