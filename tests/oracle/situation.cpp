// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "oracle/situation.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "oracle/distances.hpp"

namespace tenon::oracle {

using domain::DeviceIndex;
using domain::DeviceKind;
using domain::GrantMode;
using domain::Node;

std::optional<Profile> profile_from_text(std::string_view text) {
  Profile profile;
  if (text.size() < 2 || text[1] != 'g') return {};
  if (std::string_view{"12347"}.find(text[0]) == std::string_view::npos) return {};
  profile.compute = text[0] - '0';
  std::string_view rest = text.substr(2);
  if (const auto plus = rest.find('+'); plus != std::string_view::npos) {
    profile.more = true;
    if (plus + 1 == rest.size()) return {};
    rest = rest.substr(0, plus);
  }
  if (rest.empty()) return profile;
  if (!rest.starts_with('.') || !rest.ends_with("gb")) return {};
  const auto digits = rest.substr(1, rest.size() - 3);
  if (digits.empty() || digits.size() > 4 || digits[0] == '0') return {};
  const auto gb = text::to_u64(digits);
  if (!gb) return {};
  profile.gb = static_cast<std::int64_t>(*gb);
  return profile;
}

std::optional<int> memory_slices(const Profile& profile, std::optional<std::int64_t> card_bytes) {
  if (profile.more) return {};
  const int usual = profile.compute == 3 ? 4 : profile.compute == 7 ? 8 : profile.compute;
  if (profile.gb == 0 || !card_bytes) return usual;
  bool fits_usual = false;
  bool fits_two = false;
  for (const std::int64_t unit : {std::int64_t{1'000'000'000}, std::int64_t{1} << 30}) {
    if (*card_bytes <= 0) return {};
    const Wide doubled = Wide{16} * profile.gb * unit + *card_bytes;
    const auto slices = static_cast<std::int64_t>(doubled / (Wide{2} * *card_bytes));
    fits_usual = fits_usual || slices == usual;
    fits_two = fits_two || slices == 2;
  }
  if (fits_usual) return usual;
  if (profile.compute == 1 && fits_two) return 2;
  return {};
}

std::vector<int> first_slices(const Profile& profile, int size) {
  switch (profile.compute) {
    case 1:
      return size == 1 ? std::vector{0, 1, 2, 3, 4, 5, 6} : std::vector{0, 2, 4, 6};
    case 2:
      return {0, 2, 4};
    case 3:
      return {0, 4};
    default:
      return {0};
  }
}

namespace {

Bits numa_bits(const Node& node, DeviceIndex device) {
  Bits bits = 0;
  const auto near = near_numa(node, device);
  for (std::size_t i = 0; i < node.numa.size(); ++i) {
    if (std::ranges::find(near, node.numa[i].os_index) != near.end())
      bits |= bit(static_cast<int>(i));
  }
  return bits;
}

std::vector<std::vector<int>> ranks(const Node& node, const std::vector<DeviceIndex>& rows,
                                    const std::vector<DeviceIndex>& columns) {
  std::vector<std::vector<int>> table;
  for (const auto row : rows) {
    auto& line = table.emplace_back();
    for (const auto column : columns) {
      const auto distance = pci_distance(node, row, column);
      line.push_back(distance ? static_cast<int>(*distance) : kNotKnownRank);
    }
  }
  return table;
}

}  // namespace

Situation::Situation(const Node& node, const std::vector<domain::Holder>& holders)
    : arch(node.arch), cordoned(node.cordoned.has_value()) {
  for (std::size_t i = 0; i < node.devices.size(); ++i) {
    const auto& device = node.devices[i];
    const auto index = static_cast<DeviceIndex>(i);
    const bool off = device.cordoned.has_value();
    const Bits near = numa_bits(node, index);
    switch (device.kind()) {
      case DeviceKind::kGpu:
        gpu_index.push_back(index);
        gpus.push_back(
            {.facts = std::get<domain::GpuFacts>(device.facts), .cordoned = off, .numa = near});
        break;
      case DeviceKind::kNic:
        nic_index.push_back(index);
        nics.push_back(
            {.facts = std::get<domain::NicFacts>(device.facts), .cordoned = off, .numa = near});
        break;
      case DeviceKind::kNvme:
        nvme_index.push_back(index);
        nvmes.push_back({.cordoned = off, .numa = near});
        break;
    }
  }
  gpu_gpu = ranks(node, gpu_index, gpu_index);
  gpu_nic = ranks(node, gpu_index, nic_index);
  gpu_nvme = ranks(node, gpu_index, nvme_index);
  for (const auto a : gpu_index) {
    auto& line = nvlinks.emplace_back();
    for (const auto b : gpu_index) line.push_back(nvlink_count(node, a, b));
  }

  for (const auto& place : node.numa) {
    numa.push_back({.os_index = place.os_index,
                    .socket = place.socket.value_or(-1 - static_cast<int>(numa.size())),
                    .has_cpus = !place.cpus.empty(),
                    .memory_free = place.memory_bytes.value_or(0)});
    milli_free += 1000 * std::int64_t{place.cpus.count()};
  }
  domain::CpuSet pinned;
  for (const auto& holder : holders) {
    if (holder.node == node.name) take(node, holder.allocation, pinned);
  }
  milli_free -= 1000 * std::int64_t{pinned.count()};
  for (std::size_t n = 0; n < numa.size(); ++n) {
    for (const auto& core : node.numa[n].cores.value_or(std::vector<domain::Core>{})) {
      const bool held = std::ranges::any_of(
          core.threads, [&](domain::CpuId cpu) { return pinned.contains(cpu); });
      if (!held) numa[n].cores_free.push_back(core);
    }
  }

  const auto keep_intact = [&](const Groups& groups) {
    std::vector<GroupBits> kept;
    for (const auto& group : groups) {
      GroupBits bits;
      bool whole = true;
      for (const auto device : group) {
        const auto& of = node.devices[static_cast<std::size_t>(device)];
        const auto ordinal = static_cast<std::size_t>(of.ordinal);
        const bool gpu = of.kind() == DeviceKind::kGpu;
        whole = whole && (gpu ? gpus[ordinal].free() : nics[ordinal].free()) && !of.cordoned;
        (gpu ? bits.gpus : bits.nics) |= bit(of.ordinal);
      }
      if (whole) kept.push_back(bits);
    }
    return kept;
  };
  intact = {keep_intact(nvlink_groups(node)), keep_intact(switch_groups(node)),
            keep_intact(numa_groups(node))};
}

void Situation::take(const Node& node, const domain::Allocation& allocation,
                     domain::CpuSet& pinned) {
  for (const auto& grant : allocation.grants) {
    const auto& device = node.devices.at(static_cast<std::size_t>(grant.device));
    const auto ordinal = static_cast<std::size_t>(device.ordinal);
    if (device.kind() == DeviceKind::kNvme) {
      nvmes[ordinal].taken = true;
    } else if (device.kind() == DeviceKind::kGpu) {
      GpuView& gpu = gpus[ordinal];
      if (grant.mode == GrantMode::kWhole) {
        gpu.whole = true;
      } else if (grant.mode == GrantMode::kShare) {
        gpu.milli_used += grant.amount;
        gpu.bytes_used += grant.bytes;
        gpu.share_slots.push_back(grant.slot);
      } else if (gpu.facts.mig == domain::MigMode::kDynamic) {
        const auto profile = profile_from_text(grant.profile).value_or(Profile{});
        const int size = memory_slices(profile, gpu.facts.memory_bytes).value_or(0);
        for (int i = 0; i < size; ++i) gpu.partitions_used.push_back(grant.slot + i);
        gpu.compute_used += profile.compute;
      } else {
        gpu.partitions_used.push_back(grant.slot);
      }
    } else {
      NicView& nic = nics[ordinal];
      if (grant.mode == GrantMode::kWhole) {
        nic.whole = true;
      } else if (grant.mode == GrantMode::kVf) {
        nic.vfs_used.push_back(grant.slot);
      } else {
        nic.by_bandwidth = true;
        nic.bits_used += grant.amount;
      }
    }
  }
  pinned.insert(allocation.cpus);
  milli_free -= allocation.cpu_milli;
  for (const auto& memory : allocation.memory) {
    for (auto& place : numa) {
      if (place.os_index == memory.numa) place.memory_free -= memory.bytes;
    }
  }
}

}  // namespace tenon::oracle
