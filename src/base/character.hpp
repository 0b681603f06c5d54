// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Characters of UTF-8, one at a time, and which of them no text may have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tenon::text {

struct Character {
  std::size_t bytes = 0;  // 0: no well-formed UTF-8 here
  std::uint32_t point = 0;
};

/// The character that `bytes` begins with.
[[nodiscard]] Character first_character(std::string_view bytes);

/// C0 (tabs and line ends too), DEL and C1: what can steer a terminal.
[[nodiscard]] constexpr bool is_control(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0);
}

/// How many bytes the control character takes that the UTF-8 `bytes` begin with; 0: it is none.
[[nodiscard]] std::size_t control_bytes(std::string_view bytes);

/// Where the first control character of UTF-8 begins, from `from` on; npos where there is none.
[[nodiscard]] std::size_t find_control(std::string_view bytes, std::size_t from = 0);

}  // namespace tenon::text
