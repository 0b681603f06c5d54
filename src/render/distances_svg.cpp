// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "render/distances_svg.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "render/layout.hpp"
#include "render/svg.hpp"
#include "render/text_style.hpp"

namespace tenon::render {
namespace {

constexpr int kCellWidth = 40;
constexpr int kCellHeight = 22;
constexpr int kTitleHeight = 24;

struct Shade {
  std::string_view box;
  std::string_view words;
};

Shade shade_of(std::string_view word) {
  constexpr std::array<std::pair<std::string_view, Shade>, 6> kShades{{{"X", {"d0", "cell"}},
                                                                       {"PIX", {"d1", "cell on"}},
                                                                       {"PXB", {"d2", "cell on"}},
                                                                       {"PHB", {"d3", "cell"}},
                                                                       {"NODE", {"d4", "cell"}},
                                                                       {"SYS", {"d5", "cell"}}}};
  if (word.starts_with("NV")) return {"dv", "cell on"};
  for (const auto& [own, shade] : kShades) {
    if (own == word) return shade;
  }
  return {"dq", "cell"};
}

std::string cell(int x, int y, std::string_view word) {
  const Shade shade = shade_of(word);
  return text::cat(
      svg::rect({x + 1, y + 1, kCellWidth - 2, kCellHeight - 2}, 3, shade.box),
      svg::label(x + kCellWidth / 2, y + 15, shade.words, word.empty() ? "?" : word, "middle"));
}

/// A sample of each word that the square uses, with its meaning.
int legend(const views::DistancesView& view, int x, int y, std::string& body) {
  constexpr std::array<std::string_view, 5> kWords{"PIX", "PXB", "PHB", "NODE", "SYS"};
  const auto add = [&](std::string_view word, std::string_view meaning) {
    body += cell(x, y, word);
    body += svg::label(x + kCellWidth + 5, y + 15, "faint", meaning);
    x += kCellWidth + 5 + static_cast<int>(meaning.size()) * 7 + 10;
  };
  const auto has = [&](auto test) { return std::ranges::any_of(view.cells, test); };
  if (has([](const std::string& word) { return word.starts_with("NV"); })) add("NVn", "n NVLinks");
  for (const std::string_view word : kWords) {
    if (has([&](const std::string& own) { return own == word; })) add(word, meaning_of(word));
  }
  if (has([](const std::string& word) { return word.empty(); })) add("", "nobody saw it");
  return x;
}

}  // namespace

Square distances_square(const views::DistancesView& view, int x, int y) {
  Square square;
  const std::size_t count = view.names.size();
  if (count < 2) return square;
  std::size_t longest = 0;
  for (const auto& name : view.names) longest = std::max(longest, columns(printable(name)));
  constexpr std::size_t kNameMost = 12;
  const int name_width = static_cast<int>(std::min(longest, kNameMost)) * 8 + 10;
  const auto shown = [](std::string_view name, int width) {
    return cut_to(printable(name), svg::characters_in(width, 10), Charset::kUnicode);
  };

  square.body = svg::label(x, y + 14, "bold", "Distances");
  const int top = y + kTitleHeight;
  for (std::size_t i = 0; i < count; ++i) {
    const int at = static_cast<int>(i);
    square.body += svg::label(x + name_width + at * kCellWidth + kCellWidth / 2, top + 14, "cell",
                              shown(view.names[i], kCellWidth + 6), "middle");
    const int row = top + (at + 1) * kCellHeight;
    square.body +=
        svg::label(x + name_width - 6, row + 15, "cell", shown(view.names[i], name_width), "end");
    for (std::size_t k = 0; k < count; ++k) {
      square.body += cell(x + name_width + static_cast<int>(k) * kCellWidth, row, view.at(i, k));
    }
  }
  const int bottom = top + (static_cast<int>(count) + 1) * kCellHeight + 8;
  const int legend_end = legend(view, x, bottom, square.body);
  square.width = std::max(name_width + static_cast<int>(count) * kCellWidth, legend_end - x);
  square.height = bottom + kCellHeight - y;
  return square;
}

}  // namespace tenon::render
