// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "base/prng.hpp"

#include <gtest/gtest.h>

#include <array>

namespace tenon {
namespace {

// The first outputs of SplitMix64 from seed 0, as its authors' reference program prints them.
TEST(Prng, GivesTheReferenceSequence) {
  Prng prng{0};
  EXPECT_EQ(prng.next(), 0xE220A8397B1DCDAFULL);
  EXPECT_EQ(prng.next(), 0x6E789E6AA1B965F4ULL);
  EXPECT_EQ(prng.next(), 0x06C45D188009454FULL);
}

TEST(Prng, DrawsEveryOutcomeAboutEvenly) {
  Prng prng{7};
  std::array<int, 6> count{};
  for (int i = 0; i < 6000; ++i) ++count.at(prng.below(6));
  for (const int times : count) {
    EXPECT_GT(times, 900);
    EXPECT_LT(times, 1100);
  }
}

TEST(Prng, DrawsBelowOneAlwaysNought) {
  Prng prng{1};
  EXPECT_EQ(prng.below(1), 0U);
}

TEST(PrngDeathTest, ADrawNeedsAnOutcome) {
  EXPECT_DEATH((void)Prng{1}.below(0), "at least one outcome");
}

}  // namespace
}  // namespace tenon
