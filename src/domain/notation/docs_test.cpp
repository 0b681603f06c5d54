// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What the docs and examples show is what the program reads.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"
#include "support/shared_data.hpp"

namespace tenon::notation {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void expect_stable(std::string_view text, const std::string& name) {
  const auto document = parse(text, name);
  ASSERT_TRUE(document) << to_text(document.error());
  const auto again = parse(write(*document), "again");
  ASSERT_TRUE(again) << to_text(again.error());
  EXPECT_EQ(*again, *document) << name;
}

TEST(NotationDocs, EveryBlockIsRead) {
  const auto docs = content(support::source_path("docs/notation.md"));
  int blocks = 0;
  std::string block;
  bool inside = false;
  for (const auto line : text::split(docs, '\n')) {
    if (line != "```") {
      if (inside) block += text::cat(line, '\n');
      continue;
    }
    inside = !inside;
    if (inside) continue;
    expect_stable(block, text::cat("block ", ++blocks));
    block.clear();
  }
  EXPECT_FALSE(inside);
  EXPECT_EQ(blocks, 3);
}

TEST(NotationDocs, EveryExampleIsRead) {
  int examples = 0;
  const std::filesystem::path folder = support::source_path("examples");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".tn") continue;
    expect_stable(content(entry.path()), entry.path().filename());
    ++examples;
  }
  EXPECT_GE(examples, 3);
}

}  // namespace
}  // namespace tenon::notation
