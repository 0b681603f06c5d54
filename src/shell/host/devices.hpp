// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// GPUs, NICs and NVMes out of PCI functions, and the places above them. Pure.
//
// What counts as what:
//   GPU   a display or accelerator function of NVIDIA, AMD, or Intel (not its on-board graphics);
//         never the VGA of a management controller
//   NIC   an Ethernet, InfiniBand or fabric function, or any with an RDMA device; a virtual
//         function counts on its physical one, a port that is joined in a bond on the bond
//   NVMe  a non-volatile memory controller
// The bridge straight under a host bridge is a root port; a bridge under that is the up port of a
// switch, and the bridges under it are that switch's down ports: one place for all of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "domain/node.hpp"
#include "shell/host/file_tree.hpp"
#include "shell/host/pci.hpp"

namespace tenon::host {

/// Adds places and devices to a node whose `numa` is filled. Places without a device below are left
/// out. An Error where there are more devices, or VFs of a NIC, than a node may have.
[[nodiscard]] Result<void> add_devices(const FileTree& tree, std::span<const PciFunction> functions,
                                       domain::Node& node, std::vector<std::string>& warnings);

}  // namespace tenon::host
