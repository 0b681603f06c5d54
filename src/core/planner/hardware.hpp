// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Nodes as they would be with more in them. Private to this folder.
//
// What is there keeps its kind and ordinal; new devices of a kind come behind the old ones. A new
// device has no label, id or PCI address and is not cordoned.
#pragma once

#include <variant>
#include <vector>

#include "domain/cluster.hpp"
#include "domain/node.hpp"

namespace tenon::planner {

/// One more device: beside whom, and what it is.
struct NewDevice {
  domain::DeviceIndex beside{};
  std::variant<domain::GpuFacts, domain::NicFacts, domain::NvmeFacts> facts;
};

/// A new device stands at the place and near the NUMA nodes of the one beside it and is as far from
/// everything else, by tree and by matrix; the two are one switch apart unless the tree knows better.
/// NVLinks are as many as the one beside it has, where that one has them to every other GPU.
/// REQUIRES: all of one kind, at most kDevicesOfAKindMax of it then.
[[nodiscard]] domain::Node with_devices(const domain::Node& node,
                                        const std::vector<NewDevice>& added);

/// Holders of `from` in the device numbers of `to`, which has the same devices and more.
[[nodiscard]] std::vector<domain::Holder> moved(const std::vector<domain::Holder>& holders,
                                                const domain::Node& from, const domain::Node& to);

/// Equal in all that placement and additions depend on: names, labels and ids aside.
[[nodiscard]] bool equal_hardware(const domain::Node& a, const domain::Node& b);

}  // namespace tenon::planner
