// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Any bytes as an archive: a tree whose links stay inside and whose files are within the limits, or
// an Error. A tree goes on to the PCI reader, so that a captured machine is fuzzed as a whole.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "shell/host/archive.hpp"
#include "shell/host/devices.hpp"
#include "shell/host/pci.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenon::host;
  constexpr ArchiveLimits kLimits{
      .members_max = 500, .file_bytes_max = 64U << 10U, .bytes_max = 1U << 20U};
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  auto archive = read_archive_bytes(bytes, "archive", kLimits);
  if (!archive) return 0;
  std::size_t total = 0;
  for (std::uint32_t i = 0; i < archive->size(); ++i) {
    const FileTree::Index entry{i};
    tenon::check(!archive->leaves(entry), "no link leaves the archive");
    if (archive->kind(entry) == FileTree::Kind::kFile) total += archive->content(entry).size();
  }
  tenon::check(total <= kLimits.bytes_max, "the limit of bytes holds");

  const auto tree = machine_of(std::move(*archive), "archive");
  if (!tree) return 0;
  std::vector<std::string> warnings;
  const auto functions = read_functions(*tree, warnings);
  if (!functions) return 0;
  tenon::domain::Node node;
  node.name = "node";
  static_cast<void>(add_devices(*tree, *functions, node, warnings));
  return 0;
}
