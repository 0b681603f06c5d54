// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "domain/quantity.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/check.hpp"
#include "base/text.hpp"

namespace tenon::domain {
namespace {

/// More digits than any amount has; keeps the arithmetic below short whatever comes in.
constexpr std::size_t kTextMax = 128;

/// digits x 10^exponent: every quantity, binary suffixes included, is exactly one of these.
struct Decimal {
  std::string digits;  // most significant first
  int exponent = 0;
};

struct Suffix {
  std::string_view text;
  int powers_of_ten;
  int powers_of_1024;
};
constexpr std::array<Suffix, 16> kSuffixes = {{{"n", -9, 0},
                                               {"u", -6, 0},
                                               {"m", -3, 0},
                                               {"", 0, 0},
                                               {"k", 3, 0},
                                               {"M", 6, 0},
                                               {"G", 9, 0},
                                               {"T", 12, 0},
                                               {"P", 15, 0},
                                               {"E", 18, 0},
                                               {"Ki", 0, 1},
                                               {"Mi", 0, 2},
                                               {"Gi", 0, 3},
                                               {"Ti", 0, 4},
                                               {"Pi", 0, 5},
                                               {"Ei", 0, 6}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// "e6", "E-3", "e+12": the power. Far ones are clamped, which keeps them as far as anybody can
/// tell: the digits of a quantity are at most kTextMax.
std::optional<int> exponent_from_text(std::string_view suffix) {
  constexpr int kFar = 10'000;
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return std::nullopt;
  suffix.remove_prefix(1);
  const bool negative = suffix[0] == '-';
  if (suffix[0] == '-' || suffix[0] == '+') suffix.remove_prefix(1);
  if (suffix.empty() || !std::all_of(suffix.begin(), suffix.end(), is_digit)) return std::nullopt;
  int power = 0;
  for (const char c : suffix) power = std::min(kFar, power * 10 + (c - '0'));
  return negative ? -power : power;
}

void multiply(std::string& digits, int factor) {
  int carry = 0;
  for (std::size_t i = digits.size(); i-- > 0;) {
    const int value = (digits[i] - '0') * factor + carry;
    digits[i] = static_cast<char>('0' + value % 10);
    carry = value / 10;
  }
  for (; carry > 0; carry /= 10) {
    digits.insert(digits.begin(), static_cast<char>('0' + carry % 10));
  }
}

/// The number without its sign; nothing where the text is no quantity.
std::optional<Decimal> decimal_from_text(std::string_view text) {
  Decimal number;
  bool point = false;
  while (!text.empty() && (is_digit(text[0]) || (text[0] == '.' && !point))) {
    if (text[0] == '.') {
      point = true;
    } else {
      number.digits += text[0];
      if (point) --number.exponent;
    }
    text.remove_prefix(1);
  }
  if (number.digits.empty()) return std::nullopt;

  const auto suffix = std::find_if(kSuffixes.begin(), kSuffixes.end(),
                                   [&](const Suffix& known) { return known.text == text; });
  if (suffix != kSuffixes.end()) {
    number.exponent += suffix->powers_of_ten;
    for (int i = 0; i < suffix->powers_of_1024; ++i) multiply(number.digits, 1024);
    return number;
  }
  const auto power = exponent_from_text(text);
  if (!power) return std::nullopt;
  number.exponent += *power;
  return number;
}

/// The number as an integer, rounded up; nothing above 2^63 - 1.
std::optional<std::int64_t> rounded_up(const Decimal& number) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const auto first = number.digits.find_first_not_of('0');
  if (first == std::string::npos) return 0;
  const std::string_view digits = std::string_view{number.digits}.substr(first);

  // Digits before the decimal point; zeros follow where the exponent says so.
  const std::int64_t whole = static_cast<std::int64_t>(digits.size()) + number.exponent;
  if (whole > std::numeric_limits<std::int64_t>::digits10 + 1) return std::nullopt;
  std::int64_t value = 0;
  for (std::int64_t i = 0; i < whole; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const int digit = at < digits.size() ? digits[at] - '0' : 0;
    if (value > (kMax - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  const auto rest = digits.substr(static_cast<std::size_t>(
      std::clamp<std::int64_t>(whole, 0, static_cast<std::int64_t>(digits.size()))));
  if (rest.find_first_not_of('0') == std::string_view::npos) return value;
  if (value == kMax) return std::nullopt;
  return value + 1;
}

Result<std::int64_t> amount_from_text(std::string_view text, int extra_powers_of_ten) {
  constexpr std::string_view kAdvice = "write an amount such as 128Gi, 1500m, 0.5 or 129e6";
  if (text.size() > kTextMax) {
    return bad_input("", text::cat(text::quoted(text), " is too long for an amount"),
                     std::string{kAdvice});
  }
  std::string_view number = text;
  const bool negative = !number.empty() && number[0] == '-';
  if (!number.empty() && (number[0] == '-' || number[0] == '+')) number.remove_prefix(1);
  auto decimal = decimal_from_text(number);
  if (!decimal) {
    return bad_input("", text::cat(text::quoted(text), " is not an amount"),
                     text::cat(kAdvice, "; suffixes are n u m k M G T P E Ki Mi Gi Ti Pi Ei"));
  }
  decimal->exponent += extra_powers_of_ten;
  const auto value = rounded_up(*decimal);
  if (negative && value != 0) {
    return bad_input("", text::cat(text::quoted(text), " is negative"), "an amount is at least 0");
  }
  if (!value) {
    return bad_input("", text::cat(text::quoted(text), " is out of range"),
                     "an amount is below 2^63");
  }
  return *value;
}

/// `value` with the largest of the units that divides it.
template <std::size_t N>
std::string with_unit(std::int64_t value, std::int64_t step,
                      const std::array<std::string_view, N>& units) {
  std::size_t unit = 0;
  while (value != 0 && value % step == 0 && unit + 1 < N) {
    value /= step;
    ++unit;
  }
  return text::cat(value, units[unit]);
}

}  // namespace

Result<std::int64_t> whole_from_text(std::string_view text) { return amount_from_text(text, 0); }

Result<std::int64_t> milli_from_text(std::string_view text) { return amount_from_text(text, 3); }

std::string bytes_to_text(std::int64_t bytes) {
  constexpr std::array<std::string_view, 7> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  return with_unit(bytes, 1024, kUnits);
}

std::string milli_to_text(std::int64_t milli) {
  check(milli >= 0, "an amount is not negative");
  std::string out = text::cat(milli / 1000);
  if (milli % 1000 == 0) return out;
  const std::string digits = text::cat(milli % 1000 + 1000);  // "1250": keeps leading zeros
  out += '.';
  out += std::string_view{digits}.substr(1, digits.find_last_not_of('0'));
  return out;
}

std::string rate_to_text(std::int64_t bits_per_second) {
  constexpr std::array<std::string_view, 7> kUnits = {"", "k", "M", "G", "T", "P", "E"};
  return with_unit(bits_per_second, 1000, kUnits);
}

}  // namespace tenon::domain
