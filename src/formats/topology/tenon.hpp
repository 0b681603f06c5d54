// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Our own notation as a source of machines and holders (docs/notation.md).
//
// The only reader that gives holders. Requests and expected plans of a text are no machines: they are
// left out, with a warning.
#pragma once

#include <span>
#include <string_view>

#include "formats/topology/reader.hpp"

namespace tenon::formats::topology {

/// True where the first word that is not a comment opens a statement of the notation.
[[nodiscard]] bool tenon_recognises(std::string_view bytes);

/// Texts are read one after the other, into one cluster.
[[nodiscard]] Result<Machines> tenon_read(std::span<const Source> sources);

}  // namespace tenon::formats::topology
