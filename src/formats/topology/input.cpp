// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/input.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "base/character.hpp"
#include "base/text.hpp"

namespace tenon::formats::topology {
namespace {

constexpr std::size_t kSetTextBytesMax = 1U << 20U;  // every second of 65536 CPUs fits

std::unexpected<Error> too_long(std::string_view set) {
  return std::unexpected(Error{ErrorKind::kTooLarge, "",
                               text::cat("a set of CPUs has ", set.size(), " characters, at most ",
                                         kSetTextBytesMax, " are read"),
                               "give the topology of one machine"});
}

/// By its first bytes: gzip, zip, bzip2, xz, or tar.
bool is_archive(std::string_view bytes) {
  constexpr std::array<std::string_view, 4> kStarts{"\x1f\x8b", "PK\x03\x04", "BZh",
                                                    "\xfd"
                                                    "7zXZ"};
  constexpr std::size_t kTarMagicAt = 257;
  return std::ranges::any_of(kStarts, [&](auto start) { return bytes.starts_with(start); }) ||
         (bytes.size() > kTarMagicAt && bytes.substr(kTarMagicAt).starts_with("ustar"));
}

std::string clean(std::string_view text) {
  std::size_t size = std::min(text.size(), kNameBytesMax);
  const auto continues = [&](std::size_t at) {  // inside a character of several bytes
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  while (size > 0 && continues(size)) --size;
  std::string out;
  for (std::string_view rest = text.substr(0, size); !rest.empty();) {
    const std::size_t control = text::control_bytes(rest);
    out += control > 0 ? '?' : rest.front();
    rest.remove_prefix(std::max<std::size_t>(control, 1));
  }
  return out;
}

class Cleaning {
 public:
  void take(std::string& name) {
    std::string cleaned = clean(name);
    if (cleaned == name) return;
    name = std::move(cleaned);
    ++changed_;
  }
  [[nodiscard]] std::size_t changed() const { return changed_; }

 private:
  std::size_t changed_ = 0;
};

}  // namespace

std::string_view without_bom(std::string_view bytes) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kMark)) bytes.remove_prefix(kMark.size());
  return bytes;
}

Result<std::string_view> checked_text(const Source& source) {
  if (source.bytes.size() > kSourceBytesMax) {
    return std::unexpected(Error{
        ErrorKind::kTooLarge, source.name,
        text::cat("has ", source.bytes.size(), " bytes, at most ", kSourceBytesMax, " are read"),
        "give the topology of one machine"});
  }
  if (is_archive(source.bytes)) {
    return bad_input(source.name, "is an archive, not a text",
                     "give a captured tree as a .tar.gz file, by its name");
  }
  const std::string_view text = without_bom(source.bytes);
  const auto nul = text.find('\0');
  if (nul != std::string_view::npos) {
    return bad_input(position(source.name, text, nul), "has a NUL byte",
                     "give text in UTF-8; a UTF-16 file must be converted first");
  }
  if (!text::is_utf8(text)) {
    // The first line that is not well-formed: no sequence spans a line end.
    std::size_t line = 1;
    for (std::size_t begin = 0; begin < text.size(); ++line) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      if (!text::is_utf8(text.substr(begin, end - begin))) break;
      begin = end + 1;
    }
    return bad_input(position_of_line(source.name, line), "is not valid UTF-8",
                     "save the file as UTF-8");
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return bad_input(source.name, "is empty", "give the tool's whole output");
  }
  return text;
}

std::string position(std::string_view name, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::ranges::count(before, '\n');
  const auto start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return text::cat(name, ":", line, ":", column);
}

std::string position_of_line(std::string_view name, std::size_t line) {
  return text::cat(name, ":", line);
}

std::string node_name(std::string_view source_name) {
  const auto slash = source_name.find_last_of("/\\");
  if (slash != std::string_view::npos) source_name.remove_prefix(slash + 1);
  const auto dot = source_name.rfind('.');
  if (dot != std::string_view::npos && dot > 0) source_name = source_name.substr(0, dot);
  std::string name;
  for (const char c : text::lower(source_name)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  while (!name.empty() && (name.front() == '-' || name.front() == '.')) name.erase(0, 1);
  constexpr std::size_t kNameMax = 63;
  if (name.size() > kNameMax) name.resize(kNameMax);
  return name.empty() ? "node" : name;
}

std::size_t clean_names(domain::Cluster& cluster) {
  Cleaning cleaning;
  for (domain::Node& node : cluster.nodes) {
    cleaning.take(node.name);
    cleaning.take(node.arch);
    for (domain::Device& device : node.devices) {
      cleaning.take(device.label);
      cleaning.take(device.id);
      std::visit([&](auto& facts) { cleaning.take(facts.model); }, device.facts);
      if (auto* gpu = std::get_if<domain::GpuFacts>(&device.facts)) {
        for (domain::MigPartition& partition : gpu->partitions) cleaning.take(partition.profile);
      }
    }
  }
  return cleaning.changed();
}

Result<domain::CpuSet> cpus_of_list(std::string_view list) {
  if (list.size() > kSetTextBytesMax) return too_long(list);
  return domain::CpuSet::from_text(list);
}

Result<domain::CpuSet> cpus_of_mask(std::string_view mask) {
  if (mask.size() > kSetTextBytesMax) return too_long(mask);
  return domain::CpuSet::from_mask(mask);
}

Result<const Source*> only_source(std::span<const Source> sources, std::string_view format) {
  if (sources.size() == 1) return sources.data();
  return bad_input(sources.empty() ? "" : sources[1].name,
                   text::cat("is the second of ", sources.size(), " texts, and ", format,
                             " does not name its machine: they cannot be joined"),
                   "give one file");
}

}  // namespace tenon::formats::topology
