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

}  // namespace
}  // namespace tenon::domain
