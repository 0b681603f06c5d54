// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What a PCI function is to us where a text says no more than its class and vendor.
#pragma once

#include <cstdint>

#include "domain/pci_class.hpp"

namespace tenon::formats::topology {

enum class PciRole : std::uint8_t { kGpu, kNic, kNvme, kBridge, kOther };

/// `vendor` 0: not known. VGA of NVIDIA is a GPU, of others none by itself: a management controller's
/// looks alike. Other displays and accelerators are GPUs where their vendor makes such.
[[nodiscard]] PciRole pci_role(domain::PciClass type, std::uint16_t vendor);

}  // namespace tenon::formats::topology
