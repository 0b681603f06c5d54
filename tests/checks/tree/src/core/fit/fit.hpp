// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#pragma once

#include "domain/size.hpp"

namespace tree {
bool fits(const Size& size);
}
