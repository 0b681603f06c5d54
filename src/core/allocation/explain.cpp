// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <algorithm>

#include "base/text.hpp"
#include "core/allocation/evidence.hpp"
#include "core/allocation/problem.hpp"
#include "core/allocation/refuse.hpp"

namespace tenon::allocation {
namespace {

using domain::Cards;
using domain::NumaClause;
using domain::NvlinkClause;
using domain::Refusal;
using domain::RefusalCode;
using domain::Request;
using state::NodeState;
using text::cat;

// A question beside the one that was asked gets a part of the work, so that a refusal on a large
// machine does not cost ten times the search itself.
Limits part_of(const Limits& limits) { return {.steps_max = limits.steps_max / 8}; }

// The node as it would be if what nobody saw were most favourable (I62).
NodeState favourable(const NodeState& state, Guess guess) {
  NodeState better = state;
  topology::Shape shape = *state.shape;
  if (guess == Guess::kDistances || guess == Guess::kAll) {
    for (auto* table : {&shape.gpu_gpu, &shape.gpu_nic, &shape.gpu_nvme, &shape.nic_nic}) {
      for (auto& rank : *table) {
        if (rank == topology::kRankUnknown) rank = static_cast<Rank>(domain::Distance::kPix);
      }
    }
  }
  if (guess == Guess::kNuma || guess == Guess::kAll) {
    Mask everywhere = 0;
    for (std::size_t n = 0; n < shape.numa.size(); ++n) everywhere |= bit(static_cast<int>(n));
    for (auto* masks : {&shape.gpu_numa, &shape.nic_numa, &shape.nvme_numa}) {
      for (auto& mask : *masks) mask = mask == 0 ? everywhere : mask;
    }
  }
  if (guess == Guess::kSiblings || guess == Guess::kAll) {
    for (std::size_t n = 0; n < shape.numa.size(); ++n) {
      auto& numa = shape.numa[n];
      if (numa.cores_known) continue;
      numa.cores_known = true;
      for (const auto cpu : numa.cpus.ids()) {
        numa.cores.push_back({{cpu}});
        if (state.cpus_pinned.contains(cpu)) continue;
        better.numa[n].cores_free.push_back(static_cast<int>(numa.cores.size()) - 1);
      }
    }
  }
  better.shape = std::make_shared<const topology::Shape>(std::move(shape));
  return better;
}

std::optional<Refusal> for_want_of_facts(const NodeState& state, const Request& request,
                                         const Limits& limits) {
  constexpr std::pair<Guess, std::string_view> kGuesses[] = {
      {Guess::kDistances, "a distance that the request needs is not known"},
      {Guess::kNuma, "the NUMA node of a device that the request needs is not known"},
      {Guess::kSiblings, "nobody saw which CPUs share a core"},
      {Guess::kAll, "distances, NUMA nodes or cores that the request needs are not known"}};
  for (const auto& [guess, text] : kGuesses) {
    const NodeState better = favourable(state, guess);
    if (*better.shape == *state.shape) continue;
    if (!search(Problem(better, request), part_of(limits)).result) continue;
    return Refusal{domain::Verdict::kNotNow, RefusalCode::kNotKnown,
                   cat(text, unknown_example(guess, state, request))};
  }
  return std::nullopt;
}

struct Clause {
  RefusalCode code;
  bool (*stands)(const Request&);
  void (*drop)(Request&);
};

// Nearest to the devices first: of several clauses that could each give way the first is named.
constexpr Clause kClauses[] = {
    {RefusalCode::kPair, [](const Request& r) { return r.pair.has_value(); },
     [](Request& r) { r.pair.reset(); }},
    {RefusalCode::kNvlink, [](const Request& r) { return r.nvlink != NvlinkClause::kNone; },
     [](Request& r) { r.nvlink = NvlinkClause::kNone; }},
    {RefusalCode::kGpuDistance, [](const Request& r) { return r.gpus_within.has_value(); },
     [](Request& r) { r.gpus_within.reset(); }},
    {RefusalCode::kNvmeDistance, [](const Request& r) { return r.nvme_within.has_value(); },
     [](Request& r) { r.nvme_within.reset(); }},
    {RefusalCode::kNuma,
     [](const Request& r) {
       return r.numa == NumaClause::kSingle || r.numa == NumaClause::kNearDevices;
     },
     [](Request& r) { r.numa = NumaClause::kBest; }},
    {RefusalCode::kGpuCards, [](const Request& r) { return r.gpu.cards != Cards::kAny; },
     [](Request& r) { r.gpu.cards = Cards::kAny; }},
    {RefusalCode::kNicFunction, [](const Request& r) { return r.nic.cards != Cards::kAny; },
     [](Request& r) { r.nic.cards = Cards::kAny; }},
    {RefusalCode::kCores, [](const Request& r) { return r.core_plan == domain::CorePlan::kSpread; },
     [](Request& r) { r.core_plan = domain::CorePlan::kPacked; }},
};

// No clause is to blame: what is free does not hold it, one unit beside the other.
Refusal without_clauses(const Request& request, bool devices_fit) {
  if (devices_fit) {
    return {.code = RefusalCode::kRanges,
            .evidence = cat("cores and memory that are free lie in more than ", domain::kRangesMax,
                            " ranges")};
  }
  if (request.gpu.mode == domain::GpuMode::kMig) {
    return {.code = RefusalCode::kGpuPartition,
            .evidence = "the partitions that are free do not hold all that are asked"};
  }
  return {.code = RefusalCode::kGpuShare,
          .evidence = "the shares that are free do not hold all that are asked"};
}

}  // namespace

Refusal explain(const NodeState& state, const Request& request, const Limits& limits) {
  if (auto refusal = for_want_of_facts(state, request, limits)) return *refusal;

  const auto fits = [&](const Request& other) {
    return search(Problem(state, other), part_of(limits)).result.has_value();
  };
  for (const Clause& clause : kClauses) {
    if (!clause.stands(request)) continue;
    Request relaxed = request;
    clause.drop(relaxed);
    if (fits(relaxed)) {
      return {domain::Verdict::kNotNow, clause.code, evidence_of(clause.code, state, request)};
    }
  }
  Request relaxed = request;
  std::optional<RefusalCode> first;
  for (const Clause& clause : kClauses) {
    if (!clause.stands(request)) continue;
    if (!first) first = clause.code;
    clause.drop(relaxed);
    if (!fits(relaxed)) continue;
    return {domain::Verdict::kNotNow, clause.code,
            cat(evidence_of(clause.code, state, request), "; ", domain::to_text(*first),
                " does not hold either")};
  }
  Request devices = relaxed;
  devices.cores = 0;
  devices.memory_bytes = 0;
  Refusal refusal = without_clauses(relaxed, fits(devices));
  refusal.verdict = domain::Verdict::kNotNow;
  return refusal;
}

}  // namespace tenon::allocation
