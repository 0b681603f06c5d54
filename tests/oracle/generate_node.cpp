// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Random machines.

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "oracle/generate.hpp"

namespace tenon::oracle {

using domain::Core;
using domain::CpuId;
using domain::Device;
using domain::DeviceIndex;
using domain::DeviceKind;
using domain::Distance;
using domain::Link;
using domain::MigMode;
using domain::Node;
using domain::PlaceIndex;
using domain::PlaceKind;
using text::cat;

namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;

/// Cores of a NUMA node out of its CPUs: one, two or mixed threads each.
std::vector<Core> cores_of(Dice& dice, const std::vector<CpuId>& cpus) {
  std::vector<Core> cores;
  const int kind = dice.between(0, 9);
  if (kind <= 3 || cpus.size() < 2) {
    for (const CpuId cpu : cpus) cores.push_back({{cpu}});
  } else if (kind <= 8) {
    const std::size_t half = cpus.size() / 2;
    for (std::size_t i = 0; i < half; ++i) {
      cores.push_back(kind <= 6 ? Core{{cpus[i], cpus[half + i]}}
                                : Core{{cpus[2 * i], cpus[2 * i + 1]}});
    }
    if (cpus.size() % 2 == 1) cores.push_back({{cpus.back()}});
  } else {  // irregular: one to three threads, now and then not neighbours
    std::vector<CpuId> left = cpus;
    while (!left.empty()) {
      Core core{{left.front()}};
      left.erase(left.begin());
      for (int more = dice.between(0, 2); more > 0 && !left.empty(); --more) {
        const std::size_t at = dice.chance(70) ? 0 : dice.index(left.size());
        core.threads.push_back(left[at]);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
      }
      std::ranges::sort(core.threads);
      cores.push_back(core);
    }
  }
  std::ranges::sort(cores, {}, [](const Core& core) { return core.threads.front(); });
  return cores;
}

void add_numa(Dice& dice, Node& node) {
  const bool wide = dice.chance(46);  // many cores: the limit of ranges bites
  const int count = wide ? dice.between(1, 2) : dice.one_of(std::vector{1, 1, 2, 2, 2, 2, 3, 4, 4});
  const int sockets = dice.between(0, 2);  // none known, one a NUMA node, one for two
  const int gap = dice.chance(15) ? dice.between(1, 3) : 0;
  CpuId next = dice.chance(10) ? CpuId{3} : CpuId{0};
  for (int n = 0; n < count; ++n) {
    domain::NumaNode numa{.os_index = dice.chance(5) ? 2 * n : n};
    if (!node.numa.empty()) numa.os_index = std::max(numa.os_index, node.numa.back().os_index + 1);
    if (sockets > 0 && !dice.chance(4)) numa.socket = n / sockets;
    std::vector<CpuId> cpus;
    const int size = dice.chance(6) ? 0 : wide ? dice.between(80, 130) : dice.between(2, 14);
    for (int i = 0; i < size; ++i) {
      cpus.push_back(next);
      next = static_cast<CpuId>(next + 1 + (gap > 0 && dice.chance(20) ? gap : 0));
    }
    for (const CpuId cpu : cpus) numa.cpus.insert(cpu);
    if (!dice.chance(5)) numa.cores = cores_of(dice, cpus);
    if (!dice.chance(5)) numa.memory_bytes = dice.chance(5) ? 0 : 4 * kGi * dice.between(1, 16);
    node.numa.push_back(numa);
  }
}

/// Host bridges, ports and switches of several depths; returns where a card may stand.
std::vector<PlaceIndex> add_places(Dice& dice, Node& node) {
  std::map<PlaceKind, int> number;
  const auto add = [&](PlaceKind kind, std::optional<PlaceIndex> parent) {
    const char* word = kind == PlaceKind::kBridge ? "bridge"
                       : kind == PlaceKind::kPort ? "port"
                                                  : "sw";
    const auto index = static_cast<PlaceIndex>(node.places.size());
    node.places.push_back({.kind = kind, .name = cat(word, number[kind]++), .parent = parent});
    return index;
  };
  std::vector<PlaceIndex> spots;
  const int most = static_cast<int>(node.numa.size()) * dice.between(1, 2);
  const int bridges = std::max(1, most - dice.between(0, 1));
  for (int b = 0; b < bridges; ++b) {
    const auto bridge = add(PlaceKind::kBridge, {});
    if (!node.numa.empty() && !dice.chance(6)) {
      node.places.back().numa = node.numa[static_cast<std::size_t>(b) % node.numa.size()].os_index;
    }
    if (dice.chance(25)) spots.push_back(bridge);
    for (int p = dice.between(1, 2); p > 0; --p) {
      PlaceIndex at = dice.chance(80) ? add(PlaceKind::kPort, bridge) : bridge;
      spots.push_back(at);
      for (int depth = dice.between(0, 2); depth > 0; --depth) {
        const PlaceIndex above = at;
        at = add(PlaceKind::kSwitch, above);
        spots.push_back(at);
        if (dice.chance(25)) spots.push_back(add(PlaceKind::kSwitch, above));
      }
    }
  }
  return spots;
}

void add_devices(Dice& dice, Node& node) {
  const bool tree = !dice.chance(12);
  const auto spots = tree ? add_places(dice, node) : std::vector<PlaceIndex>{};
  const int gpus = dice.one_of(std::vector{1, 2, 2, 3, 4, 4, 4, 5, 6, 8});
  const int nics = dice.one_of(std::vector{0, 1, 1, 2, 2, 3, 4, 4, 5, 6, 8, 10});
  const int nvmes = dice.one_of(std::vector{0, 0, 0, 1, 1, 2, 3, 4});
  const auto add = [&](int ordinal, auto facts) {
    Device device{.ordinal = ordinal, .facts = facts};
    if (!spots.empty() && !dice.chance(4)) device.place = dice.one_of(spots);
    // A device without place says its NUMA nodes more often than one that has one.
    if (!node.numa.empty() && dice.chance(device.place ? 6 : 75)) {
      device.numa.push_back(dice.one_of(node.numa).os_index);
      if (dice.chance(12)) device.numa.push_back(dice.one_of(node.numa).os_index);
      std::ranges::sort(device.numa);
      const auto twice = std::ranges::unique(device.numa);
      device.numa.erase(twice.begin(), twice.end());
    }
    node.devices.push_back(device);
  };
  for (int i = 0; i < gpus; ++i) add(i, domain::GpuFacts{});
  for (int i = 0; i < nics; ++i) add(i, domain::NicFacts{});
  for (int i = 0; i < nvmes; ++i) add(i, domain::NvmeFacts{});
  if (!dice.chance(12)) return;
  std::uint8_t bus = 1;
  for (std::size_t i = 0; i < node.devices.size(); ++i) {
    auto& device = node.devices[i];
    // Now and then a second port of the card before.
    if (i > 0 && device.kind() == DeviceKind::kNic &&
        node.devices[i - 1].kind() == DeviceKind::kNic && node.devices[i - 1].pci->function < 7 &&
        dice.chance(40)) {
      device.pci = node.devices[i - 1].pci;
      ++device.pci->function;
    } else {
      device.pci = domain::PciAddress{.bus = bus++};
    }
  }
}

void add_nvlinks(Dice& dice, Node& node) {
  const auto gpus = static_cast<std::uint32_t>(std::ranges::count_if(
      node.devices, [](const Device& d) { return d.kind() == DeviceKind::kGpu; }));
  const int kind = dice.between(0, 5);  // 0, 1: none
  const auto links = static_cast<std::uint8_t>(dice.between(1, 18));
  for (std::uint32_t a = 0; a < gpus; ++a) {
    for (std::uint32_t b = 0; b < gpus; ++b) {
      const bool pairs = kind == 2 && a / 2 == b / 2;
      const bool clique = kind == 3;
      const bool halves = kind == 4 && (a < gpus / 2) == (b < gpus / 2);
      const bool mesh = kind == 5 && dice.chance(50);
      if (a == b || !(pairs || clique || halves || mesh) || dice.chance(3)) continue;
      const auto here = kind == 5 ? static_cast<std::uint8_t>(dice.between(1, 4)) : links;
      node.nvlinks.push_back({static_cast<DeviceIndex>(a), static_cast<DeviceIndex>(b), here});
    }
  }
}

void add_matrix(Dice& dice, Node& node) {
  domain::Matrix matrix;
  for (std::size_t i = 0; i < node.devices.size(); ++i) {
    const auto kind = node.devices[i].kind();
    if (kind == DeviceKind::kGpu || (kind == DeviceKind::kNic && !dice.chance(10))) {
      matrix.header.push_back(static_cast<DeviceIndex>(i));
    }
  }
  const auto n = matrix.header.size();
  matrix.cells.resize(n * n);
  // Devices of equal number stand together: what a tree would say, so that nearness is transitive.
  std::vector<int> island;
  for (std::size_t i = 0; i < n; ++i) island.push_back(dice.between(0, 7));
  const int links = dice.chance(50) ? dice.between(1, 12) : 0;
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) {
      Link& cell = matrix.cells[r * n + c];
      if (r == c) {
        cell.seen = Link::Seen::kSelf;
        continue;
      }
      const auto is_gpu = [&](std::size_t i) {
        return node.devices[static_cast<std::size_t>(matrix.header[i])].kind() == DeviceKind::kGpu;
      };
      cell.seen = Link::Seen::kDistance;
      cell.distance = island[r] == island[c]           ? Distance::kPix
                      : island[r] / 2 == island[c] / 2 ? Distance::kPxb
                      : island[r] / 4 == island[c] / 4
                          ? (dice.chance(50) ? Distance::kPhb : Distance::kNode)
                          : Distance::kSys;
      if (is_gpu(r) && is_gpu(c) && links > 0 &&
          (island[r] / 4 == island[c] / 4 || dice.chance(20))) {
        cell.seen = Link::Seen::kNvlink;
        cell.nvlinks = static_cast<std::uint8_t>(links);
      }
      if (dice.chance(3)) cell = Link{};
      if (dice.chance(2)) cell = {.seen = Link::Seen::kDistance, .distance = Distance::kSys};
    }
  }
  node.matrix = matrix;
}

