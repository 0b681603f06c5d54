// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Any tree of files as a machine's PCI: a node within the invariants of domain/node.hpp, or an
// Error. The input is lines of text: "path=content" is a file, "path>target" a link; '\' in a
// content is a line end.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "base/text.hpp"
#include "shell/host/devices.hpp"
#include "shell/host/pci.hpp"

namespace {

using namespace tenon;

host::FileTree tree_of_lines(std::string_view lines) {
  host::FileTree tree;
  for (const auto line : text::split(lines, '\n')) {
    const auto cut = line.find_first_of("=>");
    if (cut == std::string_view::npos) continue;
    std::string rest{line.substr(cut + 1)};
    std::ranges::replace(rest, '\\', '\n');
    if (line[cut] == '>') {
      (void)tree.add_link(line.substr(0, cut), std::move(rest));
    } else {
      (void)tree.add_file(line.substr(0, cut), std::move(rest));
    }
  }
  return tree;
}

void check_places(const domain::Node& node) {
  for (std::size_t i = 0; i < node.places.size(); ++i) {
    const auto& place = node.places[i];
    check(place.parent.has_value() == (place.kind != domain::PlaceKind::kBridge),
          "host bridges, and only these, are at the top");
    check(!place.parent || static_cast<std::size_t>(*place.parent) < i, "a parent is older");
    check(!place.numa || !place.parent, "only the top names a NUMA node");
  }
}

void check_devices(const domain::Node& node) {
  int counts[3] = {0, 0, 0};
  auto last = domain::DeviceKind::kGpu;
  for (const auto& device : node.devices) {
    check(device.kind() >= last, "GPUs, NICs, NVMes");
    last = device.kind();
    check(device.ordinal == counts[static_cast<std::size_t>(last)]++, "ordinals count from 0");
    check(device.ordinal < domain::kDevicesOfAKindMax, "the bound of devices holds");
    check(!device.place || static_cast<std::size_t>(*device.place) < node.places.size(),
          "a device hangs under a place of the node");
    check(std::ranges::is_sorted(device.numa), "NUMA nodes ascend");
    check(text::is_utf8(device.label) && text::is_utf8(device.id), "names are text");
    if (const auto* nic = std::get_if<domain::NicFacts>(&device.facts)) {
      check(nic->vfs >= 0 && nic->vfs <= domain::kVfsOfANicMax, "the bound of VFs holds");
      check(nic->rate_bits.value_or(1) > 0, "a rate is known or not, never nothing");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const host::FileTree tree = tree_of_lines({reinterpret_cast<const char*>(data), size});
  std::vector<std::string> warnings;
  const auto functions = host::read_functions(tree, warnings);
  if (!functions) return 0;
  domain::Node node;
  node.name = "node";
  node.numa = {{.os_index = 0, .cpus = domain::CpuSet::of_range(0, 3)},
               {.os_index = 1, .cpus = domain::CpuSet::of_range(4, 7)}};
  if (!host::add_devices(tree, *functions, node, warnings)) return 0;
  check_places(node);
  check_devices(node);
  return 0;
}
