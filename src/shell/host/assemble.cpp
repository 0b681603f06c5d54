// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/assemble.hpp"

#include <array>

#include "base/text.hpp"
#include "shell/host/cpus.hpp"
#include "shell/host/devices.hpp"
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

}  // namespace

Result<HostNode> node_of(const FileTree& tree, const std::string& root, std::string name,
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

Result<HostNode> node_of_copy(const FileTree& tree, std::string name, const std::string& where) {
  const auto folder = TempFolder::make();
  if (!folder) return std::unexpected(folder.error());
  if (auto written = folder->write(tree, kForHwloc, kNotForHwloc); !written) {
    return std::unexpected(written.error());
  }
  return node_of(tree, folder->path(), std::move(name), where);
}

std::span<const std::string_view> hwloc_folders() { return kForHwloc; }

}  // namespace tenon::host
