// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "domain/pci_address.hpp"

#include "base/text.hpp"

namespace tenon::domain {
namespace {

/// A hexadecimal number of `least` to `most` digits, at most `max`.
std::optional<std::uint32_t> field(std::string_view digits, std::size_t least, std::size_t most,
                                   std::uint32_t max) {
  if (digits.size() < least || digits.size() > most) return std::nullopt;
  const auto value = text::hex_to_u64(digits);
  if (!value || *value > max) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::string hex(std::uint32_t value, std::size_t width) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  while (value > 0 || out.size() < width) {
    out.insert(out.begin(), kDigits[value & 0xFU]);
    value >>= 4U;
  }
  return out;
}

}  // namespace

std::optional<PciAddress> pci_address_from_text(std::string_view text) {
  const auto colons = text::split(text, ':');
  if (colons.size() < 2 || colons.size() > 3) return std::nullopt;
  const auto dot = text::split(colons.back(), '.');
  if (dot.size() != 2) return std::nullopt;

  const auto domain = colons.size() == 3 ? field(colons[0], 1, 8, 0xFFFFFFFF) : 0;
  const auto bus = field(colons[colons.size() - 2], 2, 2, 0xFF);
  const auto device = field(dot[0], 2, 2, 0x1F);
  const auto function = field(dot[1], 1, 1, 7);
  if (!domain || !bus || !device || !function) return std::nullopt;
  return PciAddress{*domain, static_cast<std::uint8_t>(*bus), static_cast<std::uint8_t>(*device),
                    static_cast<std::uint8_t>(*function)};
}

std::string to_text(const PciAddress& address) {
  return text::cat(hex(address.domain, 4), ':', hex(address.bus, 2), ':', hex(address.device, 2),
                   '.', hex(address.function, 1));
}

}  // namespace tenon::domain
