// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#pragma once

#include "domain/size.hpp"

namespace tree {
inline int twice(const Size& size) { return 2 * size.units; }
void print(const Size& size);
}  // namespace tree
