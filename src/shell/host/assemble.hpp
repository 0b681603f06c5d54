// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// From a tree of files to a node: CPUs, then the devices beside them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "shell/host/file_tree.hpp"
#include "shell/host/host.hpp"

namespace tenon::host {

/// `root`: where the tree's files stand on disk, for hwloc. `where`: what errors call it.
[[nodiscard]] Result<HostNode> node_of(const FileTree& tree, const std::string& root,
                                       std::string name, const std::string& where);

/// The same of a tree that stands nowhere, or whose links are not to be trusted: hwloc gets a copy
/// in a private folder.
[[nodiscard]] Result<HostNode> node_of_copy(const FileTree& tree, std::string name,
                                            const std::string& where);

/// What hwloc reads of a tree, and node_of_copy writes.
[[nodiscard]] std::span<const std::string_view> hwloc_folders();

}  // namespace tenon::host
