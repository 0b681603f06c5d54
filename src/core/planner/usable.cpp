// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/planner/usable.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tenon::planner {
namespace {

using domain::DeviceKind;

bool gpu_qualifies(const domain::GpuFacts& gpu, const domain::GpuDemand& demand) {
  const bool in_mig_mode = gpu.mig != domain::MigMode::kOff;
  if (in_mig_mode != (demand.mode == domain::GpuMode::kMig)) return false;
  if (!demand.model.empty() && text::lower(gpu.model) != text::lower(demand.model)) return false;
  return demand.memory_bytes_min == 0 || gpu.memory_bytes.value_or(0) >= demand.memory_bytes_min;
}

bool nic_qualifies(const domain::NicFacts& nic, const domain::NicDemand& demand) {
  if (nic.bond && !demand.bonds) return false;
  if (!nic.rdma.value_or(true) && !demand.non_rdma) return false;
  if (demand.role == domain::RoleWanted::kCompute && nic.role == domain::NicRole::kStorage) {
    return false;
  }
  if (demand.role == domain::RoleWanted::kStorage && nic.role != domain::NicRole::kStorage) {
    return false;
  }
  const std::int64_t rate_min = std::max(
      demand.rate_bits_min, demand.mode == domain::NicMode::kBandwidth ? demand.bandwidth_bits : 0);
  return rate_min == 0 || nic.rate_bits.value_or(0) >= rate_min;
}

bool gpu_free(const state::GpuState& gpu) {
  return gpu.use == state::GpuUse::kFree && !gpu.cordoned;
}
bool nic_free(const state::NicState& nic) {
  return nic.use == state::NicUse::kFree && !nic.cordoned;
}
bool nvme_free(const state::NvmeState& nvme) { return !nvme.taken && !nvme.cordoned; }

template <class Items, class IsFree>
std::int64_t count_free(const state::NodeState& state, const domain::Request& request,
                        DeviceKind kind, const Items& items, IsFree is_free) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (is_free(items[i]) && qualifies(*state.shape, request, kind, static_cast<int>(i))) ++count;
  }
  return count;
}

}  // namespace

bool asks_for(const domain::Request& request, DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kGpu:
      return !request.gpu.units.empty();
    case DeviceKind::kNic:
      return request.nic.count > 0;
    case DeviceKind::kNvme:
      break;
  }
  return request.nvme_count > 0;
}

bool wholly_free(const state::NodeState& state, domain::DeviceIndex device) {
  const auto [kind, ordinal] = state::kind_and_ordinal(*state.shape, device);
  const auto at = static_cast<std::size_t>(ordinal);
  switch (kind) {
    case DeviceKind::kGpu:
      return gpu_free(state.gpus[at]);
    case DeviceKind::kNic:
      return nic_free(state.nics[at]);
    case DeviceKind::kNvme:
      break;
  }
  return nvme_free(state.nvmes[at]);
}

bool qualifies(const topology::Shape& shape, const domain::Request& request, DeviceKind kind,
               int ordinal) {
  const auto at = static_cast<std::size_t>(ordinal);
  switch (kind) {
    case DeviceKind::kGpu:
      return gpu_qualifies(shape.gpus[at], request.gpu);
    case DeviceKind::kNic:
      return nic_qualifies(shape.nics[at], request.nic);
    case DeviceKind::kNvme:
      break;
  }
  return true;
}

std::int64_t lacking(const state::NodeState& state, const domain::Request& request,
                     DeviceKind kind) {
  std::int64_t lacks = 0;
  switch (kind) {
    case DeviceKind::kGpu:
      if (request.gpu.mode != domain::GpuMode::kWhole) return 0;
      lacks = static_cast<std::int64_t>(request.gpu.units.size()) -
              count_free(state, request, kind, state.gpus, gpu_free);
      break;
    case DeviceKind::kNic:
      if (request.nic.mode != domain::NicMode::kWhole) return 0;
      lacks = request.nic.count - count_free(state, request, kind, state.nics, nic_free);
      break;
    case DeviceKind::kNvme:
      lacks = request.nvme_count - count_free(state, request, kind, state.nvmes, nvme_free);
      break;
  }
  return std::max<std::int64_t>(lacks, 0);
}

}  // namespace tenon::planner
