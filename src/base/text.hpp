// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Small text helpers without locale: joining, splitting, numbers.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::text {

namespace detail {
inline void append(std::string& out, std::string_view part) { out += part; }
inline void append(std::string& out, char part) { out += part; }
template <std::integral T>
  requires(!std::same_as<T, char> && !std::same_as<T, bool>)
void append(std::string& out, T part) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, part).ptr;
  out.append(digits, end);
}
}  // namespace detail

/// Joins texts, characters and integers: cat("numa", 3) == "numa3".
template <class... Parts>
[[nodiscard]] std::string cat(const Parts&... parts) {
  std::string out;
  (detail::append(out, parts), ...);
  return out;
}

[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view between);

/// Cuts at every `at`; n separators give n + 1 parts, empty ones included.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char at);
template <std::same_as<std::string> Dying>  // the parts would outlive the text
void split(Dying&& text, char at) = delete;

/// Cuts at runs of spaces and tabs; no part is empty.
[[nodiscard]] std::vector<std::string_view> words(std::string_view text);
template <std::same_as<std::string> Dying>
void words(Dying&& text) = delete;

/// Without spaces, tabs and a carriage return at either end.
[[nodiscard]] std::string_view trim(std::string_view text);
template <std::same_as<std::string> Dying>
void trim(Dying&& text) = delete;

[[nodiscard]] std::string lower(std::string_view ascii);
[[nodiscard]] std::string upper(std::string_view ascii);

/// The whole text as a decimal number without sign, space or overflow; nothing otherwise.
[[nodiscard]] std::optional<std::uint64_t> to_u64(std::string_view digits);

/// The whole text as a hexadecimal number without prefix; nothing otherwise.
[[nodiscard]] std::optional<std::uint64_t> hex_to_u64(std::string_view digits);

/// In single quotes, for messages about input: what is no printable ASCII becomes '?', and what is
/// long is cut to "…" after 40 bytes, so that bad input cannot fill or steer a terminal.
[[nodiscard]] std::string quoted(std::string_view input);

/// How many bytes from the beginning are well-formed UTF-8: no overlong forms, no surrogates, nothing
/// above U+10FFFF. All of them, or the position of the first wrong character.
[[nodiscard]] std::size_t utf8_prefix(std::string_view bytes);
[[nodiscard]] inline bool is_utf8(std::string_view bytes) {
  return utf8_prefix(bytes) == bytes.size();
}

}  // namespace tenon::text
