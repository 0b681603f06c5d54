// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Random holders and requests for a machine.

#include <algorithm>

#include "base/text.hpp"
#include "oracle/devices.hpp"
#include "oracle/generate.hpp"

namespace tenon::oracle {

using domain::Cards;
using domain::DeviceKind;
using domain::Distance;
using domain::GpuMode;
using domain::MigMode;
using domain::NicMode;
using domain::Node;
using domain::Request;

namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;

int count_of(const Node& node, DeviceKind kind) {
  return static_cast<int>(
      std::ranges::count_if(node.devices, [&](const auto& d) { return d.kind() == kind; }));
}

std::vector<domain::GpuFacts> gpus_of(const Node& node) {
  std::vector<domain::GpuFacts> gpus;
  for (const auto& device : node.devices) {
    if (const auto* gpu = std::get_if<domain::GpuFacts>(&device.facts)) gpus.push_back(*gpu);
  }
  return gpus;
}

/// A profile that some card of the node may have.
std::string some_profile(Dice& dice, const std::vector<domain::GpuFacts>& gpus) {
  std::vector<std::string> there;
  for (const auto& gpu : gpus) {
    for (const auto& partition : gpu.partitions) there.push_back(partition.profile);
    if (gpu.mig == MigMode::kDynamic) {
      const bool small = gpu.memory_bytes == 40 * kGi;
      for (const char* profile : {"1g", "2g", "3g", "4g"}) there.emplace_back(profile);
      for (const char* profile : {"1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb", "7g.80gb"}) {
        if (!small) there.emplace_back(profile);
      }
      for (const char* profile : {"1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb"}) {
        if (small) there.emplace_back(profile);
      }
    }
  }
  if (there.empty() || dice.chance(4))
    return dice.one_of(std::vector<std::string>{"1g.10gb", "3g.40gb"});
  return dice.one_of(there);
}

domain::GpuDemand random_gpu_demand(Dice& dice, const Node& node) {
  domain::GpuDemand demand;
  const auto gpus = gpus_of(node);
  if (gpus.empty()) return demand;
  const auto mig =
      std::ranges::count_if(gpus, [](const auto& g) { return g.mig != MigMode::kOff; });
  const bool want_mig =
      mig > 0 && dice.chance(mig == static_cast<std::ptrdiff_t>(gpus.size()) ? 92 : 45);
  const int roll = dice.between(0, 99);
  demand.mode = want_mig    ? GpuMode::kMig
                : roll < 62 ? GpuMode::kWhole
                : roll < 82 ? GpuMode::kShareMilli
                            : GpuMode::kShareBytes;
  const int most = demand.mode == GpuMode::kWhole ? static_cast<int>(gpus.size()) : 4;
  int units = dice.between(1, std::max(1, most));
  if (dice.chance(50)) units = std::min(units, dice.between(1, 3));
  if (demand.mode == GpuMode::kWhole && dice.chance(2)) ++units;
  const bool alike = dice.chance(60);
  for (int u = 0; u < units; ++u) {
    if (u > 0 && alike) {
      demand.units.push_back(demand.units.back());
      continue;
    }
    domain::GpuUnit unit;
    if (demand.mode == GpuMode::kShareMilli) {
      unit.amount = dice.one_of(std::vector<std::int64_t>{100, 250, 333, 500, 500, 700, 999, 1000});
    } else if (demand.mode == GpuMode::kShareBytes) {
      const auto memory = dice.one_of(gpus).memory_bytes.value_or(40 * kGi);
      const auto part = memory / dice.one_of(std::vector<std::int64_t>{1, 2, 2, 3, 4, 8});
      unit.amount = std::max<std::int64_t>(1, part + dice.between(0, 1));
    } else if (demand.mode == GpuMode::kMig) {
      unit.profile = some_profile(dice, gpus);
    }
    demand.units.push_back(unit);
  }
  if (demand.mode == GpuMode::kWhole) return demand;
  if (dice.chance(36)) demand.cards = dice.chance(50) ? Cards::kOne : Cards::kApart;
  return demand;
}

domain::NicDemand random_nic_demand(Dice& dice, const Node& node) {
  domain::NicDemand demand;
  const int nics = count_of(node, DeviceKind::kNic);
  if (nics == 0 && !dice.chance(5)) return demand;
  const int roll = dice.between(0, 99);
  demand.mode = roll < 55 ? NicMode::kWhole : roll < 76 ? NicMode::kBandwidth : NicMode::kVf;
  const int most = demand.mode == NicMode::kVf ? 4 : std::max(1, nics);
  const int count = dice.between(1, most);
  demand.count = std::min(count, dice.between(1, 8));
  if (demand.mode == NicMode::kBandwidth) {
    demand.bandwidth_bits =
        dice.one_of(std::vector<std::int64_t>{1, 40, 50, 100, 200}) * 1'000'000'000;
  }
  if (demand.mode == NicMode::kVf && dice.chance(50)) {
    demand.cards = dice.chance(45) ? Cards::kOne : Cards::kApart;
  }
  return demand;
}

void random_nic_clauses(Dice& dice, domain::NicDemand& nic) {
  if (nic.count == 0) return;
  if (dice.chance(26))
    nic.role = dice.chance(50) ? domain::RoleWanted::kStorage : domain::RoleWanted::kAny;
  if (dice.chance(12))
    nic.rate_bits_min = dice.one_of(std::vector<std::int64_t>{100, 200, 400}) * 1'000'000'000;
  nic.bonds = dice.chance(14);
  nic.non_rdma = dice.chance(18);
}

Distance random_bound(Dice& dice) {
  return dice.one_of(std::vector{Distance::kPix, Distance::kPxb, Distance::kPxb, Distance::kPhb,
                                 Distance::kPhb, Distance::kNode, Distance::kNode, Distance::kSys});
}

void random_nearness(Dice& dice, Request& r) {
  const auto gpus = static_cast<int>(r.gpu.units.size());
  if (gpus > 0 && r.nic.count > 0) {
    if (dice.chance(34)) {
      const int least = (gpus + r.nic.count - 1) / r.nic.count;
      int most = std::max(1, least + (dice.chance(25) ? 1 : 0));
      if (r.gpu.mode != GpuMode::kWhole && dice.chance(20)) most = 1;
      r.pair = domain::PairClause{.gpus_per_nic = most, .bound = random_bound(dice)};
    } else if (gpus >= 4 && dice.chance(20)) {
      // The shape that a cluster of fewer NICs than GPUs asks for.
      r.nic.count = std::max(1, gpus / 2);
      r.pair = domain::PairClause{.gpus_per_nic = 2 + gpus % 2, .bound = random_bound(dice)};
    }
  }
  if (gpus > 0) {
    const bool several = gpus > 1;
    if (dice.chance(several ? 16 : 3)) r.gpus_within = random_bound(dice);
    const int roll = dice.between(0, 99);
    if (roll < (several ? 15 : 2)) {
      r.nvlink = domain::NvlinkClause::kAll;
    } else if (roll < (several ? 30 : 4)) {
      r.nvlink = domain::NvlinkClause::kConnected;
    }
  }
}

void random_wishes(Dice& dice, Request& r) {
  if (!dice.chance(45)) return;
  using domain::Wish;
  for (int i = dice.between(1, 3); i > 0; --i) {
    const Wish wish =
        dice.one_of(std::vector{Wish::kPair, Wish::kGpus, Wish::kNuma, Wish::kMemory, Wish::kNvme});
    if (std::ranges::find(r.wishes, wish) == r.wishes.end()) r.wishes.push_back(wish);
  }
}

void random_cpu(Dice& dice, const Node& node, Request& r) {
  int cores = 0;
  std::int64_t memory = 0;
  for (const auto& numa : node.numa) {
    if (numa.cores) cores += static_cast<int>(numa.cores->size());
    memory += numa.memory_bytes.value_or(0);
  }
  if (dice.chance(cores > 39 ? 85 : 45)) {
    r.cores = std::max(1, std::min(dice.between(1, 12), cores));
    if (cores > 39 && dice.chance(93)) r.cores = dice.between(16, std::min(40, cores / 2 + 1));
    if (dice.chance(25)) r.core_plan = domain::CorePlan::kSpread;
  } else if (dice.chance(24)) {
    r.cpu_milli = std::int64_t{250} * dice.between(1, 40);
  }
  if (dice.chance(45)) {
    const auto gib = static_cast<int>(std::min<std::int64_t>(memory / kGi, 200));
    r.memory_bytes = dice.between(1, std::max(1, dice.chance(60) ? std::min(gib, 40) : gib)) * kGi;
  }
  const int roll = dice.between(0, 99);
  if (roll < 17) r.numa = domain::NumaClause::kNone;
  if (roll >= 17 && roll < 34) r.numa = domain::NumaClause::kNearDevices;
  if (roll >= 34 && roll < 48 && r.core_plan == domain::CorePlan::kPacked)
    r.numa = domain::NumaClause::kSingle;
}

/// Cores by chance, so that what is left has holes; many small ones on a machine with many cores.
void hold_cores(Dice& dice, const Situation& s, domain::Allocation& allocation) {
  std::int64_t left = s.milli_free / 1000;
  const bool wide =
      std::ranges::any_of(s.numa, [](const auto& n) { return n.cores_free.size() > 25; });
  const int style = wide && dice.chance(92) ? 1 : dice.between(0, 3);
  for (const auto& numa : s.numa) {
    for (std::size_t i = 0; i < numa.cores_free.size(); ++i) {
      const auto& core = numa.cores_free[i];
      const bool wanted = style == 0   ? dice.chance(20)
                          : style == 1 ? i % 2 == 1
                          : style == 2 ? i < numa.cores_free.size() / 2
                                       : dice.chance(60);
      if (!wanted || static_cast<std::int64_t>(core.threads.size()) > left) continue;
      left -= static_cast<std::int64_t>(core.threads.size());
      for (const auto cpu : core.threads) allocation.cpus.insert(cpu);
    }
  }
}

void hold_memory(Dice& dice, const Situation& s, domain::Allocation& allocation) {
  for (const auto& numa : s.numa) {
    const auto gib = numa.memory_free / kGi;
    if (gib == 0 || !dice.chance(50)) continue;
    allocation.memory.push_back({numa.os_index, dice.between(1, static_cast<int>(gib)) * kGi});
  }
}

}  // namespace

