// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/pci.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.hpp"

namespace tenon::host {
namespace {

using domain::PciAddress;

constexpr std::string_view kDevices = "sys/bus/pci/devices";

// "0x10de" or "0x030200"; nothing where the file is not there or says something else.
std::optional<std::uint32_t> hex_line(const FileTree& tree, std::string_view name,
                                      FileTree::Index from) {
  const auto line = tree.line(name, from);
  if (!line || !line->starts_with("0x") || line->size() > 10) return std::nullopt;
  const auto value = text::hex_to_u64(line->substr(2));
  if (!value) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

std::uint16_t id_line(const FileTree& tree, std::string_view name, FileTree::Index from) {
  const auto id = hex_line(tree, name, from);
  return id && *id <= 0xFFFF ? static_cast<std::uint16_t>(*id) : std::uint16_t{0};
}

bool is_host_bridge(std::string_view name) {
  if (!name.starts_with("pci")) return false;
  const auto parts = text::split(name.substr(3), ':');
  return parts.size() == 2 && parts[0].size() >= 4 && parts[0].size() <= 8 &&
         parts[1].size() == 2 && text::hex_to_u64(parts[0]) && text::hex_to_u64(parts[1]);
}

// What stands between the host bridge and the function. A host bridge may itself stand below a
// function (Intel VMD): the lowest one counts.
void read_way(const FileTree& tree, PciFunction& function) {
  FileTree::Index here = tree.parent(function.directory);
  for (; here != FileTree::kTop; here = tree.parent(here)) {
    const std::string& name = tree.name(here);
    if (is_host_bridge(name)) {
      function.host_bridge = name;
      std::ranges::reverse(function.bridges);
      return;
    }
    const auto address = domain::pci_address_from_text(name);
    if (!address) break;
    function.bridges.push_back(*address);
  }
  function.bridges.clear();
}

domain::CpuSet read_local_cpus(const FileTree& tree, FileTree::Index directory) {
  if (const auto list = tree.line("local_cpulist", directory)) {
    if (auto cpus = domain::CpuSet::from_text(*list)) return std::move(*cpus);
  }
  if (const auto mask = tree.line("local_cpus", directory)) {
    if (auto cpus = domain::CpuSet::from_mask(*mask)) return std::move(*cpus);
  }
  return {};
}

std::optional<int> read_numa_node(const FileTree& tree, FileTree::Index directory) {
  const auto line = tree.line("numa_node", directory);
  const auto number = line ? text::to_u64(*line) : std::nullopt;  // "-1" is no number here
  if (!number || *number > 0xFFFF) return std::nullopt;
  return static_cast<int>(*number);
}

std::optional<PciAddress> read_physical(const FileTree& tree, FileTree::Index directory) {
  const auto found = tree.children(directory).find(std::string_view{"physfn"});
  if (found == tree.children(directory).end()) return std::nullopt;
  if (tree.kind(found->second) != FileTree::Kind::kLink) return std::nullopt;
  const std::string_view target = tree.content(found->second);
  return domain::pci_address_from_text(target.substr(target.rfind('/') + 1));
}

}  // namespace

std::span<const std::string_view> pci_patterns() {
  static constexpr auto kPatterns = std::to_array<std::string_view>({
      "sys/bus/pci/devices/*/class",
      "sys/bus/pci/devices/*/vendor",
      "sys/bus/pci/devices/*/device",
      "sys/bus/pci/devices/*/numa_node",
      "sys/bus/pci/devices/*/local_cpulist",
      "sys/bus/pci/devices/*/local_cpus",
      "sys/bus/pci/devices/*/physfn",
      "sys/bus/pci/devices/*/sriov_numvfs",
      "sys/bus/pci/devices/*/mem_info_vram_total",
      "sys/bus/pci/devices/*/unique_id",
      "sys/bus/pci/devices/*/product_name",
      "sys/bus/pci/devices/*/drm/card*",
      "sys/bus/pci/devices/*/net/*/address",
      "sys/bus/pci/devices/*/net/*/dev_port",
      "sys/bus/pci/devices/*/net/*/speed",
      "sys/bus/pci/devices/*/virtio*/net/*/address",
      "sys/bus/pci/devices/*/virtio*/net/*/speed",
      "sys/bus/pci/devices/*/infiniband/*/node_guid",
      "sys/bus/pci/devices/*/infiniband/*/hca_type",
      "sys/bus/pci/devices/*/infiniband/*/ports/*/rate",
      "sys/bus/pci/devices/*/infiniband/*/ports/*/state",
      "sys/bus/pci/devices/*/nvme/*/model",
      "sys/bus/pci/devices/*/nvme/*/serial",
      "sys/bus/pci/devices/*/nvme/*/nvme*/size",
      "sys/bus/pci/devices/*/block/nvme*/size",
      "sys/bus/pci/devices/*/misc/nvme*",
      "sys/class/infiniband",
      "sys/class/net/*/bonding/slaves",
      "proc/driver/nvidia/gpus/*/information",
      "proc/driver/nvidia/gpus/*/numa_status",
  });
  return kPatterns;
}

Result<std::vector<PciFunction>> read_functions(const FileTree& tree,
                                                std::vector<std::string>& warnings) {
  std::vector<PciFunction> functions;
  const auto devices = tree.find(kDevices);
  if (!devices) return functions;
  std::set<FileTree::Index> seen;
  std::size_t left_out = 0;
  for (const auto& [name, link] : tree.children(*devices)) {
    const auto address = domain::pci_address_from_text(name);
    const auto directory = tree.find(name, *devices);
    const auto class_code = directory ? hex_line(tree, "class", *directory) : std::nullopt;
    if (!address || !class_code || *class_code > 0xFFFFFF) {
      ++left_out;
      continue;
    }
    if (!seen.insert(*directory).second) {
      return bad_input(
          text::cat(kDevices, "/", name),
          text::cat("leads to the same function as another name: ", tree.path(*directory)),
          "capture the tree again");
    }
    PciFunction function{.address = *address,
                         .directory = *directory,
                         .class_code = static_cast<domain::PciClass>(*class_code >> 8U),
                         .vendor = id_line(tree, "vendor", *directory),
                         .device = id_line(tree, "device", *directory),
                         .numa_node = read_numa_node(tree, *directory),
                         .local_cpus = read_local_cpus(tree, *directory),
                         .host_bridge = {},
                         .bridges = {},
                         .physical = read_physical(tree, *directory)};
    read_way(tree, function);
    functions.push_back(std::move(function));
  }
  if (left_out > 0) {
    warnings.push_back(text::cat(kDevices, ": ", left_out,
                                 " entries without an address or a class were left out"));
  }
  std::ranges::sort(functions, {}, &PciFunction::address);
  const auto twice = std::ranges::adjacent_find(functions, {}, &PciFunction::address);
  if (twice != functions.end()) {
    return bad_input(std::string{kDevices},
                     text::cat(to_text(twice->address), " is there under two spellings"),
                     "capture the tree again");
  }
  return functions;
}

}  // namespace tenon::host
