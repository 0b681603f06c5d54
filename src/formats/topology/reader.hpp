// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Machines from the texts that other tools print: one table of readers, chosen by name or by
// content.
//
// Pure: bytes in, nodes out. Captured file trees and the machine itself are shell/host's.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "domain/cluster.hpp"
#include "domain/node.hpp"

namespace tenon::formats::topology {

/// One text, whole, and what to call it in errors.
struct Source {
  std::string name;
  std::string bytes;
};

/// What a reader understood. A warning is a line for the user: what was odd, and how it was taken.
struct Machines {
  domain::Cluster cluster;  // holders only from the notation
  std::vector<std::string> warnings;
};

struct Reader {
  std::string_view name;         // "smi": what --format takes
  std::string_view description;  // "nvidia-smi topo -m"
  bool (*recognises)(std::string_view bytes);
  Result<Machines> (*read)(std::span<const Source> sources);
};

/// Sorted by name: dra, hwloc, nccl, smi, tenon.
[[nodiscard]] std::span<const Reader> readers();

/// `format`: a reader's name, or "auto". Sources of one call are one machine's, or one cluster's
/// where the format names its nodes (ResourceSlices of one node are joined). kUnsupported where
/// nobody recognises the content, or where it is no topology (an NCCL graph).
[[nodiscard]] Result<Machines> read(std::span<const Source> sources, std::string_view format);

}  // namespace tenon::formats::topology
