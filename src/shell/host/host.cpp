// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/host.hpp"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

#include "base/text.hpp"
#include "shell/host/archive.hpp"
#include "shell/host/capture.hpp"
#include "shell/host/cpus.hpp"
#include "shell/host/devices.hpp"
#include "shell/host/file_handle.hpp"
#include "shell/host/pci.hpp"
#include "shell/host/temp_folder.hpp"

namespace tenon::host {
namespace {

using text::cat;

// What hwloc reads of CPUs, NUMA nodes and cpusets; not the thousands of device files.
constexpr auto kForHwloc = std::to_array<std::string_view>({
    "dev",
    "proc",
    "sys/bus/cpu",
    "sys/bus/dax",
    "sys/bus/node",
    "sys/devices/system",
    "sys/firmware",
    "sys/fs",
    "sys/kernel",
});

// Most of the files of a CPU, of no use here.
constexpr auto kNotForHwloc = std::to_array<std::string_view>({
    "cache",
    "cpufreq",
    "cpuidle",
    "microcode",
    "power",
    "thermal_throttle",
});

/// A name that the notation can write plainly and Kubernetes would take: "dgx-gb10".
std::string node_name(std::string_view raw) {
  std::string name;
  for (const char c : text::lower(raw)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
    name += plain ? c : '-';
  }
  const auto first = name.find_first_not_of("-.");
  if (first == std::string::npos) return "node";
  name = name.substr(first, name.find_last_not_of("-.") - first + 1);
  constexpr std::size_t kBytesMax = 63;
  return name.substr(0, kBytesMax);
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

// The node of a tree whose files stand at `root` as well, for hwloc.
Result<HostNode> assemble(const FileTree& tree, const std::string& root, std::string name,
                          const std::string& where) {
  HostNode host;
  host.node.name = std::move(name);
  const auto in_error = [&](Error error) {
    error.where = error.where.empty() ? where : cat(where, ": ", error.where);
    return std::unexpected(std::move(error));
  };
  const bool cpus_shown = shows_cpus(tree);
  if (cpus_shown) {
    const auto report = ask_hwloc(root);
    if (!report) return in_error(report.error());
    auto cpus = cpus_from_report(*report, tree);
    if (!cpus) return in_error(cpus.error());
    host.node.arch = std::move(cpus->arch);
    host.node.numa = std::move(cpus->numa);
    host.warnings = std::move(cpus->warnings);
  } else {
    host.warnings.emplace_back("the tree shows no CPUs");
  }

  const auto functions = read_functions(tree, host.warnings);
  if (!functions) return in_error(functions.error());
  if (!cpus_shown && functions->empty()) {
    return std::unexpected(Error{ErrorKind::kUnsupported, where,
                                 "shows neither CPUs nor PCI devices",
                                 "name a directory that holds sys/ (and proc/)"});
  }
  if (functions->empty()) host.warnings.emplace_back("the tree shows no PCI devices");
  if (auto added = add_devices(tree, *functions, host.node, host.warnings); !added) {
    return in_error(added.error());
  }
  if (!domain::find_device(host.node, domain::DeviceKind::kGpu, 0)) {
    host.warnings.emplace_back("no GPU was found");
  }
  return host;
}

Result<HostNode> assemble_copy(const FileTree& tree, std::string name, const std::string& where) {
  const auto folder = TempFolder::make();
  if (!folder) return std::unexpected(folder.error());
  if (auto written = folder->write(tree, kForHwloc, kNotForHwloc); !written) {
    return std::unexpected(written.error());
  }
  return assemble(tree, folder->path(), std::move(name), where);
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
    return assemble(*tree, path, name, root);
  }
  // A copy may hold any link; hwloc, which follows them, gets a second copy without those that
  // lead outside.
  for (const auto folder : kForHwloc) patterns.push_back(cat(folder, "/**"));
  const auto tree = capture(path, patterns);
  if (!tree) return std::unexpected(tree.error());
  return assemble_copy(*tree, name, root);
}

Result<HostNode> read_archive(const std::string& path) {
  auto archive = read_archive_file(path, ArchiveLimits{});
  if (!archive) return std::unexpected(archive.error());
  const auto tree = machine_of(std::move(*archive), path);
  if (!tree) return std::unexpected(tree.error());
  return assemble_copy(*tree, node_name(stem(path)), path);
}

}  // namespace tenon::host
