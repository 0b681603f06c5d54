// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/topology/mig.hpp"

#include <gtest/gtest.h>

namespace tenon::topology {
namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;

// Memory slices that the profile takes of the card; 0 where it cannot be cut.
int slices(std::string_view profile, std::optional<std::int64_t> memory) {
  const auto cut = mig_cut(profile, memory);
  return cut ? cut->memory_slices : 0;
}

TEST(Mig, KnowsWhatAProfileIs) {
  for (const auto* good : {"1g", "7g", "1g.10gb", "3g.40gb", "1g.10gb+me", "4g.9999gb", "1g+gfx"}) {
    EXPECT_TRUE(is_mig_profile(good)) << good;
  }
  for (const auto* bad : {"", "g", "1", "5g", "6g.60gb", "0g", "1g.", "1g.gb", "1g.0gb", "1g.010gb",
                          "1g.10000gb", "1g.10GB", "1G", "1g.10gb+", "11g", "1g.-1gb", "1g.1e1gb",
                          "1g 10gb", "1g.99999999999999999999gb"}) {
    EXPECT_FALSE(is_mig_profile(bad)) << bad;
  }
}

// NVIDIA's profiles of an 80 GB card (which has 80 GiB) and of a 40 GB one.
TEST(Mig, CutsTheCardsThatAreSold) {
  EXPECT_EQ(slices("1g.10gb", 80 * kGi), 1);
  EXPECT_EQ(slices("1g.20gb", 80 * kGi), 2);
  EXPECT_EQ(slices("2g.20gb", 80 * kGi), 2);
  EXPECT_EQ(slices("3g.40gb", 80 * kGi), 4);
  EXPECT_EQ(slices("4g.40gb", 80 * kGi), 4);
  EXPECT_EQ(slices("7g.80gb", 80 * kGi), 8);
  EXPECT_EQ(slices("1g.5gb", 40 * kGi), 1);
  EXPECT_EQ(slices("1g.18gb", 141'000'000'000), 1);
  EXPECT_EQ(slices("7g.141gb", 141'000'000'000), 8);
}

TEST(Mig, RefusesTheProfileOfAnotherCard) {
  EXPECT_EQ(slices("1g.5gb", 80 * kGi), 1);  // 0.5 slices round up
  EXPECT_EQ(slices("1g.4gb", 80 * kGi), 0);
  EXPECT_EQ(slices("3g.20gb", 80 * kGi), 0);
  EXPECT_EQ(slices("7g.40gb", 80 * kGi), 0);
  EXPECT_EQ(slices("1g.10gb", 0), 0);
  EXPECT_EQ(slices("1g.10gb+me", 80 * kGi), 0);
}

TEST(Mig, TakesTheUsualSizeWhereTheMemoryIsNotKnown) {
  EXPECT_EQ(slices("1g.20gb", std::nullopt), 1);
  EXPECT_EQ(slices("3g.40gb", std::nullopt), 4);
  EXPECT_EQ(slices("1g", 80 * kGi), 1);
}

TEST(Mig, BeginsOnlyWhereTheHardwareCan) {
  EXPECT_EQ(mig_cut("1g", {})->first_slices, 0b0111'1111);
  EXPECT_EQ(mig_cut("2g", {})->first_slices, 0b0001'0101);
  EXPECT_EQ(mig_cut("3g", {})->first_slices, 0b0001'0001);
  EXPECT_EQ(mig_cut("4g", {})->first_slices, 0b0000'0001);
  EXPECT_EQ(mig_cut("7g", {})->first_slices, 0b0000'0001);
  EXPECT_EQ(mig_cut("1g.20gb", 80 * kGi)->first_slices, 0b0101'0101);
  EXPECT_EQ(mig_cut("3g", {})->covered(4), 0b1111'0000);
}

}  // namespace
}  // namespace tenon::topology
