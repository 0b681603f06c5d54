// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/facts.hpp"

#include <algorithm>
#include <optional>

#include "base/character.hpp"
#include "base/text.hpp"
#include "domain/pci_class.hpp"

namespace tenon::host {
namespace {

using domain::Device;
using domain::GpuFacts;
using domain::NicFacts;
using domain::NvmeFacts;
using text::cat;
namespace pci_class = domain::pci_class;

constexpr std::string_view kNvidiaGpus = "proc/driver/nvidia/gpus";

// Names below one function are few; a tree that shows more is no machine's.
constexpr std::size_t kNamesMax = 64;

std::vector<std::string> names(const FileTree& tree, FileTree::Index from, std::string_view folder,
                               std::string_view start) {
  std::vector<std::string> found;
  const auto directory = tree.find(folder, from);
  if (!directory) return found;
  const auto& children = tree.children(*directory);
  for (auto child = children.lower_bound(start); child != children.end(); ++child) {
    if (found.size() == kNamesMax || !child->first.starts_with(start)) break;
    found.push_back(child->first);
  }
  return found;
}

// What a user can be shown; "" for anything else.
std::string plain(std::string_view raw) {
  if (!text::is_utf8(raw) || text::find_control(raw) != std::string_view::npos) return {};
  return std::string{raw};
}

std::string text_line(const FileTree& tree, std::string_view path, FileTree::Index from) {
  const auto line = tree.line(path, from);
  return line ? plain(*line) : std::string{};
}

std::optional<std::int64_t> count_line(const FileTree& tree, std::string_view path,
                                       FileTree::Index from, std::uint64_t most) {
  const auto line = tree.line(path, from);
  const auto number = line ? text::to_u64(*line) : std::nullopt;
  if (!number || *number > most) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

// "Model: \t\t Tesla V100": the value of one key of a file of such lines.
std::optional<std::string_view> value_of(const FileTree& tree, std::optional<FileTree::Index> file,
                                         std::string_view key) {
  if (!file || tree.kind(*file) != FileTree::Kind::kFile) return std::nullopt;
  for (const auto line : text::split(tree.content(*file), '\n')) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || text::trim(line.substr(0, colon)) != key) continue;
    return text::trim(line.substr(colon + 1));
  }
  return std::nullopt;
}

std::optional<FileTree::Index> driver_file(const FileTree& tree, const PciFunction& function,
                                           std::string_view name) {
  return tree.find(cat(kNvidiaGpus, "/", to_text(function.address), "/", name));
}

// The driver writes "?" digits where it does not know.
bool known_text(const std::optional<std::string_view>& value) {
  return value && !plain(*value).empty() && !value->starts_with('?');
}

// "400 Gb/sec (4X NDR)", "2.5 Gb/sec (1X SDR)": tenths of a gigabit at the finest.
std::optional<std::int64_t> rate_from_text(std::string_view line) {
  const auto words = text::words(line);
  if (words.size() < 2 || words[1] != "Gb/sec") return std::nullopt;
  const auto dot = words[0].find('.');
  const auto whole = text::to_u64(words[0].substr(0, dot));
  const auto tenths = dot == std::string_view::npos ? std::optional<std::uint64_t>{0}
                                                    : text::to_u64(words[0].substr(dot + 1, 1));
  constexpr std::uint64_t kGigabitsMax = 1'000'000;
  if (!whole || !tenths || *whole > kGigabitsMax) return std::nullopt;
  return static_cast<std::int64_t>(*whole * 1'000'000'000 + *tenths * 100'000'000);
}

// The sum over the ports that are up; nothing where none is.
std::optional<std::int64_t> rdma_rate(const FileTree& tree, FileTree::Index device) {
  std::int64_t sum = 0;
  for (const auto& port : names(tree, device, "ports", "")) {
    const auto state = tree.line(cat("ports/", port, "/state"), device);
    const auto line = tree.line(cat("ports/", port, "/rate"), device);
    if (!line || (state && state->find("ACTIVE") == std::string_view::npos)) continue;
    sum += rate_from_text(*line).value_or(0);
  }
  return sum > 0 ? std::optional{sum} : std::nullopt;
}

// Interfaces with one dev_port share a wire: representors of VFs show the speed of their port.
std::optional<std::int64_t> net_rate(const FileTree& tree, const PciFunction& function) {
  constexpr std::uint64_t kMegabitsMax = 1'000'000'000;
  constexpr std::uint64_t kPortsMax = 255;
  std::map<std::int64_t, std::int64_t> megabits;  // by port
  for (const auto& [name, path] : interfaces(tree, function)) {
    const auto speed = count_line(tree, path + "/speed", function.directory, kMegabitsMax);
    if (!speed) continue;  // -1, or 2^32 - 1 of old kernels: not known
    const auto port = count_line(tree, path + "/dev_port", function.directory, kPortsMax);
    auto& of_port = megabits[port.value_or(0)];
    of_port = std::max(of_port, *speed);
  }
  std::int64_t sum = 0;
  for (const auto& [port, speed] : megabits) sum += speed * 1'000'000;
  return sum > 0 ? std::optional{sum} : std::nullopt;
}

}  // namespace

bool is_gpu(const FileTree& tree, const PciFunction& function) {
  if (!domain::may_be_gpu(function.class_code)) return false;
  if (function.vendor == domain::pci_vendor::kIntel && function.class_code != pci_class::kDisplay) {
    // On-board graphics and neural units hang straight under the host bridge.
    return !function.bridges.empty();
  }
  return domain::makes_gpus(function.vendor) || driver_file(tree, function, "").has_value();
}

bool is_nic(const FileTree& tree, const PciFunction& function) {
  const auto code = function.class_code;
  return code == pci_class::kEthernet || code == pci_class::kInfiniband ||
         code == pci_class::kFabric || !names(tree, function.directory, "infiniband", "").empty();
}

bool is_nvme(const PciFunction& function) { return function.class_code == pci_class::kNvme; }

void read_gpu(const FileTree& tree, const PciFunction& function, Device& device) {
  GpuFacts facts;
  const FileTree::Index from = function.directory;
  for (const auto& name : names(tree, from, "drm", "card")) {
    if (text::to_u64(std::string_view{name}.substr(4))) device.label = name;
  }
  device.id = text_line(tree, "unique_id", from);
  facts.model = domain::gpu_model(text_line(tree, "product_name", from));
  constexpr std::uint64_t kBytesMax = 1ULL << 50U;
  const auto vram = count_line(tree, "mem_info_vram_total", from, kBytesMax);
  if (vram && *vram > 0) facts.memory_bytes = vram;

  const auto information = driver_file(tree, function, "information");
  const auto model = value_of(tree, information, "Model");
  if (known_text(model)) facts.model = domain::gpu_model(*model);
  const auto uuid = value_of(tree, information, "GPU UUID");
  if (known_text(uuid)) device.id = *uuid;
  const auto size = value_of(tree, driver_file(tree, function, "numa_status"), "Size");
  const auto bytes = size ? text::hex_to_u64(*size) : std::nullopt;
  if (bytes && *bytes > 0 && *bytes <= kBytesMax) {
    facts.memory_bytes = static_cast<std::int64_t>(*bytes);
  }
  device.facts = std::move(facts);
}

void read_nic(const FileTree& tree, const PciFunction& function, Device& device) {
  NicFacts facts;
  const FileTree::Index from = function.directory;
  const auto rdma_names = names(tree, from, "infiniband", "");
  const auto net = interfaces(tree, function);
  if (!net.empty()) {
    device.label = plain(net.front().name);
    device.id = text_line(tree, net.front().path + "/address", from);
  }
  if (!rdma_names.empty()) {
    const std::string& name = rdma_names.front();
    const auto rdma_device = tree.find(cat("infiniband/", name), from);
    device.label = plain(name);
    device.id = text_line(tree, cat("infiniband/", name, "/node_guid"), from);
    facts.model = text_line(tree, cat("infiniband/", name, "/hca_type"), from);
    if (rdma_device) facts.rate_bits = rdma_rate(tree, *rdma_device);
    facts.rdma = true;
    facts.bond = name.starts_with("mlx5_bond_");  // the driver joined the ports of a card
  } else if (!net.empty() || tree.find("sys/class/infiniband")) {
    facts.rdma = false;
  }
  if (!facts.rate_bits) facts.rate_bits = net_rate(tree, function);
  device.facts = std::move(facts);
}

void read_nvme(const FileTree& tree, const PciFunction& function, Device& device) {
  NvmeFacts facts;
  const FileTree::Index from = function.directory;
  std::vector<std::string> spaces;  // paths of namespaces
  for (const auto& name : names(tree, from, "nvme", "nvme")) {
    device.label = plain(name);
    device.id = text_line(tree, cat("nvme/", name, "/serial"), from);
    facts.model = text_line(tree, cat("nvme/", name, "/model"), from);
    for (const auto& space : names(tree, from, cat("nvme/", name), "nvme")) {
      spaces.push_back(cat("nvme/", name, "/", space));
    }
  }
  // Kernels before 4.0 show the drive as a misc device and its namespaces straight below it.
  for (const auto& name : names(tree, from, "misc", "nvme")) device.label = plain(name);
  for (const auto& space : names(tree, from, "block", "nvme")) {
    spaces.push_back(cat("block/", space));
  }
  constexpr std::uint64_t kSectorsMax = 1ULL << 45U;
  constexpr std::int64_t kSectorBytes = 512;
  std::int64_t sectors = 0;
  for (const auto& space : spaces) {
    sectors += count_line(tree, cat(space, "/size"), from, kSectorsMax).value_or(0);
  }
  if (sectors > 0) facts.capacity_bytes = sectors * kSectorBytes;
  device.facts = std::move(facts);
}

std::vector<int> gpu_memory_nodes(const FileTree& tree) {
  std::vector<int> nodes;
  for (const auto& gpu : tree.list(kNvidiaGpus)) {
    const auto file = tree.find(cat(kNvidiaGpus, "/", gpu, "/numa_status"));
    const auto number = text::to_u64(value_of(tree, file, "Node").value_or(""));
    if (number && *number <= 0xFFFF) nodes.push_back(static_cast<int>(*number));
  }
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
  return nodes;
}

std::vector<Interface> interfaces(const FileTree& tree, const PciFunction& function) {
  // A paravirtual card has a device of its own between the function and the interface.
  std::vector<std::string> folders{"net"};
  for (const auto& name : names(tree, function.directory, "", "virtio")) {
    folders.push_back(name + "/net");
  }
  std::vector<Interface> found;
  for (const auto& folder : folders) {
    for (auto& name : names(tree, function.directory, folder, "")) {
      if (found.size() == kNamesMax) return found;
      found.push_back({.name = name, .path = cat(folder, "/", name)});
    }
  }
  return found;
}

std::map<std::string, std::vector<std::string>> bonds(const FileTree& tree) {
  std::map<std::string, std::vector<std::string>> found;
  for (const auto& master : tree.list("sys/class/net")) {
    const auto slaves = tree.line(cat("sys/class/net/", master, "/bonding/slaves"), FileTree::kTop);
    if (!slaves || plain(master).empty()) continue;
    for (const auto slave : text::words(*slaves)) found[master].emplace_back(slave);
  }
  return found;
}

}  // namespace tenon::host
