// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/hwloc.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "formats/topology/reader_test.hpp"

namespace tenon::formats::topology {
namespace {

using testing::between;
using testing::facts_of;

Result<Machines> read_text(std::string text) {
  const Source source{"h.xml", std::move(text)};
  return hwloc_read({&source, 1});
}

std::string facts(const std::string& text) {
  const auto machines = read_text(text);
  if (!machines) return to_text(machines.error());
  EXPECT_EQ(testing::errors_of(machines->cluster.nodes.at(0)), "");
  return facts_of(machines->cluster.nodes.at(0));
}
std::string warnings(const std::string& text) {
  const auto machines = read_text(text);
  return machines ? text::join(machines->warnings, "\n") : to_text(machines.error());
}
domain::Node node_of(const std::string& text) {
  const auto machines = read_text(text);
  EXPECT_TRUE(machines) << to_text(machines.error());
  return machines ? machines->cluster.nodes.at(0) : domain::Node{};
}

std::string cores(int first, int last) {
  std::string out;
  for (int cpu = first; cpu <= last; ++cpu) {
    out += text::cat(R"(<object type="Core"><object type="PU" os_index=")", cpu, R"("/></object>)");
  }
  return out;
}

/// A machine of one package with four cores and, below it, `io`.
std::string machine(const std::string& io, const std::string& after = "") {
  return R"(<?xml version="1.0"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology version="2.0">)"
         R"(<object type="Machine" nodeset="0x1"><object type="Package" os_index="0" nodeset="0x1">)"
         R"(<object type="NUMANode" os_index="0" cpuset="0xf" nodeset="0x1" local_memory="1073741824"/>)" +
         cores(0, 3) + io + "</object></object>" + after + "</topology>";
}

std::string host_bridge(const std::string& inside) {
  return R"(<object type="Bridge" bridge_type="0-1" bridge_pci="0000:[00-ff]">)" + inside +
         "</object>";
}
std::string bridge(const std::string& busid, const std::string& inside) {
  return R"(<object type="Bridge" bridge_type="1-1" pci_busid=")" + busid +
         R"(" pci_type="0604 [8086:2030] [0000:0000] 04 00">)" + inside + "</object>";
}
std::string device(const std::string& busid, const std::string& type,
                   const std::string& inside = "") {
  return R"(<object type="PCIDev" pci_busid=")" + busid + R"(" pci_type=")" + type +
         R"( [0000:0000] 00 00">)" + inside + "</object>";
}
const std::string kGpu = "0302 [10de:2330]";
const std::string kNic = "0207 [15b3:1021]";

//  bridge ─┬─ port ── up ─┬─ down ── gpu0
//          │              ├─ down ── nic0
//          │              └─ down ── up ── down ── gpu1
//          ├─ port ── nic1
//          └─ gpu2
TEST(Hwloc, CountsASwitchOnceForAllItsPorts) {
  const auto node = node_of(machine(host_bridge(
      bridge("00:01.0",
             bridge("01:00.0",
                    bridge("02:00.0", device("03:00.0", kGpu)) +
                        bridge("02:01.0", device("04:00.0", kNic)) +
                        bridge("02:02.0",
                               bridge("05:00.0", bridge("06:00.0", device("07:00.0", kGpu)))))) +
      bridge("00:02.0", device("08:00.0", kNic)) + device("09:00.0", kGpu))));
  EXPECT_EQ(between(node, "gpu0", "nic0"), "PIX");
  EXPECT_EQ(between(node, "gpu0", "gpu1"), "PXB");
  EXPECT_EQ(between(node, "gpu0", "nic1"), "PHB");
  EXPECT_EQ(between(node, "gpu0", "gpu2"), "PHB");
}

constexpr auto kSmt = R"(<topology version="3.0"><object type="Machine" nodeset="0x3">
  <object type="Package" os_index="0" nodeset="0x1">
    <object type="NUMANode" os_index="0" cpuset="0x00000033" local_memory="1024"/>
    <object type="L3Cache"><object type="Core"><object type="PU" os_index="4"/><object type="PU" os_index="0"/></object>
    <object type="Core"><object type="PU" os_index="1"/><object type="PU" os_index="5"/></object></object>
  </object>
  <object type="Package" os_index="1" nodeset="0x2">
    <object type="NUMANode" os_index="1" cpuset="0x0,,0x000000cc" local_memory="2048"/>
    <object type="Core"><object type="PU" os_index="2"/><object type="PU" os_index="6"/></object>
    <object type="Core"><object type="PU" os_index="3"/><object type="PU" os_index="7"/></object>
  </object></object><info name="Architecture" value="aarch64"/></topology>)";

