// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// For fuzz targets of readers: what holds for every input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "base/text.hpp"
#include "core/topology/check.hpp"
#include "formats/topology/reader.hpp"

namespace tenon::formats::topology::fuzzing {

/// Any bytes give an Error that says something, or nodes without a broken invariant; and the same
/// again when asked again.
inline void read_any(std::string_view format, const std::uint8_t* data, std::size_t size) {
  const Source source{"fuzz", std::string{reinterpret_cast<const char*>(data), size}};
  const auto machines = read({&source, 1}, format);
  if (!machines) {
    check(!machines.error().what.empty(), "an error says what");
    return;
  }
  for (const domain::Node& node : machines->cluster.nodes) {
    for (const auto& finding : tenon::topology::check_node(node)) {
      check(finding.severity != tenon::topology::Severity::kError,
            text::cat(finding.code, " ", finding.subject, ": ", finding.text));
    }
  }
  const auto again = read({&source, 1}, format);
  check(again && again->cluster == machines->cluster && again->warnings == machines->warnings,
        "reading is repeatable");
}

}  // namespace tenon::formats::topology::fuzzing
