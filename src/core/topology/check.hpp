// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Contradictions and oddities of a node as it was read: what `tenon topo check` prints.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/node.hpp"

namespace tenon::topology {

enum class Severity : std::uint8_t {
  kNote,     // odd, harmless: a NUMA node without CPUs
  kWarning,  // placement falls back to the weaker reading: asymmetric cells
  kError,    // an invariant of domain/node.hpp is broken: the node cannot be used
};

struct Finding {
  Severity severity = Severity::kNote;
  std::string code;     // stable: "asymmetric-link", "cpu-in-two-numa-nodes" …
  std::string subject;  // "gpu0 gpu1", "numa1"
  std::string text;     // one sentence
  friend bool operator==(const Finding&, const Finding&) = default;
};

/// Sorted by severity (errors first), then code, then subject. Deterministic.
[[nodiscard]] std::vector<Finding> check_node(const domain::Node& node);

}  // namespace tenon::topology
