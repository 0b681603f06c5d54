// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A captured tree out of an archive, and onto disk for hwloc.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "shell/host/file_tree.hpp"

namespace tenon::host {

/// A captured machine has some ten thousand members of less than a page each.
struct ArchiveLimits {
  std::size_t members_max = 200'000;
  std::size_t file_bytes_max = 16U << 20U;
  std::size_t bytes_max = 256U << 20U;  // of all files together
};

/// A tar archive, plain or compressed by gzip, xz or bzip2, wholly in memory. Refused: absolute
/// paths, "..", links that leave the archive, hard links, devices, a path through a link, an entry
/// that is there twice, what is cut short, and what is above the limits. `name` is for errors.
[[nodiscard]] Result<FileTree> read_archive_bytes(std::string_view bytes, std::string_view name,
                                                  const ArchiveLimits& limits);
[[nodiscard]] Result<FileTree> read_archive_file(const std::string& path,
                                                 const ArchiveLimits& limits);

/// The tree whose top holds sys/ or proc/: the archive's own top, or the only folder in it.
[[nodiscard]] Result<FileTree> machine_of(FileTree archive, std::string_view name);

}  // namespace tenon::host
