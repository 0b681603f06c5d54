// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// ResourceSlices of Kubernetes DRA drivers, YAML or JSON: `kubectl get resourceslices -o yaml`.
//
// Slices of one node are joined, whoever wrote them and in whatever file they stand. Two devices of
// one PCIe root are under one host bridge; no more of the tree is known.
#pragma once

#include <span>
#include <string_view>

#include "base/result.hpp"
#include "formats/topology/reader.hpp"

namespace tenon::formats::topology {

[[nodiscard]] bool dra_recognises(std::string_view bytes);
[[nodiscard]] Result<Machines> dra_read(std::span<const Source> sources);

}  // namespace tenon::formats::topology