const std::vector<std::string>& profiles() {
  static const std::vector<std::string> all{"1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb",
                                            "1g.20gb", "7g.80gb", "1g",      "3g",      "1g.5gb"};
  return all;
}

void gpu_facts(Dice& dice, domain::GpuFacts& gpu, int mig_percent) {
  static const std::vector<std::string> models{"H100", "A100", "a100", ""};
  if (gpu.model.empty() && dice.chance(80)) gpu.model = dice.one_of(models);
  if (!gpu.memory_bytes && !dice.chance(8)) {
    gpu.memory_bytes =
        dice.one_of(std::vector<std::int64_t>{80 * kGi, 80 * kGi, 40 * kGi, 1001, 85'000'000'000});
  }
  if (!gpu.slots && dice.chance(10)) gpu.slots = dice.between(1, 3);
  if (gpu.mig != MigMode::kOff || !dice.chance(mig_percent)) return;
  gpu.mig = dice.chance(60) ? MigMode::kDynamic : MigMode::kFixed;
  if (gpu.mig == MigMode::kDynamic) return;
  for (int i = dice.between(0, 5); i >= 0; --i)
    gpu.partitions.push_back({.profile = dice.one_of(profiles())});
  if (dice.chance(20)) gpu.partitions.push_back({.profile = "1g.10gb+me"});
}

void nic_facts(Dice& dice, domain::NicFacts& nic) {
  constexpr std::int64_t kG = 1'000'000'000;
  if (!nic.rate_bits && !dice.chance(6)) {
    nic.rate_bits = dice.one_of(std::vector<std::int64_t>{100, 200, 200, 400}) * kG;
  }
  if (!nic.role && dice.chance(40)) {
    nic.role = dice.chance(40) ? domain::NicRole::kStorage : domain::NicRole::kCompute;
  }
  if (!nic.rdma && dice.chance(30)) nic.rdma = dice.chance(50);
  nic.bond = nic.bond || dice.chance(8);
  if (nic.vfs == 0 && dice.chance(45)) nic.vfs = dice.between(1, 4);
}

}  // namespace

void random_facts(Dice& dice, Node& node) {
  const int mig_percent = dice.one_of(std::vector{0, 0, 30, 100});
  const bool alike = dice.chance(50);
  std::optional<domain::GpuFacts> gpu_before;
  std::optional<domain::NicFacts> nic_before;
  for (auto& device : node.devices) {
    if (auto* gpu = std::get_if<domain::GpuFacts>(&device.facts)) {
      if (alike && gpu_before && gpu->model.empty() && !dice.chance(8)) *gpu = *gpu_before;
      gpu_facts(dice, *gpu, mig_percent);
      gpu_before = *gpu;
    } else if (auto* nic = std::get_if<domain::NicFacts>(&device.facts)) {
      if (alike && nic_before && !nic->rate_bits && !dice.chance(20)) *nic = *nic_before;
      nic_facts(dice, *nic);
      nic_before = *nic;
    }
    if (dice.chance(2)) device.cordoned = "maintenance";
  }
  if (node.arch.empty() && dice.chance(75)) node.arch = dice.chance(70) ? "amd64" : "arm64";
  if (dice.chance(1)) node.cordoned = "maintenance";
}

Node random_node(Dice& dice) {
  Node node{.name = "a1"};
  if (!dice.chance(2)) add_numa(dice, node);
  add_devices(dice, node);
  add_nvlinks(dice, node);
  if (node.places.empty() || dice.chance(15)) add_matrix(dice, node);
  random_facts(dice, node);
  return node;
}

Node with_devices(const Node& node, const std::vector<bool>& keep) {
  Node part = node;
  part.devices.clear();
  std::map<DeviceIndex, DeviceIndex> renamed;
  std::map<DeviceKind, int> ordinal;
  for (std::size_t i = 0; i < node.devices.size(); ++i) {
    if (!keep[i]) continue;
    renamed[static_cast<DeviceIndex>(i)] = static_cast<DeviceIndex>(part.devices.size());
    part.devices.push_back(node.devices[i]);
    part.devices.back().ordinal = ordinal[node.devices[i].kind()]++;
  }
  part.nvlinks.clear();
  for (const auto& fact : node.nvlinks) {
    if (!renamed.contains(fact.from) || !renamed.contains(fact.to)) continue;
    part.nvlinks.push_back({renamed[fact.from], renamed[fact.to], fact.links});
  }
  if (!node.matrix) return part;
  domain::Matrix matrix;
  const auto& header = node.matrix->header;
  for (std::size_t r = 0; r < header.size(); ++r) {
    if (!renamed.contains(header[r])) continue;
    matrix.header.push_back(renamed[header[r]]);
    for (std::size_t c = 0; c < header.size(); ++c) {
      if (renamed.contains(header[c]))
        matrix.cells.push_back(node.matrix->cells[r * header.size() + c]);
    }
  }
  part.matrix = matrix.header.empty() ? std::nullopt : std::optional{matrix};
  return part;
}

Node part_of(Dice& dice, const Node& real) {
  std::map<DeviceKind, std::vector<std::size_t>> of_kind;
  for (std::size_t i = 0; i < real.devices.size(); ++i)
    of_kind[real.devices[i].kind()].push_back(i);
  const std::map<DeviceKind, int> most{{DeviceKind::kGpu, dice.between(2, 8)},
                                       {DeviceKind::kNic, dice.between(1, 8)},
                                       {DeviceKind::kNvme, 3}};
  std::vector<bool> keep(real.devices.size(), true);
  for (auto& [kind, indices] : of_kind) {
    while (static_cast<int>(indices.size()) > most.at(kind)) {
      const auto at = dice.index(indices.size());
      keep[indices[at]] = false;
      indices.erase(indices.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  Node node = with_devices(real, keep);
  node.name = "a1";
  if (node.numa.empty() && dice.chance(60))
    node.numa.push_back({.cpus = domain::CpuSet::of_range(0, 15)});
  for (auto& numa : node.numa) {
    if (!numa.cores && dice.chance(80)) numa.cores = cores_of(dice, numa.cpus.ids());
    if (!numa.memory_bytes && dice.chance(80)) numa.memory_bytes = 4 * kGi * dice.between(1, 16);
  }
  random_facts(dice, node);
  return node;
}

}  // namespace tenon::oracle
