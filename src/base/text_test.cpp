// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "base/text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace tenon::text {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Text, CatJoinsTextsCharactersAndNumbers) {
  EXPECT_EQ(cat("numa", 3, ':', std::int64_t{-7}, std::uint8_t{65}), "numa3:-765");
  EXPECT_EQ(cat(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(cat(), "");
}

TEST(Text, SplitKeepsEmptyParts) {
  EXPECT_EQ(split("a,,b", ','), (Parts{"a", "", "b"}));
  EXPECT_EQ(split(",", ','), (Parts{"", ""}));
  EXPECT_EQ(split("", ','), (Parts{""}));
}

TEST(Text, WordsDropBlanks) {
  EXPECT_EQ(words("  GPU0\t X \t NV4 "), (Parts{"GPU0", "X", "NV4"}));
  EXPECT_EQ(words(" \t "), Parts{});
}

TEST(Text, TrimTakesBlanksAndCarriageReturns) {
  EXPECT_EQ(trim(" \ta b\r"), "a b");
  EXPECT_EQ(trim(" \r"), "");
}

TEST(Text, JoinPutsTheSeparatorBetweenOnly) {
  EXPECT_EQ(join({"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Text, LetterCaseIsAsciiOnly) {
  EXPECT_EQ(lower("GPU-Ä"), "gpu-Ä");
  EXPECT_EQ(upper("mlx5_0"), "MLX5_0");
}

TEST(Text, NumbersAreWholeOrNothing) {
  EXPECT_EQ(to_u64("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(hex_to_u64("fF"), 255U);
  for (const auto* bad : {"", " 1", "1 ", "+1", "-1", "1.0", "18446744073709551616", "0x1"}) {
    EXPECT_EQ(to_u64(bad), std::nullopt) << bad;
  }
  for (const auto* bad : {"", "0x1", "g", "10000000000000000"}) {
    EXPECT_EQ(hex_to_u64(bad), std::nullopt) << bad;
  }
}

TEST(Text, Utf8RefusesWhatUnicodeRefuses) {
  for (const auto* good : {"", "GPU", "å", "榫", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  const std::vector<std::string> all_bad = {
      "\x80",              // a continuation first
      "\xC0\xAF",          // overlong in two bytes
      "\xE0\x80\xAF",      // overlong in three
      "\xF0\x80\x80\xAF",  // overlong in four
      "\xED\xA0\x80",      // a surrogate
      "\xF4\x90\x80\x80",  // above U+10FFFF
      "\xE6\xA6",          // cut off
      "\xFF",
  };
  for (const auto& bad : all_bad) EXPECT_FALSE(is_utf8("a" + bad)) << bad.size();
}

}  // namespace
}  // namespace tenon::text