TEST(Hwloc, ReadsCoresMemoryAndSockets) {
  const auto node = node_of(kSmt);
  EXPECT_EQ(node.arch, "arm64");
  EXPECT_EQ(facts_of(node),
            "numa0 0-1,4-5 cores=2 socket=0 mem=1Ki\n"
            "numa1 2-3,6-7 cores=2 socket=1 mem=2Ki\n");
  EXPECT_EQ(node.numa[0].cores->at(0).threads, (std::vector<domain::CpuId>{0, 4}));
  EXPECT_EQ(testing::errors_of(node), "");
}

// Version 1: NUMA nodes have the packages inside them, and nothing has a version.
TEST(Hwloc, ReadsVersion1) {
  const auto node = node_of(R"(<topology><object type="Machine" os_index="0" nodeset="0x00000003">
    <info name="Architecture" value="x86_64"/>
    <object type="NUMANode" os_index="0" cpuset="0x3" nodeset="0x1" local_memory="4096">
      <page_type size="4096" count="1"/>
      <object type="Socket" os_index="0" cpuset="0x3" nodeset="0x1">
        <object type="Core"><object type="PU" os_index="0"/><object type="PU" os_index="1"/></object></object>
      <object type="Bridge" bridge_type="0-1"><object type="PCIDev" pci_busid="0000:03:00.0" pci_type="0302 [10de:1094] [0000:0000] a1">
        <object type="OSDev" name="cuda0" osdev_type="5"><info name="CoProcType" value="CUDA"/></object></object></object>
    </object>
    <object type="NUMANode" os_index="1" cpuset="0xc" nodeset="0x2">
      <object type="Socket" os_index="1"><object type="Core"><object type="PU" os_index="2"/><object type="PU" os_index="3"/></object></object>
      <object type="Bridge" bridge_type="0-1"><object type="PCIDev" pci_busid="0000:83:00.0" pci_type="0200 [15b3:1013] [0000:0000] 00">
        <object type="OSDev" name="eth2" osdev_type="2"/><object type="OSDev" name="mlx5_0" osdev_type="3"/></object></object>
    </object></object></topology>)");
  EXPECT_EQ(node.arch, "amd64");
  EXPECT_EQ(facts_of(node),
            "numa0 0-1 cores=1 socket=0 mem=4Ki\n"
            "numa1 2-3 cores=1 socket=1\n"
            "gpu0 cuda0 0000:03:00.0 model=10de:1094\n"
            "nic0 mlx5_0 0000:83:00.0 model=15b3:1013 rdma=yes\n");
  EXPECT_EQ(between(node, "gpu0", "nic0"), "SYS");
}

// Version 1 of a machine with one memory has no NUMA node at all.
TEST(Hwloc, WithoutNumaNodesAllIsOne) {
  EXPECT_EQ(facts(R"(<topology><object type="Machine" local_memory="8192">)" + cores(0, 1) +
                  "</object></topology>"),
            "numa0 0-1 cores=2 mem=8Ki\n");
}

