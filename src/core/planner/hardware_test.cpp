// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/planner/hardware.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text.hpp"
#include "core/topology/check.hpp"
#include "core/topology/distances.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::planner {
namespace {

domain::Cluster cluster_of(std::string_view text) {
  const auto document = notation::parse(text, "test");
  EXPECT_TRUE(document) << (document ? "" : to_text(document.error()));
  return document ? document->cluster : domain::Cluster{};
}

domain::Node grown(std::string_view text, const std::vector<NewDevice>& added) {
  domain::Node node = with_devices(cluster_of(text).nodes.at(0), added);
  for (const topology::Finding& finding : topology::check_node(node)) {
    EXPECT_NE(finding.severity, topology::Severity::kError) << finding.text;
  }
  return node;
}

/// Who is how far from `name`: "gpu0 PIX, nic0 PIX", as read.
std::string around(const domain::Node& node, std::string_view name) {
  const topology::Distances distances(node);
  std::vector<std::string> words;
  for (std::size_t at = 0; at < node.devices.size(); ++at) {
    if (to_text(node.devices[at]) != name) continue;
    for (std::size_t other = 0; other < node.devices.size(); ++other) {
      if (other == at) continue;
      const auto link = distances.as_read(domain::DeviceIndex(static_cast<unsigned>(at)),
                                          domain::DeviceIndex(static_cast<unsigned>(other)));
      words.push_back(text::cat(to_text(node.devices[other]), " ", to_text(link)));
    }
  }
  return text::join(words, ", ");
}

constexpr domain::DeviceIndex kGpu0{0};

//   numa0 { sw0 { gpu0 nic0 } sw1 { gpu1 } }
constexpr std::string_view kTree = R"(
node a1
  numa0 cpus=0-7 { sw0 { gpu0 id=GPU-1 label=GPU0 pci=0000:10:00.0 nic0 rate=200G } sw1 { gpu1 } }
held x on a1: gpu1 nic0
)";

TEST(Hardware, StandsAtThePlaceOfTheOneBesideIt) {
  EXPECT_EQ(around(grown(kTree, {{kGpu0, domain::NicFacts{}}}), "nic1"),
            "gpu0 PIX, gpu1 NODE, nic0 PIX");
  EXPECT_EQ(around(grown(kTree, {{kGpu0, domain::GpuFacts{}}}), "gpu2"),
            "gpu0 PIX, gpu1 NODE, nic0 PIX");
}

TEST(Hardware, HasNoNameOfItsOwn) {
  const domain::Node node = grown(kTree, {{kGpu0, domain::GpuFacts{}}});
  const domain::Device& fresh = node.devices.at(2);
  EXPECT_EQ(to_text(fresh), "gpu2");
  EXPECT_EQ(text::cat(fresh.id, fresh.label), "");
  EXPECT_FALSE(fresh.pci);
}

// nic0 was device 2 and is device 3 now; its holder still has nic0.
TEST(Hardware, HoldersKeepWhatTheyHave) {
  const domain::Cluster cluster = cluster_of(kTree);
  const domain::Node node = with_devices(cluster.nodes[0], {{kGpu0, domain::GpuFacts{}}});
  const auto holders = moved(cluster.holders, cluster.nodes[0], node);
  EXPECT_EQ(notation::write(holders.at(0), node),
            notation::write(cluster.holders.at(0), cluster.nodes[0]));
}

// All GPUs have NVLink to all others, through a switch: so has one more.
constexpr std::string_view kSwitched = R"(
node a1
  numa0 cpus=0-7 { gpu0 gpu1 nic0 }
  matrix {
          gpu0  gpu1  nic0
    gpu0  X     NV18  PXB
    gpu1  NV18  X     NODE
    nic0  PXB   NODE  X
  }
)";

TEST(Hardware, SharesTheNvlinkSwitch) {
  EXPECT_EQ(around(grown(kSwitched, {{kGpu0, domain::GpuFacts{}}}), "gpu2"),
            "gpu0 NV18, gpu1 NV18, nic0 PXB");
}

// What a cell NVn says nothing of is not known of the new NIC either.
TEST(Hardware, GuessesNothingThatTheMatrixDoesNotSay) {
  EXPECT_EQ(around(grown(kSwitched, {{kGpu0, domain::NicFacts{}}}), "nic1"),
            "gpu0 PHB, gpu1 ?, nic0 PXB");
}

// gpu2 has NVLinks to gpu1 alone: there is no switch that one more GPU could join.
TEST(Hardware, AddsNoNvlinkBridge) {
  constexpr std::string_view kBridged = R"(
node a1
  numa0 cpus=0-7 { gpu0 gpu1 gpu2 }
  nvlink NV4 gpu1 gpu2
)";
  EXPECT_EQ(around(grown(kBridged, {{domain::DeviceIndex{1}, domain::GpuFacts{}}}), "gpu3"),
            "gpu0 NODE, gpu1 PHB, gpu2 NODE");
}

TEST(Hardware, StatesTheNvlinksOfASwitchBothWays) {
  constexpr std::string_view kStated = R"(
node a1
  numa0 cpus=0-7 { gpu0 gpu1 }
  nvlink NV18 gpu0 gpu1
)";
  const domain::Node node =
      grown(kStated, {{kGpu0, domain::GpuFacts{}}, {kGpu0, domain::GpuFacts{}}});
  EXPECT_EQ(around(node, "gpu2"), "gpu0 NV18, gpu1 NV18, gpu3 NV18");
  EXPECT_EQ(around(node, "gpu3"), "gpu0 NV18, gpu1 NV18, gpu2 NV18");
}

TEST(Hardware, KnowsAlikeMachines) {
  const domain::Node one = cluster_of(kTree).nodes[0];
  domain::Node other = one;
  other.name = "b1";
  other.devices[0].id = "GPU-2";
  EXPECT_TRUE(equal_hardware(one, other));
  other.devices[0].place.reset();
  EXPECT_FALSE(equal_hardware(one, other));
}

}  // namespace
}  // namespace tenon::planner
