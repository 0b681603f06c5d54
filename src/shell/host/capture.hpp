// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Copies the few files of a live or captured sysfs that a reader asks for into a FileTree.
//
// Nothing else is opened: reading a sysfs file can have effects. Links are resolved here, part by
// part, inside of the root as after chroot; only regular files are opened, without following links.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "shell/host/file_tree.hpp"

namespace tenon::host {

/// `patterns`: paths below the root; a part may end in '*', which stands for any rest of the name,
/// and "**" as the last part for all that lies below, as far as it is on the root's own file system.
/// What is not there, or cannot be read, is left out. An Error where the root is no directory, or
/// holds more than a tree may.
[[nodiscard]] Result<FileTree> capture(const std::string& root,
                                       std::span<const std::string> patterns);

/// Whether sys/ of a root is a kernel's own, mounted there, and no copy of one.
[[nodiscard]] bool is_live(const std::string& root);

}  // namespace tenon::host
