// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/host.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>

#include "base/text.hpp"
#include "shell/host/archive.hpp"
#include "shell/host/assemble.hpp"
#include "shell/host/capture.hpp"
#include "shell/host/cpus.hpp"
#include "shell/host/file_handle.hpp"
#include "shell/host/pci.hpp"

namespace tenon::host {
namespace {

using text::cat;

/// A name that the notation can write plainly and Kubernetes would take: "dgx-gb10".
std::string node_name(std::string_view raw) {
  std::string name;
  for (const char c : text::lower(raw)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
    name += plain ? c : '-';
  }
  constexpr std::size_t kBytesMax = 63;
  constexpr std::string_view kNotAtEnds = "-.";
  name.erase(0, name.find_first_not_of(kNotAtEnds));
  name.resize(std::min(name.size(), kBytesMax));
  name.resize(name.find_last_not_of(kNotAtEnds) + 1);
  return name.empty() ? "node" : name;
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

// "machine" of "/captured/machine.tar.gz".
std::string stem(const std::string& path) {
  std::string name = std::filesystem::path{path}.lexically_normal().filename().string();
  if (name.empty()) name = std::filesystem::path{path}.lexically_normal().parent_path().filename();
  for (const std::string_view ending :
       {".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2", ".tar"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

}  // namespace

Result<HostNode> read_root(const std::string& root) {
  // hwloc is given a path that means the same in its own process; a wrong one would silently show
  // this machine.
  const std::unique_ptr<char, void (*)(void*)> real{realpath(root.c_str(), nullptr), free};
  if (!real) {
    return std::unexpected(Error{ErrorKind::kIo, root, cat("cannot open: ", describe(errno)),
                                 "name a directory that holds sys/"});
  }
  const std::string path = real.get();
  const std::string name = node_name(path == "/" ? host_name() : stem(path));
  std::vector<std::string> patterns;
  for (const auto pattern : pci_patterns()) patterns.emplace_back(pattern);
  for (const auto pattern : cpu_patterns()) patterns.emplace_back(pattern);
  if (path == "/" || is_live(path)) {
    const auto tree = capture(path, patterns);
    if (!tree) return std::unexpected(tree.error());
    return node_of(*tree, path, name, root);
  }
  // A copy may hold any link; hwloc, which follows them, gets a second copy without those that
  // lead outside.
  for (const auto folder : hwloc_folders()) patterns.push_back(cat(folder, "/**"));
  const auto tree = capture(path, patterns);
  if (!tree) return std::unexpected(tree.error());
  return node_of_copy(*tree, name, root);
}

Result<HostNode> read_archive(const std::string& path) {
  auto archive = read_archive_file(path, ArchiveLimits{});
  if (!archive) return std::unexpected(archive.error());
  const auto tree = machine_of(std::move(*archive), path);
  if (!tree) return std::unexpected(tree.error());
  return node_of_copy(*tree, node_name(stem(path)), path);
}

}  // namespace tenon::host
