// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/checker/checker.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "core/checker/audit.hpp"

namespace tenon::checker {

using domain::DeviceKind;
using text::cat;
using topology::Mask;

namespace {

Mask bit(std::size_t position) { return Mask{1} << position; }

/// Puts grants of one device together. False where an index names nothing: no more can be said then.
bool gather(Audit& audit) {
  const auto& shape = audit.shape();
  const auto count = shape.gpus.size() + shape.nics.size() + shape.nvmes.size();
  std::map<domain::DeviceIndex, OnDevice> devices;
  const domain::Grant* last = nullptr;
  for (const auto& grant : audit.allocation.grants) {
    if (static_cast<std::size_t>(grant.device) >= count) {
      audit.report("I30",
                   cat("device ", static_cast<std::uint32_t>(grant.device), " is not there"));
      return false;
    }
    if (last != nullptr &&
        std::pair(last->device, last->slot) > std::pair(grant.device, grant.slot)) {
      audit.report("I30", "grants are not in order");
    }
    last = &grant;
    const auto [kind, ordinal] = state::kind_and_ordinal(shape, grant.device);
    auto& on = devices[grant.device];
    on.kind = kind;
    on.ordinal = ordinal;
    on.grants.push_back(grant);
  }
  for (auto& [index, on] : devices) audit.devices.push_back(std::move(on));
  return true;
}

void check_node(Audit& audit) {
  const auto& request = audit.request;
  if (audit.before.cordoned && !domain::asks_nothing(request)) {
    audit.report("I32", "the node is cordoned");
  }
  if (!request.arch.empty() && request.arch != audit.shape().arch) {
    audit.report("I43", cat("asks ", request.arch, ", the node is ",
                            audit.shape().arch.empty() ? "not known" : audit.shape().arch));
  }
}

bool consecutive(const domain::Core& core) {
  return core.threads.back() - core.threads.front() + 1 == static_cast<int>(core.threads.size());
}

bool same_run(const domain::Core& a, const domain::Core& b) {
  if (consecutive(a) && consecutive(b)) return b.threads.front() == a.threads.back() + 1;
  return std::ranges::equal(a.threads, b.threads,
                            [](auto left, auto right) { return right == left + 1; });
}

/// What the pinned CPUs are, NUMA node by NUMA node.
struct Cores {
  std::vector<int> count;  // by NUMA position
  int ranges = 0;          // I42
};

/// I23 and I39: whole free cores, as many as asked.
Cores check_cores(Audit& audit) {
  Cores cores;
  int total = 0;
  domain::CpuSet left = audit.allocation.cpus;
  for (std::size_t n = 0; n < audit.before.numa.size(); ++n) {
    const auto& all = audit.shape().numa[n].cores;
    const domain::Core* last = nullptr;
    int here = 0;
    for (const int position : audit.before.numa[n].cores_free) {
      const auto& core = all[static_cast<std::size_t>(position)];
      if (!audit.allocation.cpus.contains(core.threads.front())) continue;
      domain::CpuSet threads;
      for (const auto cpu : core.threads) threads.insert(cpu);
      if (!audit.allocation.cpus.contains_all(threads)) {
        audit.report("I23", cat("core of CPU ", core.threads.front(), " is given in part"));
      }
      left.erase(threads);
      if (last == nullptr || !same_run(*last, core)) {
        cores.ranges += consecutive(core) ? 1 : static_cast<int>(core.threads.size());
      }
      last = &core;
      ++here;
    }
    cores.count.push_back(here);
    total += here;
  }
  if (!left.empty()) audit.report("I23", cat("CPUs ", left.to_text(), " are not of free cores"));
  if (total != audit.request.cores) {
    audit.report("I39", cat("cores: asked ", audit.request.cores, ", given ", total));
  }
  return cores;
}

void check_spread(Audit& audit, const Cores& cores) {
  if (audit.request.core_plan != domain::CorePlan::kSpread || audit.request.cores == 0) return;
  std::map<int, int> of_socket;
  for (std::size_t n = 0; n < cores.count.size(); ++n) {
    if (audit.shape().numa[n].cpus.empty()) continue;
    of_socket[audit.shape().numa[n].socket] += cores.count[n];
  }
  const int sockets = std::max(1, static_cast<int>(of_socket.size()));
  const int least = audit.request.cores / sockets;
  const int most = least + (audit.request.cores % sockets == 0 ? 0 : 1);
  for (const auto& [socket, count] : of_socket) {
    if (count < least || count > most) {
      audit.report("I39", cat("socket ", socket, " gives ", count, " of ", audit.request.cores,
                              " cores over ", sockets, " sockets"));
    }
  }
}

void check_counted(Audit& audit) {
  const auto& given = audit.allocation;
  if (given.cpu_milli != audit.request.cpu_milli) {
    audit.report("I39", cat("counted CPU: asked ", audit.request.cpu_milli, "m, given ",
                            given.cpu_milli, "m"));
  }
  const std::int64_t pinned = std::int64_t{1000} * given.cpus.count();
  if (given.cpu_milli > audit.before.cpu_milli_free - pinned) {
    audit.report("I23", cat("takes ", given.cpu_milli, "m and ", given.cpus.count(), " CPUs of ",
                            audit.before.cpu_milli_free, "m"));
  }
}

/// I24 and I53. Bytes by NUMA position.
std::vector<std::int64_t> check_memory(Audit& audit) {
  std::vector<std::int64_t> bytes(audit.before.numa.size(), 0);
  std::int64_t left = audit.request.memory_bytes;
  int last = -1;
  for (const auto& grant : audit.allocation.memory) {
    std::size_t n = 0;
    while (n < bytes.size() && audit.shape().numa[n].os_index != grant.numa) ++n;
    if (n == bytes.size()) {
      audit.report("I24", cat("numa", grant.numa, " is not there"));
      continue;
    }
    if (grant.numa <= last) audit.report("I24", "NUMA nodes are not ascending");
    last = grant.numa;
    if (grant.bytes <= 0 || grant.bytes > audit.before.numa[n].memory_free) {
      audit.report("I24", cat("numa", grant.numa, " gives ", grant.bytes, " bytes of ",
                              audit.before.numa[n].memory_free));
      continue;
    }
    bytes[n] += grant.bytes;
    left -= grant.bytes;
  }
  if (left != 0) audit.report("I30", cat("memory: ", left, " bytes of what was asked are missing"));
  return bytes;
}

void check_amounts(Audit& audit, const Cores& cores, const std::vector<std::int64_t>& bytes) {
  Mask home = 0;
  for (std::size_t n = 0; n < cores.count.size(); ++n) home |= cores.count[n] > 0 ? bit(n) : 0;
  if (home == 0) {
    for (const Mask near : numa_of_devices(audit)) home |= near;
  }
  // Whoever comes later gives only what all before it could not.
  std::vector<std::size_t> order;
  for (const bool inside : {true, false}) {
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      if (bytes[n] > 0 && ((home & bit(n)) != 0) == inside) order.push_back(n);
    }
  }
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    if (bytes[order[i]] != audit.before.numa[order[i]].memory_free) {
      audit.report("I53", cat("numa", audit.shape().numa[order[i]].os_index,
                              " still has memory, and a later node gives some"));
    }
  }
}

