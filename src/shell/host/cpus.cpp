// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/cpus.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "shell/host/facts.hpp"

namespace tenon::host {
namespace {

using domain::CpuId;
using domain::CpuSet;
using domain::NumaNode;
using text::cat;

constexpr std::string_view kCpuFolder = "sys/devices/system/cpu";
constexpr std::string_view kNodeFolder = "sys/devices/system/node";

struct NumaLine {
  int os_index = 0;
  std::int64_t bytes = 0;
  bool allowed = false;
  CpuSet cpus;
};

struct PackageLine {
  std::optional<int> os_index;
  CpuSet cpus;
};

struct Report {
  std::string arch;
  CpuSet usable;
  CpuSet forbidden;
  std::vector<NumaLine> numa;
  std::vector<PackageLine> packages;
  std::vector<CpuSet> cores;
};

std::optional<CpuSet> cpus_from_text(std::string_view list) {
  if (list == "-") return CpuSet{};
  auto cpus = CpuSet::from_text(list);
  if (!cpus) return std::nullopt;
  return std::move(*cpus);
}

std::optional<int> index_from_text(std::string_view digits) {
  const auto number = text::to_u64(digits);
  if (!number || *number > 0xFFFF) return std::nullopt;
  return static_cast<int>(*number);
}

bool read_line(const std::vector<std::string_view>& words, Report& report) {
  const std::string_view what = words[0];
  if (what == "arch" && words.size() == 2) {
    report.arch = words[1];
    return true;
  }
  const auto cpus = cpus_from_text(words.back());
  if (!cpus) return false;
  if (what == "pus" && words.size() == 2) {
    report.usable = *cpus;
  } else if (what == "not-allowed" && words.size() == 2) {
    report.forbidden = *cpus;
  } else if (what == "core" && words.size() == 2) {
    report.cores.push_back(*cpus);
  } else if (what == "package" && words.size() == 3) {
    report.packages.push_back({.os_index = index_from_text(words[1]), .cpus = *cpus});
  } else if (what == "numa" && words.size() == 5) {
    const auto index = index_from_text(words[1]);
    const auto bytes = text::to_u64(words[2]);
    if (!index || !bytes || *bytes > INT64_MAX) return false;
    report.numa.push_back({.os_index = *index,
                           .bytes = static_cast<std::int64_t>(*bytes),
                           .allowed = words[3] == "allowed",
                           .cpus = *cpus});
  } else {
    return false;
  }
  return true;
}

Result<Report> read_report(std::string_view text) {
  Report report;
  for (const auto line : text::split(text, '\n')) {
    const auto words = text::words(line);
    if (words.empty()) continue;
    if (words.size() < 2 || !read_line(words, report)) {
      return bad_input("", cat("the CPUs cannot be used: ", text::quoted(line)),
                       "CPU and NUMA numbers are at most 65535");
    }
  }
  std::set<int> numbers;
  for (const auto& numa : report.numa) {
    if (!numbers.insert(numa.os_index).second) {
      return bad_input("",
                       cat("the CPUs cannot be used: two NUMA nodes have number ", numa.os_index),
                       "read the machine again; if it stays, report it");
    }
  }
  return report;
}

// What both have.
CpuSet common(CpuSet a, const CpuSet& b) {
  CpuSet only_a = a;
  only_a.erase(b);
  a.erase(only_a);
  return a;
}

std::string arch_of(std::string_view kernel_name) {
  if (kernel_name == "x86_64") return "amd64";
  if (kernel_name == "aarch64") return "arm64";
  for (const char c : kernel_name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!plain) return {};
  }
  return std::string{kernel_name};
}

// Gives each usable CPU to one NUMA node: of those that have it the smallest, so that memory beside
// a whole socket does not take what a node inside of it has; of equals one with memory.
class Assembly {
 public:
  Assembly(Report report, const FileTree& tree)
      : report_(std::move(report)), tree_(tree), left_(report_.usable) {}

