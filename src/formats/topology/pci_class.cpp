// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/pci_class.hpp"

#include <algorithm>
#include <array>

namespace tenon::formats::topology {

PciRole pci_role(PciClass pci_class, std::uint16_t vendor) {
  constexpr std::uint16_t kUnknownVendor = 0;
  constexpr std::array<std::uint16_t, 6> kGpuVendors{
      0x10de,  // NVIDIA
      0x1002,  // AMD
      0x8086,  // Intel
      0x1d94,  // Hygon
      0x1ed5,  // Moore Threads
      kUnknownVendor,
  };
  const bool gpu_vendor = std::ranges::find(kGpuVendors, vendor) != kGpuVendors.end();
  switch (pci_class) {
    case 0x0300:  // VGA: mostly a management controller's or a desktop's
      return vendor == 0x10de ? PciRole::kGpu : PciRole::kOther;
    case 0x0302:  // 3D controller
    case 0x0380:  // other display
    case 0x1200:  // processing accelerator
      return gpu_vendor ? PciRole::kGpu : PciRole::kOther;
    case 0x0108:  // non-volatile memory
      return PciRole::kNvme;
    case 0x0604:  // PCI bridge
      return PciRole::kBridge;
    default:
      return pci_class >> 8U == 0x02 ? PciRole::kNic : PciRole::kOther;
  }
}

}  // namespace tenon::formats::topology
