// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What a usual allocator would give: GPUs by the smallest id, then for each the nearest NIC, then
// drives, cores and memory. It never takes a choice back.
//
// Only a yardstick: how many requests it refuses, or serves worse, that have a better answer.
#pragma once

#include <optional>

#include "domain/allocation.hpp"
#include "domain/request.hpp"
#include "oracle/situation.hpp"

namespace tenon::oracle {

/// Nothing where it finds none; what it finds may break clauses of the request.
[[nodiscard]] std::optional<domain::Allocation> greedy(const Situation& s,
                                                       const domain::Request& request);

}  // namespace tenon::oracle
