// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/planner/place.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "core/allocation/allocator.hpp"
#include "core/planner/node_cases.hpp"

namespace tenon::planner {
namespace {

using domain::Refusal;
using domain::Verdict;

/// The first cordoned devices of a node, with the administrator's reasons.
std::string cordoned_devices(const domain::Node& node) {
  constexpr std::size_t kNamed = 4;
  std::vector<std::string> named;
  std::size_t count = 0;
  for (const domain::Device& device : node.devices) {
    if (!device.cordoned) continue;
    if (++count > kNamed) continue;
    named.push_back(domain::to_text(device));
    if (!device.cordoned->empty()) named.back() += text::cat(" (", *device.cordoned, ")");
  }
  std::string list = text::cat("cordoned: ", text::join(named, ", "));
  if (count > kNamed) list += text::cat(" and ", count - kNamed, " more");
  return list;
}

/// What allocation does not know: the administrator's reasons. States have no names, so that alike
/// nodes share their answers; names come from the node.
Refusal with_cordons(Refusal refusal, const domain::Node& node) {
  if (!node.cordoned) {
    refusal.evidence += text::cat("; ", cordoned_devices(node));
  } else if (!node.cordoned->empty()) {
    refusal.evidence += text::cat(": ", *node.cordoned);
  }
  return refusal;
}

/// Asks nodes one request; those in equal states get their answer from memory.
class Judge {
 public:
  Judge(const domain::Request& request, const allocation::Limits& limits)
      : request_(request), limits_(limits) {}

  /// What the node says now, with the verdict that I60 asks for.
  allocation::Answer judge(const NodeCase& node) {
    allocation::Answer now = ask(node.now);
    if (now.result) return now;
    const auto refuse = [&](Verdict verdict, Refusal reason) {
      reason.verdict = verdict;
      now.result = std::unexpected(std::move(reason));
      return now;
    };
    const allocation::Answer empty = ask(emptied(node, Cordons::kKept));
    if (empty.result) return refuse(Verdict::kNotNow, now.result.error());
    const allocation::Answer lifted = ask(emptied(node, Cordons::kLifted));
    now.proven_best = now.proven_best && empty.proven_best && (lifted.result || lifted.proven_best);
    if (!lifted.result) return refuse(Verdict::kNeverFits, lifted.result.error());
    return refuse(Verdict::kForbidden, with_cordons(empty.result.error(), *node.node));
  }

 private:
  allocation::Answer ask(const state::NodeState& state) {
    return allocator_.allocate(state, request_, limits_);
  }

  const domain::Request& request_;
  allocation::Limits limits_;
  allocation::Allocator allocator_;
};

/// I61; the first of the nodes that say so.
void refuse_all(Placement& placement) {
  placement.refusal =
      Refusal{Verdict::kNeverFits, domain::RefusalCode::kNoNode, "the cluster has no node"};
  for (std::size_t i = 0; i < placement.nodes.size(); ++i) {
    const Refusal& refusal = placement.nodes[i].answer.result.error();
    if (placement.refused_by && refusal.verdict >= placement.refusal->verdict) continue;
    placement.refusal = refusal;
    placement.refused_by = i;
  }
}

}  // namespace

Result<Placement> place(const domain::Cluster& cluster, const domain::Request& request,
                        const allocation::Limits& limits, FixWanted fix) {
  auto cases = node_cases(cluster);
  if (!cases) return std::unexpected(std::move(cases).error());

  Placement placement;
  if (auto refusal = allocation::badly_asked(request)) {
    for (const domain::Node& node : cluster.nodes) {
      placement.nodes.push_back({node.name, {.result = std::unexpected(*refusal)}});
    }
    placement.refusal = std::move(refusal);
    return placement;
  }

  Judge judge(request, limits);
  for (const NodeCase& node : *cases) {
    placement.nodes.push_back({node.node->name, judge.judge(node)});
    const allocation::Answer& answer = placement.nodes.back().answer;
    if (!answer.result) continue;
    if (!placement.chosen || answer.cost < placement.nodes[*placement.chosen].answer.cost) {
      placement.chosen = placement.nodes.size() - 1;
    }
  }
  if (placement.chosen) return placement;

  refuse_all(placement);
  if (fix == FixWanted::kYes) {
    auto search = nearest_fix(cluster, request, limits);
    placement.fix = std::move(search.fix);
    placement.fix_searched = true;
    placement.fix_search_complete = search.complete;
    placement.fix_steps = search.steps;
  }
  return placement;
}

}  // namespace tenon::planner
