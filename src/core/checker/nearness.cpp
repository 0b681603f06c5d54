// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What must be near what: pairs, GPUs among themselves, NVMes.

#include <algorithm>

#include "base/text.hpp"
#include "core/checker/audit.hpp"

namespace tenon::checker {

using domain::DeviceKind;
using domain::Distance;
using domain::GpuMode;
using domain::NvlinkClause;
using text::cat;
using topology::Rank;

namespace {

Rank cell(const std::vector<Rank>& table, std::size_t columns, int row, int column) {
  return table[static_cast<std::size_t>(row) * columns + static_cast<std::size_t>(column)];
}

bool within(Rank rank, Distance bound) { return rank <= static_cast<Rank>(bound); }

/// A place for each GPU at a NIC unit, found by moving earlier GPUs on where that helps.
class Pairing {
 public:
  Pairing(const Audit& audit, const domain::PairClause& clause)
      : audit_(audit), clause_(clause), units_(nic_units(audit)), at_(units_.size()) {}

  bool seat(int gpu) {
    std::vector<bool> tried(units_.size(), false);
    return seat(gpu, tried);
  }

 private:
  bool seat(int gpu, std::vector<bool>& tried) {
    const auto& shape = audit_.shape();
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (tried[u] ||
          !within(cell(shape.gpu_nic, shape.nics.size(), gpu, units_[u]), clause_.bound)) {
        continue;
      }
      tried[u] = true;
      if (static_cast<int>(at_[u].size()) < clause_.gpus_per_nic) {
        at_[u].push_back(gpu);
        return true;
      }
      for (int& seated : at_[u]) {
        if (seat(seated, tried)) {
          seated = gpu;
          return true;
        }
      }
    }
    return false;
  }

  const Audit& audit_;
  const domain::PairClause& clause_;
  std::vector<int> units_;
  std::vector<std::vector<int>> at_;  // GPUs at each unit
};

void check_pairs(Audit& audit, const std::vector<int>& gpus) {
  if (!audit.request.pair) return;
  Pairing pairing(audit, *audit.request.pair);
  for (const int gpu : gpus) {
    if (!pairing.seat(gpu)) {
      audit.report("I36", cat("gpu", gpu, " finds no NIC within ",
                              domain::to_text(audit.request.pair->bound)));
    }
  }
}

void check_gpus(Audit& audit, const std::vector<int>& gpus) {
  const auto& shape = audit.shape();
  const auto columns = shape.gpus.size();
  const auto linked = [&](int a, int b) { return cell(shape.gpu_gpu_nvlinks, columns, a, b) > 0; };
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    for (std::size_t j = i + 1; j < gpus.size(); ++j) {
      const auto both = cat("gpu", gpus[i], " and gpu", gpus[j]);
      if (audit.request.gpus_within &&
          !within(cell(shape.gpu_gpu, columns, gpus[i], gpus[j]), *audit.request.gpus_within)) {
        audit.report("I37",
                     cat(both, " are not within ", domain::to_text(*audit.request.gpus_within)));
      }
      if (audit.request.nvlink == NvlinkClause::kAll && !linked(gpus[i], gpus[j])) {
        audit.report("I37", cat(both, " have no NVLink"));
      }
    }
  }
  if (audit.request.nvlink != NvlinkClause::kConnected || gpus.empty()) return;
  std::vector<int> reached{gpus.front()};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const int gpu : gpus) {
      if (linked(reached[i], gpu) && std::ranges::find(reached, gpu) == reached.end()) {
        reached.push_back(gpu);
      }
    }
  }
  if (reached.size() != gpus.size()) audit.report("I37", "NVLink does not connect the GPUs");
}

void check_nvmes(Audit& audit, const std::vector<int>& gpus) {
  if (!audit.request.nvme_within) return;
  const auto& shape = audit.shape();
  for (const int nvme : granted(audit, DeviceKind::kNvme)) {
    const bool near = std::ranges::any_of(gpus, [&](int gpu) {
      return within(cell(shape.gpu_nvme, shape.nvmes.size(), gpu, nvme),
                    *audit.request.nvme_within);
    });
    if (!near) {
      audit.report("I38", cat("nvme", nvme, " is not within ",
                              domain::to_text(*audit.request.nvme_within), " of a granted GPU"));
    }
  }
}

}  // namespace

void check_nearness(Audit& audit) {
  const auto gpus = granted(audit, DeviceKind::kGpu);
  check_pairs(audit, gpus);
  check_gpus(audit, gpus);
  check_nvmes(audit, gpus);
}

void check_request(Audit& audit) {
  const auto& r = audit.request;
  const auto bad = [&](bool holds, std::string_view what) {
    if (holds) audit.report("I48", std::string{what});
  };
  const bool gpus = !r.gpu.units.empty();
  const bool nics = r.nic.count > 0;
  bad(r.gpu.units.size() > domain::kUnitsMax || r.nic.count > domain::kUnitsMax ||
          r.nvme_count > domain::kUnitsMax,
      "more than 64 units of a kind");
  for (const auto& unit : r.gpu.units) {
    bad(r.gpu.mode == GpuMode::kShareMilli && (unit.amount < 1 || unit.amount > 1000),
        "a share of nothing, or of more than a card");
    bad(r.gpu.mode == GpuMode::kShareBytes && unit.amount < 1, "a share of nothing");
    bad(r.gpu.mode == GpuMode::kMig && compute_slices(unit.profile) == 0, "no MIG profile");
  }
  bad(nics && r.nic.mode == domain::NicMode::kBandwidth && r.nic.bandwidth_bits < 1,
      "a bandwidth of nothing");
  bad(r.gpu.cards != domain::Cards::kAny && (!gpus || r.gpu.mode == GpuMode::kWhole),
      "gpu.cards without shares");
  bad(r.nic.cards != domain::Cards::kAny && (!nics || r.nic.mode != domain::NicMode::kVf),
      "vf.cards without functions");
  bad(r.pair && (!gpus || !nics), "pairs without GPU or NIC");
  bad(r.pair && r.pair->gpus_per_nic < 1, "pairs of no GPU");
  const bool apart = r.gpu.mode == GpuMode::kWhole || r.gpu.cards == domain::Cards::kApart;
  bad(r.pair && apart &&
          static_cast<std::int64_t>(r.pair->gpus_per_nic) * r.nic.count <
              static_cast<std::int64_t>(r.gpu.units.size()),
      "more GPUs than NICs may pair with");
  bad(r.nvme_within && (!gpus || r.nvme_count == 0), "nvme<= without GPU or NVMe");
  bad((r.gpus_within || r.nvlink != NvlinkClause::kNone) && !gpus, "gpus<= or nvlink= without GPU");
  bad(r.numa == domain::NumaClause::kSingle && r.core_plan == domain::CorePlan::kSpread,
      "numa=single and cores.plan=spread");
  bad(r.cores > 0 && r.cpu_milli > 0, "cores and cpu");
}

}  // namespace tenon::checker
