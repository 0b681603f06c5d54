// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/print/print.hpp"

#include <cstdio>

void tree::print(const Size& size) { std::printf("%d\n", size.units); }
