// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What the notation does not carry over, found by reading it back: nothing is lost unseen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/notation/notation.hpp"

namespace tenon::cli {

/// True if a reader's warning is of something that it did not take over: by docs/topology.md such a warning says
/// "left out".
[[nodiscard]] bool tells_of_loss(std::string_view warning);

/// A sentence for each fact that `text`, the document's notation, does not give back.
[[nodiscard]] std::vector<std::string> losses_of(const notation::Document& document,
                                                 std::string_view text);

}  // namespace tenon::cli
