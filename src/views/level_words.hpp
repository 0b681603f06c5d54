// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A level of the cost of an allocation in plain words.
#pragma once

#include <string>

#include "core/allocation/cost.hpp"

namespace tenon::views {

/// "worst GPU-NIC distance PIX"; "" where the level had nothing to compare.
[[nodiscard]] std::string level_words(const allocation::Level& level);

}  // namespace tenon::views