void check_numa(Audit& audit, const Cores& cores, const std::vector<std::int64_t>& bytes) {
  Mask used = 0;
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    if (cores.count[n] > 0 || bytes[n] > 0) used |= bit(n);
  }
  const auto devices = numa_of_devices(audit);
  Mask common = ~Mask{0};
  Mask some = 0;
  for (const Mask near : devices) {
    common &= near;
    some |= near;
  }
  if (audit.request.numa == domain::NumaClause::kSingle && (used != 0 || !devices.empty())) {
    bool one = false;
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      one = one || ((common & bit(n)) != 0 && (used & ~bit(n)) == 0);
    }
    if (!one) audit.report("I40", "no one NUMA node has it all");
  }
  if (audit.request.numa == domain::NumaClause::kNearDevices && !devices.empty() &&
      (used & ~some) != 0) {
    audit.report("I41", "cores or memory of a NUMA node that no granted device is near to");
  }
}

}  // namespace

std::vector<Violation> check_allocation(const state::NodeState& before,
                                        const domain::Request& request,
                                        const domain::Allocation& allocation) {
  Audit audit{.before = before, .request = request, .allocation = allocation};
  check_request(audit);
  check_node(audit);
  if (!gather(audit)) return audit.found;
  check_devices(audit);
  check_nearness(audit);
  const Cores cores = check_cores(audit);
  check_spread(audit, cores);
  check_counted(audit);
  const auto bytes = check_memory(audit);
  check_amounts(audit, cores, bytes);
  check_numa(audit, cores, bytes);
  const auto nodes = static_cast<int>(std::ranges::count_if(bytes, [](auto b) { return b > 0; }));
  if (cores.ranges + nodes > domain::kRangesMax) {
    audit.report("I42", cat(cores.ranges, " ranges of cores and ", nodes, " memory nodes"));
  }
  return audit.found;
}

std::string to_text(const std::vector<Violation>& violations) {
  std::string text;
  for (const auto& violation : violations) {
    text += cat(violation.invariant, " ", violation.evidence, "\n");
  }
  return text;
}

std::string name_of(DeviceKind kind, int ordinal) { return cat(domain::to_text(kind), ordinal); }

std::vector<int> granted(const Audit& audit, DeviceKind kind) {
  std::vector<int> ordinals;
  for (const auto& on : audit.devices) {
    if (on.kind == kind) ordinals.push_back(on.ordinal);
  }
  return ordinals;
}

std::vector<int> nic_units(const Audit& audit) {
  std::vector<int> units;
  for (const auto& on : audit.devices) {
    if (on.kind == DeviceKind::kNic) units.insert(units.end(), on.grants.size(), on.ordinal);
  }
  return units;
}

std::vector<Mask> numa_of_devices(const Audit& audit) {
  std::vector<Mask> masks;
  for (const auto& on : audit.devices) {
    const auto& shape = audit.shape();
    const auto& of_kind = on.kind == DeviceKind::kGpu   ? shape.gpu_numa
                          : on.kind == DeviceKind::kNic ? shape.nic_numa
                                                        : shape.nvme_numa;
    masks.push_back(of_kind[static_cast<std::size_t>(on.ordinal)]);
  }
  return masks;
}

}  // namespace tenon::checker
