// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A table as kubectl prints it: titles in capitals, columns of blanks, no lines; and the same as CSV
// and as names.
//
// Invariants
//   (1) Each row has as many cells as there are columns.
//   (2) The first column names the thing of the row; `-o name` prints it.
//   (3) Nothing is cut unless the style has a width; then the widest columns first, the first one last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "render/text_style.hpp"

namespace tenon::render {

enum class Shown : std::uint8_t { kAlways, kWide };
enum class Align : std::uint8_t { kLeft, kRight };

struct Column {
  std::string title;
  Shown shown = Shown::kAlways;
  Align align = Align::kLeft;
};

struct Cell {
  std::string text;
  Ink ink = Ink::kPlain;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

/// "" where the table has no row: the caller says so in words.
[[nodiscard]] std::string to_text(const Table& table, const TextStyle& style);

/// RFC 4180 with all columns; a line for the titles and one for each row.
[[nodiscard]] std::string to_csv(const Table& table);

/// The first column, a line each, with `kind/` before it: "gpu/gpu0".
[[nodiscard]] std::string to_names(const Table& table, std::string_view kind);

}  // namespace tenon::render
