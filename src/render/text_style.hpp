// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// How a text for people is to look, and the few marks that it is made of.
//
// Colour only repeats what a word says too: a text without colour loses nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::render {

enum class Color : std::uint8_t { kNo, kYes };
enum class Charset : std::uint8_t { kAscii, kUnicode };
enum class Detail : std::uint8_t { kNormal, kWide };

struct TextStyle {
  Color color = Color::kNo;
  Charset charset = Charset::kUnicode;
  Detail detail = Detail::kNormal;
  std::size_t width_max = 0;  // columns of the terminal; 0: cut nothing
};

enum class Ink : std::uint8_t { kPlain, kBold, kFaint, kGood, kWarning, kBad, kAccent };

/// `text` between the marks of a terminal, or as it is where the style has no colour.
[[nodiscard]] std::string inked(std::string_view text, Ink ink, const TextStyle& style);

/// Columns of a terminal that UTF-8 text takes: two for a wide character, none for a combining one.
[[nodiscard]] std::size_t columns(std::string_view text);

/// False of control characters, line ends, marks that turn the direction of writing, and the two that
/// neither XML nor YAML takes: U+FFFE and U+FFFF.
[[nodiscard]] bool is_printable(std::uint32_t point);

/// Safe to print: what is not printable and broken UTF-8 become "\xNN", so that no file can move the
/// cursor of who looks at it. Line ends too: a cell is one line.
[[nodiscard]] std::string printable(std::string_view text);

/// At most `width` columns of a printable text; a longer one ends in "…" (ASCII: "~").
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t width, Charset charset);

/// The mark itself, or its ASCII stand-in.
[[nodiscard]] constexpr std::string_view mark(std::string_view unicode, std::string_view ascii,
                                              const TextStyle& style) {
  return style.charset == Charset::kUnicode ? unicode : ascii;
}

}  // namespace tenon::render