std::vector<domain::Holder> random_holders(Dice& dice, const Node& node) {
  std::vector<domain::Holder> holders;
  int most = dice.one_of(std::vector{0, 0, 1, 1, 2, 2, 3, 4});
  const bool wide =
      std::ranges::any_of(node.numa, [](const auto& n) { return n.cpus.count() > 50; });
  if (wide) most = dice.between(1, 2);
  for (int h = 0; h < most; ++h) {
    const Situation s(node, holders);
    domain::Holder holder{
        .kind = dice.chance(15) ? domain::HolderKind::kReservation : domain::HolderKind::kPod,
        .name = text::cat("h", h),
        .node = node.name};
    domain::Allocation& allocation = holder.allocation;
    const auto add = [&](const std::optional<std::vector<DeviceChoice>>& choices) {
      if (!choices || choices->empty()) return;
      const auto& grants = dice.one_of(*choices).grants;
      allocation.grants.insert(allocation.grants.end(), grants.begin(), grants.end());
    };
    if (dice.chance(60)) {
      auto demand = random_gpu_demand(dice, node);
      if (demand.mode == GpuMode::kWhole && demand.units.size() > 2) demand.units.resize(2);
      demand.cards = Cards::kAny;
      add(gpu_choices(s, demand));
    }
    if (dice.chance(60)) {
      auto demand = random_nic_demand(dice, node);
      demand.count = std::min(demand.count, 2);
      demand.cards = Cards::kAny;
      demand.role = domain::RoleWanted::kAny;
      demand.bonds = true;
      demand.non_rdma = true;
      add(nic_choices(s, demand));
    }
    if (dice.chance(15)) add(nvme_choices(s, 1));
    std::ranges::stable_sort(allocation.grants, [](const auto& a, const auto& b) {
      return std::pair(a.device, a.slot) < std::pair(b.device, b.slot);
    });
    if (dice.chance(wide && h == 0 ? 95 : 50)) {
      hold_cores(dice, s, allocation);
    } else if (s.milli_free > 0 && dice.chance(30)) {
      allocation.cpu_milli = std::min(s.milli_free, std::int64_t{250} * dice.between(1, 30));
    }
    if (dice.chance(40)) hold_memory(dice, s, allocation);
    if (allocation != domain::Allocation{}) holders.push_back(holder);
  }
  return holders;
}

