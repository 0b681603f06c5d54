// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// For tests of readers: what a node says, in short lines to compare with.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "core/topology/check.hpp"
#include "core/topology/distances.hpp"
#include "domain/node.hpp"
#include "domain/quantity.hpp"

namespace tenon::formats::topology::testing {

inline std::string list_of(const std::vector<int>& numbers) {
  std::string out;
  for (const int number : numbers) out += text::cat(out.empty() ? "" : ",", number);
  return out;
}

inline std::string facts_of(const domain::GpuFacts& gpu) {
  std::string out;
  if (!gpu.model.empty()) out += text::cat(" model=", gpu.model);
  if (gpu.memory_bytes) out += text::cat(" mem=", domain::bytes_to_text(*gpu.memory_bytes));
  for (const auto& partition : gpu.partitions) out += text::cat(" mig=", partition.profile);
  return out;
}

inline std::string facts_of(const domain::NicFacts& nic) {
  std::string out;
  if (!nic.model.empty()) out += text::cat(" model=", nic.model);
  if (nic.rate_bits) out += text::cat(" rate=", domain::rate_to_text(*nic.rate_bits));
  if (nic.rdma) out += text::cat(" rdma=", *nic.rdma ? "yes" : "no");
  if (nic.bond) out += " bond";
  if (nic.vfs > 0) out += text::cat(" vfs=", nic.vfs);
  return out;
}

inline std::string facts_of(const domain::NvmeFacts& nvme) {
  std::string out;
  if (!nvme.model.empty()) out += text::cat(" model=", nvme.model);
  if (nvme.capacity_bytes)
    out += text::cat(" capacity=", domain::bytes_to_text(*nvme.capacity_bytes));
  return out;
}

/// "numa0 0-15 mem=64Gi", "gpu0 LABEL=ID 0000:01:00.0 on=0 model=...", without what is not known.
inline std::string facts_of(const domain::Node& node) {
  std::string out;
  for (const auto& numa : node.numa) {
    out += text::cat("numa", numa.os_index, " ", numa.cpus.to_text());
    if (numa.cores) out += text::cat(" cores=", numa.cores->size());
    if (numa.socket) out += text::cat(" socket=", *numa.socket);
    if (numa.memory_bytes) out += text::cat(" mem=", domain::bytes_to_text(*numa.memory_bytes));
    out += "\n";
  }
  for (const auto& device : node.devices) {
    out += to_text(device);
    if (!device.label.empty()) out += text::cat(" ", device.label);
    if (!device.id.empty()) out += text::cat("=", device.id);
    if (device.pci) out += text::cat(" ", to_text(*device.pci));
    if (!device.numa.empty()) out += text::cat(" on=", list_of(device.numa));
    out += std::visit([](const auto& facts) { return facts_of(facts); }, device.facts);
    out += "\n";
  }
  return out;
}

/// "gpu0->gpu1 4", a line for each direction.
inline std::string nvlinks_of(const domain::Node& node) {
  std::string out;
  for (const auto& fact : node.nvlinks) {
    out += text::cat(to_text(node.devices[static_cast<std::size_t>(fact.from)]), "->",
                     to_text(node.devices[static_cast<std::size_t>(fact.to)]), " ",
                     static_cast<int>(fact.links), "\n");
  }
  return out;
}

inline domain::DeviceIndex index_of(const domain::Node& node, std::string_view device) {
  const auto found = std::ranges::find_if(
      node.devices, [&](const domain::Device& it) { return to_text(it) == device; });
  EXPECT_NE(found, node.devices.end()) << device;
  return domain::DeviceIndex{static_cast<std::uint32_t>(found - node.devices.begin())};
}

/// "PXB"; "?" where it is not known.
inline std::string between(const domain::Node& node, std::string_view a, std::string_view b) {
  const tenon::topology::Distances distances(node);
  const auto distance = distances.pci(index_of(node, a), index_of(node, b));
  return distance ? std::string{domain::to_text(*distance)} : "?";
}

/// All PCI distances and NVLinks, a line for each pair.
inline std::string distances_of(const domain::Node& node) {
  const tenon::topology::Distances distances(node);
  std::string out;
  for (std::uint32_t a = 0; a < node.devices.size(); ++a) {
    for (std::uint32_t b = 0; b < node.devices.size(); ++b) {
      const domain::DeviceIndex row{a};
      const domain::DeviceIndex column{b};
      const auto distance = distances.pci(row, column);
      out += text::cat(a, " ", b, " ", distance ? domain::to_text(*distance) : "?", " ",
                       distances.nvlinks(row, column), " ", to_text(distances.as_read(row, column)),
                       "\n");
    }
  }
  return out;
}

/// Broken invariants of domain/node.hpp, one a line; "" is what a reader owes.
inline std::string errors_of(const domain::Node& node) {
  std::string out;
  for (const auto& finding : tenon::topology::check_node(node)) {
    if (finding.severity != tenon::topology::Severity::kError) continue;
    out += text::cat(finding.code, " ", finding.subject, ": ", finding.text, "\n");
  }
  return out;
}

}  // namespace tenon::formats::topology::testing
