// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What a PCI function is to us, by its class and vendor.
#pragma once

#include <cstdint>

namespace tenon::formats::topology {

/// Base class and subclass: 0x0302 of class 0x030200.
using PciClass = std::uint16_t;

enum class PciRole : std::uint8_t { kGpu, kNic, kNvme, kBridge, kOther };

/// `vendor` 0: not known. VGA of NVIDIA is a GPU, of others none by itself: a management controller's
/// looks alike. Other displays and accelerators are GPUs where their vendor makes such.
[[nodiscard]] PciRole pci_role(PciClass pci_class, std::uint16_t vendor);

}  // namespace tenon::formats::topology
