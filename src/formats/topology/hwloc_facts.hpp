// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What an hwloc PCI device is and what the file says of it: class, model, memory, names, identities.
#pragma once

#include <optional>
#include <string>

#include "domain/node.hpp"
#include "formats/topology/hwloc_file.hpp"
#include "formats/topology/pci_role.hpp"

namespace tenon::formats::topology {

struct HwlocPciType {
  domain::PciClass pci_class = 0;
  std::uint16_t vendor = 0;
  std::string ids;  // "10de:2330"
};

/// "0302 [10de:1db8] [10de:131d] a1 00"; zeros where the text is another.
[[nodiscard]] HwlocPciType hwloc_pci_type(pugi::xml_node device);

/// By class, vendor and what the operating system made of it.
[[nodiscard]] PciRole hwloc_role(const HwlocFile& file, pugi::xml_node device);

/// Label, identity and facts. REQUIRES: hwloc_role is this role, and of a device.
[[nodiscard]] domain::Device hwloc_device(const HwlocFile& file, pugi::xml_node device,
                                          PciRole role);

/// A display controller that is no GPU to us, but of a vendor who makes such.
[[nodiscard]] bool is_doubtful_display(const HwlocFile& file, pugi::xml_node device);

/// True if the names of device or vendor say so, or its ids are of a known virtual function.
[[nodiscard]] bool is_named_virtual_function(pugi::xml_node device);

}  // namespace tenon::formats::topology
