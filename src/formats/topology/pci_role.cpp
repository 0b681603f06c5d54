// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/pci_role.hpp"

namespace tenon::formats::topology {

namespace pci_class = domain::pci_class;
namespace pci_vendor = domain::pci_vendor;

PciRole pci_role(domain::PciClass type, std::uint16_t vendor) {
  if (type == pci_class::kVga) {
    return vendor == pci_vendor::kNvidia ? PciRole::kGpu : PciRole::kOther;
  }
  if (domain::may_be_gpu(type)) {
    const bool maker = vendor == pci_vendor::kUnknown || domain::makes_gpus(vendor);
    return maker ? PciRole::kGpu : PciRole::kOther;
  }
  if (type == pci_class::kNvme) return PciRole::kNvme;
  if (type == pci_class::kBridge) return PciRole::kBridge;
  return type >> 8U == 0x02 ? PciRole::kNic : PciRole::kOther;
}

}  // namespace tenon::formats::topology
