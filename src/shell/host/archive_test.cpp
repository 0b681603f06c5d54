// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "shell/host/host.hpp"
#include "shell/host/temp_folder.hpp"

namespace tenon::host {
namespace {

enum class Packing { kPlain, kGzip, kXz, kBzip2 };

// Archives made by libarchive itself, member by member.
class Maker {
 public:
  explicit Maker(Packing packing = Packing::kGzip) : handle_(archive_write_new()) {
    archive_write_set_format_pax_restricted(handle_);
    switch (packing) {
      case Packing::kPlain:
        archive_write_add_filter_none(handle_);
        break;
      case Packing::kGzip:
        archive_write_add_filter_gzip(handle_);
        break;
      case Packing::kXz:
        archive_write_add_filter_xz(handle_);
        break;
      case Packing::kBzip2:
        archive_write_add_filter_bzip2(handle_);
        break;
    }
    archive_write_open(handle_, this, nullptr, append, nullptr);
  }
  Maker(const Maker&) = delete;
  Maker& operator=(const Maker&) = delete;
  Maker(Maker&&) = delete;
  Maker& operator=(Maker&&) = delete;
  ~Maker() {
    if (handle_ != nullptr) archive_write_free(handle_);
  }

  Maker& file(const std::string& path, const std::string& content) {
    return put(path, AE_IFREG, content);
  }
  Maker& directory(const std::string& path) { return put(path, AE_IFDIR, ""); }
  Maker& link(const std::string& path, const std::string& target) {
    return put(path, AE_IFLNK, "",
               [&](archive_entry* e) { archive_entry_set_symlink(e, target.c_str()); });
  }
  Maker& hard_link(const std::string& path, const std::string& target) {
    return put(path, AE_IFREG, "",
               [&](archive_entry* e) { archive_entry_set_hardlink(e, target.c_str()); });
  }
  Maker& special(const std::string& path, unsigned type) { return put(path, type, ""); }

  std::string bytes() {
    archive_write_close(handle_);
    archive_write_free(handle_);
    handle_ = nullptr;
    return std::move(bytes_);
  }

 private:
  static la_ssize_t append(archive* /*handle*/, void* self, const void* data, std::size_t size) {
    static_cast<Maker*>(self)->bytes_.append(static_cast<const char*>(data), size);
    return static_cast<la_ssize_t>(size);
  }

  template <class Edit>
  Maker& put(const std::string& path, unsigned type, const std::string& content, Edit edit) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, path.c_str());
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<std::int64_t>(content.size()));
    edit(entry);
    EXPECT_EQ(archive_write_header(handle_, entry), ARCHIVE_OK) << archive_error_string(handle_);
    archive_write_data(handle_, content.data(), content.size());
    archive_entry_free(entry);
    return *this;
  }
  Maker& put(const std::string& path, unsigned type, const std::string& content) {
    return put(path, type, content, [](archive_entry*) {});
  }

  archive* handle_;
  std::string bytes_;
};

constexpr ArchiveLimits kSmallLimits{.members_max = 10, .file_bytes_max = 1000, .bytes_max = 2500};

// The paths of a tree, or the Error, as text.
std::string unpack(std::string_view bytes, const ArchiveLimits& limits = kSmallLimits) {
  const auto tree = read_archive_bytes(bytes, "a.tar.gz", limits);
  if (!tree) return to_text(tree.error());
  std::string paths;
  for (std::uint32_t i = 1; i < tree->size(); ++i) {
    const FileTree::Index entry{i};
    paths += tree->path(entry);
    if (tree->kind(entry) == FileTree::Kind::kDirectory) paths += "/";
    if (tree->kind(entry) == FileTree::Kind::kLink) paths += "->" + tree->content(entry);
    if (tree->kind(entry) == FileTree::Kind::kFile) paths += "=" + tree->content(entry);
    paths += " ";
  }
  return paths;
}

TEST(Archive, UnpacksEachPacking) {
  for (const Packing packing : {Packing::kPlain, Packing::kGzip, Packing::kXz, Packing::kBzip2}) {
    Maker maker{packing};
    maker.directory("m").file("m/sys/a", "1").link("m/sys/b", "../sys/a");
    EXPECT_EQ(unpack(maker.bytes()), "m/ m/sys/ m/sys/a=1 m/sys/b->../sys/a ");
  }
}

TEST(Archive, RefusesPathsThatLeaveIt) {
  EXPECT_EQ(unpack(Maker{}.file("../evil", "x").bytes()),
            "a.tar.gz: '../evil': a path has a part \"..\"; capture the tree again");
  EXPECT_EQ(unpack(Maker{}.file("sys/../../evil", "x").bytes()),
            "a.tar.gz: 'sys/../../evil': a path has a part \"..\"; capture the tree again");
  EXPECT_EQ(unpack(Maker{}.file("/etc/evil", "x").bytes()),
            "a.tar.gz: '/etc/evil': a path is absolute; capture the tree again");
}

