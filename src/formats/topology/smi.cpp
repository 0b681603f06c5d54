// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/smi.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "formats/topology/claims.hpp"
#include "formats/topology/input.hpp"
#include "formats/topology/node_builder.hpp"
#include "formats/topology/smi_table.hpp"

namespace tenon::formats::topology {
namespace {

using domain::CpuSet;
using domain::Distance;
using domain::Link;

std::string numbers(const std::set<int>& values) {
  CpuSet set;
  for (const int value : values) set.insert(static_cast<domain::CpuId>(value));
  return set.to_text();
}

/// From what the rows say of CPUs and NUMA nodes to what is certain of them.
///
/// The columns are about the process that ran the tool as much as about the machine: inside a
/// cpuset, or where the firmware is silent, they name too much. What contradicts itself, or names
/// everything, says nothing.
class Affinities {
 public:
  Affinities(SmiTable& table, NodeBuilder& builder, std::string_view name)
      : table_(table), builder_(builder), name_(name), numa_(table.devices.size()) {}

  /// os_index of the NUMA nodes of each device; empty where not known.
  std::vector<std::vector<int>> settle() {
    take_statements();
    if (named_.empty()) {
      number_by_cpus();
    } else {
      collect_cpus();
    }
    for (const std::string& sentence : drop_contested(cpus_)) warn(sentence);
    for (const int id : named_) builder_.numa(id).cpus = cpus_[id];
    spread_to_near_devices();
    add_node_behind_sys();
    return std::move(numa_);
  }

 private:
  void take_statements();
  void number_by_cpus();
  void collect_cpus();
  void spread_to_near_devices();
  void add_node_behind_sys();

  void warn(std::string_view what) { table_.warnings.push_back(text::cat(name_, ": ", what)); }

  /// The weaker direction of a pair's PCI distance; nothing where no cell says one.
  [[nodiscard]] std::optional<Distance> distance(std::size_t a, std::size_t b) const {
    std::optional<Distance> weaker;
    for (const Link& link : {table_.cell(a, b), table_.cell(b, a)}) {
      if (link.seen != Link::Seen::kDistance) continue;
      weaker = weaker ? std::max(*weaker, link.distance) : link.distance;
    }
    return weaker;
  }

