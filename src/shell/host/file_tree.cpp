// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/file_tree.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"

namespace tenon::host {
namespace {

// The parts of a path, last first, onto what is still to be walked.
void push_parts(std::string_view path, std::vector<std::string_view>& pending) {
  const auto parts = text::split(path, '/');
  for (const std::string_view part : std::views::reverse(parts)) {
    if (!part.empty() && part != ".") pending.push_back(part);
  }
}

}  // namespace

std::expected<void, std::string> FileTree::add_directory(std::string_view path) {
  return add(path, Kind::kDirectory, {});
}

std::expected<void, std::string> FileTree::add_file(std::string_view path, std::string content) {
  return add(path, Kind::kFile, std::move(content));
}

std::expected<void, std::string> FileTree::add_link(std::string_view path, std::string target) {
  if (target.empty()) return std::unexpected("a link without a target");
  if (target.size() > kPathBytesMax) return std::unexpected("a link's target is too long");
  return add(path, Kind::kLink, std::move(target));
}

std::expected<void, std::string> FileTree::add(std::string_view path, Kind kind,
                                               std::string content) {
  if (path.size() > kPathBytesMax) return std::unexpected("a path is too long");
  if (path.starts_with('/')) return std::unexpected("a path is absolute");
  std::vector<std::string_view> pending;
  push_parts(path, pending);
  if (pending.size() > kDepthMax) return std::unexpected("a path is too deep");
  for (const auto part : pending) {
    if (part == "..") return std::unexpected("a path has a part \"..\"");
    if (part.size() > kNameBytesMax) return std::unexpected("a name is too long");
    if (part.find('\0') != std::string_view::npos) return std::unexpected("a name has a NUL");
  }
  if (pending.empty()) {
    if (kind == Kind::kDirectory) return {};
    return std::unexpected("an entry without a name");
  }

  Index here = kTop;
  while (!pending.empty()) {
    const std::string_view part = pending.back();
    pending.pop_back();
    const bool last = pending.empty();
    const auto found = at(here).children.find(part);
    if (found != at(here).children.end()) {
      here = found->second;
      const bool again = last && kind == Kind::kDirectory;
      if (last && !again) return std::unexpected(std::string{kTwice});
      if (at(here).kind != Kind::kDirectory) {
        return std::unexpected("a path leads through a link or a file");
      }
      continue;
    }
    if (entries_.size() >= kEntriesMax) return std::unexpected("there are too many entries");
    const Index added{static_cast<std::uint32_t>(entries_.size())};
    entries_.push_back({.kind = last ? kind : Kind::kDirectory,
                        .parent = here,
                        .name = std::string{part},
                        .content = last ? std::exchange(content, {}) : std::string{},
                        .children = {}});
    entries_[static_cast<std::size_t>(here)].children.emplace(part, added);
    here = added;
  }
  return {};
}

std::optional<FileTree::Index> FileTree::find(std::string_view path, Index from) const {
  return walk(path, from).end;
}

// One step a part. Once a part leads nowhere the rest is only counted, to see whether it climbs
// out.
FileTree::Walk FileTree::walk(std::string_view path, Index from) const {
  Walk walk;
  std::vector<std::string_view> pending;
  push_parts(path, pending);
  Index here = path.starts_with('/') ? kTop : from;
  int links = 0;
  std::size_t missing = 0;  // parts below `here` that are not there
  while (!pending.empty()) {
    const std::string_view part = pending.back();
    pending.pop_back();
    ++walk.steps;
    if (part == "..") {
      if (missing > 0) {
        --missing;
      } else if (here == kTop) {
        walk.left = true;
      } else {
        here = at(here).parent;
      }
      continue;
    }
    const auto found = missing > 0 ? at(here).children.end() : at(here).children.find(part);
    if (found == at(here).children.end()) {
      ++missing;
      continue;
    }
    const Entry& entry = at(found->second);
    if (entry.kind != Kind::kLink) {
      here = found->second;
      continue;
    }
    if (++links > kLinksMax) return walk;
    if (entry.content.starts_with('/')) {
      walk.left = true;
      here = kTop;
    }
    push_parts(entry.content, pending);
    if (pending.size() > kPathBytesMax) return walk;
  }
  if (missing == 0) walk.end = here;
  return walk;
}

std::optional<std::string_view> FileTree::line(std::string_view path, Index from) const {
  const auto entry = find(path, from);
  if (!entry || kind(*entry) != Kind::kFile) return std::nullopt;
  const std::string_view bytes = content(*entry);
  return text::trim(bytes.substr(0, bytes.find('\n')));
}

std::vector<std::string> FileTree::list(std::string_view path, Index from) const {
  std::vector<std::string> names;
  const auto entry = find(path, from);
  if (!entry) return names;
  for (const auto& [child_name, child] : children(*entry)) names.push_back(child_name);
  return names;
}

std::string FileTree::path(Index entry) const {
  std::vector<std::string> parts;
  for (Index here = entry; here != kTop; here = parent(here)) parts.push_back(name(here));
  std::ranges::reverse(parts);
  return text::join(parts, "/");
}

FileTree FileTree::below(Index directory) && {
  check(kind(directory) == Kind::kDirectory, "the top of a tree is a directory");
  FileTree tree;
  std::vector<Index> sources{directory};  // by index of the new tree; parents before children
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Entry& source = entries_[static_cast<std::size_t>(sources[i])];
    for (const auto& [child_name, child] : source.children) {
      const Index added{static_cast<std::uint32_t>(sources.size())};
      sources.push_back(child);
      Entry& moved = entries_[static_cast<std::size_t>(child)];
      tree.entries_.push_back({.kind = moved.kind,
                               .parent = Index{static_cast<std::uint32_t>(i)},
                               .name = child_name,
                               .content = std::move(moved.content),
                               .children = {}});
      tree.entries_[i].children.emplace(child_name, added);
    }
  }
  return tree;
}

std::optional<FileTree::Index> FileTree::find_leaving_link(int steps_max) const {
  int steps = 0;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.kind != Kind::kLink) continue;
    const Walk walked = walk(entry.content, entry.parent);
    steps += walked.steps;
    if (walked.left || entry.content.starts_with('/') || steps > steps_max) return Index{i};
  }
  return std::nullopt;
}

bool FileTree::leaves(Index entry) const {
  if (kind(entry) != Kind::kLink) return false;
  return content(entry).starts_with('/') || walk(content(entry), parent(entry)).left;
}

const FileTree::Entry& FileTree::at(Index entry) const {
  const auto index = static_cast<std::size_t>(entry);
  check(index < entries_.size(), "an index belongs to the tree that made it");
  return entries_[index];
}

}  // namespace tenon::host
