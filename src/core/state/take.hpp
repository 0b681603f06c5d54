// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Taking one grant from one device, and giving it back (docs/invariants.md I21, I22, I35).
#pragma once

#include <optional>
#include <string>

#include "core/state/node_state.hpp"
#include "domain/allocation.hpp"

namespace tenon::state {

/// Nothing where it was taken; else what stands in the way ("is held whole"). The device may then
/// be half changed: the caller throws it away.
[[nodiscard]] std::optional<std::string> take(GpuState& gpu, const domain::GpuFacts& facts,
                                              const domain::Grant& grant);
[[nodiscard]] std::optional<std::string> take(NicState& nic, const domain::NicFacts& facts,
                                              const domain::Grant& grant);
[[nodiscard]] std::optional<std::string> take(NvmeState& nvme, const domain::Grant& grant);

/// REQUIRES: the grant was taken and not given back since.
void give_back(GpuState& gpu, const domain::GpuFacts& facts, const domain::Grant& grant);
void give_back(NicState& nic, const domain::NicFacts& facts, const domain::Grant& grant);

}  // namespace tenon::state
