// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/devices.hpp"

#include <gtest/gtest.h>

#include <string>

#include "shell/host/machine_test.hpp"
#include "shell/host/pci.hpp"

namespace tenon::host {
namespace {

using domain::CpuSet;
using domain::GpuFacts;
using domain::NicFacts;
using domain::Node;
using domain::NvmeFacts;

struct Read {
  Node node;
  std::vector<std::string> warnings;
  std::string error;
};

// A machine with two NUMA nodes: CPUs 0-3 and 4-7.
Read read(std::string_view lines) {
  Read read;
  read.node.numa = {{.os_index = 0, .cpus = CpuSet::of_range(0, 3)},
                    {.os_index = 1, .cpus = CpuSet::of_range(4, 7)}};
  const FileTree tree = tree_of(lines);
  const auto functions = read_functions(tree, read.warnings);
  if (!functions) {
    read.error = to_text(functions.error());
    return read;
  }
  const auto added = add_devices(tree, *functions, read.node, read.warnings);
  if (!added) read.error = to_text(added.error());
  return read;
}

std::string devices(std::string_view lines) {
  const Read got = read(lines);
  return got.error.empty() ? lines_of(got.node) : got.error;
}

// One of each nearness (docs/invariants.md I10):
//
//   numa0  pci0000:00 ── 00:01.0 ── sw (01:00.0; 02:00.0, 02:01.0, 02:02.0)
//                                     ├─ gpu0 ├─ nic0  └─ sw (05:00.0; 06:00.0) ── gpu1
//                     └─ 00:02.0 ── nic1
//          pci0000:40 ── 40:01.0 ── gpu2
//   numa1  pci0000:80 ── 80:01.0 ── gpu3
TEST(Devices, FindsTheWayOfEachDevice) {
  EXPECT_EQ(devices(R"(
      pci0000:00/0000:00:01.0                                            class=0604 numa_node=0
      pci0000:00/0000:00:01.0/0000:01:00.0                               class=0604 numa_node=0
      pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0                  class=0604 numa_node=0
      pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0     class=0302 vendor=10de numa_node=0
      pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:01.0                  class=0604 numa_node=0
      pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:01.0/0000:04:00.0     class=0207 vendor=15b3 numa_node=0
      pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:02.0                  class=0604 numa_node=0
      pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:02.0/0000:05:00.0     class=0604 numa_node=0
      pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:02.0/0000:05:00.0/0000:06:00.0 class=0604 numa_node=0
      pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:02.0/0000:05:00.0/0000:06:00.0/0000:07:00.0 class=0302 vendor=10de numa_node=0
      pci0000:00/0000:00:02.0                                            class=0604 numa_node=0
      pci0000:00/0000:00:02.0/0000:08:00.0                               class=0200 vendor=15b3 numa_node=0
      pci0000:40/0000:40:01.0                                            class=0604 numa_node=0
      pci0000:40/0000:40:01.0/0000:41:00.0                               class=0302 vendor=10de numa_node=0
      pci0000:80/0000:80:01.0                                            class=0604 numa_node=1
      pci0000:80/0000:80:01.0/0000:81:00.0                               class=0302 vendor=10de numa_node=1
      )"),
            "gpu0 bridge0/port0/sw0 numa=0\n"
            "gpu1 bridge0/port0/sw0/sw1 numa=0\n"
            "gpu2 bridge1/port2 numa=0\n"
            "gpu3 bridge2/port3 numa=1\n"
            "nic0 bridge0/port0/sw0 numa=0\n"
            "nic1 bridge0/port1 numa=0\n");
}

// Flat, as in a virtual machine: all straight under one host bridge.
TEST(Devices, HangsAFlatBusUnderItsHostBridge) {
  EXPECT_EQ(devices(R"(
      pci0000:00/0000:00:05.0 class=0302 vendor=10de numa_node=-1
      pci0000:00/0000:00:06.0 class=0200 vendor=15b3 numa_node=-1
      )"),
            "gpu0 bridge0 numa=?\n"
            "nic0 bridge0 numa=?\n");
}

// Intel VMD: a domain of 32 bits whose host bridge stands below a function.
TEST(Devices, KeepsDomainsOfThirtyTwoBits) {
  const Read got = read(R"(
      pci0000:64/0000:64:00.5                                          class=0880 numa_node=0
      pci0000:64/0000:64:00.5/pci10000:00/10000:00:02.0                class=0604 numa_node=0
      pci0000:64/0000:64:00.5/pci10000:00/10000:00:02.0/10000:01:00.0  class=0108 numa_node=0
      )");
  EXPECT_EQ(lines_of(got.node), "nvme0 bridge0/port0 numa=0\n");
  EXPECT_EQ(to_text(*got.node.devices.front().pci), "10000:01:00.0");
}

// GPUs come by PCI address, NVMes after NICs, whatever the order of the tree.
TEST(Devices, CountsEachKindByAddress) {
  const Read got = read(R"(
      pci0000:80/0000:80:01.0/0000:81:00.0 class=0108 numa_node=1
      pci0000:80/0000:80:02.0/0000:82:00.0 class=0302 vendor=10de numa_node=1
      pci0000:00/0000:00:01.0/0000:01:00.0 class=0302 vendor=10de numa_node=0
      pci0001:00/0001:00:01.0/0001:01:00.0 class=0207 numa_node=1
      )");
  std::string order;
  for (const auto& device : got.node.devices) {
    order += text::cat(to_text(device), "@", to_text(*device.pci), " ");
  }
  EXPECT_EQ(order, "gpu0@0000:01:00.0 gpu1@0000:82:00.0 nic0@0001:01:00.0 nvme0@0000:81:00.0 ");
}

struct ClassCase {
  std::string_view what;
  std::string_view files;
  std::string_view device;  // "" for none
};

TEST(Devices, KnowsAGpuFromAManagementController) {
  const std::string port = "pci0000:00/0000:00:01.0 class=0604\n";
  const std::string at = "pci0000:00/0000:00:01.0/0000:01:00.0 ";
  for (const ClassCase& c : {
           ClassCase{"NVIDIA 3D", "class=0302 vendor=10de", "gpu0"},
           ClassCase{"NVIDIA VGA", "class=0300 vendor=10de", "gpu0"},
           ClassCase{"AMD accelerator", "class=1200 vendor=1002", "gpu0"},
           ClassCase{"AMD display", "class=0380 vendor=1002", "gpu0"},
           ClassCase{"Intel discrete", "class=0380 vendor=8086", "gpu0"},
           ClassCase{"Intel discrete VGA", "class=0300 vendor=8086", "gpu0"},
           ClassCase{"ASPEED BMC", "class=0300 vendor=1a03", ""},
           ClassCase{"Matrox BMC", "class=0300 vendor=102b", ""},
           ClassCase{"NVSwitch", "class=0680 vendor=10de", ""},
           ClassCase{"NVIDIA audio", "class=0403 vendor=10de", ""},
           ClassCase{"accelerator of another", "class=1200 vendor=1da3", ""},
           ClassCase{"Ethernet", "class=0200 vendor=8086", "nic0"},
           ClassCase{"InfiniBand", "class=0207 vendor=15b3", "nic0"},
           ClassCase{"Omni-Path", "class=0208 vendor=8086", "nic0"},
           ClassCase{"old InfiniBand", "class=0280 infiniband/mlx4_0/node_guid=1:2", "nic0"},
           ClassCase{"wireless", "class=0280 vendor=8086", ""},
           ClassCase{"NVMe", "class=0108 vendor=144d", "nvme0"},
           ClassCase{"SATA", "class=0106 vendor=8086", ""},
       }) {
    const std::string got = devices(port + at + std::string{c.files});
    EXPECT_EQ(got.substr(0, got.find(' ')), c.device) << c.what;
  }
}

TEST(Devices, LeavesOutGraphicsOnTheBoard) {
  EXPECT_EQ(devices("pci0000:00/0000:00:02.0 class=0300 vendor=8086"), "");
}

// One adapter with two ports is two functions of one card; one function may have two ports too.
TEST(Devices, TellsTwoFunctionsFromTwoPorts) {
  const Read got = read(R"(
      pci0000:00/0000:00:01.0/0000:01:00.0 class=0200 infiniband/mlx5_0/ports/1/rate=100_Gb/sec infiniband/mlx5_0/ports/1/state=4:_ACTIVE
      pci0000:00/0000:00:01.0/0000:01:00.1 class=0200 infiniband/mlx5_1/ports/1/rate=100_Gb/sec infiniband/mlx5_1/ports/1/state=1:_DOWN
      pci0000:00/0000:00:02.0/0000:02:00.0 class=0280 infiniband/mlx4_0/ports/1/rate=56_Gb/sec infiniband/mlx4_0/ports/2/rate=2.5_Gb/sec
      )");
  ASSERT_EQ(got.node.devices.size(), 3U);
  const auto rate = [&](std::size_t i) {
    return std::get<NicFacts>(got.node.devices[i].facts).rate_bits;
  };
  EXPECT_EQ(rate(0), 100'000'000'000);
  EXPECT_EQ(rate(1), std::nullopt);  // down: what it would run at is not known
  EXPECT_EQ(rate(2), 58'500'000'000);
  EXPECT_EQ(lines_of(got.node),
            "nic0 bridge0/port0 numa=?\nnic1 bridge0/port0 numa=?\nnic2 bridge0/port1 numa=?\n");
}

// Virtual functions are counted on their physical one; in a guest, which sees only the virtual
// function, it is a NIC like any other.
TEST(Devices, CountsVirtualFunctionsOnTheirNic) {
  const std::string virtual_functions = R"(
      pci0000:00/0000:00:01.0/0000:01:00.2 class=0200 physfn=0000:01:00.0
      pci0000:00/0000:00:01.0/0000:01:00.3 class=0200 physfn=0000:01:00.0
      )";
  const std::string physical = "pci0000:00/0000:00:01.0/0000:01:00.0 class=0200";
  Read got = read(virtual_functions + physical);
  EXPECT_EQ(lines_of(got.node), "nic0 bridge0/port0 numa=?\n");
  EXPECT_EQ(std::get<NicFacts>(got.node.devices[0].facts).vfs, 2);

  got = read(virtual_functions + physical + " sriov_numvfs=16");
  EXPECT_EQ(std::get<NicFacts>(got.node.devices[0].facts).vfs, 16);

  EXPECT_EQ(devices(virtual_functions), "nic0 bridge0/port0 numa=?\nnic1 bridge0/port0 numa=?\n");
}

TEST(Devices, RefusesMoreVirtualFunctionsThanANicMayHave) {
  EXPECT_EQ(devices("pci0000:00/0000:00:01.0 class=0200 sriov_numvfs=513"),
            "nic0 has 513 VFs, at most 512; give the tree of one machine");
}

// The two ports of one card, joined; a third NIC stays as it is.
TEST(Devices, JoinsThePortsOfABond) {
  const Read got = read(R"(
      pci0000:00/0000:00:01.0/0000:01:00.0 class=0200 numa_node=0 net/a/speed=25000 sriov_numvfs=4
      pci0000:00/0000:00:01.0/0000:01:00.1 class=0200 numa_node=0 net/b/speed=25000
      pci0000:00/0000:00:02.0/0000:02:00.0 class=0200 numa_node=0 net/c/speed=1000
      /sys/class/net/bond0/bonding/slaves=a_b
      )");
  EXPECT_EQ(lines_of(got.node), "nic0 bridge0/port0 numa=0\nnic1 bridge0/port1 numa=0\n");
  const auto& bond = std::get<NicFacts>(got.node.devices[0].facts);
  EXPECT_EQ(got.node.devices[0].label, "bond0");
  EXPECT_EQ(to_text(*got.node.devices[0].pci), "0000:01:00.0");
  EXPECT_TRUE(bond.bond);
  EXPECT_EQ(bond.rate_bits, 50'000'000'000);
  EXPECT_EQ(bond.vfs, 4);
  EXPECT_FALSE(std::get<NicFacts>(got.node.devices[1].facts).bond);
}

// A bond over two sockets is near to both and has no place.
TEST(Devices, PutsABondOfTwoSocketsNearBoth) {
  const Read got = read(R"(
      pci0000:00/0000:00:01.0/0000:01:00.0 class=0200 numa_node=0 net/a/address=2
      pci0000:80/0000:80:01.0/0000:81:00.0 class=0200 numa_node=1 net/b/address=2
      /sys/class/net/bond0/bonding/slaves=b_a
      )");
  EXPECT_EQ(lines_of(got.node), "nic0 - numa=0,1\n");
  EXPECT_EQ(got.node.devices[0].pci, std::nullopt);
}

TEST(Devices, WarnsOfABondOfNothing) {
  const Read got = read("/sys/class/net/bond0/bonding/slaves=x");
  EXPECT_EQ(got.warnings,
            std::vector<std::string>{"bond 'bond0' joins no NIC that is shown; left out"});
}

// RDMA is known where the tree shows network interfaces or that it has RDMA devices at all.
TEST(Devices, SaysWhetherANicIsRdma) {
  const auto rdma = [](std::string_view lines) {
    return std::get<NicFacts>(read(lines).node.devices.at(0).facts).rdma;
  };
  EXPECT_EQ(rdma("pci0000:00/0000:00:01.0 class=0200"), std::nullopt);
  EXPECT_EQ(rdma("pci0000:00/0000:00:01.0 class=0200 net/eth0/address=2"), false);
  EXPECT_EQ(rdma("pci0000:00/0000:00:01.0 class=0200 virtio0/net/eth0/address=2"), false);
  EXPECT_EQ(rdma("pci0000:00/0000:00:01.0 class=0200\n/sys/class/infiniband/mlx5_0/x=1"), false);
  EXPECT_EQ(rdma("pci0000:00/0000:00:01.0 class=0200 infiniband/mlx5_0/node_guid=1"), true);
}

// The firmware's word, else the CPUs beside the device unless these are all.
TEST(Devices, FallsBackToTheCpusBesideADevice) {
  const std::string gpu = "pci0000:00/0000:00:01.0/0000:01:00.0 class=0302 vendor=10de ";
  EXPECT_EQ(devices(gpu + "numa_node=1 local_cpulist=0-3"), "gpu0 bridge0/port0 numa=1\n");
  EXPECT_EQ(devices(gpu + "numa_node=-1 local_cpulist=4-7"), "gpu0 bridge0/port0 numa=1\n");
  EXPECT_EQ(devices(gpu + "local_cpus=00000000,0000000f"), "gpu0 bridge0/port0 numa=0\n");
  EXPECT_EQ(devices(gpu + "numa_node=-1 local_cpulist=0-7"), "gpu0 bridge0/port0 numa=?\n");
  EXPECT_EQ(devices(gpu + "numa_node=9 local_cpulist=5"), "gpu0 bridge0/port0 numa=1\n");
  EXPECT_EQ(devices(gpu + "numa_node=9"), "gpu0 bridge0/port0 numa=?\n");
}

// Two functions of one host bridge that name different NUMA nodes: each keeps its own.
TEST(Devices, KeepsContradictingNumaNodesWithTheDevices) {
  const Read got = read(R"(
      pci0000:00/0000:00:01.0/0000:01:00.0 class=0302 vendor=10de numa_node=0
      pci0000:00/0000:00:02.0/0000:02:00.0 class=0302 vendor=10de numa_node=1
      )");
  EXPECT_EQ(got.node.places.at(0).numa, std::nullopt);
  EXPECT_EQ(lines_of(got.node), "gpu0 bridge0/port0 numa=0\ngpu1 bridge0/port1 numa=1\n");
}

TEST(Devices, ReadsWhatDriversSayOfAGpu) {
  const Read got = read(R"(
      pci0000:00/0000:00:01.0/0000:01:00.0 class=0302 vendor=10de
      pci0000:00/0000:00:02.0/0000:02:00.0 class=0380 vendor=1002 mem_info_vram_total=206141652992 unique_id=9a2b drm/card1/dev=1 drm/card1-DP-1/status=x
      /proc/driver/nvidia/gpus/0000:01:00.0/information=Model:_NVIDIA_H100
      /proc/driver/nvidia/gpus/0000:01:00.0/numa_status=Size:_3f0000000
      )");
  const auto& nvidia = std::get<GpuFacts>(got.node.devices[0].facts);
  EXPECT_EQ(nvidia.model, "H100");
  EXPECT_EQ(nvidia.memory_bytes, 0x3f0000000);
  EXPECT_EQ(std::get<GpuFacts>(got.node.devices[1].facts).memory_bytes, 206141652992);
  EXPECT_EQ(got.node.devices[1].id, "9a2b");
  EXPECT_EQ(got.node.devices[1].label, "card1");
}

TEST(Devices, ReadsANvmeOfNewAndOldKernels) {
  const Read got = read(R"(
      pci0000:00/0000:00:01.0 class=0108 nvme/nvme0/model=KIOXIA_X nvme/nvme0/serial=S1 nvme/nvme0/nvme0n1/size=2000
      pci0000:00/0000:00:02.0 class=0108 misc/nvme1/dev=1 block/nvme1n1/size=1000
      )");
  const auto& facts = std::get<NvmeFacts>(got.node.devices[0].facts);
  EXPECT_EQ(facts.model, "KIOXIA X");
  EXPECT_EQ(facts.capacity_bytes, 1'024'000);
  EXPECT_EQ(got.node.devices[0].id, "S1");
  EXPECT_EQ(got.node.devices[1].label, "nvme1");
  EXPECT_EQ(std::get<NvmeFacts>(got.node.devices[1].facts).capacity_bytes, 512'000);
}

TEST(Devices, RefusesMoreDevicesThanANodeMayHave) {
  const auto gpus = [](int count) {
    std::string lines;
    for (int i = 0; i < count; ++i) {
      lines += text::cat("pci0000:00/0000:00:01.0/",
                         i < 10    ? "000"
                         : i < 100 ? "00"
                                   : "0",
                         i, ":01:00.0 class=0302 vendor=10de\n");
    }
    return read(lines);
  };
  EXPECT_EQ(gpus(64).error, "");
  EXPECT_EQ(gpus(64).node.devices.size(), 64U);
  EXPECT_EQ(gpus(65).error, "65 devices of the kind gpu, at most 64; give the tree of one machine");
  EXPECT_EQ(gpus(257).error,
            "too many functions that are a gpu, at most 64; give the tree of one machine");
}

TEST(Devices, RefusesTwoNamesForOneFunction) {
  FileTree tree = tree_of("pci0000:00/0000:00:01.0 class=0302 vendor=10de");
  ASSERT_TRUE(tree.add_link("sys/bus/pci/devices/0000:00:02.0", "0000:00:01.0"));
  std::vector<std::string> warnings;
  const auto functions = read_functions(tree, warnings);
  ASSERT_FALSE(functions);
  EXPECT_EQ(to_text(functions.error()),
            "sys/bus/pci/devices/0000:00:02.0: leads to the same function as another name: "
            "sys/devices/pci0000:00/0000:00:01.0; capture the tree again");
}

TEST(Devices, WarnsOfFunctionsThatSayNothing) {
  const Read got = read(R"(
      pci0000:00/0000:00:01.0 vendor=10de
      pci0000:00/nonsense class=0302
      pci0000:00/0000:00:03.0 class=zz
      )");
  EXPECT_EQ(got.warnings,
            std::vector<std::string>{
                "sys/bus/pci/devices: 3 entries without an address or a class were left out"});
}

}  // namespace
}  // namespace tenon::host