std::string leaving(std::string_view link) {
  return text::cat("a.tar.gz: the link ", link,
                   " leaves the archive; archives with such links are not read");
}

TEST(Archive, RefusesLinksThatLeaveIt) {
  EXPECT_EQ(unpack(Maker{}.link("sys/a", "/etc").bytes()), leaving("'sys/a' to '/etc'"));
  EXPECT_EQ(unpack(Maker{}.link("sys/a", "../../etc").bytes()), leaving("'sys/a' to '../../etc'"));
  // Both are harmless by their words; together they climb out.
  EXPECT_EQ(unpack(Maker{}.link("sys/up", "..").link("sys/a", "up/../x").bytes()),
            leaving("'sys/a' to 'up/../x'"));
  // What leads nowhere is counted on.
  EXPECT_EQ(unpack(Maker{}.link("sys/a", "x/y/../../../../z").bytes()),
            leaving("'sys/a' to 'x/y/../../../../z'"));
  EXPECT_EQ(unpack(Maker{}.link("sys/a", "x/y/../../../z").bytes()), "sys/ sys/a->x/y/../../../z ");
}

TEST(Archive, RefusesEntriesThroughALink) {
  EXPECT_EQ(unpack(Maker{}.directory("b").link("sys", "b").file("sys/x", "1").bytes()),
            "a.tar.gz: 'sys/x': a path leads through a link or a file; capture the tree again");
}

TEST(Archive, RefusesAnEntryTwice) {
  EXPECT_EQ(unpack(Maker{}.file("sys/x", "1").file("sys//./x", "2").bytes()),
            "a.tar.gz: 'sys//./x': an entry is there twice; capture the tree again");
  EXPECT_EQ(unpack(Maker{}.directory("sys").directory("sys").bytes()), "sys/ ");
}

TEST(Archive, RefusesWhatIsNoFile) {
  const std::string advice = "; archives with devices, pipes or sockets are not read";
  for (const unsigned type : {AE_IFCHR, AE_IFBLK, AE_IFIFO}) {
    EXPECT_EQ(unpack(Maker{}.special("sys/x", type).bytes()),
              "a.tar.gz: 'sys/x' is neither a file, a directory nor a link" + advice);
  }
  EXPECT_EQ(unpack(Maker{}.file("sys/a", "1").hard_link("sys/b", "sys/a").bytes()),
            "a.tar.gz: 'sys/b' is a hard link; archives with hard links are not read");
}

TEST(Archive, RefusesTooMuch) {
  Maker many;
  for (int i = 0; i < 11; ++i) many.file(text::cat("sys/", i), "");
  const std::string advice = "; give the captured tree of one machine";
  EXPECT_EQ(unpack(many.bytes()), "a.tar.gz: more than 10 members" + advice);
  EXPECT_EQ(unpack(Maker{}.file("a", std::string(1001, 'x')).bytes()),
            "a.tar.gz: 'a': more than 1000 bytes of files" + advice);
  Maker three;
  for (int i = 0; i < 3; ++i) three.file(text::cat("sys/", i), std::string(1000, 'x'));
  EXPECT_EQ(unpack(three.bytes()), "a.tar.gz: 'sys/2': more than 2500 bytes of files" + advice);
}

TEST(Archive, RefusesLongAndDeepPaths) {
  std::string deep = "a";
  for (int i = 0; i < 64; ++i) deep += "/a";
  EXPECT_EQ(unpack(Maker{}.file(deep, "").bytes()),
            text::cat("a.tar.gz: ", text::quoted(deep),
                      ": a path is too deep; capture the tree "
                      "again"));
  EXPECT_NE(unpack(Maker{}.file(std::string(256, 'a'), "").bytes()).find("a name is too long"),
            std::string::npos);
  EXPECT_NE(unpack(Maker{}.file(deep + "/" + std::string(4096, 'a'), "").bytes())
                .find("a path is too long"),
            std::string::npos);
}

// A thousand to one: 20 MiB of zeros in a few kilobytes, refused after the first 16 MiB.
TEST(Archive, RefusesABombByWhatComesOutOfIt) {
  const std::string bomb = Maker{}.file("sys/bomb", std::string(20U << 20U, '\0')).bytes();
  ASSERT_LT(bomb.size(), 128U << 10U);
  EXPECT_EQ(
      unpack(bomb, ArchiveLimits{}),
      "a.tar.gz: 'sys/bomb': more than 16777216 bytes of files; give the captured tree of one "
      "machine");
}

TEST(Archive, RefusesAnArchiveInAnArchive) {
  const std::string inner = Maker{}.file("sys/a", "1").bytes();
  archive* writer = archive_write_new();
  archive_write_set_format_raw(writer);
  archive_write_add_filter_gzip(writer);
  std::string outer(4096, '\0');
  std::size_t used = 0;
  archive_write_open_memory(writer, outer.data(), outer.size(), &used);
  archive_entry* entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_write_header(writer, entry);
  archive_write_data(writer, inner.data(), inner.size());
  archive_write_close(writer);
  outer.resize(used);
  archive_entry_free(entry);
  archive_write_free(writer);
  EXPECT_EQ(unpack(outer), "a.tar.gz: the archive is compressed twice; unpack it once");
}

