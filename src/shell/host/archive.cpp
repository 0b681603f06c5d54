// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/archive.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <memory>

#include "base/text.hpp"

namespace tenon::host {
namespace {

using text::cat;

struct Close {
  void operator()(archive* handle) const { archive_read_free(handle); }
};
using Handle = std::unique_ptr<archive, Close>;

constexpr std::size_t kBlockBytes = 64U << 10U;
constexpr int kUnpackedSide = 0;  // of the filters: what the tar reader has taken

std::unexpected<Error> refused(std::string_view name, std::string what, std::string advice = {}) {
  return bad_input(std::string{name}, std::move(what), std::move(advice));
}

std::unexpected<Error> too_large(std::string_view name, std::string what) {
  return std::unexpected(Error{ErrorKind::kTooLarge, std::string{name}, std::move(what),
                               "give the captured tree of one machine"});
}

// libarchive's own words, which may quote the file.
std::string words_of(archive* handle) {
  const char* words = archive_error_string(handle);
  if (words == nullptr || !text::is_utf8(words)) return "the archive is damaged";
  return cat("the archive is damaged: ", words);
}

Handle new_reader() {
  Handle handle{archive_read_new()};
  if (!handle) return handle;
  archive_read_support_format_tar(handle.get());
  archive_read_support_filter_gzip(handle.get());
  archive_read_support_filter_xz(handle.get());
  archive_read_support_filter_bzip2(handle.get());
  return handle;
}

class Unpacker {
 public:
  Unpacker(archive* handle, std::string_view name, const ArchiveLimits& limits)
      : handle_(handle), name_(name), limits_(limits) {}

  Result<FileTree> run();

 private:
  [[nodiscard]] Result<void> take(archive_entry* entry);
  [[nodiscard]] Result<std::string> content(archive_entry* entry, std::string_view path);

  archive* handle_;
  std::string_view name_;
  ArchiveLimits limits_;
  FileTree tree_;
  std::size_t members_ = 0;
  std::size_t bytes_ = 0;
};

Result<FileTree> Unpacker::run() {
  while (true) {
    archive_entry* entry = nullptr;
    const auto before = archive_filter_bytes(handle_, kUnpackedSide);
    const int status = archive_read_next_header(handle_, &entry);
    if (status == ARCHIVE_EOF) {
      // The end is marked by blocks of zeros; without them members are missing. What comes before
      // them is less than a block: the rest of the last member's.
      constexpr std::int64_t kTarBlockBytes = 512;
      const auto end = archive_filter_bytes(handle_, kUnpackedSide) - before;
      if (end < kTarBlockBytes) return refused(name_, "the archive is cut short");
      break;
    }
    // A warning is about a name that this locale cannot hold; the bytes are there all the same.
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return refused(name_, words_of(handle_));
    constexpr int kFiltersMax = 2;  // the compression and the file itself
    if (archive_filter_count(handle_) > kFiltersMax) {
      return refused(name_, "the archive is compressed twice", "unpack it once");
    }
    if (++members_ > limits_.members_max) {
      return too_large(name_, cat("more than ", limits_.members_max, " members"));
    }
    if (auto taken = take(entry); !taken) return std::unexpected(taken.error());
  }
  if (members_ == 0) return refused(name_, "the archive is empty");
  if (const auto link = tree_.find_leaving_link()) {
    return refused(name_,
                   cat("the link ", text::quoted(tree_.path(*link)), " to ",
                       text::quoted(tree_.content(*link)), " leaves the archive"),
                   "archives with such links are not read");
  }
  return std::move(tree_);
}

Result<void> Unpacker::take(archive_entry* entry) {
  const char* raw_path = archive_entry_pathname(entry);
  if (raw_path == nullptr) return refused(name_, "a member has no name that can be read");
  const std::string path = raw_path;
  const auto where = [&] { return text::quoted(std::string_view{path}.substr(0, 200)); };
  if (archive_entry_hardlink(entry) != nullptr) {
    return refused(name_, cat(where(), " is a hard link"), "archives with hard links are not read");
  }
  std::expected<void, std::string> added;
  switch (archive_entry_filetype(entry)) {
    case AE_IFDIR:
      added = tree_.add_directory(path);
      break;
    case AE_IFREG: {
      auto bytes = content(entry, path);
      if (!bytes) return std::unexpected(bytes.error());
      added = tree_.add_file(path, std::move(*bytes));
      break;
    }
    case AE_IFLNK: {
      const char* target = archive_entry_symlink(entry);
      added = tree_.add_link(path, target != nullptr ? target : "");
      break;
    }
    default:
      return refused(name_, cat(where(), " is neither a file, a directory nor a link"),
                     "archives with devices, pipes or sockets are not read");
  }
  if (!added) return refused(name_, cat(where(), ": ", added.error()), "capture the tree again");
  return {};
}

// The declared size is not believed: what comes is counted.
Result<std::string> Unpacker::content(archive_entry* entry, std::string_view path) {
  const auto above = [&](std::size_t bytes) {
    return too_large(
        name_, cat(text::quoted(path.substr(0, 200)), ": more than ", bytes, " bytes of files"));
  };
  if (archive_entry_size(entry) > static_cast<std::int64_t>(limits_.file_bytes_max)) {
    return above(limits_.file_bytes_max);
  }
  std::string bytes;
  std::array<char, 16384> block{};
  while (true) {
    const auto got = archive_read_data(handle_, block.data(), block.size());
    if (got == 0) break;
    if (got < 0) return refused(name_, words_of(handle_));
    const auto count = static_cast<std::size_t>(got);
    bytes_ += count;
    if (bytes.size() + count > limits_.file_bytes_max) return above(limits_.file_bytes_max);
    if (bytes_ > limits_.bytes_max) return above(limits_.bytes_max);
    bytes.append(block.data(), count);
  }
  return bytes;
}

}  // namespace

Result<FileTree> read_archive_bytes(std::string_view bytes, std::string_view name,
                                    const ArchiveLimits& limits) {
  const Handle handle = new_reader();
  if (!handle || archive_read_open_memory(handle.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
    return refused(name, handle ? words_of(handle.get()) : "no memory for the archive");
  }
  return Unpacker{handle.get(), name, limits}.run();
}

Result<FileTree> read_archive_file(const std::string& path, const ArchiveLimits& limits) {
  const Handle handle = new_reader();
  if (!handle ||
      archive_read_open_filename(handle.get(), path.c_str(), kBlockBytes) != ARCHIVE_OK) {
    return std::unexpected(Error{ErrorKind::kIo, path,
                                 handle ? words_of(handle.get()) : "no memory for the archive",
                                 "give a .tar.gz, .tar.xz, .tar.bz2 or .tar file"});
  }
  return Unpacker{handle.get(), path, limits}.run();
}

Result<FileTree> machine_of(FileTree archive, std::string_view name) {
  const auto is_machine = [&](FileTree::Index folder) {
    const auto& below = archive.children(folder);
    return below.contains("sys") || below.contains("proc");
  };
  if (is_machine(FileTree::kTop)) return archive;
  const auto& top = archive.children(FileTree::kTop);
  if (top.size() == 1) {
    const FileTree::Index folder = top.begin()->second;
    if (is_machine(folder)) return std::move(archive).below(folder);
  }
  return std::unexpected(Error{ErrorKind::kUnsupported, std::string{name},
                               "holds no sys/ at its top or in its only folder",
                               "capture one with hwloc-gather-topology"});
}

}  // namespace tenon::host
