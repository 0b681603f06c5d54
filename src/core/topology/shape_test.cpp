// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/topology/shape.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/text.hpp"
#include "core/topology/distances.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::topology {
namespace {

domain::Node machine(const std::string& text) {
  const auto document = notation::parse(text, "machine");
  EXPECT_TRUE(document.has_value()) << to_text(document.error());
  return document->cluster.nodes.at(0);
}

// "PIX", or "NV4 PXB" where NVLinks join the two, or "?" where no source says how far.
std::string between(const domain::Node& node, std::uint32_t a, std::uint32_t b) {
  const Distances distances(node);
  const domain::DeviceIndex x{a};
  const domain::DeviceIndex y{b};
  EXPECT_EQ(distances.pci(x, y), distances.pci(y, x));
  EXPECT_EQ(distances.nvlinks(x, y), distances.nvlinks(y, x));
  const auto pci = distances.pci(x, y);
  const std::string word = pci ? std::string(domain::to_text(*pci)) : "?";
  const int links = distances.nvlinks(x, y);
  return links > 0 ? text::cat("NV", links, " ", word) : word;
}

// Devices by index: gpu0 gpu1 gpu2 gpu3 nic0 nic1.
const std::string kTree = R"(
node a1
  numa0 cpus=0-3 { bridge0 { port0 { sw0 { gpu0 nic0 sw1 { gpu1 } } } port1 { nic1 } } bridge1 { gpu2 } }
  numa1 cpus=4-7 { bridge2 { gpu3 } }
)";

TEST(Distances, NamesWhatTheTreeSays) {
  const auto node = machine(kTree);
  EXPECT_EQ(between(node, 0, 0), "SAME");
  EXPECT_EQ(between(node, 0, 4), "PIX");
  EXPECT_EQ(between(node, 0, 1), "PXB");
  EXPECT_EQ(between(node, 0, 5), "PHB");
  EXPECT_EQ(between(node, 0, 2), "NODE");
  EXPECT_EQ(between(node, 0, 3), "SYS");
}

TEST(Distances, CallsFunctionsOfOneCardPixWhereverTheyHang) {
  const auto node = machine(
      "node a1\n  numa0 cpus=0-3 { bridge0 { gpu0 pci=0000:10:00.0 nic0 pci=0000:10:00.1 } }\n");
  EXPECT_EQ(between(node, 0, 1), "PIX");
}

// One bus and device of two PCI domains are two cards.
TEST(Distances, TellsCardsOfTwoDomainsApart) {
  const auto node = machine(
      "node a1\n  numa0 cpus=0-3 { bridge0 { gpu0 pci=0000:10:00.0 } bridge1 { nic0 "
      "pci=0001:10:00.0 } }\n");
  EXPECT_EQ(between(node, 0, 1), "NODE");
}

// Two bridges whose NUMA node nobody named are never near by a guess.
TEST(Distances, TakesTheWeakerWordWhereNumaIsNotKnown) {
  const auto node = machine(
      "node a1\n  numa0 cpus=0-3\n  numa1 cpus=4-7\n  bridge0 { gpu0 }\n  bridge1 { gpu1 }\n");
  EXPECT_EQ(between(node, 0, 1), "SYS");
  // On a machine with one NUMA node there is nothing to guess.
  const auto one = machine("node a1\n  numa0 cpus=0-3\n  bridge0 { gpu0 }\n  bridge1 { gpu1 }\n");
  EXPECT_EQ(between(one, 0, 1), "NODE");
}

TEST(Distances, DoesNotKnowDevicesWithoutAPlace) {
  EXPECT_EQ(between(machine("node a1\n  numa0 cpus=0-3 { gpu0 }\n  gpu1\n"), 0, 1), "?");
}

// Of two directions the weaker, of an unseen cell its mirror, of matrix and tree the weaker.
TEST(Distances, JoinsMatrixAndTree) {
  const auto node = machine(R"(
node a1
  numa0 cpus=0-3 { sw0 { gpu0 gpu1 } gpu2 }
  matrix {
          gpu0 gpu1 gpu2
    gpu0  X    NV4  PHB
    gpu1  NV2  X    ?
    gpu2  SYS  NV3  X
  }
)");
  EXPECT_EQ(between(node, 0, 1), "NV2 PIX");  // the tree says PIX, the matrix nothing of PCI
  EXPECT_EQ(between(node, 0, 2), "SYS");      // PHB there, SYS back, NODE by the tree
  EXPECT_EQ(between(node, 1, 2), "NV3 NODE");
  const Distances distances(node);
  EXPECT_EQ(domain::to_text(distances.as_read(domain::DeviceIndex{1}, domain::DeviceIndex{2})),
            "?");
  EXPECT_EQ(domain::to_text(distances.as_read(domain::DeviceIndex{0}, domain::DeviceIndex{2})),
            "PHB");
}

