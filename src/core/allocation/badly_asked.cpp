// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <algorithm>

#include "base/text.hpp"
#include "core/allocation/allocate.hpp"
#include "core/topology/mig.hpp"

namespace tenon::allocation {
namespace {

using domain::Cards;
using domain::GpuMode;
using domain::NicMode;
using domain::NumaClause;
using domain::Request;
using text::cat;

using Wrong = std::optional<std::string>;

Wrong wrong_amounts(const Request& request) {
  constexpr auto kMax = static_cast<std::size_t>(domain::kUnitsMax);
  if (request.gpu.units.size() > kMax) {
    return cat("gpu asks for ", request.gpu.units.size(), " units, at most ", kMax);
  }
  if (request.nic.count < 0 || request.nic.count > domain::kUnitsMax) {
    return cat("nic asks for ", request.nic.count, " units, at most ", kMax);
  }
  if (request.nvme_count < 0 || request.nvme_count > domain::kUnitsMax) {
    return cat("nvme asks for ", request.nvme_count, " units, at most ", kMax);
  }
  if (request.cores < 0 || request.cpu_milli < 0 || request.memory_bytes < 0 ||
      request.gpu.memory_bytes_min < 0 || request.nic.rate_bits_min < 0) {
    return "an amount is below zero";
  }
  if (request.nic.mode == NicMode::kBandwidth && request.nic.count > 0 &&
      request.nic.bandwidth_bits <= 0) {
    return "nic.bw asks for no bandwidth";
  }
  return {};
}

Wrong wrong_units(const Request& request) {
  for (const auto& unit : request.gpu.units) {
    if (request.gpu.mode == GpuMode::kMig && !topology::is_mig_profile(unit.profile)) {
      return cat("mig=", unit.profile, " is no profile: write one like 1g.10gb");
    }
    if (request.gpu.mode == GpuMode::kShareMilli &&
        (unit.amount < 1 || unit.amount > domain::kMilliOfAWhole)) {
      return cat("a share of ", unit.amount, " thousandths is not between 1 and ",
                 domain::kMilliOfAWhole);
    }
    if (request.gpu.mode == GpuMode::kShareBytes && unit.amount < 1) {
      return "gpu.bytes asks for a share of nothing";
    }
  }
  return {};
}

Wrong wrong_pair(const Request& request) {
  if (!request.pair) return {};
  const auto gpus = static_cast<std::int64_t>(request.gpu.units.size());
  if (gpus == 0 || request.nic.count == 0) return "pair needs GPUs and NICs";
  if (request.pair->gpus_per_nic < 1) return "pair needs one GPU to a NIC at least";
  const bool distinct = request.gpu.mode == GpuMode::kWhole || request.gpu.cards == Cards::kApart;
  const std::int64_t served = std::int64_t{request.pair->gpus_per_nic} * request.nic.count;
  if (distinct && served < gpus) {
    return cat("pair serves ", served, " GPUs with ", request.nic.count, " NICs, but ", gpus,
               " are asked");
  }
  return {};
}

Wrong wrong_clauses(const Request& request) {
  const bool gpus = !request.gpu.units.empty();
  if (request.nvme_within && (request.nvme_count == 0 || !gpus)) {
    return "nvme<= needs an NVMe and a GPU";
  }
  if (request.gpus_within && !gpus) return "gpus<= needs GPUs";
  if (request.nvlink != domain::NvlinkClause::kNone && !gpus) return "nvlink= needs GPUs";
  if (request.numa == NumaClause::kSingle && request.core_plan == domain::CorePlan::kSpread) {
    return "numa=single and cores.plan=spread exclude each other";
  }
  if (request.cores > 0 && request.cpu_milli > 0) return "cores= and cpu= exclude each other";
  if (request.gpu.cards != Cards::kAny && (!gpus || request.gpu.mode == GpuMode::kWhole)) {
    return "gpu.cards= needs shares or partitions";
  }
  if (request.nic.cards != Cards::kAny &&
      (request.nic.count == 0 || request.nic.mode != NicMode::kVf)) {
    return "vf.cards= needs virtual functions";
  }
  return {};
}

}  // namespace

std::optional<domain::Refusal> badly_asked(const Request& request) {
  for (const auto rule : {wrong_amounts, wrong_units, wrong_pair, wrong_clauses}) {
    if (auto wrong = rule(request)) {
      return domain::Refusal{domain::Verdict::kBadlyAsked, domain::RefusalCode::kRequest,
                             std::move(*wrong)};
    }
  }
  return std::nullopt;
}

}  // namespace tenon::allocation
