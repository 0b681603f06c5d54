// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/capture.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ranges>
#include <vector>

#include "base/text.hpp"
#include "shell/host/file_handle.hpp"

namespace tenon::host {
namespace {

constexpr std::size_t kFileBytesMax = 64U << 10U;  // a sysfs file has at most a page
constexpr std::size_t kTreeBytesMax = 128U << 20U;
constexpr int kStepsMax = 5'000'000;  // links can make few names look like many

class Copier {
 public:
  explicit Copier(const FileHandle& root) : root_(root) {
    struct stat found{};
    if (fstat(root.get(), &found) == 0) device_ = found.st_dev;
  }

  // Parts of the pattern still to go, last first.
  void take(const std::string& directory, std::vector<std::string> pending, int links);

  FileTree tree;
  bool too_large = false;

 private:
  void take_all(const std::string& directory, std::size_t depth);
  void take_file(const std::string& path);
  [[nodiscard]] std::vector<std::string> names(const std::string& directory) const;
  [[nodiscard]] std::optional<std::string> target(const std::string& path) const;
  void note(const std::expected<void, std::string>& added) {
    // An entry that is there already was met by an earlier pattern.
    if (!added && added.error() != FileTree::kTwice) too_large = true;
  }

  const FileHandle& root_;
  dev_t device_ = 0;
  std::size_t bytes_ = 0;
  int steps_ = 0;
};

std::string below(const std::string& directory, std::string_view name) {
  return directory.empty() ? std::string{name} : text::cat(directory, "/", name);
}

std::string above(const std::string& directory) {
  const auto cut = directory.rfind('/');
  return cut == std::string::npos ? std::string{} : directory.substr(0, cut);
}

void push_parts(std::string_view path, std::vector<std::string>& pending) {
  const auto parts = text::split(path, '/');
  for (const std::string_view part : std::views::reverse(parts)) {
    if (!part.empty() && part != ".") pending.emplace_back(part);
  }
}

void Copier::take(const std::string& directory, std::vector<std::string> pending, int links) {
  std::string here = directory;  // canonical: holds no link
  while (!pending.empty() && !too_large) {
    too_large = ++steps_ > kStepsMax;
    const std::string part = std::move(pending.back());
    pending.pop_back();
    if (part == "..") {
      here = above(here);
      continue;
    }
    if (part == "**") {
      take_all(here, 0);
      return;
    }
    if (part.ends_with('*')) {
      const std::string_view start = std::string_view{part}.substr(0, part.size() - 1);
      for (const auto& name : names(here)) {
        if (!name.starts_with(start)) continue;
        auto rest = pending;
        rest.push_back(name);
        take(here, std::move(rest), links);
      }
      return;
    }
    const std::string path = below(here, part);
    struct stat found{};
    if (path.size() > FileTree::kPathBytesMax ||
        fstatat(root_.get(), path.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) {
      return;
    }
    if (S_ISLNK(found.st_mode)) {
      const auto to = target(path);
      if (!to || ++links > FileTree::kLinksMax) return;
      note(tree.add_link(path, *to));
      if (to->starts_with('/')) here.clear();
      push_parts(*to, pending);
    } else if (S_ISDIR(found.st_mode)) {
      note(tree.add_directory(path));
      here = path;
    } else {
      if (S_ISREG(found.st_mode) && pending.empty()) take_file(path);
      return;
    }
  }
}

void Copier::take_all(const std::string& directory, std::size_t depth) {
  if (depth > FileTree::kDepthMax) return;
  for (const auto& name : names(directory)) {
    too_large = too_large || ++steps_ > kStepsMax;
    if (too_large) return;
    const std::string path = below(directory, name);
    struct stat found{};
    if (fstatat(root_.get(), path.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISLNK(found.st_mode)) {
      if (const auto to = target(path)) note(tree.add_link(path, *to));
    } else if (S_ISDIR(found.st_mode) && found.st_dev == device_) {
      note(tree.add_directory(path));
      take_all(path, depth + 1);
    } else if (S_ISREG(found.st_mode)) {
      take_file(path);
    }
  }
}

void Copier::take_file(const std::string& path) {
  if (tree.find(path)) return;
  const FileHandle file{
      openat(root_.get(), path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)};
  if (!file) return;
  std::string content;
  std::array<char, 4096> block{};
  while (content.size() < kFileBytesMax) {
    const auto got = read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return;  // a link that is down has no speed: the kernel says EINVAL
    if (got == 0) break;
    content.append(block.data(), static_cast<std::size_t>(got));
  }
  bytes_ += content.size();
  too_large = too_large || bytes_ > kTreeBytesMax;
  note(tree.add_file(path, std::move(content)));
}

std::vector<std::string> Copier::names(const std::string& directory) const {
  std::vector<std::string> found;
  const char* name = directory.empty() ? "." : directory.c_str();
  const int handle = openat(root_.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (handle < 0) return found;
  DIR* stream = fdopendir(handle);
  if (stream == nullptr) {
    close(handle);
    return found;
  }
  while (const dirent* entry = readdir(stream)) {
    const std::string_view entry_name = entry->d_name;
    if (entry_name != "." && entry_name != "..") found.emplace_back(entry_name);
    if (found.size() > FileTree::kEntriesMax) break;
  }
  closedir(stream);
  std::ranges::sort(found);
  return found;
}

std::optional<std::string> Copier::target(const std::string& path) const {
  std::array<char, FileTree::kPathBytesMax> buffer{};
  const auto length = readlinkat(root_.get(), path.c_str(), buffer.data(), buffer.size());
  if (length <= 0 || static_cast<std::size_t>(length) == buffer.size()) return std::nullopt;
  return std::string{buffer.data(), static_cast<std::size_t>(length)};
}

}  // namespace

bool is_live(const std::string& root) {
  struct statfs found{};
  return statfs(text::cat(root, "/sys").c_str(), &found) == 0 && found.f_type == SYSFS_MAGIC;
}

Result<FileTree> capture(const std::string& root, std::span<const std::string> patterns) {
  const FileHandle handle{open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!handle) {
    return std::unexpected(Error{ErrorKind::kIo, root, text::cat("cannot open: ", describe(errno)),
                                 "name a directory that holds sys/"});
  }
  Copier copier{handle};
  for (const auto& pattern : patterns) {
    std::vector<std::string> pending;
    push_parts(pattern, pending);
    copier.take({}, std::move(pending), 0);
  }
  if (copier.too_large) {
    return std::unexpected(Error{ErrorKind::kTooLarge, root, "the tree is too large or too deep",
                                 "name the root of one machine's sysfs"});
  }
  return std::move(copier.tree);
}

}  // namespace tenon::host
