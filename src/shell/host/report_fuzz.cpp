// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Any bytes as what the child process says of CPUs: NUMA nodes within the invariants of
// domain/node.hpp, or an Error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "shell/host/cpus.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenon::host;
  const auto cpus = cpus_from_report({reinterpret_cast<const char*>(data), size}, FileTree{});
  if (!cpus) return 0;
  tenon::domain::CpuSet seen;
  int last = -1;
  for (const auto& numa : cpus->numa) {
    tenon::check(numa.os_index > last, "NUMA nodes are sorted, each once");
    last = numa.os_index;
    tenon::check(!seen.intersects(numa.cpus), "a CPU is of one NUMA node");
    seen.insert(numa.cpus);
    if (!numa.cores) continue;
    int threads = 0;
    for (const auto& core : *numa.cores) threads += static_cast<int>(core.threads.size());
    tenon::check(threads == numa.cpus.count(), "cores cover the CPUs of their node");
  }
  return 0;
}