// Cut anywhere, an archive is refused or read whole: never as a smaller machine.
TEST(Archive, RefusesWhatIsCutShort) {
  for (const Packing packing : {Packing::kPlain, Packing::kGzip, Packing::kXz, Packing::kBzip2}) {
    Maker maker{packing};
    for (int i = 0; i < 5; ++i) maker.file(text::cat("sys/", i), std::string(600, 'x'));
    const std::string whole = maker.bytes();
    const std::string all = unpack(whole, ArchiveLimits{});
    std::size_t refused = 0;
    std::vector<std::size_t> cuts;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      if (size % 512 == 0 || size % 61 == 0) cuts.push_back(size);
    }
    for (const std::size_t size : cuts) {
      const std::string got = unpack(std::string_view{whole}.substr(0, size), ArchiveLimits{});
      const bool is_refused = got.starts_with("a.tar.gz: ");
      EXPECT_TRUE(is_refused || got == all) << "cut at " << size << ": " << got.substr(0, 80);
      refused += is_refused ? 1 : 0;
    }
    EXPECT_GT(refused, 1U);
  }
}

TEST(Archive, RefusesWhatIsNoArchive) {
  EXPECT_TRUE(unpack("").starts_with("a.tar.gz: ")) << unpack("");
  EXPECT_TRUE(unpack("no archive at all").starts_with("a.tar.gz: "));
  EXPECT_TRUE(unpack(std::string(100'000, '\0')).starts_with("a.tar.gz: "));
}

// Links of links, each long to resolve: refused after so many steps.
TEST(Archive, DoesNotResolveLinksForever) {
  FileTree tree;
  std::string ring;
  for (int i = 0; i < 200; ++i) ring += "d/../";
  ASSERT_TRUE(tree.add_directory("d"));
  ASSERT_TRUE(tree.add_link("l0", ring + "d"));
  for (int i = 1; i < 30; ++i) {
    ASSERT_TRUE(tree.add_link(text::cat("l", i), text::cat(ring, "l", i - 1)));
  }
  EXPECT_EQ(tree.find_leaving_link(1'000), FileTree::Index{3});  // "d", "l0", then "l1"
  EXPECT_EQ(tree.find_leaving_link(100'000'000), std::nullopt);
}

TEST(MachineOf, FindsTheMachineAtTheTopOrInTheOnlyFolder) {
  const auto root = [](std::string_view paths) {
    FileTree tree;
    for (const auto path : text::words(paths)) EXPECT_TRUE(tree.add_file(path, ""));
    const auto machine = machine_of(std::move(tree), "a.tar.gz");
    return machine ? text::join(machine->list(""), " ") : to_text(machine.error());
  };
  EXPECT_EQ(root("sys/a proc/b"), "proc sys");
  EXPECT_EQ(root("m/sys/a m/x"), "sys x");
  const std::string refused =
      "a.tar.gz: holds no sys/ at its top or in its only folder; capture one with "
      "hwloc-gather-topology";
  EXPECT_EQ(root("m/sys/a n/sys/a"), refused);
  EXPECT_EQ(root("m/n/sys/a"), refused);
}

std::size_t entries(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator{folder}, {}));
}

TEST(ReadArchive, LeavesNothingBehind) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  const std::string file = folder->path() + "/small.tar.gz";
  std::ofstream{file, std::ios::binary}
      << Maker{}
             .file("m/sys/devices/system/cpu/cpu0/topology/core_cpus", "1\n")
             .file("m/sys/devices/system/cpu/online", "0\n")
             .link("m/sys/devices/system/cpu/up", "../cpu")
             .bytes();
  const char* before = std::getenv("TMPDIR");
  const std::string saved = before != nullptr ? before : "";
  setenv("TMPDIR", folder->path().c_str(), 1);
  const auto got = read_archive(file);
  EXPECT_TRUE(got) << to_text(got.error());
  EXPECT_FALSE(read_archive(folder->path() + "/absent.tar.gz"));
  if (before != nullptr) {
    setenv("TMPDIR", saved.c_str(), 1);
  } else {
    unsetenv("TMPDIR");
  }
  EXPECT_EQ(entries(folder->path()), 1U);  // the archive itself
}

TEST(ReadArchive, NamesTheNodeByTheFile) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  const std::string file = folder->path() + "/Rack 7+GPU.tar.gz";
  std::ofstream{file, std::ios::binary}
      << Maker{}.file("m/sys/bus/pci/devices/0000:00:01.0/class", "0x010802\n").bytes();
  const auto got = read_archive(file);
  ASSERT_TRUE(got) << to_text(got.error());
  EXPECT_EQ(got->node.name, "rack-7-gpu");
  EXPECT_EQ(got->warnings,
            (std::vector<std::string>{"the tree shows no CPUs", "no GPU was found"}));
}

}  // namespace
}  // namespace tenon::host
