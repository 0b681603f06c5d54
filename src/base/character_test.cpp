// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "base/character.hpp"

#include <gtest/gtest.h>

namespace tenon::text {
namespace {

TEST(Character, IsReadFromUtf8) {
  EXPECT_EQ(first_character("a\xC3\xA9").point, 'a');
  EXPECT_EQ(first_character("\xC3\xA9").point, 0xE9U);
  EXPECT_EQ(first_character("\xF0\x9F\x98\x80").point, 0x1F600U);
  EXPECT_EQ(first_character("\xC3").bytes, 0U);
  EXPECT_EQ(first_character("").bytes, 0U);
}

// U+009B starts a command on many terminals, as ESC [ does.
TEST(Character, IsAControlCharacterInC1Too) {
  EXPECT_EQ(control_bytes("\x1b["), 1U);
  EXPECT_EQ(control_bytes("\x7f"), 1U);
  EXPECT_EQ(control_bytes("\xC2\x80"), 2U);
  EXPECT_EQ(control_bytes("\xC2\x9F"), 2U);
  EXPECT_EQ(control_bytes("\xC2\xA0"), 0U);
  EXPECT_EQ(control_bytes("\xC3\x9B"), 0U);
  EXPECT_EQ(control_bytes("\xC2"), 0U);
  EXPECT_EQ(control_bytes(""), 0U);
  EXPECT_EQ(find_control("\xC3\xA9\xC2\x9B"), 2U);
  EXPECT_EQ(find_control("a\tb\n", 2), 3U);
  EXPECT_EQ(find_control("\xC3\xA9 a"), std::string_view::npos);
}

}  // namespace
}  // namespace tenon::text
