// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Work of one search, counted: the same question is cut at the same place on every machine.
#pragma once

#include <cstdint>

namespace tenon::allocation {

struct Work {
  std::int64_t steps_max = 0;
  std::int64_t steps = 0;
  bool cut = false;  // something was left out: nothing is proven any more

  /// False once the limit is crossed: leave, with what was found so far.
  bool spend(std::int64_t more = 1) {
    steps += more;
    if (steps > steps_max) cut = true;
    return !cut;
  }
};

}  // namespace tenon::allocation
