// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "views/topology_view.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::views {
namespace {

domain::Cluster cluster_of(std::string_view text) {
  const auto document = notation::parse(text, "test");
  EXPECT_TRUE(document) << (document ? "" : to_text(document.error()));
  return document ? document->cluster : domain::Cluster{};
}

TopologyView view_of(std::string_view text) {
  const domain::Cluster cluster = cluster_of(text);
  const auto view = topology_view(cluster.nodes.at(0), cluster.holders);
  EXPECT_TRUE(view) << (view ? "" : to_text(view.error()));
  return view.value_or(TopologyView{});
}

/// "numa0 { sw0 { gpu0 nic0 } }"
std::string drawn(const std::vector<TreeItem>& items) {
  std::vector<std::string> parts;
  for (const TreeItem& item : items) {
    parts.push_back(item.children.empty()
                        ? item.name
                        : text::cat(item.name, " { ", drawn(item.children), " }"));
  }
  return text::join(parts, " ");
}

std::string names(const DistancesView& view) { return text::join(view.names, " "); }

/// One row, "?" where nobody saw it.
std::string row(const DistancesView& view, std::size_t at) {
  std::vector<std::string> cells;
  for (std::size_t column = 0; column < view.names.size(); ++column) {
    cells.push_back(view.at(at, column).empty() ? "?" : view.at(at, column));
  }
  return text::join(cells, " ");
}

// One socket, a switch of two GPUs and a NIC, and a NIC straight under the host bridge.
constexpr std::string_view kSmall = R"(
node a1 arch=amd64 cpu=8 mem=64Gi
  numa0 cpus=0-7 { sw0 { gpu0 label=G mem=40Gi gpu1 nic0 rate=200G } nic1 role=storage }
)";

TEST(TopologyView, DrawsEachDeviceOnceAndNoImpliedBridge) {
  EXPECT_EQ(drawn(view_of(kSmall).tree), "numa0 { sw0 { gpu0 gpu1 nic0 } nic1 }");
}

// gpu1 hangs under no NUMA node, and nothing says which it is near.
TEST(TopologyView, KeepsWhatHasNoNumaNodeApart) {
  EXPECT_EQ(drawn(view_of(R"(
node a1
  numa0 cpus=0-3 { gpu0 }
  numa1 cpus=4-7
  bridge9 { nic0 nic1 }
  gpu1
)")
                      .tree),
            "numa0 { gpu0 } numa1 numa? { gpu1 bridge9 { nic0 nic1 } }");
}

TEST(TopologyView, LeavesOutPlacesWithoutADevice) {
  EXPECT_EQ(drawn(view_of("node a1\n numa0 cpus=0 { bridge0 { port0 { } port1 { gpu0 } } }").tree),
            "numa0 { bridge0 { port1 { gpu0 } } }");
}

TEST(TopologyView, SaysWhatANumaNodeHasAndHasFree) {
  const NumaView numa = view_of(text::cat(kSmall, "held x on a1: cpus=0-1 mem=0:16Gi")).numa.at(0);
  EXPECT_EQ(numa.cpus, "0-7");
  EXPECT_EQ(numa.cpus_free, "2-7");
  EXPECT_EQ(numa.cores, 8);
  EXPECT_EQ(numa.cores_free, 6);
  EXPECT_EQ(numa.memory_bytes, std::int64_t{64} << 30);
  EXPECT_EQ(numa.memory_bytes_free, std::int64_t{48} << 30);
  EXPECT_EQ(text::join(numa.devices, " "), "gpu0 gpu1 nic0 nic1");
}

TEST(TopologyView, DoesNotCountCoresThatNobodySaw) {
  const NumaView numa = view_of("node a1\n numa0 cpus=0-3 smt=? { gpu0 }").numa.at(0);
  EXPECT_EQ(numa.cores, std::nullopt);
  EXPECT_EQ(numa.cores_free, std::nullopt);
  EXPECT_EQ(numa.memory_bytes, std::nullopt);
}

