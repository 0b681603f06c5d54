// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The list that the parts of check_node write into, and the parts themselves.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/topology/check.hpp"
#include "domain/node.hpp"

namespace tenon::topology {

class Findings {
 public:
  void error(std::string code, std::string subject, std::string text) {
    add(Severity::kError, std::move(code), std::move(subject), std::move(text));
  }
  void warning(std::string code, std::string subject, std::string text) {
    add(Severity::kWarning, std::move(code), std::move(subject), std::move(text));
  }
  void note(std::string code, std::string subject, std::string text) {
    add(Severity::kNote, std::move(code), std::move(subject), std::move(text));
  }
  [[nodiscard]] bool has_errors() const;
  [[nodiscard]] std::vector<Finding> sorted() &&;

 private:
  void add(Severity severity, std::string code, std::string subject, std::string text) {
    list_.push_back({severity, std::move(code), std::move(subject), std::move(text)});
  }
  std::vector<Finding> list_;
};

/// Broken invariants of domain/node.hpp: nothing else may be asked of a node that has one.
void find_broken_invariants(const domain::Node& node, Findings& findings);

/// Sources that contradict each other, and what nobody saw.
/// REQUIRES: find_broken_invariants found nothing.
void find_contradictions(const domain::Node& node, Findings& findings);

}  // namespace tenon::topology
