// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/topology/check.hpp"

#include <algorithm>
#include <tuple>

#include "core/topology/findings.hpp"

namespace tenon::topology {

bool Findings::has_errors() const {
  return std::ranges::any_of(
      list_, [](const Finding& finding) { return finding.severity == Severity::kError; });
}

std::vector<Finding> Findings::sorted() && {
  std::ranges::stable_sort(list_, [](const Finding& a, const Finding& b) {
    if (a.severity != b.severity) return a.severity > b.severity;
    return std::tie(a.code, a.subject) < std::tie(b.code, b.subject);
  });
  return std::move(list_);
}

std::vector<Finding> check_node(const domain::Node& node) {
  Findings findings;
  find_broken_invariants(node, findings);
  if (!findings.has_errors()) find_contradictions(node, findings);
  return std::move(findings).sorted();
}

}  // namespace tenon::topology
