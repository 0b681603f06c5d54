// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/tenon.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::formats::topology {

bool tenon_recognises(std::string_view bytes) {
  constexpr std::array<std::string_view, 5> kStatements{"node", "pod", "held", "reserved", "->"};
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
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
    auto document = notation::parse(source.bytes, source.name);
    if (!document) return std::unexpected(document.error());
    auto& cluster = document->cluster;
    std::ranges::move(cluster.nodes, std::back_inserter(machines.cluster.nodes));
    std::ranges::move(cluster.holders, std::back_inserter(machines.cluster.holders));
    if (!document->requests.empty() || !document->expected.empty()) {
      machines.warnings.push_back(
          text::cat(source.name, ": requests and expected plans are no machines: passed over"));
    }
  }
  return machines;
}

}  // namespace tenon::formats::topology
