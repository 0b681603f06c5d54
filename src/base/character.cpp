// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "base/character.hpp"

#include "base/text.hpp"

namespace tenon::text {

Character first_character(std::string_view bytes) {
  for (std::size_t length = 1; length <= 4 && length <= bytes.size(); ++length) {
    if (!is_utf8(bytes.substr(0, length))) continue;
    const auto lead = static_cast<unsigned char>(bytes.front());
    std::uint32_t point = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
      point = (point << 6U) | (static_cast<unsigned char>(bytes[i]) & 0x3FU);
    }
    return {length, point};
  }
  return {};
}

std::size_t control_bytes(std::string_view bytes) {
  constexpr unsigned kLeadOfC1 = 0xC2;  // and of U+00A0 … U+00BF
  if (bytes.empty()) return 0;
  const auto lead = static_cast<unsigned char>(bytes.front());
  if (lead < 0x80) return is_control(lead) ? 1 : 0;
  if (lead != kLeadOfC1 || bytes.size() < 2) return 0;
  return is_control(static_cast<unsigned char>(bytes[1])) ? 2 : 0;
}

std::size_t find_control(std::string_view bytes, std::size_t from) {
  for (std::size_t i = from; i < bytes.size(); ++i) {
    if (control_bytes(bytes.substr(i)) > 0) return i;
  }
  return std::string_view::npos;
}

}  // namespace tenon::text
