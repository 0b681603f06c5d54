// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// This machine, or one that was captured: a tree of sysfs files into a node.
//
// CPUs, NUMA nodes and memory through hwloc; PCI, GPUs, NICs and NVMes from sysfs by our own code,
// so that 32-bit PCI domains are not lost. The only room that touches the machine.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "domain/node.hpp"

namespace tenon::host {

struct HostNode {
  domain::Node node;
  std::vector<std::string> warnings;
};

/// `root`: a directory that holds sys/ (and proc/); "/" is this machine.
/// An Error where the root is not there, or shows neither CPUs nor PCI.
[[nodiscard]] Result<HostNode> read_root(const std::string& root);

/// A captured tree as .tar.gz (or .tar, .tar.xz, .tar.bz2), unpacked within bounds into a private
/// temporary folder that is gone when this returns. Refused: paths or links that leave the archive's
/// own root, hard links, devices, too many members or bytes.
[[nodiscard]] Result<HostNode> read_archive(const std::string& path);

}  // namespace tenon::host
