// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "views/distances_view.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "base/text.hpp"
#include "core/topology/distances.hpp"

namespace tenon::views {
namespace {

using domain::Device;
using domain::DeviceIndex;
using domain::DeviceKind;
using domain::Node;

std::string_view prefix_of(DeviceKind kind) {
  if (kind == DeviceKind::kGpu) return "GPU";
  return kind == DeviceKind::kNic ? "NIC" : "NVME";
}

/// GPUs, then NICs, each by PCI address; those without one come last, in their own order.
std::vector<DeviceIndex> by_address(const Node& node) {
  std::vector<DeviceIndex> devices;
  for (std::size_t i = 0; i < node.devices.size(); ++i) {
    if (node.devices[i].kind() != DeviceKind::kNvme) {
      devices.push_back(DeviceIndex{static_cast<std::uint32_t>(i)});
    }
  }
  std::ranges::stable_sort(devices, {}, [&](DeviceIndex index) {
    const Device& device = node.devices[static_cast<std::size_t>(index)];
    return std::tuple(device.kind(), !device.pci.has_value(),
                      device.pci.value_or(domain::PciAddress{}));
  });
  return devices;
}

void name_by_address(const Node& node, DistancesView& view) {
  view.devices = by_address(node);
  int gpus = 0;
  int nics = 0;
  for (const DeviceIndex index : view.devices) {
    const DeviceKind kind = node.devices[static_cast<std::size_t>(index)].kind();
    int& next = kind == DeviceKind::kGpu ? gpus : nics;
    view.names.push_back(text::cat(prefix_of(kind), next++));
  }
}

/// The header's devices first, under the names that the source gave them.
void name_by_header(const Node& node, DistancesView& view) {
  view.devices = node.matrix->header;
  for (const DeviceIndex index : by_address(node)) {
    if (std::ranges::find(view.devices, index) == view.devices.end()) view.devices.push_back(index);
  }
  for (const DeviceIndex index : view.devices) {
    const Device& device = node.devices[static_cast<std::size_t>(index)];
    view.names.push_back(device.label.empty() ? text::cat(prefix_of(device.kind()), device.ordinal)
                                              : device.label);
  }
}

}  // namespace

DistancesView distances_view(const Node& node) {
  DistancesView view;
  if (node.matrix) {
    name_by_header(node, view);
  } else {
    name_by_address(node, view);
  }
  const topology::Distances distances(node);
  for (const DeviceIndex row : view.devices) {
    for (const DeviceIndex column : view.devices) {
      const domain::Link link = distances.as_read(row, column);
      view.cells.push_back(link.seen == domain::Link::Seen::kNothing ? "" : to_text(link));
    }
  }
  return view;
}

}  // namespace tenon::views
