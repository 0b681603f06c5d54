// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "render/table.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"

namespace tenon::render {
namespace {

constexpr std::size_t kGap = 3;
constexpr std::size_t kNarrowest = 8;  // a column is not cut below this

std::vector<std::size_t> shown_columns(const Table& table, Detail detail) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].shown == Shown::kAlways || detail == Detail::kWide) shown.push_back(i);
  }
  return shown;
}

/// Takes from the widest column until the line fits; from the first one, which names the row, at last.
void fit(std::vector<std::size_t>& widths, std::size_t width_max) {
  std::size_t total = kGap * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  while (total > width_max) {
    auto widest = std::ranges::max_element(widths.begin() + 1, widths.end());
    if (widest == widths.end() || *widest <= kNarrowest) widest = widths.begin();
    if (*widest <= kNarrowest) return;
    --*widest;
    --total;
  }
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string{text};
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string to_text(const Table& table, const TextStyle& style) {
  if (table.rows.empty()) return {};
  const auto shown = shown_columns(table, style.detail);
  std::vector<std::size_t> widths;
  for (const std::size_t column : shown) {
    std::size_t width = columns(table.columns[column].title);
    for (const auto& row : table.rows) {
      check(row.size() == table.columns.size(), "a row has a cell for each column");
      width = std::max(width, columns(printable(row[column].text)));
    }
    widths.push_back(width);
  }
  if (style.width_max > 0) fit(widths, style.width_max);

  std::string out;
  const auto add_line = [&](auto cell_of) {
    std::string line;
    std::size_t blanks = 0;  // owed before the next cell: none are left at the end of a line
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const Cell cell = cell_of(shown[i]);
      const std::string words = cut_to(printable(cell.text), widths[i], style.charset);
      const std::size_t rest = widths[i] - columns(words);
      const bool right = table.columns[shown[i]].align == Align::kRight;
      if (right) blanks += rest;
      if (!words.empty()) {
        line.append(blanks, ' ');
        line += inked(words, cell.ink, style);
        blanks = 0;
      } else {
        blanks += columns(words);
      }
      if (!right) blanks += rest;
      blanks += kGap;
    }
    out += line;
    out += '\n';
  };
  add_line([&](std::size_t column) { return Cell{table.columns[column].title, Ink::kBold}; });
  for (const auto& row : table.rows) {
    add_line([&](std::size_t column) { return row[column]; });
  }
  return out;
}

std::string to_csv(const Table& table) {
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) out += ',';
    out += csv_field(table.columns[i].title);
  }
  out += '\n';
  for (const auto& row : table.rows) {
    check(row.size() == table.columns.size(), "a row has a cell for each column");
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += ',';
      out += csv_field(row[i].text);
    }
    out += '\n';
  }
  return out;
}

std::string to_names(const Table& table, std::string_view kind) {
  std::string out;
  for (const auto& row : table.rows) {
    check(!row.empty(), "a row names its thing");
    out += text::cat(kind, "/", printable(row.front().text), "\n");
  }
  return out;
}

}  // namespace tenon::render
