// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#pragma once

namespace tree {
int grow(int n);
}
