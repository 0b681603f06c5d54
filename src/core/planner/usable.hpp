// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Counting, before any search: which devices a request could use, and how many it lacks. Private to
// this folder.
//
// Lower bounds only: what is said to be lacking is lacking, whatever else the request wants.
#pragma once

#include <cstdint>

#include "core/state/node_state.hpp"
#include "domain/request.hpp"

namespace tenon::planner {

[[nodiscard]] bool asks_for(const domain::Request& request, domain::DeviceKind kind);

/// Nobody has any part of it and it is not cordoned.
[[nodiscard]] bool wholly_free(const state::NodeState& state, domain::DeviceIndex device);

/// The device could be given to the request if it were wholly free (I32, I33).
[[nodiscard]] bool qualifies(const topology::Shape& shape, const domain::Request& request,
                             domain::DeviceKind kind, int ordinal);

/// How many more wholly free devices of the kind the request needs at the least. 0 where shares,
/// partitions or VFs are asked for: they may lie on what is partly taken.
[[nodiscard]] std::int64_t lacking(const state::NodeState& state, const domain::Request& request,
                                   domain::DeviceKind kind);

}  // namespace tenon::planner
