// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/cli/input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include "base/text.hpp"
#include "formats/topology/reader.hpp"
#include "shell/host/host.hpp"

namespace tenon::cli {
namespace {

namespace readers = formats::topology;

constexpr std::string_view kStdinName = "<stdin>";
constexpr std::string_view kJoining = "dra";  // the reader whose texts are one cluster

std::unexpected<Error> io_error(const std::string& where, std::string_view what,
                                std::string advice = {}) {
  return std::unexpected(Error{ErrorKind::kIo, where, std::string{what}, std::move(advice)});
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File(File&&) = delete;
  File& operator=(const File&) = delete;
  File& operator=(File&&) = delete;
  ~File() {
    if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
  }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

Result<std::string> read_to_end(int descriptor, const std::string& where) {
  std::string bytes;
  std::array<char, 1U << 16U> chunk{};
  while (true) {
    const ::ssize_t count = ::read(descriptor, chunk.data(), chunk.size());
    if (count == 0) return bytes;
    if (count < 0) {
      if (errno == EINTR) continue;
      return io_error(where, text::cat("cannot be read: ", std::strerror(errno)));
    }
    bytes.append(chunk.data(), static_cast<std::size_t>(count));
    if (bytes.size() > kInputBytesMax) {
      return std::unexpected(
          Error{ErrorKind::kTooLarge, where, "is larger than 64 MiB", "give the topology alone"});
    }
  }
}

enum class OperandKind { kStdin, kHost, kFolder, kArchive, kText };

bool is_archive_name(std::string_view path) {
  constexpr std::array<std::string_view, 6> kEndings{".tar",    ".tar.gz",  ".tgz",
                                                     ".tar.xz", ".tar.bz2", ".txz"};
  return std::ranges::any_of(kEndings, [&](std::string_view end) { return path.ends_with(end); });
}

/// The kind of an operand by its name and, of a file, its first bytes.
Result<OperandKind> kind_of(const std::string& operand) {
  if (operand == "-") return OperandKind::kStdin;
  if (operand == "host") return OperandKind::kHost;
  struct stat facts{};
  if (::stat(operand.c_str(), &facts) != 0) {
    return io_error(operand.empty() ? "''" : operand,
                    text::cat("cannot be opened: ", std::strerror(errno)),
                    errno == ENOENT ? "check the name; - is the standard input" : "");
  }
  if (S_ISDIR(facts.st_mode)) return OperandKind::kFolder;
  if (is_archive_name(operand)) return OperandKind::kArchive;
  if (!S_ISREG(facts.st_mode)) return OperandKind::kText;
  const File file(::open(operand.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 6> start{};
  const ::ssize_t count = ::read(file.descriptor(), start.data(), start.size());
  const std::string_view seen(start.data(),
                              static_cast<std::size_t>(std::max<::ssize_t>(count, 0)));
  const bool packed = seen.starts_with("\x1f\x8b") || seen.starts_with("BZh") ||
                      seen.starts_with(
                          "\xfd"
                          "7zXZ");
  return packed ? OperandKind::kArchive : OperandKind::kText;
}

/// --format where the operand is no text: only "auto" and its own name make sense.
Result<void> check_format(const std::string& operand, OperandKind kind, std::string_view format) {
  if (kind == OperandKind::kStdin || kind == OperandKind::kText) {
    if (format != "host" && format != "sysfs") return {};
    return bad_input(operand, text::cat("is a text, not what --format ", format, " reads"),
                     format == "host" ? "write the word host" : "give a directory or an archive");
  }
  const std::string_view own = kind == OperandKind::kHost ? "host" : "sysfs";
  if (format == "auto" || format == own) return {};
  return bad_input(operand, text::cat("is not what --format ", format, " reads"),
                   text::cat("leave --format away, or give it ", own));
}

/// Collects what the operands give; the first error ends it.
class Gathering {
 public:
  explicit Gathering(std::string_view format) : format_(format) {}

  Result<void> add(const std::string& operand) {
    const auto kind = kind_of(operand);
    if (!kind) return std::unexpected(kind.error());
    if (auto checked = check_format(operand, *kind, format_); !checked) return checked;
    switch (*kind) {
      case OperandKind::kHost:
        return add(host::read_root("/"), operand);
      case OperandKind::kFolder:
        return add(host::read_root(operand), operand);
      case OperandKind::kArchive:
        return add(host::read_archive(operand), operand);
      case OperandKind::kStdin:
      case OperandKind::kText:
        break;
    }
    auto bytes = read_text(operand);
    if (!bytes) return std::unexpected(bytes.error());
    readers::Source source{operand == "-" ? std::string{kStdinName} : operand, std::move(*bytes)};
    if (is_joined(source)) {
      joined_.push_back(std::move(source));
      return {};
    }
    return add(readers::read({&source, 1}, format_));
  }

  Result<Inputs> take() {
    if (!joined_.empty()) {
      if (auto added = add(readers::read(joined_, format_)); !added) {
        return std::unexpected(added.error());
      }
    }
    return std::move(inputs_);
  }

 private:
  [[nodiscard]] bool is_joined(const readers::Source& source) const {
    if (format_ != "auto") return format_ == kJoining;
    const auto table = readers::readers();
    const auto reader = std::ranges::find(table, kJoining, &readers::Reader::name);
    return reader != table.end() && reader->recognises(source.bytes);
  }

  Result<void> add(Result<host::HostNode> read, const std::string& operand) {
    if (!read) {
      Error error = read.error();
      if (error.where.empty()) error.where = operand;
      return std::unexpected(std::move(error));
    }
    inputs_.cluster.nodes.push_back(std::move(read->node));
    for (const std::string& warning : read->warnings) {
      inputs_.warnings.push_back(text::cat(operand, ": ", warning));
    }
    return {};
  }

  Result<void> add(Result<readers::Machines> read) {
    if (!read) return std::unexpected(read.error());
    std::ranges::move(read->cluster.nodes, std::back_inserter(inputs_.cluster.nodes));
    std::ranges::move(read->cluster.holders, std::back_inserter(inputs_.cluster.holders));
    std::ranges::move(read->warnings, std::back_inserter(inputs_.warnings));
    return {};
  }

  std::string_view format_;
  std::vector<readers::Source> joined_;
  Inputs inputs_;
};

}  // namespace

Result<std::string> read_text(const std::string& operand) {
  if (operand == "-") return read_to_end(STDIN_FILENO, std::string{kStdinName});
  const File file(::open(operand.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.descriptor() < 0) {
    return io_error(operand, text::cat("cannot be opened: ", std::strerror(errno)),
                    errno == ENOENT ? "check the name; - is the standard input" : "");
  }
  return read_to_end(file.descriptor(), operand);
}

Result<void> check_stdin_once(const std::vector<std::string>& operands) {
  if (std::ranges::count(operands, "-") <= 1) return {};
  return bad_input(std::string{kStdinName}, "the standard input can be read once only",
                   "write - once");
}

Result<Inputs> read_machines(const std::vector<std::string>& operands, std::string_view format,
                             SameName same_name) {
  Gathering gathering(format);
  for (const std::string& operand : operands) {
    if (auto added = gathering.add(operand); !added) return std::unexpected(added.error());
  }
  auto inputs = gathering.take();
  if (!inputs) return inputs;
  std::set<std::string_view> names;
  for (const domain::Node& node : inputs->cluster.nodes) {
    const bool held = std::ranges::any_of(
        inputs->cluster.holders, [&](const auto& holder) { return holder.node == node.name; });
    if (same_name == SameName::kKeep && !held) continue;
    if (!names.insert(node.name).second) {
      return bad_input({}, text::cat("two nodes are called '", node.name, "'"),
                       "convert them to notation and give one another name");
    }
  }
  return inputs;
}

}  // namespace tenon::cli
