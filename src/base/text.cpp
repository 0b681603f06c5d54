// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "base/text.hpp"

namespace tenon::text {
namespace {

constexpr std::string_view kBlank = " \t";

std::optional<std::uint64_t> number(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const auto [end, code] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (code != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const auto& part : parts) {
    if (&part != parts.data()) out += between;
    out += part;
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto cut = text.find(at);
    parts.push_back(text.substr(0, cut));
    if (cut == std::string_view::npos) return parts;
    text.remove_prefix(cut + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return parts;
    text.remove_prefix(begin);
    const auto end = text.find_first_of(kBlank);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kEnds = " \t\r";
  const auto begin = text.find_first_not_of(kEnds);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kEnds) - begin + 1);
}

std::string lower(std::string_view ascii) {
  std::string out{ascii};
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string upper(std::string_view ascii) {
  std::string out{ascii};
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::optional<std::uint64_t> to_u64(std::string_view digits) { return number(digits, 10); }

std::optional<std::uint64_t> hex_to_u64(std::string_view digits) { return number(digits, 16); }

std::string quoted(std::string_view input) {
  constexpr std::size_t kShown = 40;
  std::string out = "'";
  for (const char c : input.substr(0, kShown)) out += c >= ' ' && c <= '~' ? c : '?';
  if (input.size() > kShown) out += "…";
  out += '\'';
  return out;
}

std::size_t utf8_prefix(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  for (std::size_t i = 0; i < bytes.size();) {
    const unsigned lead = at(i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || i + length > bytes.size()) return i;
    std::uint32_t point = lead & (0x7FU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      if ((at(i + k) & 0xC0U) != 0x80) return i;
      point = (point << 6U) | (at(i + k) & 0x3FU);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    if (point < kLeast[length] || point > 0x10FFFF || surrogate) return i;
    i += length;
  }
  return bytes.size();
}

}  // namespace tenon::text
