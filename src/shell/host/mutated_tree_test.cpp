// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Captured machines with files that lie: what comes out is a node within its invariants or an
// Error, soon, whatever hwloc makes of the tree.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/prng.hpp"
#include "base/text.hpp"
#include "shell/host/archive.hpp"
#include "shell/host/assemble.hpp"
#include "support/shared_data.hpp"

namespace tenon::host {
namespace {

constexpr auto kLies = std::to_array<std::string_view>({
    "",
    "\n",
    "-1\n",
    "0\n",
    "1\n",
    "7\n",
    "255\n",
    "65535\n",
    "65536\n",
    "4294967295\n",
    "99999999999999999999\n",
    "0-3\n",
    "0-\n",
    "3-1\n",
    "0-2147483647\n",
    "0-4294967295\n",
    "2000000000\n",
    "0,2,4,6,8,10,12,14\n",
    "ffffffff,ffffffff,ffffffff,ffffffff,ffffffff,ffffffff,ffffffff,ffffffff\n",
    "0x030200\n",
    "Node 0 MemTotal: 99999999999999999999 kB\n",
    "MemTotal: -5 kB\n",
    "processor : 4000000000\n",
    "\xff\xfe\x00garbage",
    "%s%s%s%n",
});

// A name that may stand for a number: "node3" becomes "node1000000".
std::string renamed(std::string_view name, Prng& prng) {
  constexpr auto kNumbers =
      std::to_array<std::string_view>({"0", "1", "63", "1000", "65536", "1000000", "4294967295"});
  const auto digits = name.find_last_not_of("0123456789") + 1;
  if (digits == 0 || digits >= name.size()) return std::string{name};
  return text::cat(name.substr(0, digits), kNumbers[prng.below(kNumbers.size())]);
}

// A copy with about `lies` files, links or names changed, most of them among the CPUs.
FileTree mutated(const FileTree& tree, Prng& prng, std::uint64_t lies) {
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t i = 1; i < tree.size(); ++i) {
    const std::string path = tree.path(FileTree::Index{i});
    const bool read = path.starts_with("sys/devices/system/") || path.starts_with("proc/") ||
                      path.starts_with("sys/bus/pci/") || path.ends_with("/class") ||
                      path.ends_with("/numa_node") || path.ends_with("/speed");
    const bool unused = path.find("/cache/") != std::string::npos ||
                        path.find("/cpufreq") != std::string::npos ||
                        path.find("/cpuidle") != std::string::npos;
    if (read && !unused) candidates.push_back(i);
  }
  std::vector<std::uint32_t> changed;
  for (std::uint64_t i = 0; i < lies && !candidates.empty(); ++i) {
    changed.push_back(candidates[prng.below(candidates.size())]);
  }
  std::ranges::sort(changed);

  FileTree copy;
  std::vector<std::string> paths(tree.size());  // of the copy, by index of the original
  for (std::uint32_t i = 1; i < tree.size(); ++i) {
    const FileTree::Index entry{i};
    const bool change = std::ranges::binary_search(changed, i);
    const std::uint64_t how = change ? prng.below(4) : 9;
    const auto parent = static_cast<std::uint32_t>(tree.parent(entry));
    const std::string name = how == 1 ? renamed(tree.name(entry), prng) : tree.name(entry);
    paths[i] = parent == 0 ? name : text::cat(paths[parent], "/", name);
    // What no longer fits (a name that is there, a path through a link) is left out.
    if (how == 0) continue;
    if (how == 2) {
      (void)copy.add_link(paths[i], prng.below(2) == 0 ? ".." : "../../cpu");
    } else if (tree.kind(entry) == FileTree::Kind::kDirectory) {
      (void)copy.add_directory(paths[i]);
    } else if (tree.kind(entry) == FileTree::Kind::kLink) {
      (void)copy.add_link(paths[i], tree.content(entry));
    } else {
      (void)copy.add_file(
          paths[i], how == 3 ? std::string{kLies[prng.below(kLies.size())]} : tree.content(entry));
    }
  }
  return copy;
}

void expect_sound(const domain::Node& node) {
  domain::CpuSet seen;
  for (const auto& numa : node.numa) {
    EXPECT_FALSE(seen.intersects(numa.cpus));
    seen.insert(numa.cpus);
    EXPECT_GE(numa.memory_bytes.value_or(0), 0);
  }
  EXPECT_LE(node.numa.size(), 64U);
  for (const auto& device : node.devices) {
    EXPECT_LT(device.ordinal, domain::kDevicesOfAKindMax);
    EXPECT_TRUE(!device.place || static_cast<std::size_t>(*device.place) < node.places.size());
  }
}

TEST(MutatedTreeLong, GivesASoundNodeOrAnError) {
  TENON_SHARED_DATA_OR_SKIP(folder, "topo/hwloc-sysfs");
  constexpr int kRounds = 10;
  constexpr auto kSoon = std::chrono::seconds{30};
  Prng prng{20251201};
  int nodes = 0;
  int errors = 0;
  for (const auto& path : support::shared_data_files("topo/hwloc-sysfs")) {
    if (path.extension() != ".gz") continue;
    auto archive = read_archive_file(path.string(), ArchiveLimits{});
    ASSERT_TRUE(archive);
    const auto tree = machine_of(std::move(*archive), "machine");
    ASSERT_TRUE(tree);
    for (int round = 0; round < kRounds; ++round) {
      const FileTree lying = mutated(*tree, prng, 1 + prng.below(40));
      SCOPED_TRACE(text::cat(path.filename().string(), " round ", round));
      const auto start = std::chrono::steady_clock::now();
      const auto got = node_of_copy(lying, "node", "machine");
      EXPECT_LT(std::chrono::steady_clock::now() - start, kSoon);
      ++(got ? nodes : errors);
      if (got) expect_sound(got->node);
    }
  }
  // Neither "all refused" nor "nothing changed" would be a test.
  EXPECT_GT(nodes, 0);
  EXPECT_GT(errors, 0);
  RecordProperty("nodes", nodes);
  RecordProperty("errors", errors);
}

}  // namespace
}  // namespace tenon::host
