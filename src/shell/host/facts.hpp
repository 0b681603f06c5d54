// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What the files of one PCI function say of a GPU, a NIC or an NVMe. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "domain/node.hpp"
#include "shell/host/file_tree.hpp"
#include "shell/host/pci.hpp"

namespace tenon::host {

[[nodiscard]] bool is_gpu(const FileTree& tree, const PciFunction& function);
[[nodiscard]] bool is_nic(const FileTree& tree, const PciFunction& function);
[[nodiscard]] bool is_nvme(const PciFunction& function);

/// Each fills label, id and facts of a device; place, NUMA and ordinal are the caller's.
void read_gpu(const FileTree& tree, const PciFunction& function, domain::Device& device);
void read_nic(const FileTree& tree, const PciFunction& function, domain::Device& device);
void read_nvme(const FileTree& tree, const PciFunction& function, domain::Device& device);

/// NUMA nodes that are the memory of GPUs, by the driver's word: os_index, ascending.
[[nodiscard]] std::vector<int> gpu_memory_nodes(const FileTree& tree);

/// A network interface: its name, and its folder below the function's ("net/eth0").
struct Interface {
  std::string name;
  std::string path;
};

/// Network interfaces of a function, at most 64, sorted by path.
[[nodiscard]] std::vector<Interface> interfaces(const FileTree& tree, const PciFunction& function);

/// Bonding masters and the interfaces that each joins, by name.
[[nodiscard]] std::map<std::string, std::vector<std::string>> bonds(const FileTree& tree);

}  // namespace tenon::host