TEST(Distances, CountsNvlinksOnlyBothWays) {
  const auto node = machine(R"(
node a1
  numa0 cpus=0-3 { gpu0 gpu1 gpu2 }
  nvlink NV4 gpu0 gpu1
  nvlink NV2 gpu1 -> gpu2
)");
  EXPECT_EQ(between(node, 0, 1), "NV4 NODE");
  EXPECT_EQ(between(node, 1, 2), "NODE");
}

// A matrix cell with a PCI word says that there are no links, whatever was stated besides.
TEST(Distances, BelievesTheMatrixBeforeStatedLinks) {
  const auto node = machine(R"(
node a1
  numa0 cpus=0-3 { gpu0 gpu1 gpu2 }
  nvlink NV4 gpu0 gpu1 gpu2
  matrix {
          gpu0 gpu1 gpu2
    gpu0  X    PHB  ?
    gpu1  PHB  X    NV1
    gpu2  ?    ?    X
  }
)");
  EXPECT_EQ(between(node, 0, 1), "NODE");
  EXPECT_EQ(between(node, 0, 2), "NV4 NODE");
  EXPECT_EQ(between(node, 1, 2), "NV1 NODE");
}

std::string groups(const std::vector<Group>& groups) {
  std::string text;
  for (const Group& group : groups) text += text::cat("[", group.gpus, " ", group.nics, "]");
  return text;
}

TEST(Shape, FindsGroups) {
  const auto shape = shape_of(machine(R"(
node a1
  numa0 cpus=0-3 { sw0 { gpu0 nic0 } sw1 { gpu1 } nic1 }
  numa1 cpus=4-7 { sw2 { gpu2 gpu3 nic2 } sw3 { nic3 nic4 } }
  numa2 { nic5 }
  nvlink NV4 gpu0 gpu1
  nvlink NV4 gpu1 gpu2
)"));
  EXPECT_EQ(groups(shape.nvlink_groups), "[7 0]");        // gpu0 - gpu1 - gpu2
  EXPECT_EQ(groups(shape.switch_groups), "[1 1][12 4]");  // alone or without GPU: none
  EXPECT_EQ(groups(shape.numa_groups), "[3 3][12 28]");   // numa2 has no GPU
  EXPECT_EQ(shape.gpu_numa, (std::vector<Mask>{1, 1, 2, 2}));
}

// gpu1 is behind a second switch: PXB from the two others, so no part of their group.
TEST(Shape, EndsASwitchGroupAtTheNextSwitch) {
  EXPECT_EQ(groups(shape_of(machine(kTree)).switch_groups), "[1 1]");
}

TEST(Shape, TellsMemoryNotSeenFromNone) {
  const auto shape = shape_of(machine("node a1\n  numa0 cpus=0-3\n  numa1 cpus=4-7 mem=0\n"));
  EXPECT_EQ(shape.numa[0].memory_bytes, -1);
  EXPECT_EQ(shape.numa[1].memory_bytes, 0);
}

TEST(Shape, KnowsNumaNodesOfDevices) {
  const auto shape = shape_of(machine(R"(
node a1
  numa0 cpus=0-3 socket=1 { gpu0 gpu1 numa=0,4 }
  numa4 cpus=4-7 socket=1
  numa7
  gpu2
  gpu3 numa=4
)"));
  EXPECT_EQ(shape.gpu_numa, (std::vector<Mask>{1, 3, 0, 2}));
  EXPECT_EQ(shape.numa[0].socket, 0);
  EXPECT_EQ(shape.numa[1].socket, 0);
  EXPECT_EQ(shape.numa[2].socket, 1);
}

TEST(Shape, IsEqualForNodesOfOneBuild) {
  auto other = machine(kTree);
  other.name = "a2";
  EXPECT_EQ(shape_of(machine(kTree)), shape_of(other));
}

}  // namespace
}  // namespace tenon::topology
