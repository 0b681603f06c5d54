// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A private folder that is gone when dropped.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "shell/host/file_tree.hpp"

namespace tenon::host {

class TempFolder {
 public:
  /// In $TMPDIR, else in memory (/dev/shm), else in /tmp; readable by this user alone.
  [[nodiscard]] static Result<TempFolder> make();

  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  TempFolder(TempFolder&& other) noexcept;
  TempFolder& operator=(TempFolder&&) = delete;
  ~TempFolder();

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Writes the given folders of the tree ("sys/devices/system") and all below them, links last,
  /// so that nothing is written through one, and only those that lead somewhere inside of the tree.
  /// Directories named in `without` are left out, wherever they are. To be called once.
  [[nodiscard]] Result<void> write(const FileTree& tree, std::span<const std::string_view> folders,
                                   std::span<const std::string_view> without = {}) const;

 private:
  explicit TempFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace tenon::host
