// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// How every JSON and YAML answer starts: the version of its form, and its kind.
//
// Within a version members are only added; docs/cli.md promises it.
#pragma once

#include <string_view>

#include "render/value.hpp"

namespace tenon::render {

inline constexpr const char* kApiVersion = "tenon.dev/cli/v1";

[[nodiscard]] inline Value envelope(std::string_view kind) {
  Value value = Value::object();
  value.add("apiVersion", kApiVersion).add("kind", kind);
  return value;
}

}  // namespace tenon::render