  SmiTable& table_;
  NodeBuilder& builder_;
  std::string_view name_;
  std::vector<std::vector<int>> numa_;  // by device
  std::set<int> named_;                 // NUMA nodes of the machine
  CpuClaims cpus_;
};

void Affinities::take_statements() {
  std::set<int> gpu_memory;  // NUMA nodes that are memory of a GPU and have no CPUs
  for (const SmiFacts& facts : table_.facts) {
    if (!facts.gpu_numa) continue;
    if (facts.numa == std::vector{*facts.gpu_numa}) {
      warn(text::cat("GPU NUMA ID ", *facts.gpu_numa,
                     " is said to be the node of CPUs as well: it is taken as that"));
      continue;
    }
    gpu_memory.insert(*facts.gpu_numa);
  }
  for (const SmiFacts& facts : table_.facts) {
    for (const int id : facts.numa) {
      if (!gpu_memory.contains(id)) named_.insert(id);
    }
  }
  std::vector<std::string> vague;
  for (std::size_t i = 0; i < table_.devices.size(); ++i) {
    for (const int id : table_.facts[i].numa) {
      if (!gpu_memory.contains(id)) numa_[i].push_back(id);
    }
    if (numa_[i].size() > 1 && numa_[i].size() == named_.size()) {
      vague.push_back(table_.devices[i]);
      numa_[i].clear();
    }
  }
  if (!vague.empty()) {
    warn(text::cat("NUMA Affinity of ", text::join(vague, ", "), " names every node (",
                   numbers(named_), "): it says nothing and counts as not known"));
  }
}

/// Without NUMA numbers, different lists of CPUs are different nodes, in the order of their CPUs.
void Affinities::number_by_cpus() {
  std::vector<CpuSet> lists;
  for (const SmiFacts& facts : table_.facts) {
    if (!facts.cpus || facts.cpus->empty()) continue;
    if (std::ranges::find(lists, *facts.cpus) == lists.end()) lists.push_back(*facts.cpus);
  }
  if (lists.empty() || lists.size() > domain::kNumaNodesMax) return;
  std::ranges::sort(lists, {}, [](const CpuSet& list) { return list.ranges(); });
  CpuSet seen;
  for (const CpuSet& list : lists) {
    if (seen.intersects(list)) {
      warn("no NUMA Affinity, and lists of CPUs that overlap: NUMA nodes and CPUs are not known");
      return;
    }
    seen.insert(list);
  }
  for (std::size_t k = 0; k < lists.size(); ++k) {
    const int id = static_cast<int>(k);
    named_.insert(id);
    cpus_[id] = lists[k];
    for (std::size_t i = 0; i < numa_.size(); ++i) {
      if (table_.facts[i].cpus == lists[k]) numa_[i] = {id};
    }
  }
  warn("no NUMA Affinity: NUMA nodes are numbered in the order of their CPUs");
}

void Affinities::collect_cpus() {
  std::set<int> differ;
  bool undivided = false;
  for (std::size_t i = 0; i < numa_.size(); ++i) {
    const auto& cpus = table_.facts[i].cpus;
    if (!cpus) continue;
    if (numa_[i].size() != 1) {
      undivided = true;
      continue;
    }
    CpuSet& all = cpus_[numa_[i].front()];
    if (!all.empty() && all != *cpus) differ.insert(numa_[i].front());
    all.insert(*cpus);
  }
  for (const int id : differ) {
    warn(text::cat("rows name different CPUs for NUMA node ", id, ": all of them are taken"));
  }
  if (undivided) {
    warn("some rows name CPUs of no or several NUMA nodes: these CPUs count for none by that row");
  }
}

/// Two devices that are NODE apart or nearer are on one NUMA node: that is what the words mean.
void Affinities::spread_to_near_devices() {
  const std::size_t count = numa_.size();
  std::vector<bool> done(count, false);
  for (std::size_t start = 0; start < count; ++start) {
    if (done[start]) continue;
    std::vector<std::size_t> near{start};
    done[start] = true;
    for (std::size_t next = 0; next < near.size(); ++next) {
      for (std::size_t other = 0; other < count; ++other) {
        const auto apart = distance(near[next], other);
        if (done[other] || !domain::within(apart, Distance::kNode)) continue;
        done[other] = true;
        near.push_back(other);
      }
    }
    std::set<int> stated;
    for (const std::size_t i : near) {
      if (numa_[i].size() == 1) stated.insert(numa_[i].front());
    }
    if (stated.size() > 1) {
      std::vector<std::string> devices;
      for (const std::size_t i : near) devices.push_back(table_.devices[i]);
      warn(text::cat("cells put ", text::join(devices, ", "),
                     " on one NUMA node, their rows on nodes ", numbers(stated),
                     ": NUMA nodes that no row states count as not known"));
    }
    if (stated.size() != 1) continue;
    for (const std::size_t i : near) {
      if (numa_[i].empty()) numa_[i] = {*stated.begin()};
    }
  }
}

/// One NUMA node is named, and something is SYS away from it: there is another one. Without it the
/// machine would look as if all of it were on the one node.
void Affinities::add_node_behind_sys() {
  if (named_.size() != 1) return;
  for (std::size_t a = 0; a < numa_.size(); ++a) {
    for (std::size_t b = 0; b < numa_.size(); ++b) {
      if (!numa_[a].empty() || numa_[b].empty() || distance(a, b) != Distance::kSys) continue;
      const int other = *named_.begin() == 0 ? 1 : 0;
      builder_.numa(other);
      warn(text::cat(table_.devices[a], " is SYS away from NUMA node ", *named_.begin(),
                     ", the only one that is named: another one, of which nothing is known, is "
                     "written as numa",
                     other));
      return;
    }
  }
}

bool is_gpu(std::string_view device) { return device.starts_with("GPU"); }

domain::Device device_of(const SmiTable& table, std::size_t i, std::vector<int> numa) {
  domain::Device device;
  device.label = table.devices[i];
  device.id = table.legend[i];
  device.numa = std::move(numa);
  if (is_gpu(device.label)) {
    device.facts = domain::GpuFacts{};
    return device;
  }
  domain::NicFacts nic;
  nic.bond = text::lower(device.label).find("bond") != std::string::npos ||
             text::lower(device.id).find("bond") != std::string::npos;
  device.facts = nic;
  return device;
}

void warn_of_gaps(SmiTable& table, std::string_view name) {
  const auto unseen = std::ranges::count(table.cells, Link::Seen::kNothing, &Link::seen);
  if (unseen > 0) {
    table.warnings.push_back(
        text::cat(name, ": ", unseen, " of ", table.cells.size(), " cells were not seen"));
  }
  if (std::ranges::none_of(table.devices, is_gpu)) {
    table.warnings.push_back(text::cat(name, ": names no GPU"));
  }
}

}  // namespace

bool smi_recognises(std::string_view bytes) { return has_smi_table(without_bom(bytes)); }

Result<Machines> smi_read(std::span<const Source> sources) {
  const auto source = only_source(sources, "nvidia-smi topo -m");
  if (!source) return std::unexpected(source.error());
  const std::string& name = (*source)->name;
  const auto text = checked_text(**source);
  if (!text) return std::unexpected(text.error());
  auto table = parse_smi_table(*text, name);
  if (!table) return std::unexpected(table.error());

  NodeBuilder builder{node_name(name)};
  auto numa = Affinities{*table, builder, name}.settle();
  std::vector<NodeBuilder::Handle> header;
  for (std::size_t i = 0; i < table->devices.size(); ++i) {
    header.push_back(builder.add_device(device_of(*table, i, std::move(numa[i]))));
  }
  warn_of_gaps(*table, name);
  builder.set_matrix(std::move(header), std::move(table->cells));
  auto node = builder.finish(name);
  if (!node) return std::unexpected(node.error());
  Machines machines;
  machines.cluster.nodes.push_back(std::move(*node));
  machines.warnings = std::move(table->warnings);
  return machines;
}

}  // namespace tenon::formats::topology
