// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/hwloc_cpus.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace tenon::formats::topology {
namespace {

using domain::CpuId;
using domain::CpuSet;

constexpr std::uint64_t kIdMax = 65'535;

std::optional<int> os_index(pugi::xml_node object) {
  const auto number = text::to_u64(attribute_or_empty(object, "os_index"));
  if (!number || *number > kIdMax) return std::nullopt;
  return static_cast<int>(*number);
}

std::optional<std::int64_t> local_memory(pugi::xml_node object) {
  const auto bytes = text::to_u64(attribute_or_empty(object, "local_memory"));
  constexpr std::uint64_t kMost = 1ULL << 60U;
  if (!bytes || *bytes == 0 || *bytes > kMost) return std::nullopt;
  return static_cast<std::int64_t>(*bytes);
}

}  // namespace

Result<void> HwlocCpus::collect(pugi::xml_node machine) {
  machine_ = machine;
  auto cpus = hwloc_set(file_, machine, "allowed_cpuset");
  if (!cpus) return std::unexpected(cpus.error());
  auto nodes = hwloc_set(file_, machine, "allowed_nodeset");
  if (!nodes) return std::unexpected(nodes.error());
  allowed_cpus_ = std::move(*cpus);
  allowed_nodes_ = std::move(*nodes);
  if (auto done = visit(machine, std::nullopt, kNoCore); !done) return done;

  if (nodes_.size() > domain::kNumaNodesMax) {
    return std::unexpected(Error{ErrorKind::kTooLarge, std::string{file_.name},
                                 text::cat("has ", nodes_.size(), " NUMA nodes, at most ",
                                           domain::kNumaNodesMax, " are read"),
                                 "give the topology of one machine"});
  }
  std::ranges::sort(cpus_, {}, &Cpu::id);
  const auto twice = std::ranges::adjacent_find(cpus_, {}, &Cpu::id);
  if (twice != cpus_.end()) {
    return bad_input(std::string{file_.name}, text::cat("CPU ", twice->id, " stands twice"),
                     "give the file as lstopo wrote it");
  }
  std::ranges::sort(nodes_, {}, &Numa::os_index);
  const auto again = std::ranges::adjacent_find(nodes_, {}, &Numa::os_index);
  if (again != nodes_.end()) {
    return bad_input(std::string{file_.name},
                     text::cat("NUMA node ", again->os_index, " stands twice"),
                     "give the file as lstopo wrote it");
  }
  return {};
}

Result<void> HwlocCpus::visit(pugi::xml_node object, std::optional<int> package, std::size_t core) {
  switch (hwloc_type(object)) {
    case HwlocType::kPackage:
      package = os_index(object);
      break;
    case HwlocType::kCore:
      core = cores_++;
      break;
    case HwlocType::kNuma:
      if (auto done = take_numa(object); !done) return done;
      break;
    case HwlocType::kPu:
      return take_cpu(object, package, core);
    default:
      break;
  }
  for (const auto child : object.children("object")) {
    if (is_io(hwloc_type(child))) continue;
    if (auto done = visit(child, package, core); !done) return done;
  }
  return {};
}

Result<void> HwlocCpus::take_numa(pugi::xml_node object) {
  const auto index = os_index(object);
  if (!index) {
    return bad_input(file_.xml.where(object), "a NUMA node has no number (os_index)",
                     "give the file as lstopo wrote it");
  }
  if (attribute_or_empty(object, "subtype") == "GPUMemory" ||
      hwloc_info(object, "Type") == "GPUMemory") {
    file_.warn(object, text::cat("NUMA node ", *index,
                                 " is memory of a GPU: it is no memory for pods, and left out"));
    gpu_memory_.insert(*index);
    return {};
  }
  auto reach = hwloc_set(file_, object, "cpuset");
  if (!reach) return std::unexpected(reach.error());
  nodes_.push_back({*index, reach->value_or(CpuSet{}), local_memory(object)});
  return {};
}

Result<void> HwlocCpus::take_cpu(pugi::xml_node object, std::optional<int> package,
                                 std::size_t core) {
  const auto index = os_index(object);
  if (!index) {
    return bad_input(file_.xml.where(object), "a CPU has no number (os_index) up to 65535",
                     "give the file as lstopo wrote it");
  }
  cpus_.push_back({static_cast<CpuId>(*index), package, core});
  return {};
}

