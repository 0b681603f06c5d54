// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "render/svg.hpp"

#include "base/text.hpp"
#include "render/text_style.hpp"

namespace tenon::render::svg {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string rect(const Area& area, int radius, std::string_view classes) {
  return text::cat("<rect class=\"", classes, "\" x=\"", area.x, "\" y=\"", area.y, "\" width=\"",
                   area.width, "\" height=\"", area.height, "\" rx=\"", radius, "\"/>\n");
}

std::string label(int x, int y, std::string_view classes, std::string_view text,
                  std::string_view anchor) {
  const std::string at =
      anchor == "start" ? std::string{} : text::cat(" text-anchor=\"", anchor, "\"");
  return text::cat("<text class=\"", classes, "\" x=\"", x, "\" y=\"", y, "\"", at, ">",
                   escaped(text), "</text>\n");
}

std::string open_group(std::string_view title) {
  return text::cat("<g><title>", escaped(title), "</title>\n");
}

std::string close_group() { return "</g>\n"; }

}  // namespace tenon::render::svg
