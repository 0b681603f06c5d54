// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "oracle/greedy.hpp"

#include <algorithm>

#include "oracle/devices.hpp"

namespace tenon::oracle {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// For each NIC in turn the one that is nearest to the next GPU; of equally near ones the smallest id.
std::optional<DeviceChoice> nearest_nics(const Situation& s, const domain::NicDemand& demand,
                                         const std::vector<int>& gpus) {
  const auto choices = nic_choices(s, demand);
  if (!choices) return {};
  std::vector<int> taken;
  for (std::size_t unit = 0; unit < at(demand.count); ++unit) {
    std::optional<int> best;
    const auto rank = [&](int nic) {
      return gpus.empty() ? 0 : s.gpu_nic[at(gpus[unit % gpus.size()])][at(nic)];
    };
    for (int nic = 0; nic < static_cast<int>(s.nics.size()); ++nic) {
      auto more = taken;
      more.push_back(nic);
      std::ranges::sort(more);
      const bool possible = std::ranges::any_of(
          *choices, [&](const auto& c) { return std::ranges::includes(c.of_unit, more); });
      if (possible && (!best || rank(nic) < rank(*best))) best = nic;
    }
    if (!best) return {};
    taken.push_back(*best);
    std::ranges::sort(taken);
  }
  const auto found = std::ranges::find(*choices, taken, &DeviceChoice::of_unit);
  if (found == choices->end()) return {};
  return *found;
}

/// Memory from the nodes of the cores, else of the devices, then from the others.
bool add_memory(const Situation& s, std::int64_t bytes, Bits home, domain::Allocation& allocation) {
  std::vector<domain::MemoryGrant> grants;
  for (const bool at_home : {true, false}) {
    for (std::size_t n = 0; n < s.numa.size() && bytes > 0; ++n) {
      const auto& numa = s.numa[n];
      if (((home & bit(static_cast<int>(n))) != 0) != at_home || numa.memory_free == 0) continue;
      grants.push_back({numa.os_index, std::min(bytes, numa.memory_free)});
      bytes -= grants.back().bytes;
    }
  }
  std::ranges::sort(grants, {}, &domain::MemoryGrant::numa);
  allocation.memory = std::move(grants);
  return bytes == 0;
}

}  // namespace

std::optional<domain::Allocation> greedy(const Situation& s, const domain::Request& request) {
  const auto gpus = gpu_choices(s, request.gpu);
  if (!gpus || gpus->empty()) return {};
  const auto& gpu = gpus->front();
  const auto nic = nearest_nics(s, request.nic, distinct(gpu.of_unit));
  const auto nvmes = nvme_choices(s, request.nvme_count);
  const auto cores = core_choices(s, request);
  if (!nic || !nvmes || nvmes->empty() || !cores || cores->empty()) return {};

  Chosen chosen{.gpus = gpu.of_unit, .nics = nic->of_unit, .nvmes = nvmes->front().of_unit};
  Bits near = 0;
  for (const Bits numa : numa_of_devices(s, chosen)) near |= numa;
  auto core = std::ranges::find_if(*cores, [&](const auto& c) { return (c.nodes & ~near) == 0; });
  if (core == cores->end()) core = cores->begin();
  chosen.cores = core->counts;

  domain::Allocation allocation{.cpus = cpus_of(s, core->counts), .cpu_milli = request.cpu_milli};
  for (const auto* choice : {&gpu, &*nic, &nvmes->front()}) {
    allocation.grants.insert(allocation.grants.end(), choice->grants.begin(), choice->grants.end());
  }
  std::ranges::stable_sort(allocation.grants, [](const auto& a, const auto& b) {
    return std::pair(a.device, a.slot) < std::pair(b.device, b.slot);
  });
  if (!add_memory(s, request.memory_bytes, memory_home(s, chosen), allocation)) return {};
  return allocation;
}

}  // namespace tenon::oracle