/// CPUs and nodes that the capturing process was not allowed to use are there, but nobody says for
/// whom: they are not ours to give.
void HwlocCpus::drop_disallowed() {
  const auto number_before = cpus_.size();
  if (allowed_cpus_) {
    std::erase_if(cpus_, [&](const Cpu& cpu) { return !allowed_cpus_->contains(cpu.id); });
  }
  if (cpus_.size() < number_before) {
    file_.warn(machine_,
               text::cat(number_before - cpus_.size(), " of ", number_before,
                         " CPUs were not allowed to the process that captured this: left out"));
  }
  if (!allowed_nodes_) return;
  CpuSet disallowed;
  for (Numa& numa : nodes_) {
    if (allowed_nodes_->contains(static_cast<CpuId>(numa.os_index))) continue;
    disallowed.insert(static_cast<CpuId>(numa.os_index));
    numa.memory_bytes.reset();
  }
  if (disallowed.empty()) return;
  file_.warn(machine_,
             text::cat("memory of NUMA nodes ", disallowed.to_text(),
                       " was not allowed to the process that captured this: it counts as not "
                       "known"));
}

/// hwloc's cpuset of a NUMA node is whoever is near to its memory: a node of memory alone has the
/// CPUs of its neighbour. Each CPU is of the smallest node that reaches it; among equals of the one
/// with the smallest number, as kernels number memory without CPUs last.
void HwlocCpus::give_cpus_to_nodes() {
  std::vector<const Numa*> order;
  for (const Numa& numa : nodes_) order.push_back(&numa);
  std::ranges::stable_sort(order, {}, [](const Numa* numa) { return numa->reach.count(); });
  CpuSet taken;
  for (const Numa* numa : order) {
    CpuSet own = numa->reach;
    own.erase(taken);
    taken.insert(own);
    owned_[numa->os_index] = std::move(own);
  }
}

void HwlocCpus::settle(NodeBuilder& builder) {
  drop_disallowed();
  if (nodes_.empty() && gpu_memory_.empty() && !cpus_.empty()) {
    Numa all{.os_index = 0, .reach = {}, .memory_bytes = local_memory(machine_)};
    for (const Cpu& cpu : cpus_) all.reach.insert(cpu.id);
    nodes_.push_back(std::move(all));
  }
  give_cpus_to_nodes();
  std::size_t given = 0;
  for (const Numa& numa : nodes_) {
    write(numa, builder);
    given += static_cast<std::size_t>(builder.numa(numa.os_index).cpus.count());
  }
  if (given < cpus_.size()) {
    file_.warn(machine_, text::cat(cpus_.size() - given, " CPUs are of no NUMA node: left out"));
  }
}

void HwlocCpus::write(const Numa& numa, NodeBuilder& builder) const {
  domain::NumaNode& out = builder.numa(numa.os_index);
  out.memory_bytes = numa.memory_bytes;
  const CpuSet& own = owned_.at(numa.os_index);
  std::set<std::optional<int>> packages;
  std::map<std::size_t, domain::Core> cores;
  bool cores_known = true;
  for (const Cpu& cpu : cpus_) {
    if (!own.contains(cpu.id)) continue;
    out.cpus.insert(cpu.id);
    packages.insert(cpu.package);
    cores_known = cores_known && cpu.core != kNoCore;
    cores[cpu.core].threads.push_back(cpu.id);
  }
  if (packages.size() == 1) out.socket = *packages.begin();
  std::map<std::size_t, std::size_t> threads_of_core;
  for (const Cpu& cpu : cpus_) ++threads_of_core[cpu.core];
  for (const auto& [core, here] : cores) {
    // A core that reaches into another node is no core that this node can give.
    cores_known = cores_known && here.threads.size() == threads_of_core[core] &&
                  here.threads.size() <= domain::kThreadsOfACoreMax;
  }
  if (!cores_known) {
    file_.warn(machine_, text::cat("which CPUs of NUMA node ", numa.os_index,
                                   " share a core is not in the file"));
    return;
  }
  out.cores.emplace();
  for (auto& [core, threads] : cores) out.cores->push_back(std::move(threads));
  std::ranges::sort(*out.cores, {}, [](const domain::Core& core) { return core.threads.front(); });
}

Result<std::vector<int>> HwlocCpus::near(pugi::xml_node object) const {
  std::vector<int> with_cpus;
  for (const auto& [index, cpus] : owned_) {
    if (!cpus.empty()) with_cpus.push_back(index);
  }
  const auto nodeset = hwloc_set(file_, object, "nodeset");
  if (!nodeset) return std::unexpected(nodeset.error());
  if (!*nodeset) return with_cpus.size() == 1 ? with_cpus : std::vector<int>{};
  std::vector<int> near;
  for (const int index : with_cpus) {
    if ((*nodeset)->contains(static_cast<CpuId>(index))) near.push_back(index);
  }
  if (near.size() > 1 && near.size() == with_cpus.size()) near.clear();
  return near;
}

}  // namespace tenon::formats::topology