// gpu0 is 1/4 taken, gpu1 gone, three of eight VFs of nic0 given, nic1 kept back.
TEST(TopologyView, SaysWhoHasADeviceAndWhatIsLeft) {
  const TopologyView view = view_of(R"(
node a1
  numa0 cpus=0-3 { sw0 { gpu0 gpu1 nic0 vfs=8 nic1 cordoned="flaps" } }
held b on a1: gpu0=0.25
held a on a1: gpu1 nic0=vf@0 nic0=vf@1 nic0=vf@2
)");
  const auto line = [](const DeviceView& device) {
    return text::cat(device.name, ": ", device.state, " left=", device.left,
                     " holders=", text::join(device.holders, ","), " cordoned=", device.cordoned);
  };
  EXPECT_EQ(line(view.devices.at(0)), "gpu0: shared left=0.75 holders=b cordoned=");
  EXPECT_EQ(line(view.devices.at(1)), "gpu1: taken left= holders=a cordoned=");
  EXPECT_EQ(line(view.devices.at(2)), "nic0: shared left=5 VFs holders=a cordoned=");
  EXPECT_EQ(line(view.devices.at(3)), "nic1: cordoned left= holders= cordoned=flaps");
}

TEST(TopologyView, SaysWhichPartitionsAreLeft) {
  const TopologyView view = view_of(R"(
node a1
  numa0 cpus=0-3 { gpu0 mig=1g.10gb*2,3g.40gb gpu1 mig=dynamic }
held a on a1: gpu0=mig:3g.40gb gpu1=mig:3g.40gb@0
)");
  EXPECT_EQ(view.devices.at(0).mig, "1g.10gb*2,3g.40gb");
  EXPECT_EQ(view.devices.at(0).left, "2 partitions");
  EXPECT_EQ(view.devices.at(1).mig, "dynamic");
  EXPECT_EQ(view.devices.at(1).left, "4 memory slices");
}

TEST(TopologyView, NamesTheNearestDeviceOfTheOtherKind) {
  const TopologyView view = view_of(kSmall);
  EXPECT_EQ(view.devices.at(1).near, (NearView{"nic0", "PIX"}));
  EXPECT_EQ(view.devices.at(3).near, (NearView{"gpu0", "NODE"}));
  EXPECT_EQ(view_of("node a1\n gpu0\n nic0").devices.at(0).near, NearView{});
}

TEST(TopologyView, RefusesTwoHoldersOfOneDevice) {
  const domain::Cluster cluster =
      cluster_of("node a1\n numa0 cpus=0 { gpu0 }\nheld a on a1: gpu0\n");
  auto holders = cluster.holders;
  holders.push_back(holders.front());
  EXPECT_FALSE(topology_view(cluster.nodes.front(), holders));
}

TEST(DistancesView, TakesNamesAndCellsAsTheMatrixHasThem) {
  const DistancesView view = distances_view(cluster_of(R"(
node a1
  numa0 cpus=0-3 { gpu0 label=GPU7 gpu1 label=GPU2 nic0 label=mlx5_0 }
  matrix {
          gpu1  gpu0  nic0
    gpu1  X     NV4   PXB
    gpu0  NV2   X     ?
    nic0  PXB   SYS   X
  }
)")
                                                .nodes.at(0));
  EXPECT_EQ(names(view), "GPU2 GPU7 mlx5_0");
  EXPECT_EQ(row(view, 0), "X NV4 PXB");
  EXPECT_EQ(row(view, 1), "NV2 X ?");
  EXPECT_EQ(row(view, 2), "PXB SYS X");
}

// Without a matrix the names count by PCI address, whatever order the devices are in; NVMes are no
// part of the square.
TEST(DistancesView, CountsByPciAddressWithoutAMatrix) {
  const DistancesView view = distances_view(cluster_of(R"(
node a1
  numa0 cpus=0-3 {
    sw0 { gpu0 pci=0000:90:00.0 nic0 pci=0000:91:00.0 nvme0 }
    sw1 { gpu1 pci=0000:10:00.0 nic1 }
  }
  nvlink NV12 gpu0 gpu1
)")
                                                .nodes.at(0));
  EXPECT_EQ(names(view), "GPU0 GPU1 NIC0 NIC1");
  EXPECT_EQ(view.devices.at(0), domain::DeviceIndex{1}) << "the lower address is gpu1's";
  EXPECT_EQ(row(view, 0), "X NV12 NODE PIX");
  EXPECT_EQ(row(view, 1), "NV12 X PIX NODE");
}

}  // namespace
}  // namespace tenon::views
