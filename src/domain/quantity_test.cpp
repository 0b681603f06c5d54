// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "domain/quantity.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/text.hpp"

namespace tenon::domain {
namespace {

std::string whole(std::string_view text) {
  const auto value = whole_from_text(text);
  return value ? text::cat(*value) : value.error().what;
}
std::string milli(std::string_view text) {
  const auto value = milli_from_text(text);
  return value ? text::cat(*value) : value.error().what;
}

TEST(Quantity, KnowsEachSuffix) {
  EXPECT_EQ(whole("7"), "7");
  EXPECT_EQ(whole("7k"), "7000");
  EXPECT_EQ(whole("7M"), "7000000");
  EXPECT_EQ(whole("7G"), "7000000000");
  EXPECT_EQ(whole("7T"), "7000000000000");
  EXPECT_EQ(whole("7P"), "7000000000000000");
  EXPECT_EQ(whole("7E"), "7000000000000000000");
  EXPECT_EQ(whole("7Ki"), "7168");
  EXPECT_EQ(whole("7Mi"), "7340032");
  EXPECT_EQ(whole("7Gi"), "7516192768");
  EXPECT_EQ(whole("7Ti"), "7696581394432");
  EXPECT_EQ(whole("7Pi"), "7881299347898368");
  EXPECT_EQ(whole("7Ei"), "8070450532247928832");
  EXPECT_EQ(milli("7m"), "7");
  EXPECT_EQ(milli("7000u"), "7");
  EXPECT_EQ(milli("7000000n"), "7");
}

// Reported: an exponent was read as exabytes.
TEST(Quantity, TellsAnExponentFromExa) {
  EXPECT_EQ(whole("129e6"), "129000000");
  EXPECT_EQ(whole("129E6"), "129000000");
  EXPECT_EQ(whole("129M"), "129000000");
  EXPECT_EQ(whole("128974848"), "128974848");
  EXPECT_EQ(whole("128974848000m"), "128974848");
  EXPECT_EQ(whole("123Mi"), "128974848");
  EXPECT_EQ(whole("1E"), "1000000000000000000");
  EXPECT_EQ(whole("1e+2"), "100");
  EXPECT_EQ(whole("150e-2"), "2");
  EXPECT_EQ(whole("1e"), "'1e' is not an amount");
  EXPECT_EQ(whole("1e+"), "'1e+' is not an amount");
  EXPECT_EQ(whole("1e6Ki"), "'1e6Ki' is not an amount");
  EXPECT_EQ(whole("1e6.5"), "'1e6.5' is not an amount");
}

// Reported: 400m of memory was read as 400 bytes.
TEST(Quantity, RoundsUp) {
  EXPECT_EQ(whole("400m"), "1");
  EXPECT_EQ(whole("0.5"), "1");
  EXPECT_EQ(whole("1.0"), "1");
  EXPECT_EQ(whole("1.0000000000000000000000000001"), "2");
  EXPECT_EQ(whole("1n"), "1");
  EXPECT_EQ(whole("1e-9999999999"), "1");
  EXPECT_EQ(whole("1.5Gi"), "1610612736");
  EXPECT_EQ(whole(".3Ki"), "308");  // 307.2
  EXPECT_EQ(milli("1.5"), "1500");
  EXPECT_EQ(milli("100u"), "1");
  EXPECT_EQ(milli("0.0001"), "1");
}

TEST(Quantity, TakesEachFormOfANumber) {
  EXPECT_EQ(whole("+1"), "1");
  EXPECT_EQ(whole(".5Gi"), "536870912");
  EXPECT_EQ(whole("5."), "5");
  EXPECT_EQ(whole("007"), "7");
  EXPECT_EQ(whole("-0"), "0");
  EXPECT_EQ(whole("0e99999"), "0");
}

TEST(Quantity, RefusesWhatIsNoAmount) {
  for (const std::string_view text :
       {"",      " ",   ".",   "+",   "-",    "+-1",      "1 Gi", "1gi",   "1K",  "1GI", "Gi",
        "1.2.3", "NaN", "nan", "Inf", "-Inf", "infinity", "0x10", "1_000", "1,5", "१"}) {
    EXPECT_EQ(whole(text), text::cat(text::quoted(text), " is not an amount"));
  }
  EXPECT_EQ(whole(std::string_view{"1\0", 2}), "'1?' is not an amount");
}

TEST(Quantity, RefusesNegativeAmounts) {
  EXPECT_EQ(whole("-1"), "'-1' is negative");
  EXPECT_EQ(whole("-1n"), "'-1n' is negative");
  EXPECT_EQ(whole("-1e400"), "'-1e400' is negative");
  EXPECT_EQ(milli("-0.5"), "'-0.5' is negative");
}

// Reported: a memory amount that wrapped to 0 passed the check; an exponent hung the parser.
TEST(Quantity, RefusesWhatNeedsMoreThan63Bits) {
  EXPECT_EQ(whole("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(whole("9223372036854775808"), "'9223372036854775808' is out of range");
  EXPECT_EQ(whole("9223372036854775806.5"), "9223372036854775807");
  EXPECT_EQ(whole("9223372036854775807.5"), "'9223372036854775807.5' is out of range");
  EXPECT_EQ(whole("18446744073709551616"), "'18446744073709551616' is out of range");
  EXPECT_EQ(whole("8Ei"), "'8Ei' is out of range");
  EXPECT_EQ(whole("10E"), "'10E' is out of range");
  EXPECT_EQ(whole("1e400"), "'1e400' is out of range");
  EXPECT_EQ(whole("2E6024865272343"), "'2E6024865272343' is out of range");
  EXPECT_EQ(whole("1e99999999999999999999999"), "'1e99999999999999999999999' is out of range");
  EXPECT_EQ(milli("9223372036854775"), "9223372036854775000");
  EXPECT_EQ(milli("9223372036854776"), "'9223372036854776' is out of range");
  EXPECT_EQ(whole(std::string(1'000'000, '1')),
            text::cat(text::quoted(std::string(41, '1')), " is too long for an amount"));
}

TEST(Quantity, WritesTheShortestExactForm) {
  EXPECT_EQ(bytes_to_text(137438953472), "128Gi");
  EXPECT_EQ(bytes_to_text(1000), "1000");
  EXPECT_EQ(bytes_to_text(0), "0");
  EXPECT_EQ(bytes_to_text(1610612736), "1536Mi");
  EXPECT_EQ(bytes_to_text(std::int64_t{7} << 60), "7Ei");
  EXPECT_EQ(milli_to_text(1500), "1.5");
  EXPECT_EQ(milli_to_text(250), "0.25");
  EXPECT_EQ(milli_to_text(2000), "2");
  EXPECT_EQ(milli_to_text(1), "0.001");
  EXPECT_EQ(milli_to_text(1001), "1.001");
  EXPECT_EQ(milli_to_text(0), "0");
  EXPECT_EQ(rate_to_text(400'000'000'000), "400G");
  EXPECT_EQ(rate_to_text(2'500'000'000), "2500M");
  EXPECT_EQ(rate_to_text(0), "0");
}

TEST(Quantity, ReadsWhatItWrites) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t value = kMax; value > 0; value = value / 3 - 1) {
    EXPECT_EQ(whole(bytes_to_text(value)), text::cat(value));
    EXPECT_EQ(milli(milli_to_text(value)), text::cat(value));
    EXPECT_EQ(whole(rate_to_text(value)), text::cat(value));
  }
}

}  // namespace
}  // namespace tenon::domain
