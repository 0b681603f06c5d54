// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// check(): an invariant of this program. On in production too; a broken one is a bug, never an
// answer and never bad input.
#pragma once

#include <source_location>
#include <string_view>

namespace tenon {

/// Writes "file:line: check failed: what" to file 2 and aborts. The only output of the core.
[[noreturn]] void check_failed(std::string_view what, const std::source_location& where);

constexpr void check(bool holds, std::string_view what,
                     const std::source_location& where = std::source_location::current()) {
  if (!holds) [[unlikely]] {
    check_failed(what, where);
  }
}

}  // namespace tenon
