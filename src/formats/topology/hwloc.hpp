// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// XML exports of hwloc (lstopo FILE.xml), versions 1, 2 and 3.
//
// The only text format that knows cores, memory and host bridges. A bridge says nothing of being a
// switch's up port or down port; that follows from its depth.
#pragma once

#include <span>
#include <string_view>

#include "base/result.hpp"
#include "formats/topology/reader.hpp"

namespace tenon::formats::topology {

[[nodiscard]] bool hwloc_recognises(std::string_view bytes);
[[nodiscard]] Result<Machines> hwloc_read(std::span<const Source> sources);

}  // namespace tenon::formats::topology
