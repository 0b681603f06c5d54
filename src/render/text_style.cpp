// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "render/text_style.hpp"

#include <algorithm>
#include <array>

#include "base/character.hpp"
#include "base/text.hpp"

namespace tenon::render {
namespace {

using text::Character;
using text::first_character;

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// The blocks that matter for names and reasons that people write; not the whole of Unicode's table.
constexpr std::array<Range, 9> kWide{{{0x1100, 0x115F},
                                      {0x2E80, 0x303E},
                                      {0x3041, 0xA4CF},
                                      {0xAC00, 0xD7A3},
                                      {0xF900, 0xFAFF},
                                      {0xFE30, 0xFE6F},
                                      {0xFF00, 0xFF60},
                                      {0x1F300, 0x1FAFF},
                                      {0x20000, 0x3FFFD}}};
constexpr std::array<Range, 4> kCombining{
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}}};

bool is_in(std::uint32_t point, auto& ranges) {
  return std::ranges::any_of(
      ranges, [&](const Range& range) { return point >= range.first && point <= range.last; });
}

std::size_t width_of(std::uint32_t point) {
  if (is_in(point, kCombining)) return 0;
  return is_in(point, kWide) ? 2 : 1;
}

}  // namespace

bool is_printable(std::uint32_t point) {
  const bool ends_line = point == 0x2028 || point == 0x2029;
  const bool turns = (point >= 0x202A && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
  const bool none = point == 0xFFFE || point == 0xFFFF;
  return !text::is_control(point) && !ends_line && !turns && !none;
}

std::string inked(std::string_view text, Ink ink, const TextStyle& style) {
  constexpr std::array<std::string_view, 7> kCodes{"", "1", "2", "32", "33", "31", "36"};
  const std::string_view code = kCodes.at(static_cast<std::size_t>(ink));
  if (style.color == Color::kNo || code.empty() || text.empty()) return std::string{text};
  return text::cat("\x1b[", code, "m", text, "\x1b[0m");
}

std::size_t columns(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += character.bytes == 0 ? 1 : width_of(character.point);
    text.remove_prefix(std::max<std::size_t>(character.bytes, 1));
  }
  return width;
}

std::string printable(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t length = std::max<std::size_t>(character.bytes, 1);
    if (character.bytes == 0 || !is_printable(character.point)) {
      for (const char c : text.substr(0, length)) {
        const auto byte = static_cast<unsigned char>(c);
        out += "\\x";
        out += kHex[byte >> 4U];
        out += kHex[byte & 15U];
      }
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string cut_to(std::string_view text, std::size_t width, Charset charset) {
  if (columns(text) <= width) return std::string{text};
  if (width == 0) return {};
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t length = std::max<std::size_t>(character.bytes, 1);
    const std::size_t more = character.bytes == 0 ? 1 : width_of(character.point);
    if (used + more > width - 1) break;
    out += text.substr(0, length);
    used += more;
    text.remove_prefix(length);
  }
  return out + (charset == Charset::kUnicode ? "…" : "~");
}

}  // namespace tenon::render
