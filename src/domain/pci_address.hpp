// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Where a PCI function is: domain:bus:device.function. A domain may have 32 bits.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::domain {

struct PciAddress {
  std::uint32_t domain = 0;
  std::uint8_t bus = 0;
  std::uint8_t device = 0;    // 0 … 31
  std::uint8_t function = 0;  // 0 … 7

  friend auto operator<=>(const PciAddress&, const PciAddress&) = default;
};

/// "0000:10:1c.0", "10:1c.0" (domain 0), "10000:e1:00.0"; any letter case.
[[nodiscard]] std::optional<PciAddress> pci_address_from_text(std::string_view text);

/// Lower case, the domain with at least four digits: "0000:10:1c.0".
[[nodiscard]] std::string to_text(const PciAddress& address);

}  // namespace tenon::domain
