// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The places of a node's PCI tree, made as devices ask for them, and the NUMA nodes of functions.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/node.hpp"
#include "shell/host/pci.hpp"

namespace tenon::host {

/// Adds to `node.places`: each bridge, port and switch once, named in the order of its making.
/// WARNING: keeps a reference to the node.
class PlaceMaker {
 public:
  explicit PlaceMaker(domain::Node& node) : node_(node) {}

  /// What the function hangs under; nothing where the tree does not show its way.
  [[nodiscard]] std::optional<domain::PlaceIndex> place_of(const PciFunction& function);

  /// Says of each host bridge the NUMA node on which all its functions agree, where they do.
  void set_numa(std::span<const PciFunction> functions);

 private:
  domain::PlaceIndex add(domain::PlaceKind kind, std::optional<domain::PlaceIndex> parent,
                         std::optional<domain::PciAddress> pci);

  domain::Node& node_;
  std::map<std::string, domain::PlaceIndex> bridges_;       // by "pci0000:00"
  std::map<domain::PciAddress, domain::PlaceIndex> ports_;  // root ports and up ports
  int counts_[3] = {0, 0, 0};                               // by PlaceKind
};

/// The NUMA node that the firmware names, if the node has it; else those of the function's own CPUs,
/// unless these are all CPUs, which says nothing. Ascending; empty where not known.
[[nodiscard]] std::vector<int> numa_of(const PciFunction& function, const domain::Node& node);

/// The NUMA node of the top above a place.
[[nodiscard]] std::optional<int> numa_of_top(const domain::Node& node, domain::PlaceIndex place);

}  // namespace tenon::host
