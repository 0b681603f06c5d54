// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A tree of small files in memory: what was captured of a sysfs, links included.
//
// A value. Every path is resolved inside the tree, as after chroot: "/" and any ".." above the top
// mean the top, so that no look-up can leave it.
//
// Invariants
//   (1) Entry 0 is the top directory; a parent is older than its children: no cycle but through
//       links, and a look-up follows at most kLinksMax of those.
//   (2) No name is empty, "." or "..", or holds a slash.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::host {

class FileTree {
 public:
  static constexpr int kLinksMax = 40;
  static constexpr std::size_t kDepthMax = 64;
  static constexpr std::size_t kPathBytesMax = 4096;
  static constexpr std::size_t kNameBytesMax = 255;
  static constexpr std::size_t kEntriesMax = 400'000;
  static constexpr int kStepsMax = 5'000'000;  // a real tree takes some hundred thousand

  /// The reason of an entry that was not added since it is there already.
  static constexpr std::string_view kTwice = "an entry is there twice";

  enum class Kind : std::uint8_t { kDirectory, kFile, kLink };
  /// Names an entry of the tree that made it.
  enum class Index : std::uint32_t {};
  static constexpr Index kTop{0};

  using Children = std::map<std::string, Index, std::less<>>;

  /// Each adds one entry and the directories above it. The path is relative; "." and empty parts
  /// are skipped. Not added, with the reason: a path with "..", too long or too deep, one through a
  /// link or a file, and one that is there already (a directory may be named again).
  [[nodiscard]] std::expected<void, std::string> add_directory(std::string_view path);
  [[nodiscard]] std::expected<void, std::string> add_file(std::string_view path,
                                                          std::string content);
  [[nodiscard]] std::expected<void, std::string> add_link(std::string_view path,
                                                          std::string target);

  /// Follows links, the last part's too. Nothing where the path leads nowhere.
  [[nodiscard]] std::optional<Index> find(std::string_view path, Index from = kTop) const;

  [[nodiscard]] Kind kind(Index entry) const { return at(entry).kind; }
  [[nodiscard]] const Children& children(Index directory) const { return at(directory).children; }
  /// Of a file its bytes, of a link its target.
  [[nodiscard]] const std::string& content(Index entry) const { return at(entry).content; }
  [[nodiscard]] const std::string& name(Index entry) const { return at(entry).name; }
  [[nodiscard]] Index parent(Index entry) const { return at(entry).parent; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  /// The first line of a file, without blanks at its ends; nothing where no file is there.
  [[nodiscard]] std::optional<std::string_view> line(std::string_view path, Index from) const;
  /// Names of a directory's entries, sorted; empty where no directory is there.
  [[nodiscard]] std::vector<std::string> list(std::string_view path, Index from = kTop) const;

  /// "sys/class/net/eth0"; "" for the top.
  [[nodiscard]] std::string path(Index entry) const;

  /// The tree below a directory, which becomes the top.
  [[nodiscard]] FileTree below(Index directory) &&;

  /// A link whose target is absolute or, resolved part by part, climbs above the top; nothing where
  /// all links stay inside. What leads nowhere stays inside if its rest does not climb out. Links
  /// that together take too long to resolve count as leaving, so that no tree makes this slow.
  [[nodiscard]] std::optional<Index> find_leaving_link(int steps_max = kStepsMax) const;
  /// The same of one entry; false where it is no link.
  [[nodiscard]] bool leaves(Index entry) const;

 private:
  struct Entry {
    Kind kind = Kind::kDirectory;
    Index parent = kTop;
    std::string name;
    std::string content;
    Children children;
  };
  struct Walk {
    std::optional<Index> end;
    bool left = false;  // climbed above the top, or met an absolute target
    int steps = 0;
  };

  [[nodiscard]] std::expected<void, std::string> add(std::string_view path, Kind kind,
                                                     std::string content);
  [[nodiscard]] Walk walk(std::string_view path, Index from) const;
  [[nodiscard]] const Entry& at(Index entry) const;

  std::vector<Entry> entries_{Entry{}};
};

}  // namespace tenon::host
