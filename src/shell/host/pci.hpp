// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The PCI functions that a sysfs tree shows, as the kernel states them. Pure.
//
// sys/bus/pci/devices/ADDRESS leads to sys/devices/…/pciDDDD:BB/PORT/…/ADDRESS: the path is the way
// from the host bridge down. A domain may have 32 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "domain/cpu_set.hpp"
#include "domain/pci_address.hpp"
#include "domain/pci_class.hpp"
#include "shell/host/file_tree.hpp"

namespace tenon::host {

struct PciFunction {
  domain::PciAddress address;
  FileTree::Index directory = FileTree::kTop;
  domain::PciClass class_code = 0;
  std::uint16_t vendor = 0;  // 0 where the tree does not say
  std::uint16_t device = 0;
  std::optional<int> numa_node;  // nothing where the firmware is silent: -1
  domain::CpuSet local_cpus;     // empty where not known
  /// "pci0000:00"; nothing where the tree does not show the way.
  std::optional<std::string> host_bridge;
  std::vector<domain::PciAddress> bridges;     // from the host bridge down to the function
  std::optional<domain::PciAddress> physical;  // of a virtual function: its physical one
};

/// The files below a function's folder and beside it that are read; for capture().
[[nodiscard]] std::span<const std::string_view> pci_patterns();

/// Sorted by address. Odd ones are left out with a warning; two names for one function are an Error.
[[nodiscard]] Result<std::vector<PciFunction>> read_functions(const FileTree& tree,
                                                              std::vector<std::string>& warnings);

}  // namespace tenon::host
