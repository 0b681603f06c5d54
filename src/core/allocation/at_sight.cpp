// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "core/allocation/problem.hpp"
#include "core/allocation/refuse.hpp"
#include "domain/quantity.hpp"

namespace tenon::allocation {
namespace {

using domain::GpuMode;
using domain::NicMode;
using domain::Refusal;
using domain::RefusalCode;
using text::cat;

using Refused = std::optional<Refusal>;

Refused refuse(RefusalCode code, std::string evidence) {
  return Refusal{domain::Verdict::kNotNow, code, std::move(evidence)};
}

// How many devices passed each rule, in the order in which the rules are asked.
struct Passed {
  int all = 0;
  int right_kind = 0;    // model of a GPU, role of a NIC
  int right_amount = 0;  // memory of a GPU, rate of a NIC
  int usable = 0;
};

template <class Judge>
Passed count(std::size_t devices, const Judge& judge) {
  Passed passed;
  for (std::size_t i = 0; i < devices; ++i) {
    const Usable usable = judge(static_cast<int>(i));
    ++passed.all;
    if (usable == Usable::kModel || usable == Usable::kRole) continue;
    ++passed.right_kind;
    if (usable == Usable::kMemory || usable == Usable::kRate) continue;
    ++passed.right_amount;
    if (usable == Usable::kYes) ++passed.usable;
  }
  return passed;
}

std::string needs(std::string_view what, std::int64_t asked, std::int64_t has) {
  return cat(what, " needs ", asked, " has ", has);
}

std::string_view of_role(domain::RoleWanted role) {
  if (role == domain::RoleWanted::kStorage) return " of role storage";
  return role == domain::RoleWanted::kCompute ? " of role compute" : "";
}

// Of the GPUs that may be shared and are as asked, in the unit of the request.
std::string largest_share(const Problem& problem) {
  const bool bytes = problem.request.gpu.mode == GpuMode::kShareBytes;
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < problem.state.gpus.size(); ++i) {
    const auto& free = problem.state.gpus[i];
    const bool shared = free.use == state::GpuUse::kFree || free.use == state::GpuUse::kShared;
    if (!shared || problem.shape.gpus[i].mig != domain::MigMode::kOff) continue;
    const Usable usable = gpu_usable(problem, static_cast<int>(i));
    if (usable != Usable::kYes && usable != Usable::kHeld) continue;
    largest = std::max(largest, bytes ? free.bytes_free : free.milli_free);
  }
  return bytes ? domain::bytes_to_text(largest) : domain::milli_to_text(largest);
}

Refused too_few_gpus(const Problem& problem) {
  const auto& demand = problem.request.gpu;
  if (problem.gpu_units == 0) return {};
  const bool distinct = demand.mode == GpuMode::kWhole || demand.cards == domain::Cards::kApart;
  const int asked = distinct ? problem.gpu_units : 1;
  const auto passed =
      count(problem.shape.gpus.size(), [&](int gpu) { return gpu_usable(problem, gpu); });
  if (passed.all < asked) return refuse(RefusalCode::kGpuCount, needs("gpu", asked, passed.all));
  if (passed.right_kind < asked) {
    return refuse(RefusalCode::kGpuModel,
                  needs(cat("gpu of model ", demand.model), asked, passed.right_kind));
  }
  if (passed.right_amount < asked) {
    return refuse(RefusalCode::kGpuMemory,
                  needs(cat("gpu with ", domain::bytes_to_text(demand.memory_bytes_min)), asked,
                        passed.right_amount));
  }
  if (passed.usable >= asked) return {};
  if (demand.mode == GpuMode::kWhole) {
    return refuse(RefusalCode::kGpuCount, needs("gpu", asked, passed.usable));
  }
  if (demand.mode == GpuMode::kMig) {
    return refuse(RefusalCode::kGpuPartition,
                  needs(cat("gpu with a free partition of ", demand.units.front().profile), asked,
                        passed.usable));
  }
  return refuse(RefusalCode::kGpuShare,
                cat(needs("gpu with such a share free", asked, passed.usable),
                    "; the largest free share is ", largest_share(problem)));
}

Refused too_few_nics(const Problem& problem) {
  const auto& demand = problem.request.nic;
  if (problem.nic_units == 0) return {};
  const bool vf = demand.mode == NicMode::kVf;
  const int asked = vf && demand.cards != domain::Cards::kApart ? 1 : demand.count;
  const auto passed =
      count(problem.shape.nics.size(), [&](int nic) { return nic_usable(problem, nic); });
  if (passed.all < asked) return refuse(RefusalCode::kNicCount, needs("nic", asked, passed.all));
  if (passed.right_kind < asked) {
    return refuse(RefusalCode::kNicRole,
                  cat(needs(cat("nic", of_role(demand.role)), asked, passed.right_kind),
                      "; bonds and NICs without RDMA count only where nic.allow says so"));
  }
  if (passed.right_amount < asked) {
    return refuse(RefusalCode::kNicRate,
                  needs(cat("nic with ", domain::rate_to_text(demand.rate_bits_min)), asked,
                        passed.right_amount));
  }
  if (demand.mode == NicMode::kBandwidth && passed.usable < asked) {
    return refuse(RefusalCode::kNicBandwidth,
                  needs(cat("nic with ", domain::rate_to_text(demand.bandwidth_bits), " free"),
                        asked, passed.usable));
  }
  if (vf) {
    int functions = 0;
    for (const int capacity : problem.nic_capacity) functions += capacity;
    if (functions >= demand.count && passed.usable >= asked) return {};
    return refuse(RefusalCode::kNicFunction, needs("vf", demand.count, functions));
  }
  if (passed.usable >= asked) return {};
  return refuse(RefusalCode::kNicCount, needs("nic", asked, passed.usable));
}

// How many free cores the CPUs that nobody counts have threads for.
std::int64_t cores_within_count(const Problem& problem) {
  std::vector<std::int64_t> threads;
  for (std::size_t n = 0; n < problem.state.numa.size(); ++n) {
    for (const int core : problem.state.numa[n].cores_free) {
      const auto& it = problem.shape.numa[n].cores[static_cast<std::size_t>(core)];
      threads.push_back(static_cast<std::int64_t>(it.threads.size()));
    }
  }
  std::ranges::sort(threads);
  std::int64_t left = problem.state.cpu_milli_free / domain::kMilliOfAWhole;
  std::int64_t cores = 0;
  for (const std::int64_t count : threads) {
    left -= count;
    if (left < 0) break;
    ++cores;
  }
  return cores;
}

Refused too_little_of_the_host(const Problem& problem) {
  const auto& request = problem.request;
  const auto& state = problem.state;
  std::int64_t cores = 0;
  std::int64_t memory = 0;
  bool memory_suffices = false;
  for (std::size_t n = 0; n < state.numa.size(); ++n) {
    const auto& numa = problem.shape.numa[n];
    cores += static_cast<std::int64_t>(state.numa[n].cores_free.size());
    if (!numa.cores_known) cores += numa.cpus.count();  // at most: siblings are not known
    const std::int64_t free = std::max<std::int64_t>(state.numa[n].memory_free, 0);
    if (free >= request.memory_bytes - memory) memory_suffices = true;
    if (!memory_suffices) memory += free;
  }
  if (cores < request.cores) {
    return refuse(RefusalCode::kCores, needs("cores", request.cores, cores));
  }
  const std::int64_t most_threads = std::int64_t{request.cores} * domain::kThreadsOfACoreMax;
  if (request.cores > 0 && state.cpu_milli_free < most_threads * domain::kMilliOfAWhole) {
    const std::int64_t within = cores_within_count(problem);
    const bool known = std::ranges::all_of(
        problem.shape.numa, [](const auto& numa) { return numa.cpus.empty() || numa.cores_known; });
    if (known && within < request.cores) {
      return refuse(RefusalCode::kCores,
                    cat(needs("cores", request.cores, within), ", counted cpu has the rest"));
    }
  }
  if (request.cpu_milli > state.cpu_milli_free) {
    return refuse(RefusalCode::kCpu, cat("cpu needs ", domain::milli_to_text(request.cpu_milli),
                                         " has ", domain::milli_to_text(state.cpu_milli_free)));
  }
  if (request.memory_bytes > 0 && !memory_suffices) {
    return refuse(RefusalCode::kMemory,
                  cat("memory needs ", domain::bytes_to_text(request.memory_bytes), " has ",
                      domain::bytes_to_text(memory)));
  }
  return {};
}

}  // namespace

Refused refused_at_sight(const Problem& problem) {
  const auto& state = problem.state;
  const auto& request = problem.request;
  if (state.cordoned && !domain::asks_nothing(request)) {
    return refuse(RefusalCode::kNodeCordoned, "the node is cordoned");
  }
  const std::string& arch = state.shape->arch;
  if (!request.arch.empty() && request.arch != arch) {
    return refuse(RefusalCode::kArch, cat("arch needs ", request.arch, " is ",
                                          arch.empty() ? std::string_view("not known") : arch));
  }
  if (auto refusal = too_few_gpus(problem)) return refusal;
  if (auto refusal = too_few_nics(problem)) return refusal;
  if (problem.nvme_units > std::popcount(problem.nvmes)) {
    return refuse(RefusalCode::kNvmeCount,
                  needs("nvme", problem.nvme_units, std::popcount(problem.nvmes)));
  }
  return too_little_of_the_host(problem);
}

}  // namespace tenon::allocation
