// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A decision as sentences, tables and values: first the answer, then the reason, then the evidence.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "render/table.hpp"
#include "render/value.hpp"
#include "views/placement_view.hpp"

namespace tenon::render {

enum class Explained : std::uint8_t { kNo, kYes };

/// `fix_command`: what to type for the fix, "" where no command alone would do it.
[[nodiscard]] std::string placement_text(const views::PlacementView& view, Explained explained,
                                         std::string_view fix_command, const TextStyle& style);

/// One row for each node of the cluster.
[[nodiscard]] Table placement_table(const views::PlacementView& view);

[[nodiscard]] Value placement_value(const views::PlacementView& view, std::string_view fix_command);

}  // namespace tenon::render
