// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The few elements that our pictures are made of, as text. Coordinates are whole pixels.
#pragma once

#include <string>
#include <string_view>

namespace tenon::render::svg {

struct Area {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

/// Safe in text and in attributes; control characters and broken UTF-8 are made visible.
[[nodiscard]] std::string escaped(std::string_view text);

[[nodiscard]] std::string rect(const Area& area, int radius, std::string_view classes);
/// `anchor`: "start", "middle" or "end".
[[nodiscard]] std::string label(int x, int y, std::string_view classes, std::string_view text,
                                std::string_view anchor = "start");
[[nodiscard]] std::string open_group(std::string_view title);
[[nodiscard]] std::string close_group();

/// How many characters of this size surely fit: fonts differ, so a wide one is taken.
[[nodiscard]] constexpr std::size_t characters_in(int width, int font_size) {
  return width <= 0 ? 0 : static_cast<std::size_t>(width * 100 / (font_size * 62));
}

}  // namespace tenon::render::svg
