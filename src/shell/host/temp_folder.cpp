// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/temp_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "shell/host/file_handle.hpp"

namespace tenon::host {
namespace {

constexpr std::string_view kPattern = "/tenon-XXXXXX";

std::unexpected<Error> failed(const std::string& path, std::string_view what, int error_number) {
  return std::unexpected(Error{ErrorKind::kIo, path, text::cat(what, ": ", describe(error_number)),
                               "name a folder with room in TMPDIR"});
}

Result<void> write_file(const std::string& path, const std::string& content) {
  const FileHandle file{
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!file) return failed(path, "cannot create", errno);
  for (std::size_t sent = 0; sent < content.size();) {
    const auto wrote = write(file.get(), content.data() + sent, content.size() - sent);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return failed(path, "cannot write", errno);
    sent += static_cast<std::size_t>(wrote);
  }
  return {};
}

}  // namespace

Result<TempFolder> TempFolder::make() {
  const char* chosen = getenv("TMPDIR");
  const bool free_choice = chosen == nullptr || *chosen == '\0';
  std::string path = free_choice ? "/dev/shm" : chosen;
  path += kPattern;
  if (mkdtemp(path.data()) != nullptr) return TempFolder{std::move(path)};
  if (free_choice) {
    path = text::cat("/tmp", kPattern);
    if (mkdtemp(path.data()) != nullptr) return TempFolder{std::move(path)};
  }
  return failed(path, "cannot make a folder", errno);
}

TempFolder::TempFolder(TempFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempFolder::~TempFolder() {
  if (path_.empty()) return;
  // Links are removed, not followed. What cannot be removed is left to the system's own cleaning.
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Result<void> TempFolder::write(const FileTree& tree, std::span<const std::string_view> folders,
                               std::span<const std::string_view> without) const {
  std::vector<FileTree::Index> links;
  for (const auto folder : folders) {
    const auto top = tree.find(folder);
    // Reached through a link it would be written under another name; no real tree is so.
    if (!top || tree.kind(*top) != FileTree::Kind::kDirectory || tree.path(*top) != folder)
      continue;
    std::error_code error;
    std::filesystem::create_directories(text::cat(path_, "/", folder), error);
    if (error) return failed(std::string{folder}, "cannot make a folder", error.value());
    std::vector<FileTree::Index> pending{*top};
    while (!pending.empty()) {
      const FileTree::Index directory = pending.back();
      pending.pop_back();
      const std::string below = text::cat(path_, "/", tree.path(directory), "/");
      for (const auto& [name, child] : tree.children(directory)) {
        const std::string path = below + name;
        if (tree.kind(child) == FileTree::Kind::kLink) {
          links.push_back(child);
        } else if (tree.kind(child) == FileTree::Kind::kFile) {
          if (auto written = write_file(path, tree.content(child)); !written) return written;
        } else if (std::ranges::find(without, name) == without.end()) {
          if (mkdir(path.c_str(), 0700) != 0) return failed(path, "cannot make a folder", errno);
          pending.push_back(child);
        }
      }
    }
  }
  for (const auto link : links) {
    if (tree.leaves(link) || !tree.find(tree.path(link))) continue;
    const std::string path = text::cat(path_, "/", tree.path(link));
    if (symlink(tree.content(link).c_str(), path.c_str()) != 0) {
      return failed(path, "cannot make a link", errno);
    }
  }
  return {};
}

}  // namespace tenon::host
