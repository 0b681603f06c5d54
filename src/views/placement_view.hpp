// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// One decision, as it is shown: where the request goes and why, or why not and what would help.
//
// The only record of a decision that any output form uses: table, JSON, names, exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/planner/place.hpp"
#include "domain/cluster.hpp"

namespace tenon::views {

struct GrantView {
  std::string device;  // "gpu0"
  std::string label;
  std::string id;
  std::string pci;
  std::string model;
  std::vector<int> numa;
  std::string part;  // "whole", "0.5", "0.5/12Gi", "mig 1g.10gb", "vf 3", "40G"
  domain::Grant grant;
  friend bool operator==(const GrantView&, const GrantView&) = default;
};

/// A GPU and the NIC that it would use.
struct PairView {
  std::string gpu;
  std::string nic;
  std::string distance;  // "PIX"; "" where not known
  friend bool operator==(const PairView&, const PairView&) = default;
};

/// One level of the cost (docs/invariants.md I50), in numbers and in words.
struct LevelView {
  std::string name;                  // "pair"
  std::vector<std::int64_t> values;  // smaller is better
  std::string words;                 // "worst GPU-NIC distance PIX"
  friend bool operator==(const LevelView&, const LevelView&) = default;
};

/// The answer in place of a verdict where a search that refused was cut off: nothing is proven.
inline constexpr std::string_view kNotDecided = "not decided";

/// What one node said.
struct NodeView {
  std::string node;
  std::string answer;    // "chosen", "fits", kNotDecided, or a verdict: "not now", "forbidden" …
  std::string code;      // of a refusal: "pair"; "" where not decided
  std::string evidence;  // of a refusal
  std::vector<LevelView> levels;  // of an allocation
  std::string allocation;         // of an allocation, in notation: "gpu0 nic0 cpus=0-15"
  bool proven_best = true;
  std::int64_t steps = 0;
  friend bool operator==(const NodeView&, const NodeView&) = default;
};

struct FixView {
  std::string kind;  // "free-devices", "relax-clause", "end-holders", "ask-less", "add-hardware"
  std::string node;
  std::string text;                // one sentence
  std::string request;             // in notation, where the fix changes the request
  std::vector<std::string> names;  // devices to free, or holders to end
  friend bool operator==(const FixView&, const FixView&) = default;
};

struct PlacementView {
  std::string request;  // its name
  std::string clauses;  // in notation: "gpu=2 nic=2 pair<=PIX"
  std::string answer;   // "placed", kNotDecided, or a verdict: "not now", "forbidden" …
  /// Nothing: placed. The exit code follows from this and from proven_best.
  std::optional<domain::Verdict> verdict;
  // Placed:
  std::string node;
  std::string allocation;  // in notation
  std::vector<GrantView> grants;
  std::vector<PairView> pairs;
  std::string cpus;  // pinned: "0-15"
  std::int64_t cpu_milli = 0;
  std::vector<domain::MemoryGrant> memory;
  std::vector<LevelView> levels;
  bool proven_best = true;  // of a refusal: the verdict; false: not decided, the verdict is a guess
  // Refused:
  std::string refused_by;  // node; "" for a cluster without nodes or a bad request
  std::string code;        // "" where not decided
  std::string evidence;
  std::optional<FixView> fix;
  bool fix_searched = false;
  bool fix_search_complete = false;  // false: a nearer fix may exist
  std::string
      next_step;  // "ask for fewer GPUs"; "" where the fix is the next step, unless not decided
  // Both, in the order of the cluster:
  std::vector<NodeView> nodes;
};

[[nodiscard]] PlacementView placement_view(const domain::Cluster& cluster,
                                           const domain::NamedRequest& request,
                                           const planner::Placement& placement);

}  // namespace tenon::views
