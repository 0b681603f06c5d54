// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// I65: the fewest held or cordoned devices of one node that would have to be free.

#include <utility>

#include "base/text.hpp"
#include "core/planner/fix_kinds.hpp"
#include "core/planner/usable.hpp"

namespace tenon::planner {
namespace {

using domain::DeviceIndex;
using domain::DeviceKind;

/// Devices that are not wholly free, of kinds that the request asks for.
std::vector<DeviceIndex> candidates(const NodeCase& node, const domain::Request& request) {
  std::vector<DeviceIndex> devices;
  for (std::size_t i = 0; i < node.node->devices.size(); ++i) {
    const DeviceIndex device{static_cast<std::uint32_t>(i)};
    if (asks_for(request, node.node->devices[i].kind()) && !wholly_free(node.now, device)) {
      devices.push_back(device);
    }
  }
  return devices;
}

/// Counting alone: as many devices of a kind as the request lacks must become free.
Need need_of(const NodeCase& node, const domain::Request& request, DeviceKind kind,
             const std::vector<DeviceIndex>& devices) {
  Need need{{}, lacking(node.now, request, kind)};
  for (const DeviceIndex device : devices) {
    const auto [its_kind, ordinal] = state::kind_and_ordinal(*node.now.shape, device);
    const bool helps = its_kind == kind && qualifies(*node.now.shape, request, kind, ordinal);
    need.weights.push_back(helps ? 1 : 0);
  }
  return need;
}

std::string because(const NodeCase& node, DeviceIndex device) {
  std::vector<std::string> reasons;
  for (const domain::Holder& holder : node.holders) {
    for (const domain::Grant& grant : holder.allocation.grants) {
      if (grant.device != device) continue;
      reasons.push_back(text::cat("held by ", holder.name));
      break;
    }
  }
  const auto& facts = node.node->devices[static_cast<std::size_t>(device)];
  if (facts.cordoned) {
    reasons.push_back(text::cat("cordoned", facts.cordoned->empty() ? "" : ": ", *facts.cordoned));
  }
  return text::cat(domain::to_text(facts), " (", text::join(reasons, ", "), ")");
}

/// The device as nobody had it and no administrator kept it back.
void free_device(state::NodeState& state, DeviceIndex device) {
  const auto [kind, ordinal] = state::kind_and_ordinal(*state.shape, device);
  const auto at = static_cast<std::size_t>(ordinal);
  switch (kind) {
    case DeviceKind::kGpu:
      state.gpus[at] = {.bytes_free = state.shape->gpus[at].memory_bytes.value_or(-1)};
      break;
    case DeviceKind::kNic:
      state.nics[at] = {.bits_free = state.shape->nics[at].rate_bits.value_or(-1)};
      break;
    case DeviceKind::kNvme:
      state.nvmes[at] = {};
      break;
  }
}

}  // namespace

std::optional<Fix> find_free_devices(const FixQuestion& question, Work& work) {
  std::optional<Fix> best;
  int most = kFreeDevicesMax;
  for (const std::size_t position : question.distinct) {
    const NodeCase& node = question.cases[position];
    const std::vector<DeviceIndex> devices = candidates(node, question.request);
    FewestProblem problem;
    problem.elements = static_cast<int>(devices.size());
    problem.most = most;
    for (const DeviceKind kind : {DeviceKind::kGpu, DeviceKind::kNic, DeviceKind::kNvme}) {
      problem.needs.push_back(need_of(node, question.request, kind, devices));
    }
    problem.fits = [&](const std::vector<int>& chosen) {
      state::NodeState state = node.now;
      for (const int element : chosen) {
        free_device(state, devices[static_cast<std::size_t>(element)]);
      }
      return fits(state, question.request, work);
    };
    const auto chosen = fewest(problem, work);
    if (work.exhausted()) return std::nullopt;
    if (!chosen) continue;
    FreeDevices change;
    std::vector<std::string> parts;
    for (const int element : *chosen) {
      change.devices.push_back(devices[static_cast<std::size_t>(element)]);
      parts.push_back(because(node, change.devices.back()));
    }
    std::string text = text::cat("free ", and_list(parts), " on ", node.node->name);
    most = static_cast<int>(chosen->size()) - 1;
    best = Fix{node.node->name, std::move(change), std::move(text)};
    if (most == 0) break;
  }
  return best;
}

}  // namespace tenon::planner