  Result<Cpus> run();

 private:
  void add_numa_nodes();
  void add_cpus_without_node();
  void drop_empty_nodes();
  void add_sockets();
  [[nodiscard]] Result<void> add_cores();
  [[nodiscard]] std::optional<int> kernel_node(CpuId cpu) const;
  [[nodiscard]] std::optional<std::int64_t> memory_of(const NumaLine& line) const;

  Report report_;
  const FileTree& tree_;
  CpuSet left_;
  Cpus cpus_;
};

std::optional<std::int64_t> Assembly::memory_of(const NumaLine& line) const {
  if (!line.allowed) return 0;
  const bool captured =
      tree_.find(cat(kNodeFolder, "/node", line.os_index, "/meminfo")).has_value();
  if (line.bytes == 0 && !captured) return std::nullopt;
  return line.bytes;
}

void Assembly::add_numa_nodes() {
  const auto smaller = [](const NumaLine& a, const NumaLine& b) {
    const auto key = [](const NumaLine& line) {
      const bool has_memory = line.allowed && line.bytes > 0;
      return std::tuple{line.cpus.count(), has_memory ? 0 : 1, line.os_index};
    };
    return key(a) < key(b);
  };
  std::ranges::sort(report_.numa, smaller);
  const auto of_gpus = gpu_memory_nodes(tree_);
  for (const auto& line : report_.numa) {
    CpuSet own = common(line.cpus, left_);
    left_.erase(own);
    if (own.empty() && std::ranges::binary_search(of_gpus, line.os_index)) continue;
    cpus_.numa.push_back({.os_index = line.os_index,
                          .socket = {},
                          .cpus = std::move(own),
                          .cores = {},
                          .memory_bytes = memory_of(line)});
  }
  if (!of_gpus.empty()) {
    CpuSet numbers;
    for (const int node : of_gpus) numbers.insert(static_cast<CpuId>(node));
    cpus_.warnings.push_back(
        cat("NUMA nodes ", numbers.to_text(), " are the memory of GPUs and were left out"));
  }
}

std::optional<int> Assembly::kernel_node(CpuId cpu) const {
  const auto folder = tree_.find(cat(kCpuFolder, "/cpu", static_cast<int>(cpu)));
  if (!folder) return std::nullopt;
  const auto& children = tree_.children(*folder);
  for (auto child = children.lower_bound("node"); child != children.end(); ++child) {
    if (!child->first.starts_with("node")) break;
    if (const auto node = index_from_text(std::string_view{child->first}.substr(4))) return node;
  }
  return std::nullopt;
}

// A NUMA node that is off line keeps its CPUs; it only has no memory.
void Assembly::add_cpus_without_node() {
  CpuSet homeless;
  for (const CpuId cpu : left_.ids()) {
    const auto node = kernel_node(cpu);
    if (!node) {
      homeless.insert(cpu);
      continue;
    }
    auto found = std::ranges::find(cpus_.numa, *node, &NumaNode::os_index);
    if (found == cpus_.numa.end()) {
      cpus_.warnings.push_back(cat("NUMA node ", *node, " has CPUs but is off line: no memory"));
      cpus_.numa.push_back({.os_index = *node, .memory_bytes = 0});
      found = cpus_.numa.end() - 1;
    }
    found->cpus.insert(cpu);
  }
  if (!homeless.empty()) {
    cpus_.warnings.push_back(
        cat("CPUs ", homeless.to_text(), " belong to no NUMA node and were left out"));
  }
}

void Assembly::drop_empty_nodes() {
  std::erase_if(cpus_.numa, [&](const NumaNode& numa) {
    if (!numa.cpus.empty()) return false;
    const bool empty = numa.memory_bytes.value_or(0) == 0;
    cpus_.warnings.push_back(
        cat("NUMA node ", numa.os_index,
            empty ? " has neither CPUs nor memory and was left out" : " has memory but no CPUs"));
    return empty;
  });
}

// The socket of a node's CPUs, where they have one.
void Assembly::add_sockets() {
  for (auto& numa : cpus_.numa) {
    for (const auto& package : report_.packages) {
      if (!numa.cpus.empty() && package.cpus.contains_all(numa.cpus)) {
        numa.socket = package.os_index;
      }
    }
  }
}

Result<void> Assembly::add_cores() {
  std::vector<NumaNode*> node_of(0x10000, nullptr);
  std::vector<std::vector<domain::Core>> cores(cpus_.numa.size());
  for (auto& numa : cpus_.numa) {
    for (const CpuId cpu : numa.cpus.ids()) node_of[cpu] = &numa;
  }
  for (const auto& core : report_.cores) {
    std::vector<CpuId> threads = core.ids();
    std::erase_if(threads, [&](CpuId cpu) { return node_of[cpu] == nullptr; });
    if (threads.empty()) continue;
    if (threads.size() > domain::kThreadsOfACoreMax) {
      return std::unexpected(Error{
          ErrorKind::kTooLarge, "",
          cat("a core has ", threads.size(), " threads, at most ", domain::kThreadsOfACoreMax),
          "is the tree whole? its core numbers may be missing"});
    }
    const auto* numa = node_of[threads.front()];
    cores[static_cast<std::size_t>(numa - cpus_.numa.data())].push_back(
        {.threads = std::move(threads)});
  }
  for (std::size_t i = 0; i < cores.size(); ++i) {
    NumaNode& numa = cpus_.numa[i];
    CpuSet covered;
    int threads = 0;
    for (const auto& core : cores[i]) {
      threads += static_cast<int>(core.threads.size());
      for (const CpuId cpu : core.threads) covered.insert(cpu);
    }
    // A core of two NUMA nodes, or CPUs without a core: nobody saw which are siblings.
    if (covered != numa.cpus || threads != numa.cpus.count()) {
      cpus_.warnings.push_back(
          cat("NUMA node ", numa.os_index, ": which CPUs are siblings is not known"));
      continue;
    }
    std::ranges::sort(cores[i], {}, [](const auto& core) { return core.threads.front(); });
    numa.cores = std::move(cores[i]);
  }
  return {};
}

Result<Cpus> Assembly::run() {
  cpus_.arch = arch_of(report_.arch);
  if (!report_.forbidden.empty()) {
    cpus_.warnings.push_back(
        cat("CPUs ", report_.forbidden.to_text(), " are forbidden by a cpuset and were left out"));
  }
  add_numa_nodes();
  add_cpus_without_node();
  drop_empty_nodes();
  std::ranges::sort(cpus_.numa, {}, &NumaNode::os_index);
  if (cpus_.numa.size() > domain::kNumaNodesMax) {
    return std::unexpected(
        Error{ErrorKind::kTooLarge,
              "",
              cat(cpus_.numa.size(), " NUMA nodes, at most ", domain::kNumaNodesMax),
              {}});
  }
  add_sockets();
  if (auto added = add_cores(); !added) return std::unexpected(added.error());
  return std::move(cpus_);
}

}  // namespace

std::span<const std::string_view> cpu_patterns() {
  static constexpr auto kPatterns = std::to_array<std::string_view>({
      "sys/devices/system/cpu/cpu*/node*",
      "sys/devices/system/node/node*/meminfo",
      "proc/cpuinfo",
  });
  return kPatterns;
}

bool shows_cpus(const FileTree& tree) {
  for (const auto& name : tree.list(kCpuFolder)) {
    if (name.starts_with("cpu") && text::to_u64(std::string_view{name}.substr(3))) return true;
  }
  return tree.find("proc/cpuinfo").has_value();
}

Result<Cpus> cpus_from_report(std::string_view report, const FileTree& tree) {
  auto read = read_report(report);
  if (!read) return std::unexpected(read.error());
  return Assembly{std::move(*read), tree}.run();
}

}  // namespace tenon::host
