// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "lab/words.hpp"

#include <gtest/gtest.h>

namespace tenon::lab {
namespace {

TEST(Words, CutsALineBehindItsFirstWord) {
  EXPECT_EQ(first_word("  place pod a  gpu=1 "), "place");
  EXPECT_EQ(rest_of("  place pod a  gpu=1 "), "pod a  gpu=1");
  EXPECT_EQ(rest_of("place"), "");
  EXPECT_EQ(first_word(" \t"), "");
}

TEST(Words, FindsWordsInOrder) {
  constexpr std::string_view kSentence = "not now numa: no NUMA node has 4 GPUs free (n1)";
  EXPECT_TRUE(has_words_in_order(kSentence, "not now numa"));
  EXPECT_TRUE(has_words_in_order(kSentence, "numa 4 GPUs n1"));
  EXPECT_TRUE(has_words_in_order(kSentence, ""));
  EXPECT_TRUE(has_words_in_order(kSentence, "(n1)"));
  EXPECT_FALSE(has_words_in_order(kSentence, "now not"));
  EXPECT_FALSE(has_words_in_order(kSentence, "GPU"));
  EXPECT_FALSE(has_words_in_order(kSentence, "n1 n1"));
}

}  // namespace
}  // namespace tenon::lab
