// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The square of distances as a picture: the nearer, the darker, with the word in each cell.
#pragma once

#include <string>

#include "views/distances_view.hpp"

namespace tenon::render {

struct Square {
  std::string body;  // elements; classes are topology_svg's
  int width = 0;
  int height = 0;  // 0 where there is nothing to compare
};

[[nodiscard]] Square distances_square(const views::DistancesView& view, int x, int y);

}  // namespace tenon::render
