// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/fit/fit.hpp"
#include "shell/print/print.hpp"

int main() {
  const tree::Size size;
  tree::print(size);
  return tree::fits(size) ? 0 : 1;
}
