// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Every reported case of tests/cases, one test each, and no case that docs/cases.md does not list.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "lab/case.hpp"
#include "support/shared_data.hpp"

namespace tenon::lab {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> case_ids() {
  std::vector<std::string> ids;
  for (const auto& entry :
       std::filesystem::directory_iterator(support::source_path("tests/cases"))) {
    if (entry.path().extension() == ".case") ids.push_back(entry.path().stem());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

class ReportedCase : public testing::TestWithParam<std::string> {};

TEST_P(ReportedCase, Holds) {
  const auto name = GetParam() + ".case";
  const auto report = run_case(content(support::source_path("tests/cases") / name), name);
  ASSERT_TRUE(report) << to_text(report.error());
  EXPECT_EQ(report->id, GetParam());
  for (const auto& mismatch : report->mismatches) {
    ADD_FAILURE() << mismatch.where << "\n  expected: " << mismatch.expected
                  << "\n  got:      " << mismatch.got;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReportedCase, testing::ValuesIn(case_ids()),
                         [](const auto& one) { return one.param; });

// The table of the docs has a line for each case, and no other.
TEST(CaseDocs, ListEachCase) {
  std::vector<std::string> listed;
  const auto table = content(support::source_path("docs/cases.md"));
  for (const auto line : text::split(table, '\n')) {
    const auto cells = text::split(line, '|');
    if (cells.size() < 5) continue;
    const auto id = std::string{text::trim(cells[1])};
    if (id.size() == 3 && id[0] >= 'A' && id[0] <= 'Z') listed.push_back(id);
  }
  EXPECT_EQ(listed, case_ids());
}

}  // namespace
}  // namespace tenon::lab
