// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A picture of machines: what stands near stands together, and each device says who has it.
//
// Invariants
//   (1) One self-contained SVG 1.1 document; equal views give equal bytes.
//   (2) Colour only repeats what a word or a shape says; light and dark by the viewer's preference.
//   (3) Texts of the input are escaped and cut to their box; the whole text is in the element's title.
#pragma once

#include <string>
#include <vector>

#include "views/topology_view.hpp"

namespace tenon::render {

[[nodiscard]] std::string topology_svg(const std::vector<views::TopologyView>& views);

}  // namespace tenon::render
