// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// core/topology against the short oracle of distances.cpp, over random trees, random matrices and
// captured machines.

#include "core/topology/distances.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/text.hpp"
#include "core/topology/shape.hpp"
#include "oracle/distances.hpp"
#include "oracle/generate.hpp"
#include "oracle/real.hpp"
#include "support/shared_data.hpp"

namespace tenon::oracle {
namespace {

using domain::DeviceIndex;
using domain::Node;

std::string word(std::optional<domain::Distance> distance) {
  return distance ? std::string{domain::to_text(*distance)} : "?";
}

/// What the two say of a node, a line for each difference.
std::string differences(const Node& node) {
  const topology::Distances distances(node);
  std::string out;
  const auto count = node.devices.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto a = static_cast<DeviceIndex>(i);
    if (topology::numa_of(node, a) != near_numa(node, a)) {
      out += text::cat("numa of ", to_text(node.devices[i]), "\n");
    }
    for (std::size_t j = 0; j < count; ++j) {
      const auto b = static_cast<DeviceIndex>(j);
      const auto both = text::cat(to_text(node.devices[i]), " ", to_text(node.devices[j]));
      if (distances.pci(a, b) != pci_distance(node, a, b)) {
        out += text::cat(both, " are ", word(distances.pci(a, b)), ", the oracle says ",
                         word(pci_distance(node, a, b)), "\n");
      }
      if (i != j && distances.nvlinks(a, b) != nvlink_count(node, a, b)) {
        out += text::cat(both, " have ", distances.nvlinks(a, b), " NVLinks, the oracle says ",
                         nvlink_count(node, a, b), "\n");
      }
    }
  }
  return out;
}

/// Groups as device names: "gpu0 gpu1 nic0".
std::vector<std::string> names_of(const Node& node, const Groups& groups) {
  std::vector<std::string> names;
  for (const auto& group : groups) {
    std::vector<std::string> members;
    for (const auto device : group) {
      members.push_back(to_text(node.devices[static_cast<std::size_t>(device)]));
    }
    names.push_back(text::join(members, " "));
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> names_of(const std::vector<topology::Group>& groups) {
  std::vector<std::string> names;
  for (const auto& group : groups) {
    std::vector<std::string> members;
    for (unsigned i = 0; i < 64; ++i) {
      if ((group.gpus >> i & 1U) != 0) members.push_back(text::cat("gpu", i));
    }
    for (unsigned i = 0; i < 64; ++i) {
      if ((group.nics >> i & 1U) != 0) members.push_back(text::cat("nic", i));
    }
    names.push_back(text::join(members, " "));
  }
  std::ranges::sort(names);
  return names;
}

void expect_agreement(const Node& node) {
  EXPECT_EQ(differences(node), "");
  const auto shape = topology::shape_of(node);
  EXPECT_EQ(names_of(shape.nvlink_groups), names_of(node, nvlink_groups(node)));
  EXPECT_EQ(names_of(shape.switch_groups), names_of(node, switch_groups(node)));
  EXPECT_EQ(names_of(shape.numa_groups), names_of(node, numa_groups(node)));
}

// numa0   bridge0 ── port0 ── sw0 ─┬─ gpu0         bridge1 ── port2 ── gpu2
//                 │                └─ sw1 ── gpu1
//                 └─ port1 ── nic0
// numa1   bridge2 ── port3 ── gpu3
TEST(DistanceOracle, NamesEachDistance) {
  using enum domain::PlaceKind;
  Node node{.name = "a1"};
  node.numa = {{.os_index = 0}, {.os_index = 1}};
  const auto place = [&](domain::PlaceKind kind, std::optional<int> parent,
                         std::optional<int> numa) {
    domain::Place made{.kind = kind, .numa = numa};
    if (parent) made.parent = static_cast<domain::PlaceIndex>(*parent);
    node.places.push_back(made);
  };
  place(kBridge, {}, 0);  // 0
  place(kPort, 0, {});    // 1
  place(kSwitch, 1, {});  // 2
  place(kSwitch, 2, {});  // 3
  place(kPort, 0, {});    // 4
  place(kBridge, {}, 0);  // 5
  place(kPort, 5, {});    // 6
  place(kBridge, {}, 1);  // 7
  place(kPort, 7, {});    // 8
  const auto add = [&](int ordinal, int at, auto facts) {
    node.devices.push_back(
        {.ordinal = ordinal, .place = static_cast<domain::PlaceIndex>(at), .facts = facts});
  };
  add(0, 2, domain::GpuFacts{});
  add(1, 3, domain::GpuFacts{});
  add(2, 6, domain::GpuFacts{});
  add(3, 8, domain::GpuFacts{});
  add(0, 4, domain::NicFacts{});
  const auto between = [&](int a, int b) {
    EXPECT_EQ(tree_distance(node, DeviceIndex(a), DeviceIndex(b)),
              tree_distance(node, DeviceIndex(b), DeviceIndex(a)));
    return word(tree_distance(node, DeviceIndex(a), DeviceIndex(b)));
  };
  EXPECT_EQ(between(0, 0), "SAME");
  EXPECT_EQ(between(0, 1), "PXB");
  EXPECT_EQ(between(0, 4), "PHB");
  EXPECT_EQ(between(0, 2), "NODE");
  EXPECT_EQ(between(0, 3), "SYS");
  add(1, 2, domain::NicFacts{});
  EXPECT_EQ(between(0, 5), "PIX");
  node.places[5].numa.reset();
  EXPECT_EQ(between(0, 2), "SYS");
}

TEST(Distances, AgreeWithTheOracleOnRandomMachines) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Dice dice(seed);
    const Node node = random_node(dice);
    SCOPED_TRACE(text::cat("seed ", seed));
    expect_agreement(node);
    if (HasFailure()) return;
  }
}

// Otherwise the cases have fewer real machines than they seem to have.
TEST(RealMachines, AreOfEverySource) {
  TENON_SHARED_DATA_OR_SKIP(folder, "topo");
  EXPECT_EQ(to_text(real_nodes()),
            "81 captured machines (nvidia-smi-topo 21, nccl-xml 45, hwloc 7, hwloc-sysfs 6, "
            "dra-resourceslices 2)");
}

TEST(Distances, AgreeWithTheOracleOnCapturedMachines) {
  TENON_SHARED_DATA_OR_SKIP(folder, "topo");
  for (const auto& real : real_nodes()) {
    SCOPED_TRACE(text::cat(real.source, "/", real.file));
    expect_agreement(real.node);
  }
}

// Cells as a person would read them off the page: fields between tabs.
TEST(Distances, EqualEveryCellOfEveryCapturedMatrix) {
  TENON_SHARED_DATA_OR_SKIP(folder, "topo/nvidia-smi-topo");
  int cells = 0;
  for (const auto& real : real_nodes()) {
    if (real.source != "nvidia-smi-topo") continue;
    SCOPED_TRACE(real.file);
    const topology::Distances distances(real.node);
    const auto device = [&](std::string_view label) {
      for (std::size_t i = 0; i < real.node.devices.size(); ++i) {
        if (real.node.devices[i].label == label) return static_cast<DeviceIndex>(i);
      }
      ADD_FAILURE() << "no device " << label;
      return DeviceIndex{};
    };
    std::ifstream in(folder / real.file);
    std::vector<std::string> header;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("#")) continue;
      const auto fields = text::split(line, '\t');
      if (line.starts_with("\t")) {
        for (const auto field : fields) {
          if (field.starts_with("GPU") && field != "GPU NUMA ID") header.emplace_back(field);
          if (field.starts_with("NIC") || field.starts_with("mlx5")) header.emplace_back(field);
        }
        continue;
      }
      if (std::ranges::find(header, fields[0]) == header.end()) continue;
      for (std::size_t column = 0; column < header.size(); ++column) {
        const auto read = to_text(distances.as_read(device(fields[0]), device(header[column])));
        const auto shown = column + 1 < fields.size() ? text::trim(fields[column + 1]) : "?";
        EXPECT_EQ(read, shown) << fields[0] << " " << header[column];
        ++cells;
      }
    }
  }
  EXPECT_GT(cells, 2000);
}

}  // namespace
}  // namespace tenon::oracle
