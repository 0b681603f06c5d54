// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "views/placement_view.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "core/topology/distances.hpp"
#include "domain/notation/notation.hpp"
#include "domain/quantity.hpp"
#include "views/level_words.hpp"
#include "views/pairs.hpp"

namespace tenon::views {
namespace {

using domain::Allocation;
using domain::Grant;
using domain::Node;

std::string model_of(const domain::Device& device) {
  return std::visit([](const auto& facts) { return facts.model; }, device.facts);
}

std::string part_of(const Grant& grant) {
  switch (grant.mode) {
    case domain::GrantMode::kWhole:
      return "whole";
    case domain::GrantMode::kShare:
      return grant.bytes == 0 ? domain::milli_to_text(grant.amount)
                              : text::cat(domain::milli_to_text(grant.amount), "/",
                                          domain::bytes_to_text(grant.bytes));
    case domain::GrantMode::kMig:
      return text::cat("mig ", grant.profile);
    case domain::GrantMode::kVf:
      return text::cat("vf ", grant.slot);
    case domain::GrantMode::kBandwidth:
      break;
  }
  return domain::rate_to_text(grant.amount);
}

GrantView grant_view(const Node& node, const Grant& grant) {
  const domain::Device& device = node.devices.at(static_cast<std::size_t>(grant.device));
  GrantView view{.device = to_text(device),
                 .label = device.label,
                 .id = device.id,
                 .model = model_of(device),
                 .numa = topology::numa_of(node, grant.device),
                 .part = part_of(grant),
                 .grant = grant};
  if (device.pci) view.pci = to_text(*device.pci);
  return view;
}

std::vector<LevelView> level_views(const allocation::Cost& cost) {
  std::vector<LevelView> views;
  for (const allocation::Level& level : cost.levels) {
    views.push_back({std::string(level.name), level.values, level_words(level)});
  }
  return views;
}

NodeView node_view(const Node& node, const planner::NodeAnswer& said, bool chosen) {
  NodeView view{
      .node = node.name, .proven_best = said.answer.proven_best, .steps = said.answer.steps};
  if (said.answer.result) {
    view.answer = chosen ? "chosen" : "fits";
    view.levels = level_views(said.answer.cost);
    view.allocation = notation::write(*said.answer.result, node);
  } else if (!view.proven_best) {
    view.answer = kNotDecided;
    view.evidence = "the search was cut off";  // the refusal's own is a guess
  } else {
    const domain::Refusal& refusal = said.answer.result.error();
    view.answer = to_text(refusal.verdict);
    view.code = to_text(refusal.code);
    view.evidence = refusal.evidence;
  }
  return view;
}

void show_placed(PlacementView& view, const Node& node, const domain::Request& request,
                 const allocation::Answer& answer) {
  const Allocation& allocation = *answer.result;
  view.answer = "placed";
  view.node = node.name;
  view.allocation = notation::write(allocation, node);
  for (const Grant& grant : allocation.grants) view.grants.push_back(grant_view(node, grant));
  const auto shape = topology::shape_of(node);
  const auto per_nic =
      request.pair ? std::optional(request.pair->gpus_per_nic) : std::optional<int>();
  for (const Pair& pair : pairs_of(shape, allocation, per_nic)) {
    PairView shown{text::cat("gpu", pair.gpu), text::cat("nic", pair.nic), ""};
    if (pair.rank != topology::kRankUnknown) {
      shown.distance = to_text(static_cast<domain::Distance>(pair.rank));
    }
    view.pairs.push_back(std::move(shown));
  }
  view.cpus = allocation.cpus.to_text();
  view.cpu_milli = allocation.cpu_milli;
  view.memory = allocation.memory;
  view.levels = level_views(answer.cost);
  view.proven_best = answer.proven_best;
}

/// What kind of change it is, and what it names.
struct ShowChange {
  FixView& view;
  const domain::Cluster& cluster;

  void operator()(const planner::FreeDevices& change) const {
    view.kind = "free-devices";
    for (const Node& node : cluster.nodes) {
      if (node.name != view.node) continue;
      for (const domain::DeviceIndex device : change.devices) {
        view.names.push_back(to_text(node.devices.at(static_cast<std::size_t>(device))));
      }
    }
  }
  void operator()(const planner::RelaxClause& change) const {
    view.kind = "relax-clause";
    view.request = notation::write(change.request);
  }
  void operator()(const planner::EndHolders& change) const {
    view.kind = "end-holders";
    view.names = change.holders;
  }
  void operator()(const planner::AskLess& change) const {
    view.kind = "ask-less";
    view.request = notation::write(change.request);
  }
  void operator()(const planner::AddHardware&) const { view.kind = "add-hardware"; }
};

/// What to do besides the fix, if there is one. No one clause is to blame alone where the whole search found nothing.
std::string next_step(const domain::Refusal& refusal, const PlacementView& view) {
  using domain::RefusalCode;
  if (!view.proven_best) return "give --steps-max a larger number";
  if (view.fix) return {};
  const auto step = domain::next_step(refusal.code);
  switch (refusal.verdict) {
    case domain::Verdict::kNotNow:
      return text::cat("wait, end holders, or ", step);
    case domain::Verdict::kForbidden:
      return std::string(domain::next_step(RefusalCode::kNodeCordoned));
    case domain::Verdict::kNeverFits:
      if (refusal.code == RefusalCode::kNotKnown || refusal.code == RefusalCode::kNoNode) break;
      if (!view.fix_searched || !view.fix_search_complete) break;
      return "change more than one clause, or give other machines";
    case domain::Verdict::kBadlyAsked:
      break;
  }
  return std::string(step);
}

}  // namespace

PlacementView placement_view(const domain::Cluster& cluster, const domain::NamedRequest& request,
                             const planner::Placement& placement) {
  PlacementView view{.request = request.name,
                     .clauses = notation::write(request.request),
                     .fix_searched = placement.fix_searched,
                     .fix_search_complete = placement.fix_search_complete};
  for (std::size_t i = 0; i < placement.nodes.size(); ++i) {
    view.nodes.push_back(node_view(cluster.nodes.at(i), placement.nodes[i], placement.chosen == i));
  }
  if (placement.chosen) {
    show_placed(view, cluster.nodes[*placement.chosen], request.request,
                placement.nodes[*placement.chosen].answer);
    return view;
  }
  const domain::Refusal& refusal = placement.refusal.value();
  view.verdict = refusal.verdict;
  view.answer = to_text(refusal.verdict);
  view.code = to_text(refusal.code);
  view.evidence = refusal.evidence;
  if (placement.refused_by) view.refused_by = cluster.nodes[*placement.refused_by].name;
  const auto cut = std::ranges::find(view.nodes, false, &NodeView::proven_best);
  if (cut != view.nodes.end()) {
    view.proven_best = false;
    view.answer = cut->answer;
    view.code.clear();
    view.evidence = cut->evidence;
    view.refused_by = cut->node;
  }
  if (placement.fix) {
    view.fix = FixView{.node = placement.fix->node, .text = placement.fix->text};
    std::visit(ShowChange{*view.fix, cluster}, placement.fix->change);
  }
  view.next_step = next_step(refusal, view);
  return view;
}

}  // namespace tenon::views
