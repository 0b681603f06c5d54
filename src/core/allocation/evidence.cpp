// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/evidence.hpp"

#include <algorithm>
#include <bit>

#include "base/text.hpp"
#include "core/allocation/pairing.hpp"
#include "core/allocation/problem.hpp"
#include "domain/quantity.hpp"

namespace tenon::allocation {
namespace {

using domain::Distance;
using domain::NvlinkClause;
using domain::RefusalCode;
using text::cat;

constexpr int kGroupStepsMax = 20'000;

std::size_t idx(int index) { return static_cast<std::size_t>(index); }

std::string away(Rank rank) {
  if (rank == topology::kRankUnknown) return "at a distance that is not known";
  return cat(domain::to_text(static_cast<Distance>(rank)), " away");
}

// The largest set in which every two stand beside each other. Bounded: a large graph gives a set
// that may be smaller than the largest.
void grow(const std::array<Mask, kDevicesMax>& beside, Mask chosen, Mask rest, Mask& largest,
          int& steps) {
  if (std::popcount(chosen) > std::popcount(largest)) largest = chosen;
  while (rest != 0 && std::popcount(chosen) + std::popcount(rest) > std::popcount(largest)) {
    if (++steps > kGroupStepsMax) return;
    const int next = pop_lowest(rest);
    grow(beside, chosen | bit(next), rest & beside[idx(next)], largest, steps);
  }
}

Mask largest_component(const Problem& problem) {
  Mask largest = 0;
  for (Mask rest = problem.gpus; rest != 0;) {
    Mask reached = rest & (~rest + 1);
    for (Mask open = reached; open != 0;) {
      const Mask more = problem.gpu_linked[idx(pop_lowest(open))] & ~reached;
      reached |= more;
      open |= more;
    }
    rest &= ~reached;
    if (std::popcount(reached) > std::popcount(largest)) largest = reached;
  }
  return largest;
}

std::string names(std::string_view kind, Mask devices) {
  std::string text;
  while (devices != 0) text += cat(text.empty() ? "" : " ", kind, pop_lowest(devices));
  return text;
}

std::string of_pair(const Problem& problem) {
  const auto bound = problem.request.pair->bound;
  int served = 0;
  std::string example;
  for (Mask rest = problem.gpus; rest != 0;) {
    const int gpu = pop_lowest(rest);
    int nearest = -1;
    for (Mask nics = problem.nics; nics != 0;) {
      const int nic = pop_lowest(nics);
      if (nearest < 0 || problem.gpu_nic(gpu, nic) < problem.gpu_nic(gpu, nearest)) nearest = nic;
    }
    if (nearest >= 0 && problem.gpu_nic(gpu, nearest) <= static_cast<Rank>(bound)) {
      ++served;
    } else if (example.empty() && nearest >= 0) {
      example = cat("nearest usable NIC of gpu", gpu, " is nic", nearest, ", ",
                    away(problem.gpu_nic(gpu, nearest)));
    }
  }
  if (!example.empty() && served < problem.gpu_units) return example;
  return cat(served, " usable GPUs have a NIC within ", domain::to_text(bound), ", but not ",
             problem.nic_units, " NICs for ", problem.gpu_units, " GPUs at ",
             problem.request.pair->gpus_per_nic, " to one");
}

std::string of_group(const Problem& problem, std::string_view what, Mask largest) {
  return cat("largest group of usable GPUs ", what, " is ", std::popcount(largest), " (",
             names("gpu", largest), "), needs ", problem.gpu_units);
}

std::string of_gpu_distance(const Problem& problem) {
  std::array<Mask, kDevicesMax> beside{};
  const auto bound = *problem.request.gpus_within;
  for (Mask rest = problem.gpus; rest != 0;) {
    const int gpu = pop_lowest(rest);
    for (Mask others = problem.gpus & ~bit(gpu); others != 0;) {
      const int other = pop_lowest(others);
      if (problem.gpu_gpu(gpu, other) <= static_cast<Rank>(bound)) beside[idx(gpu)] |= bit(other);
    }
  }
  Mask largest = 0;
  int steps = 0;
  grow(beside, 0, problem.gpus, largest, steps);
  return of_group(problem, cat("within ", domain::to_text(bound)), largest);
}

std::string of_nvlink(const Problem& problem) {
  if (problem.request.nvlink == NvlinkClause::kConnected) {
    return of_group(problem, "connected by NVLink", largest_component(problem));
  }
  Mask largest = 0;
  int steps = 0;
  grow(problem.gpu_linked, 0, problem.gpus, largest, steps);
  return of_group(problem, "all joined by NVLink", largest);
}

std::string of_nvme(const Problem& problem) {
  std::string text;
  int near = 0;
  for (Mask rest = problem.nvmes; rest != 0;) {
    const int nvme = pop_lowest(rest);
    Rank rank = topology::kRankUnknown;
    int nearest = std::countr_zero(problem.gpus);
    for (Mask gpus = problem.gpus; gpus != 0;) {
      const int gpu = pop_lowest(gpus);
      if (problem.gpu_nvme(gpu, nvme) >= rank) continue;
      rank = problem.gpu_nvme(gpu, nvme);
      nearest = gpu;
    }
    if (rank <= static_cast<Rank>(*problem.request.nvme_within)) {
      ++near;
    } else if (text.empty()) {
      text = cat("nearest usable GPU of nvme", nvme, " is gpu", nearest, ", ", away(rank));
    }
  }
  if (near < problem.nvme_units && !text.empty()) return text;
  return cat(near, " usable NVMes are within ", domain::to_text(*problem.request.nvme_within),
             " of some GPU, but not beside the GPUs that fit");
}

int near_node(const std::vector<Mask>& numa, Mask devices, std::size_t node) {
  int count = 0;
  while (devices != 0) {
    count += (numa[idx(pop_lowest(devices))] & bit(static_cast<int>(node))) != 0 ? 1 : 0;
  }
  return count;
}

// Of the node that lacks the fewest things, what it lacks first.
std::string of_single(const Problem& problem) {
  std::string best;
  int best_lacks = 1000;
  for (std::size_t n = 0; n < problem.shape.numa.size(); ++n) {
    const auto name = cat("numa", problem.shape.numa[n].os_index);
    std::vector<std::string> lacks;
    const auto compare = [&](std::string_view what, std::int64_t has, std::int64_t asked) {
      if (has >= asked) return;
      lacks.push_back(cat(name, " has ", has, what, has == 1 ? "" : "s", " of ", asked, " asked"));
    };
    const bool distinct = problem.request.gpu.mode == domain::GpuMode::kWhole;
    const int gpus = distinct ? problem.gpu_units : std::min(problem.gpu_units, 1);
    const bool whole = problem.request.nic.mode != domain::NicMode::kVf;
    const int nics = whole ? problem.nic_units : std::min(problem.nic_units, 1);
    const auto& free = problem.state.numa[n];
    compare(" usable GPU", near_node(problem.shape.gpu_numa, problem.gpus, n), gpus);
    compare(" usable NIC", near_node(problem.shape.nic_numa, problem.nics, n), nics);
    compare(" usable NVMe", near_node(problem.shape.nvme_numa, problem.nvmes, n),
            problem.nvme_units);
    compare(" free core", static_cast<std::int64_t>(free.cores_free.size()), problem.request.cores);
    const std::int64_t memory = std::max<std::int64_t>(free.memory_free, 0);
    if (memory < problem.request.memory_bytes) {
      lacks.push_back(cat(name, " has ", domain::bytes_to_text(memory), " free memory of ",
                          domain::bytes_to_text(problem.request.memory_bytes), " asked"));
    }
    if (static_cast<int>(lacks.size()) >= best_lacks || lacks.empty()) continue;
    best_lacks = static_cast<int>(lacks.size());
    best = lacks.front();
  }
  if (best.empty()) return "no one NUMA node has all of it together";
  return best;
}

// "gpu0 to nic1" for the first of these devices that are not known to be near or far.
template <class RankOf>
std::string unknown_of(Mask gpus, std::string_view kind, Mask others, const RankOf& rank_of) {
  while (gpus != 0) {
    const int gpu = pop_lowest(gpus);
    for (Mask rest = others; rest != 0;) {
      const int other = pop_lowest(rest);
      if (rank_of(gpu, other) != topology::kRankUnknown) continue;
      return cat("gpu", gpu, " to ", kind, other);
    }
  }
  return "";
}

std::string unknown_distance(const Problem& problem) {
  std::string example;
  if (problem.request.pair) {
    example = unknown_of(problem.gpus, "nic", problem.nics,
                         [&](int gpu, int nic) { return problem.gpu_nic(gpu, nic); });
  }
  if (example.empty() && problem.request.gpus_within) {
    example = unknown_of(problem.gpus, "gpu", problem.gpus, [&](int gpu, int other) {
      return gpu == other ? Rank{0} : problem.gpu_gpu(gpu, other);
    });
  }
  if (example.empty() && problem.request.nvme_within) {
    example = unknown_of(problem.gpus, "nvme", problem.nvmes,
                         [&](int gpu, int nvme) { return problem.gpu_nvme(gpu, nvme); });
  }
  return example;
}

std::string unknown_numa(const Problem& problem) {
  const auto first = [](std::string_view kind, Mask devices, const std::vector<Mask>& numa) {
    while (devices != 0) {
      const int device = pop_lowest(devices);
      if (numa[idx(device)] == 0) return cat(kind, device);
    }
    return std::string{};
  };
  std::string example = first("gpu", problem.gpus, problem.shape.gpu_numa);
  if (example.empty()) example = first("nic", problem.nics, problem.shape.nic_numa);
  if (example.empty()) example = first("nvme", problem.nvmes, problem.shape.nvme_numa);
  return example;
}

std::string unknown_siblings(const Problem& problem) {
  for (const auto& numa : problem.shape.numa) {
    if (!numa.cores_known && !numa.cpus.empty()) return cat("numa", numa.os_index);
  }
  return "";
}

}  // namespace

std::string evidence_of(RefusalCode code, const state::NodeState& state,
                        const domain::Request& request) {
  const Problem problem(state, request);
  switch (code) {
    case RefusalCode::kPair:
      return of_pair(problem);
    case RefusalCode::kGpuDistance:
      return of_gpu_distance(problem);
    case RefusalCode::kNvlink:
      return of_nvlink(problem);
    case RefusalCode::kNvmeDistance:
      return of_nvme(problem);
    case RefusalCode::kNuma:
      if (request.numa == domain::NumaClause::kSingle) return of_single(problem);
      return "the NUMA nodes near the devices that fit have not enough free cores or memory";
    case RefusalCode::kGpuCards:
      return request.gpu.cards == domain::Cards::kOne
                 ? cat("no one GPU holds all ", problem.gpu_units, " units")
                 : cat("no ", problem.gpu_units, " GPUs hold one unit each");
    case RefusalCode::kNicFunction:
      return request.nic.cards == domain::Cards::kOne
                 ? cat("no one NIC has ", problem.nic_units, " functions free")
                 : cat("no ", problem.nic_units, " NICs have a function free each");
    default:
      return "no even spread over the sockets: one has too few free cores";
  }
}

std::string unknown_example(Guess guess, const state::NodeState& state,
                            const domain::Request& request) {
  const Problem problem(state, request);
  std::string example;
  if (guess == Guess::kDistances || guess == Guess::kAll) example = unknown_distance(problem);
  if (example.empty() && guess != Guess::kDistances && guess != Guess::kSiblings) {
    example = unknown_numa(problem);
  }
  if (example.empty() && guess != Guess::kDistances && guess != Guess::kNuma) {
    example = unknown_siblings(problem);
  }
  return example.empty() ? example : cat(" (", example, ")");
}

}  // namespace tenon::allocation
