// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/fit/fit.hpp"

bool tree::fits(const Size& size) { return size.units < 10; }
