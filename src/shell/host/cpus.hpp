// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// CPUs, cores, sockets, NUMA nodes and memory of a machine, by hwloc.
//
// hwloc learns of a captured tree through the environment, writes to the terminal and trusts its
// input. So it runs in a child process, whose environment, memory and time are its own; the child
// reports lines of text, and what they mean for a node is decided here, purely:
//
//   arch x86_64
//   pus 0-7          CPUs that may be used        not-allowed 8-15    those that a cpuset forbids
//   numa 0 17149054976 allowed 0-7                os index, bytes, "allowed" or "forbidden", CPUs
//   package 0 0-3                                 os index, CPUs
//   core 0,4                                      CPUs
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "domain/node.hpp"
#include "shell/host/file_tree.hpp"

namespace tenon::host {

struct Cpus {
  std::string arch;  // "amd64"; "" where not known
  std::vector<domain::NumaNode> numa;
  std::vector<std::string> warnings;
};

/// The files that cpus_from_report looks at, for capture().
[[nodiscard]] std::span<const std::string_view> cpu_patterns();

/// Whether a tree shows CPUs at all. Ask before ask_hwloc: of a tree without them, hwloc would
/// make up one CPU or describe this machine.
[[nodiscard]] bool shows_cpus(const FileTree& tree);

/// The report on the tree below `root`; "/" is this machine. Errors leave `where` to the caller.
[[nodiscard]] Result<std::string> ask_hwloc(const std::string& root);

/// What the report means. `tree` adds what hwloc does not keep: the kernel's NUMA node of a CPU
/// whose node is off line, whether memory was captured, and which nodes are the memory of GPUs.
[[nodiscard]] Result<Cpus> cpus_from_report(std::string_view report, const FileTree& tree);

}  // namespace tenon::host
