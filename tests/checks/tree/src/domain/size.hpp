// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#pragma once

#include "base/grow.hpp"

namespace tree {
struct Size {
  int units = grow(0);
};
}  // namespace tree