// What runtimes know of a GPU is better than what its PCI names say.
TEST(Hwloc, ReadsGpuFacts) {
  EXPECT_EQ(facts(machine(host_bridge(device("03:00.0", kGpu, R"(
      <info name="PCIDevice" value="GH100"/>
      <object type="OSDev" name="card1" osdev_type="1"/>
      <object type="OSDev" name="cuda0" osdev_type="5"><info name="CUDAGlobalMemorySize" value="1048576"/></object>
      <object type="OSDev" name="nvml0" osdev_type="1"><info name="GPUModel" value="NVIDIA H100 80GB HBM3"/>
        <info name="NVIDIAUUID" value="GPU-1"/></object>)")))),
            "numa0 0-3 cores=4 socket=0 mem=1Gi\n"
            "gpu0 nvml0=GPU-1 0000:03:00.0 model=H100 80GB HBM3 mem=1Gi\n");
}

// ASPEED, Matrox and ATI server chips show pictures; NVIDIA's VGA class computes; others by runtime.
TEST(Hwloc, KnowsGpusFromDisplays) {
  const std::string text = machine(
      host_bridge(device("01:00.0", "0300 [1a03:2000]") + device("02:00.0", "0300 [102b:0532]") +
                  device("03:00.0", "0300 [1002:515e]",
                         R"(<object type="OSDev" name="card0" osdev_type="1"/>)") +
                  device("04:00.0", "0300 [10de:11ba]") +
                  device("05:00.0", "0300 [1002:6798]",
                         R"(<object type="OSDev" name="opencl0d1" osdev_type="5"/>)") +
                  device("06:00.0", "1200 [1002:74a1]") + device("07:00.0", "0680 [10de:1ac2]") +
                  device("08:00.0", "0b40 [8086:225c]")));
  EXPECT_EQ(facts(text),
            "numa0 0-3 cores=4 socket=0 mem=1Gi\n"
            "gpu0 0000:04:00.0 model=10de:11ba\n"
            "gpu1 opencl0d1 0000:05:00.0 model=1002:6798\n"
            "gpu2 0000:06:00.0 model=1002:74a1\n");
  EXPECT_NE(warnings(text).find("display 0000:03:00.0 is not counted as a GPU"), std::string::npos);
}

// Bits of version 3: 48 is network and verbs, 16 network alone, 3 storage and memory.
TEST(Hwloc, ReadsOsDevicesOfVersion3) {
  EXPECT_EQ(facts(R"(<topology version="3.0"><object type="Machine">)" + cores(0, 0) +
                  host_bridge(device("01:00.0", kNic,
                                     R"(<object type="OSDev" name="ib0" osdev_type="16"/>
                                        <object type="OSDev" name="mlx5_0" osdev_type="48">
                                        <info name="NodeGUID" value="a4ee"/></object>)") +
                              device("02:00.0", "0200 [8086:1521]",
                                     R"(<object type="OSDev" name="eth0" osdev_type="16">
                                        <info name="Address" value="02:01"/></object>)") +
                              device("03:00.0", "0c06 [1077:7322]",
                                     R"(<object type="OSDev" name="qib0" osdev_type="48"/>)") +
                              device("04:00.0", "0108 [8086:0953]",
                                     R"(<object type="OSDev" name="nvme0n1" osdev_type="1">
                                        <info name="Size" value="1048576KiB"/><info name="Model" value="P3700"/>
                                        </object>)")) +
                  "</object></topology>"),
            "numa0 0 cores=1\n"
            "nic0 mlx5_0=a4ee 0000:01:00.0 model=15b3:1021 rdma=yes\n"
            "nic1 eth0=02:01 0000:02:00.0 model=8086:1521 rdma=no\n"
            "nic2 qib0 0000:03:00.0 model=1077:7322 rdma=yes\n"
            "nvme0 nvme0n1 0000:04:00.0 model=P3700 capacity=1Gi\n");
}

const std::string kMlx5 = R"(<object type="OSDev" name="mlx5_0" osdev_type="3"/>)";
const std::string kVirtual =
    R"(<info name="PCIDevice" value="ConnectX Family mlx5Gen Virtual Function"/>)";

TEST(Hwloc, VirtualFunctionsCountOnTheirCard) {
  EXPECT_EQ(
      facts(machine(host_bridge(bridge(
          "00:01.0", device("0b:00.0", kNic, kMlx5) + device("0b:00.2", "0200 [15b3:101e]", kMlx5) +
                         device("0b:00.3", "0200 [15b3:ffff]", kVirtual) +
                         device("0b:01.0", "0200 [1137:00cf]"))))),
      "numa0 0-3 cores=4 socket=0 mem=1Gi\n"
      "nic0 mlx5_0 0000:0b:00.0 model=15b3:1021 rdma=yes vfs=3\n");
}

// Two ports: of which one a virtual function is, the file does not say.
TEST(Hwloc, VirtualFunctionsOfTwoPortsAreLeftOut) {
  const std::string text =
      machine(host_bridge(device("0b:00.0", kNic, kMlx5) + device("0b:00.1", kNic, kMlx5) +
                          device("0b:00.2", "0200 [15b3:101e]")));
  EXPECT_EQ(facts(text),
            "numa0 0-3 cores=4 socket=0 mem=1Gi\n"
            "nic0 mlx5_0 0000:0b:00.0 model=15b3:1021 rdma=yes\n"
            "nic1 mlx5_0 0000:0b:00.1 model=15b3:1021 rdma=yes\n");
  EXPECT_NE(warnings(text).find("1 virtual functions of a card with 2 physical ones"),
            std::string::npos);
}

// Passed through to a virtual machine, a virtual function is the NIC that there is.
TEST(Hwloc, VirtualFunctionsWithoutTheirCardAreNics) {
  EXPECT_EQ(facts(machine(host_bridge(device("01:00.0", "0200 [15b3:101e]", kVirtual)))),
            "numa0 0-3 cores=4 socket=0 mem=1Gi\n"
            "nic0 0000:01:00.0 model=ConnectX Family mlx5Gen Virtual Function\n");
}

TEST(Hwloc, PciDomainsMayHave32Bits) {
  EXPECT_EQ(facts(machine(host_bridge(bridge("10000:e0:00.0", device("10000:e1:00.0", kGpu))))),
            "numa0 0-3 cores=4 socket=0 mem=1Gi\n"
            "gpu0 10000:e1:00.0 model=10de:2330\n");
}

// CPU 0 is offline: no object is there for it. CPUs 2 and 3 are not ours.
TEST(Hwloc, LeavesOutOfflineAndDisallowedCpus) {
  const std::string text =
      R"(<topology version="2.0"><object type="Machine" complete_cpuset="0x3f" allowed_cpuset="0x33" allowed_nodeset="0x1">
      <object type="NUMANode" os_index="0" cpuset="0x6" local_memory="1024"/>
      <object type="NUMANode" os_index="1" cpuset="0x38" local_memory="1024"/>)" +
      cores(1, 5) + "</object></topology>";
  EXPECT_EQ(facts(text), "numa0 1 cores=1 mem=1Ki\nnuma1 4-5 cores=2\n");
  EXPECT_EQ(warnings(text),
            "h.xml:1:25: 2 of 5 CPUs were not allowed to the process that captured this: left out\n"
            "h.xml:1:25: memory of NUMA nodes 1 was not allowed to the process that captured this: "
            "it counts "
            "as not known\n"
            "h.xml: names no GPU");
}

// hwloc gives memory without CPUs the CPUs of its neighbour; memory of a GPU is none of the host's.
TEST(Hwloc, MemoryWithoutCpus) {
  EXPECT_EQ(
      facts(R"(<topology version="2.0"><object type="Machine" nodeset="0x7">
      <object type="NUMANode" os_index="2" cpuset="0xf" local_memory="4096" subtype="GPUMemory"/>
      <object type="NUMANode" os_index="1" cpuset="0xf" local_memory="2048" subtype="HBM"/>
      <object type="NUMANode" os_index="0" cpuset="0xf" local_memory="1024"/>)" +
            cores(0, 3) + host_bridge(device("01:00.0", kGpu)) + "</object></topology>"),
      "numa0 0-3 cores=4 mem=1Ki\nnuma1  cores=0 mem=2Ki\ngpu0 0000:01:00.0 model=10de:2330\n");
}

// I/O of a socket with two NUMA nodes is near both; of the whole machine, near none that is known.
TEST(Hwloc, WhatIsNearSeveralNodes) {
  const auto two = [](const std::string& under_group, const std::string& under_machine) {
    return R"(<topology version="2.0"><object type="Machine" nodeset="0x7"><object type="Group" nodeset="0x3">
      <object type="NUMANode" os_index="0" cpuset="0x1"/><object type="NUMANode" os_index="1" cpuset="0x2"/>)" +
           under_group + R"(</object><object type="NUMANode" os_index="2" cpuset="0x4"/>)" +
           cores(0, 2) + under_machine + "</object></topology>";
  };
  EXPECT_EQ(facts(two(host_bridge(device("01:00.0", kGpu)), host_bridge(device("02:00.0", kGpu)))),
            "numa0 0 cores=1\nnuma1 1 cores=1\nnuma2 2 cores=1\n"
            "gpu0 0000:01:00.0 on=0,1 model=10de:2330\n"
            "gpu1 0000:02:00.0 model=10de:2330\n");
}

TEST(Hwloc, WithoutCoresSiblingsAreNotKnown) {
  EXPECT_EQ(
      facts(
          R"(<topology version="2.0"><object type="Machine"><object type="NUMANode" os_index="0" cpuset="0x3"/>
      <object type="PU" os_index="0"/><object type="PU" os_index="1"/></object></topology>)"),
      "numa0 0-1\n");
}

// Two bridges are left out of some exports: what hangs without one hangs under one of its own.
TEST(Hwloc, DevicesWithoutBridges) {
  const auto node = node_of(machine(device("01:00.0", kGpu) + device("02:00.0", kNic)));
  EXPECT_EQ(between(node, "gpu0", "nic0"), "NODE");
  EXPECT_TRUE(node.places.at(0).implied);
}

// A virtual machine: everything straight under one bridge.
TEST(Hwloc, FlatMachinesArePhb) {
  const auto node =
      node_of(machine(host_bridge(device("00:04.0", kGpu) + device("00:05.0", kNic))));
  EXPECT_EQ(between(node, "gpu0", "nic0"), "PHB");
}

std::string named_gpu(const std::string& busid, const std::string& gp_index) {
  return device(
      busid, kGpu,
      R"(<object type="OSDev" name="nvml0" osdev_type="1" gp_index=")" + gp_index + R"("/>)");
}
std::string nvlinks(const std::string& matrix) {
  return testing::nvlinks_of(
      node_of(machine(host_bridge(named_gpu("01:00.0", "8") + named_gpu("02:00.0", "9")), matrix)));
}

TEST(Hwloc, LinksFollowFromBandwidth) {
  EXPECT_EQ(nvlinks(R"(<distances2 type="OSDev" nbobjs="2" name="NVLinkBandwidth" indexing="gp">
      <indexes>8 9</indexes><u64values>1000000 40000</u64values><u64values>20000 1000000</u64values></distances2>)"),
            "gpu0->gpu1 2\ngpu1->gpu0 1\n");
  EXPECT_EQ(
      nvlinks(
          R"(<distances2hetero nbobjs="3" name="NVLinkBandwidth"><indexes>OSDev:8 Package:1 OSDev:9</indexes>
      <u64values>0 50000 100000 50000 0 50000 100000 50000 0</u64values></distances2hetero>)"),
      "gpu0->gpu1 4\ngpu1->gpu0 4\n");
}

TEST(Hwloc, LinksGoThroughSwitches) {
  EXPECT_EQ(nvlinks(R"(<distances2hetero nbobjs="4" name="NVLinkBandwidth">
      <indexes>OSDev:8 OSDev:9 PCIDev:70 PCIDev:71</indexes>
      <u64values>0 0 50000 25000  0 0 25000 25000  50000 25000 0 0  25000 25000 0 0</u64values></distances2hetero>)"),
            "gpu0->gpu1 2\ngpu1->gpu0 2\n");
}

TEST(Hwloc, RefusesWithPlaceAndWhat) {
  EXPECT_EQ(facts("<topology version=\"4.0\"/>"),
            "h.xml:1:1: is of hwloc version '4.0'; versions 1 to 3 are read; lstopo "
            "--export-xml-flags v2 "
            "writes one");
  EXPECT_EQ(facts("<topology version=\"2.0\"/>"),
            "h.xml:1:1: has no object of type Machine; give the file as lstopo wrote it");
  EXPECT_EQ(facts("<topology version=\"2.0\"><object type=\"Machine\">" + cores(0, 0) +
                  cores(0, 0) + "</object></topology>"),
            "h.xml: CPU 0 stands twice; give the file as lstopo wrote it");
  EXPECT_EQ(facts(machine(host_bridge(device("01:00.0", kGpu) + device("01:00.0", kGpu)))),
            "h.xml:1:670: device 0000:01:00.0 stands twice; first at h.xml:1:573; a device is in "
            "one place: "
            "remove the wrong one");
  EXPECT_EQ(
      facts(machine(host_bridge(device("1:0", kGpu)))),
      "h.xml:1:573: pci_busid '1:0' is no PCI address; an address like 0000:3b:00.0 is expected");
  EXPECT_EQ(
      facts(
          R"(<topology version="2.0"><object type="Machine"><object type="NUMANode" os_index="0" cpuset="0xg"/>)"
          "</object></topology>"),
      "h.xml:1:48: cpuset: '0000000g' is not a word of a CPU mask; a mask like "
      "0x000000ff,0xffff0000 is "
      "expected");
  EXPECT_EQ(
      facts(machine(
          "",
          R"(<distances2 type="OSDev" nbobjs="2" name="NVLinkBandwidth"><indexes>8</indexes></distances2>)")),
      "h.xml:1:525: a matrix of 2 objects has 1 names and 0 values; give the whole file; it may "
      "have been "
      "cut");
}

}  // namespace
}  // namespace tenon::formats::topology
