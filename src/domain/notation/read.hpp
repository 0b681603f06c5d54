// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The statements of the notation, one reader each. Private to this module.
//
// Every reader starts behind the words that say what the statement is, ends at its line end, and
// gives false after it has told the lexer what is wrong.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/cluster.hpp"
#include "domain/notation/lexer.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::notation {

/// True if the word opens a statement of its own, and so ends a node.
[[nodiscard]] bool opens_statement(std::string_view word);

/// "NAME arch=… cpu=…" and all lines that belong to the node.
bool read_node(Lexer& in, domain::Node& out);

/// Clauses, to the end of the line.
bool read_request(Lexer& in, domain::Request& out);

/// The K of `pair<=D`: as many GPUs to one NIC as it takes (I36).
[[nodiscard]] int gpus_per_nic_at_least(const domain::Request& request);

/// Which shares, partitions and functions of a device are taken, so that the next may be left out.
class Slots {
 public:
  void take(std::size_t node, const domain::Allocation& allocation);
  void take(std::size_t node, domain::DeviceIndex device, int slot);
  [[nodiscard]] bool taken(std::size_t node, domain::DeviceIndex device, int slot) const;

 private:
  std::map<std::pair<std::size_t, domain::DeviceIndex>, std::vector<bool>> taken_;  // by slot
};

/// The nodes of a cluster by name.
using NodeNames = std::map<std::string, std::size_t, std::less<>>;

/// Where a grant is read: the cluster so far, and the slots that its holders have.
struct GrantContext {
  const domain::Cluster& cluster;
  const NodeNames& names;
  const Slots& slots;
};

/// "NAME on NODE: GRANT…".
bool read_holder(Lexer& in, const GrantContext& context, domain::Holder& out);
/// "NAME on NODE: GRANT…", or "NAME refused: TEXT".
bool read_expected(Lexer& in, const GrantContext& context, Expected& out);

}  // namespace tenon::notation
