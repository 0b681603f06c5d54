// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// I66: one clause, one step weaker.

#include <array>
#include <utility>

#include "base/text.hpp"
#include "core/planner/fix_kinds.hpp"
#include "core/planner/usable.hpp"

namespace tenon::planner {
namespace {

using domain::Cards;
using domain::Distance;
using domain::NumaClause;
using domain::NvlinkClause;
using domain::Request;

/// The next farther bound; nothing behind SYS.
std::optional<Distance> farther(Distance bound) {
  if (bound == Distance::kSys) return std::nullopt;
  return static_cast<Distance>(static_cast<int>(bound) + 1);
}

bool relax_bound(std::optional<Distance>& bound) {
  if (!bound) return false;
  bound = farther(*bound);
  return true;
}

bool relax_pair(Request& request) {
  if (!request.pair) return false;
  if (const auto bound = farther(request.pair->bound)) {
    request.pair->bound = *bound;
  } else {
    request.pair.reset();
  }
  return true;
}

bool relax_gpus(Request& request) { return relax_bound(request.gpus_within); }

bool relax_nvme(Request& request) { return relax_bound(request.nvme_within); }

bool relax_nvlink(Request& request) {
  if (request.nvlink == NvlinkClause::kNone) return false;
  request.nvlink = request.nvlink == NvlinkClause::kAll ? NvlinkClause::kConnected  //
                                                        : NvlinkClause::kNone;
  return true;
}

bool relax_numa(Request& request) {
  if (request.numa != NumaClause::kSingle && request.numa != NumaClause::kNearDevices) return false;
  request.numa = request.numa == NumaClause::kSingle ? NumaClause::kNearDevices  //
                                                     : NumaClause::kBest;
  return true;
}

bool share_more_nics(Request& request) {
  if (!request.pair) return false;
  if (request.pair->gpus_per_nic >= static_cast<int>(request.gpu.units.size())) return false;
  ++request.pair->gpus_per_nic;
  return true;
}

bool drop_gpu_cards(Request& request) {
  return std::exchange(request.gpu.cards, Cards::kAny) != Cards::kAny;
}

bool drop_vf_cards(Request& request) {
  return std::exchange(request.nic.cards, Cards::kAny) != Cards::kAny;
}

bool drop_core_plan(Request& request) {
  return std::exchange(request.core_plan, domain::CorePlan::kPacked) != domain::CorePlan::kPacked;
}

bool drop_model(Request& request) { return !std::exchange(request.gpu.model, {}).empty(); }

bool drop_card_memory(Request& request) {
  return std::exchange(request.gpu.memory_bytes_min, 0) != 0;
}

bool drop_role(Request& request) {
  if (!asks_for(request, domain::DeviceKind::kNic)) return false;
  return std::exchange(request.nic.role, domain::RoleWanted::kAny) != domain::RoleWanted::kAny;
}

bool drop_rate(Request& request) { return std::exchange(request.nic.rate_bits_min, 0) != 0; }

bool drop_arch(Request& request) { return !std::exchange(request.arch, {}).empty(); }

/// False where the request has no such clause.
using Step = bool (*)(Request&);
/// In the order in which they are tried.
constexpr std::array<Step, 14> kSteps{
    relax_pair,       relax_gpus,     relax_nvme,    relax_nvlink,   relax_numa,
    share_more_nics,  drop_gpu_cards, drop_vf_cards, drop_core_plan, drop_model,
    drop_card_memory, drop_role,      drop_rate,     drop_arch};

}  // namespace

std::optional<Fix> find_relax_clause(const FixQuestion& question, Work& work) {
  for (const Step step : kSteps) {
    Request request = question.request;
    if (!step(request)) continue;
    const auto position = best_node(question, request, work);
    if (work.exhausted()) return std::nullopt;
    if (!position) continue;
    const std::string& node = question.cases[*position].node->name;
    auto [from, to] = clause_change(question.request, request);
    std::string text = to.empty() ? text::cat("leave out ", from, ": fits ", node)
                                  : text::cat("ask for ", to, from.empty() ? "" : " instead of ",
                                              from, ": fits ", node);
    return Fix{node, RelaxClause{std::move(from), std::move(to), std::move(request)},
               std::move(text)};
  }
  return std::nullopt;
}

}  // namespace tenon::planner
