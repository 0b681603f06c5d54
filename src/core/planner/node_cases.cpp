// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/planner/node_cases.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/text.hpp"

namespace tenon::planner {
namespace {

/// Shapes are few, nodes are many: an equal shape that was seen before takes the place of this one.
class Shapes {
 public:
  std::shared_ptr<const topology::Shape> shared(std::shared_ptr<const topology::Shape> shape) {
    for (const auto& known : known_) {
      if (*known == *shape) return known;
    }
    known_.push_back(shape);
    return shape;
  }

 private:
  std::vector<std::shared_ptr<const topology::Shape>> known_;
};

}  // namespace

Result<std::vector<NodeCase>> node_cases(const domain::Cluster& cluster) {
  std::map<std::string_view, std::size_t> position;
  std::vector<NodeCase> cases(cluster.nodes.size());
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    cases[i].node = &cluster.nodes[i];
    if (!position.emplace(cluster.nodes[i].name, i).second) {
      return bad_input("", text::cat("two nodes are called ", cluster.nodes[i].name),
                       "give each node a name of its own");
    }
  }
  for (const domain::Holder& holder : cluster.holders) {
    const auto found = position.find(holder.node);
    if (found == position.end()) {
      return bad_input(
          "", text::cat(holder.name, " holds devices of ", holder.node, ", which is not there"),
          "name a node of this cluster, or leave the holder out");
    }
    cases[found->second].holders.push_back(holder);
  }

  Shapes shapes;
  for (NodeCase& one : cases) {
    std::ranges::stable_sort(one.holders, {}, &domain::Holder::name);
    auto now = state::state_of(*one.node, one.holders);
    if (!now) return std::unexpected(std::move(now).error());
    one.now = *std::move(now);
    one.now.shape = shapes.shared(std::move(one.now.shape));
  }
  return cases;
}

state::NodeState emptied(const NodeCase& node, Cordons cordons) {
  state::NodeState empty = state::empty_state(*node.node, node.now.shape);
  if (cordons == Cordons::kLifted) {
    empty.cordoned = false;
    for (state::GpuState& gpu : empty.gpus) gpu.cordoned = false;
    for (state::NicState& nic : empty.nics) nic.cordoned = false;
    for (state::NvmeState& nvme : empty.nvmes) nvme.cordoned = false;
  }
  return empty;
}

}  // namespace tenon::planner
