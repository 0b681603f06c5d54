// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/tenon.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"
#include "formats/topology/input.hpp"

namespace tenon::formats::topology {

bool tenon_recognises(std::string_view bytes) {
  constexpr std::array<std::string_view, 5> kStatements{"node", "pod", "held", "reserved", "->"};
  bytes = without_bom(bytes);
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const std::string_view line = text::trim(bytes.substr(0, end));
    if (!line.empty() && !line.starts_with('#')) {
      const std::string_view word = line.substr(0, line.find_first_of(" \t"));
      return std::ranges::find(kStatements, word) != kStatements.end();
    }
    if (end == std::string_view::npos) return false;
    bytes.remove_prefix(end + 1);
  }
  return false;
}

Result<Machines> tenon_read(std::span<const Source> sources) {
  Machines machines;
  for (const Source& source : sources) {
    const auto checked = checked_text(source);
    if (!checked) return std::unexpected(checked.error());
    auto document = notation::parse(*checked, source.name);
    if (!document) return std::unexpected(document.error());
    auto& cluster = document->cluster;
    for (const domain::Node& node : cluster.nodes) {
      if (std::ranges::find(machines.cluster.nodes, node.name, &domain::Node::name) !=
          machines.cluster.nodes.end()) {
        return bad_input(source.name, text::cat("node ", node.name, " stands in a text before too"),
                         "give each node once");
      }
    }
    std::ranges::move(cluster.nodes, std::back_inserter(machines.cluster.nodes));
    std::ranges::move(cluster.holders, std::back_inserter(machines.cluster.holders));
    if (!document->requests.empty() || !document->expected.empty()) {
      machines.warnings.push_back(
          text::cat(source.name, ": requests and expected plans are no machines: left out"));
    }
  }
  return machines;
}

}  // namespace tenon::formats::topology