Request random_request(Dice& dice, const Node& node) {
  Request r;
  if (dice.chance(88)) r.gpu = random_gpu_demand(dice, node);
  if (dice.chance(70)) r.nic = random_nic_demand(dice, node);
  const auto gpus = gpus_of(node);
  if (!r.gpu.units.empty()) {
    if (dice.chance(12)) r.gpu.model = text::upper(dice.one_of(gpus).model);
    if (dice.chance(12)) {
      r.gpu.memory_bytes_min =
          dice.chance(70) ? dice.one_of(gpus).memory_bytes.value_or(kGi) : 41 * kGi;
    }
  }
  random_nic_clauses(dice, r.nic);
  const int nvmes = count_of(node, DeviceKind::kNvme);
  if (nvmes > 0 && dice.chance(42)) r.nvme_count = dice.between(1, std::min(nvmes, 2));
  random_nearness(dice, r);
  if (r.nvme_count > 0 && !r.gpu.units.empty() && dice.chance(45))
    r.nvme_within = random_bound(dice);
  random_cpu(dice, node, r);
  random_wishes(dice, r);
  if (dice.chance(7)) r.arch = dice.chance(70) && !node.arch.empty() ? node.arch : "arm64";
  return r;
}

namespace {

void loosen(std::optional<Distance>& bound) {
  if (bound && *bound < Distance::kSys) bound = static_cast<Distance>(static_cast<int>(*bound) + 1);
}

/// One small step towards a request that fits; amounts sooner than clauses.
void weaken(Dice& dice, Case& c) {
  Request& r = c.request;
  switch (dice.between(0, 19)) {
    case 0:
    case 1:
      if (r.gpu.units.size() > 1) r.gpu.units.pop_back();
      break;
    case 2:
    case 3:
      if (r.nic.count > 1) --r.nic.count;
      break;
    case 4:
      if (r.cores > 1) r.cores = (r.cores + 1) / 2;
      break;
    case 5:
      r.memory_bytes = (r.memory_bytes + 1) / 2;
      r.cpu_milli = (r.cpu_milli + 1) / 2;
      break;
    case 6:
    case 7:
      if (!c.holders.empty()) c.holders.pop_back();
      break;
    case 8:
    case 9:
      if (r.pair && r.pair->bound < Distance::kSys) {
        r.pair->bound = static_cast<Distance>(static_cast<int>(r.pair->bound) + 1);
      }
      loosen(r.gpus_within);
      loosen(r.nvme_within);
      break;
    case 10:
      for (auto& unit : r.gpu.units) unit.amount = (unit.amount + 1) / 2;
      r.nic.bandwidth_bits = (r.nic.bandwidth_bits + 1) / 2;
      break;
    case 11:
    case 12:
      r.nic.bonds = r.nic.count > 0;
      r.nic.non_rdma = r.nic.count > 0;
      break;
    case 13:
      if (r.nic.role == domain::RoleWanted::kStorage && dice.chance(60))
        r.nic.role = domain::RoleWanted::kAny;
      break;
    case 14:
      if (dice.chance(50)) r.gpu.model.clear();
      r.gpu.memory_bytes_min /= 2;
      r.nic.rate_bits_min = std::min<std::int64_t>(r.nic.rate_bits_min, 100'000'000'000);
      r.arch.clear();
      break;
    case 15:
      r.nvlink = r.nvlink == domain::NvlinkClause::kAll ? domain::NvlinkClause::kConnected
                                                        : domain::NvlinkClause::kNone;
      break;
    case 16:
      if (r.pair) ++r.pair->gpus_per_nic;
      break;
    case 17:
      if (r.numa == domain::NumaClause::kSingle) r.numa = domain::NumaClause::kNearDevices;
      break;
    case 18:
      if (dice.chance(50)) r.gpu.cards = Cards::kAny;
      if (dice.chance(50)) r.nic.cards = Cards::kAny;
      r.nvme_count = std::min(r.nvme_count, 1);
      break;
    default:
      if (dice.chance(50)) r.core_plan = domain::CorePlan::kPacked;
      if (r.gpu.mode == GpuMode::kMig) {
        for (auto& unit : r.gpu.units) unit.profile = r.gpu.units.front().profile;
      }
  }
}

}  // namespace

Case random_case(Dice& dice, const std::vector<Node>& real) {
  Case c;
  if (!real.empty() && dice.chance(40)) c.real = dice.index(real.size());
  c.node = c.real ? part_of(dice, real[*c.real]) : random_node(dice);
  c.holders = random_holders(dice, c.node);
  c.request = random_request(dice, c.node);
  // Most draws ask too much. Steps down from there stop where the first answers are: few of them.
  if (dice.chance(28)) return c;
  for (int steps = dice.between(12, 40); steps > 0; --steps) {
    const auto opinion = ask(Situation(c.node, c.holders), c.request, {.steps_max = 10'000});
    if (opinion.outcome != Outcome::kRefused) break;
    weaken(dice, c);
  }
  return c;
}

const std::vector<std::string>& clause_names() {
  static const std::vector<std::string> names{"gpu whole",
                                              "gpu share",
                                              "gpu share by bytes",
                                              "mig",
                                              "gpu.cards=one",
                                              "gpu.cards=apart",
                                              "gpu.model",
                                              "gpu.mem>=",
                                              "nic whole",
                                              "nic.bw",
                                              "vf",
                                              "pair 1:1",
                                              "pair K:1",
                                              "prefer pair",
                                              "gpus<=",
                                              "nvlink=all",
                                              "nvlink=connected",
                                              "nvlink=best",
                                              "role compute",
                                              "role storage",
                                              "role any",
                                              "allow bond",
                                              "allow non-rdma",
                                              "nic.rate>=",
                                              "cores packed",
                                              "cores spread",
                                              "cpu",
                                              "mem",
                                              "numa=single",
                                              "numa=near-devices",
                                              "numa=best",
                                              "numa=none",
                                              "nvme",
                                              "nvme<="};
  return names;
}

std::vector<std::string> clauses_of(const Request& r) {
  std::vector<std::string> found;
  const auto add = [&](bool holds, const char* name) {
    if (holds) found.emplace_back(name);
  };
  const bool gpu = !r.gpu.units.empty();
  const bool nic = r.nic.count > 0;
  const auto wished = [&](domain::Wish wish) {
    return std::ranges::find(r.wishes, wish) != r.wishes.end();
  };
  add(gpu && r.gpu.mode == GpuMode::kWhole, "gpu whole");
  add(gpu && r.gpu.mode == GpuMode::kShareMilli, "gpu share");
  add(gpu && r.gpu.mode == GpuMode::kShareBytes, "gpu share by bytes");
  add(gpu && r.gpu.mode == GpuMode::kMig, "mig");
  add(r.gpu.cards == Cards::kOne, "gpu.cards=one");
  add(r.gpu.cards == Cards::kApart, "gpu.cards=apart");
  add(!r.gpu.model.empty(), "gpu.model");
  add(r.gpu.memory_bytes_min > 0, "gpu.mem>=");
  add(nic && r.nic.mode == NicMode::kWhole, "nic whole");
  add(nic && r.nic.mode == NicMode::kBandwidth, "nic.bw");
  add(nic && r.nic.mode == NicMode::kVf, "vf");
  add(r.pair && r.pair->gpus_per_nic == 1, "pair 1:1");
  add(r.pair && r.pair->gpus_per_nic > 1, "pair K:1");
  add(gpu && nic && wished(domain::Wish::kPair), "prefer pair");
  add(r.gpus_within.has_value(), "gpus<=");
  add(r.nvlink == domain::NvlinkClause::kAll, "nvlink=all");
  add(r.nvlink == domain::NvlinkClause::kConnected, "nvlink=connected");
  add(gpu && wished(domain::Wish::kGpus), "nvlink=best");
  add(nic && r.nic.role == domain::RoleWanted::kCompute, "role compute");
  add(nic && r.nic.role == domain::RoleWanted::kStorage, "role storage");
  add(nic && r.nic.role == domain::RoleWanted::kAny, "role any");
  add(nic && r.nic.bonds, "allow bond");
  add(nic && r.nic.non_rdma, "allow non-rdma");
  add(nic && r.nic.rate_bits_min > 0, "nic.rate>=");
  add(r.cores > 0 && r.core_plan == domain::CorePlan::kPacked, "cores packed");
  add(r.cores > 0 && r.core_plan == domain::CorePlan::kSpread, "cores spread");
  add(r.cpu_milli > 0, "cpu");
  add(r.memory_bytes > 0, "mem");
  add(r.numa == domain::NumaClause::kSingle, "numa=single");
  add(r.numa == domain::NumaClause::kNearDevices, "numa=near-devices");
  add(r.numa == domain::NumaClause::kBest, "numa=best");
  add(r.numa == domain::NumaClause::kNone, "numa=none");
  add(r.nvme_count > 0, "nvme");
  add(r.nvme_within.has_value(), "nvme<=");
  return found;
}

}  // namespace tenon::oracle
