// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// docs/refusals.md names every verdict and every code, and no other.

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "domain/refusal.hpp"
#include "support/shared_data.hpp"

namespace tenon::domain {
namespace {

/// The first cells, in back quotes, of the table rows below a heading.
std::set<std::string> rows_below(std::string_view heading) {
  std::ifstream page(support::source_path("docs/refusals.md"));
  EXPECT_TRUE(page) << "docs/refusals.md is not there";
  std::set<std::string> rows;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) inside = line == text::cat("## ", heading);
    if (!inside || !line.starts_with("| `")) continue;
    rows.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return rows;
}

TEST(RefusalDocs, HaveTheVerdictsOfTheCode) {
  std::set<std::string> verdicts;
  for (int i = 0; i <= static_cast<int>(Verdict::kBadlyAsked); ++i) {
    verdicts.emplace(to_text(static_cast<Verdict>(i)));
  }
  EXPECT_EQ(rows_below("Verdicts"), verdicts);
}

TEST(RefusalDocs, HaveTheCodesOfTheCode) {
  std::set<std::string> codes;
  for (int i = 0; i <= static_cast<int>(RefusalCode::kNoNode); ++i) {
    codes.emplace(to_text(static_cast<RefusalCode>(i)));
  }
  EXPECT_EQ(rows_below("Codes"), codes);
}

/// The last cell of a code's row, without back quotes.
std::string documented_step(std::string_view code) {
  std::ifstream page(support::source_path("docs/refusals.md"));
  const std::string begin = text::cat("| `", code, "` | ");
  for (std::string line; std::getline(page, line);) {
    const auto end = line.rfind(" |");
    if (!line.starts_with(begin) || end == std::string::npos) continue;
    const auto cell = line.rfind("| ", end - 1) + 2;
    std::string step = line.substr(cell, end - cell);
    std::erase(step, '`');
    return step;
  }
  return "";
}

TEST(RefusalDocs, HaveTheNextStepOfEachCode) {
  for (int i = 0; i <= static_cast<int>(RefusalCode::kNoNode); ++i) {
    const auto code = static_cast<RefusalCode>(i);
    EXPECT_EQ(documented_step(to_text(code)), next_step(code)) << to_text(code);
  }
}

}  // namespace
}  // namespace tenon::domain
