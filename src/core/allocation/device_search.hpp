// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The joint search over GPUs, NICs, NVMes, cores and memory: exact, by branch and bound.
//
// Sets of GPUs are listed first, with a floor of what each must cost, and taken up cheapest floor
// first; for each set NICs (nic_search.cpp), for each of these NVMes, then cores and memory.
// Devices that a swap cannot tell apart are taken smallest id first, so of alike choices only the
// one with the smallest ids is looked at.
#pragma once

#include <optional>
#include <vector>

#include "core/allocation/cores_memory.hpp"
#include "core/allocation/packing.hpp"
#include "core/allocation/pairing.hpp"
#include "core/allocation/partial.hpp"
#include "core/allocation/problem.hpp"
#include "core/allocation/work.hpp"

namespace tenon::allocation {

class DeviceSearch {
 public:
  struct Best {
    CostVector cost{};
    DeviceChoice chosen;
    Affinities affinities;
  };

  DeviceSearch(const Problem& problem, CoresMemory& host, Packing& packing, Work& work);

  void run();
  [[nodiscard]] const std::optional<Best>& best() const { return best_; }

 private:
  struct GpuSet {
    CostVector floor{};
    Mask gpus = 0;
  };
  enum class Pass : std::uint8_t { kList, kSearch };

  // device_search.cpp: sets of GPUs
  void choose_gpus(Pass pass, Mask rest, const Partial& partial);
  void end_gpus(Pass pass, const Partial& partial);
  void search_listed();
  [[nodiscard]] Partial with_gpu(const Partial& partial, int gpu) const;
  [[nodiscard]] Partial with_gpus(Mask gpus) const;
  [[nodiscard]] bool gpus_may_win(const Partial& partial) const;
  [[nodiscard]] bool are_connected(Mask gpus) const;
  void search_set(Partial partial);

  // nic_search.cpp: NICs and NVMes of one set of GPUs
  struct NicPlan;
  struct NicCandidate;
  void search_nics(const Partial& partial);
  void plan_nics(NicPlan& plan);
  void find_twins(NicPlan& plan, const Partial& partial) const;
  [[nodiscard]] bool raise_shared_floor(NicPlan& plan);
  [[nodiscard]] bool begin_may_win(const NicPlan& plan, Partial& start) const;
  [[nodiscard]] bool alike(const NicPlan& plan, const Partial& partial, const NicCandidate& a,
                           const NicCandidate& b) const;
  void raise_pair_floor(const NicPlan& plan, Mask open, Partial& partial) const;
  [[nodiscard]] std::int64_t spare_floor(const NicPlan& plan, std::size_t next, int units) const;
  void choose_nics(NicPlan& plan, std::size_t next, int left, Mask open, const Partial& partial);
  [[nodiscard]] Partial with_nic(const Partial& partial, int nic, int units, int rank) const;
  void end_nics(const NicPlan& plan, const Partial& partial);
  struct NvmePlan;
  void search_nvmes(const Partial& partial);
  void choose_nvmes(NvmePlan& plan, std::size_t next, int left, const Partial& partial);
  void end_devices(const Partial& partial);

  /// False: no completion beats the best so far in (cost, ids). `nics_end`: NICs below are decided.
  [[nodiscard]] bool may_win(const Partial& partial, int nics_end) const;
  [[nodiscard]] bool ids_may_win(const Partial& partial, int nics_end) const;
  [[nodiscard]] std::int64_t& at(CostVector& cost, int level, int value) const;

  const Problem& problem_;
  CoresMemory& host_;
  Packing& packing_;
  Work& work_;

  int gpus_least_ = 0;  // distinct GPUs
  int gpus_most_ = 0;
  std::array<std::uint8_t, kDevicesMax> nearest_nic_{};  // rank, by GPU
  int nearest_least_ = 0;
  int nvlink_least_ = 0;  // the smallest value that a pair of candidates has
  int gpu_rank_least_ = 0;

  std::vector<GpuSet> listed_;
  bool list_is_full_ = false;
  std::optional<Best> best_;
};

}  // namespace tenon::allocation
