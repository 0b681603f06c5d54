// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/nccl.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "formats/topology/reader_test.hpp"

namespace tenon::formats::topology {
namespace {

using testing::between;
using testing::facts_of;
using testing::nvlinks_of;

Result<Machines> read_text(std::string text) {
  const Source source{"t.xml", std::move(text)};
  return nccl_read({&source, 1});
}

std::string facts(const std::string& text) {
  const auto machines = read_text(text);
  return machines ? facts_of(machines->cluster.nodes.at(0)) : to_text(machines.error());
}
std::string warnings(const std::string& text) {
  const auto machines = read_text(text);
  return machines ? text::join(machines->warnings, "\n") : to_text(machines.error());
}

// One socket:  sw { sw { gpu } nic }   sw { gpu }   nic
constexpr auto kTree = R"(<!-- dumped -->
<system version="1">
  <cpu numaid="0" affinity="0000000f" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">
    <pci busid="0000:08:00.0" class="0x060400" vendor="0x1000" device="0xc030">
      <pci busid="0000:0d:00.0" class="0x060400">
        <pci busid="0000:0f:00.0" class="0x030200" vendor="0x10de" device="0x2330">
          <gpu dev="1" sm="90" rank="0" gdr="1"/>
        </pci>
      </pci>
      <pci busid="0000:0a:00.0" class="0x020700" vendor="0x15b3" device="0x1021">
        <nic><net name="mlx5_4" dev="0" speed="400000" port="1" guid="0xeb1d" gdr="1"/></nic>
      </pci>
    </pci>
    <pci busid="0000:04:00.0" class="0x060400">
      <pci busid="0000:05:00.0" class="0x038000"><gpu dev="0"/></pci>
    </pci>
    <pci busid="0000:c1:00.0" class="0x020000">
      <nic><net name="eno1" dev="1" speed="10000" port="0" guid="0x0" gdr="0"/></nic>
    </pci>
  </cpu>
</system>
)";

// Devices are counted by PCI address, whatever their dev numbers are.
TEST(Nccl, ReadsTree) {
  EXPECT_EQ(facts(kTree),
            "numa0 0-3\n"
            "gpu0 0000:05:00.0\n"
            "gpu1 0000:0f:00.0 model=10de:2330\n"
            "nic0 mlx5_4=0xeb1d 0000:0a:00.0 model=15b3:1021 rate=400G rdma=yes\n"
            "nic1 eno1 0000:c1:00.0 rate=10G rdma=no\n");
}

// Which host bridge is above a switch is not in the file: two of them count as two bridges.
TEST(Nccl, DistancesFollowFromTree) {
  const auto machines = read_text(kTree);
  ASSERT_TRUE(machines);
  const domain::Node& node = machines->cluster.nodes.at(0);
  EXPECT_EQ(node.arch, "amd64");
  EXPECT_EQ(between(node, "gpu1", "nic0"), "PXB");
  EXPECT_EQ(between(node, "gpu0", "gpu1"), "NODE");
  EXPECT_EQ(between(node, "gpu0", "nic1"), "NODE");
  EXPECT_TRUE(machines->warnings.empty());
  EXPECT_EQ(testing::errors_of(node), "");
}

std::string with_cpu(const std::string& inside) {
  return "<system version=\"1\"><cpu numaid=\"0\" affinity=\"f\">" + inside + "</cpu></system>";
}

std::string gpu(const std::string& busid, const std::string& links = "") {
  return "<pci busid=\"" + busid + "\" class=\"0x030200\"><gpu dev=\"0\">" + links + "</gpu></pci>";
}

std::string nvlinks(const std::string& text) {
  const auto machines = read_text(text);
  return machines ? nvlinks_of(machines->cluster.nodes.at(0)) : to_text(machines.error());
}

TEST(Nccl, LinksBetweenGpusAreStatedOneWay) {
  EXPECT_EQ(nvlinks(with_cpu(gpu("01:00.0",
                                 "<nvlink target=\"0000:02:00.0\" count=\"2\"/>"
                                 "<nvlink target=\"0000:02:00.0\" count=\"1\"/>") +
                             gpu("02:00.0"))),
            "gpu0->gpu1 3\n");
}

TEST(Nccl, XgmiIsReadAlike) {
  EXPECT_EQ(nvlinks(with_cpu(gpu("01:00.0", "<xgmi target=\"02:00.0\" count=\"4\"/>") +
                             gpu("02:00.0", "<xgmi target=\"01:00.0\" count=\"4\"/>"))),
            "gpu0->gpu1 4\ngpu1->gpu0 4\n");
}

// Two switches:  gpu0 has 5 and 4 links to them, gpu1 5 and 3: 5 + 3 between the two.
TEST(Nccl, ThroughSwitchesTheFewerLinksCount) {
  const auto links = [](const char* a, const char* b) {
    return text::cat("<nvlink target=\"1b:00.0\" count=\"", a,
                     "\" tclass=\"0x068000\"/><nvlink target=\"fffffffe:ffff:ff\" count=\"", b,
                     "\" tclass=\"0x068000\"/>");
  };
  EXPECT_EQ(nvlinks(with_cpu(gpu("01:00.0", links("5", "4")) + gpu("02:00.0", links("5", "3")))),
            "gpu0->gpu1 8\ngpu1->gpu0 8\n");
}

TEST(Nccl, LinksThatLeadNowhereAreLeftOut) {
  const std::string text =
      with_cpu(gpu("01:00.0",
                   "<nvlink target=\"01:00.0\" count=\"12\" tclass=\"0x030200\"/>"
                   "<nvlink target=\"09:00.0\" count=\"1\"/>"
                   "<nvlink target=\"09:00.0\" count=\"many\"/>"));
  EXPECT_EQ(nvlinks(text), "");
  EXPECT_EQ(warnings(text),
            "t.xml:1:101: links from 0000:01:00.0 to itself: left out\n"
            "t.xml:1:156: links to '09:00.0', which is no GPU of this file: left out\n"
            "t.xml:1:192: count 'many' is no number of links: left out");
}

std::string bridge(const std::string& busid, const std::string& inside) {
  return "<pci busid=\"" + busid + "\" class=\"0x060400\">" + inside + "</pci>";
}

// ffff:ff:01.0 is made up, and written once for each thing below it.
TEST(Nccl, ARepeatedBridgeInOnePlaceIsOneBridge) {
  const std::string text =
      with_cpu(bridge("ffff:ff:01.0", gpu("01:00.0")) + bridge("ffff:ff:01.0", gpu("02:00.0")) +
               bridge("ffff:ff:01.0", gpu("03:00.0")));
  const auto machines = read_text(text);
  ASSERT_TRUE(machines);
  EXPECT_EQ(between(machines->cluster.nodes.at(0), "gpu0", "gpu2"), "PIX");
  EXPECT_EQ(
      warnings(text),
      "t.xml:1:162: bridge ffff:ff:01.0 stands again in the same place: both are taken as one");
}

TEST(Nccl, ARepeatedBridgeElsewhereIsAnother) {
  const std::string text = with_cpu(bridge("ffff:ff:01.0", gpu("01:00.0")) +
                                    bridge("0a:00.0", bridge("ffff:ff:01.0", gpu("02:00.0"))));
  const auto machines = read_text(text);
  ASSERT_TRUE(machines);
  EXPECT_EQ(between(machines->cluster.nodes.at(0), "gpu0", "gpu1"), "NODE");
  EXPECT_EQ(warnings(text),
            "t.xml:1:200: bridge ffff:ff:01.0 stands in two places: they are taken as two bridges");
}

TEST(Nccl, ARepeatedDeviceIsRefused) {
  EXPECT_EQ(
      facts(with_cpu(gpu("01:00.0") + gpu("0000:01:00.0"))),
      "t.xml:1:113: device 0000:01:00.0 stands twice; first at t.xml:1:50; a device is in one "
      "place: remove the wrong one");
}

TEST(Nccl, ABridgeWithTheAddressOfADeviceIsReported) {
  const std::string text = with_cpu(bridge("a1:00.0", gpu("01:00.0")) + gpu("a1:00.0"));
  EXPECT_EQ(warnings(text),
            "t.xml:1:157: 0000:a1:00.0 is the address of a bridge and of a device: both are kept");
}

// Two names on one function are two NICs, of which one has no address; two ports of one name are one.
TEST(Nccl, PortsAreJoinedByName) {
  EXPECT_EQ(facts(with_cpu(R"(<pci busid="01:00.0" class="0x020000"><nic>
      <net name="mlx5_0" speed="200000" port="1" guid="0x7" gdr="1"/>
      <net name="mlx5_1" speed="200000" port="1" guid="0x7" gdr="1"/>
      <net name="mlx5_1" speed="200000" port="2" guid="0x7" gdr="1"/></nic></pci>)")),
            "numa0 0-3\n"
            "nic0 mlx5_0=0x7 0000:01:00.0 rate=200G rdma=yes\n"
            "nic1 mlx5_1 rate=400G rdma=yes\n");
}

// Of a NIC without address the file does not say where it is, though it stands under a cpu.
TEST(Nccl, ANicWithoutAddressHasNoPlace) {
  const std::string text =
      "<system version=\"2\"><cpu numaid=\"0\"><nic><net name=\"bond0\" speed=\"1000\" "
      "port=\"0\"/></nic>"
      "</cpu><cpu numaid=\"1\"/></system>";
  EXPECT_EQ(facts(text), "numa0 \nnuma1 \nnic0 bond0 rate=1G rdma=no bond\n");
  EXPECT_EQ(warnings(text),
            "t.xml:1:37: a NIC without PCI address: where it is in the machine is not known\n"
            "t.xml: names no GPU");
}

TEST(Nccl, NumaMayBeUnknown) {
  const std::string text = "<system version=\"1\"><cpu numaid=\"-1\">" + gpu("01:00.0") +
                           gpu("02:00.0") + "</cpu></system>";
  const auto machines = read_text(text);
  ASSERT_TRUE(machines);
  EXPECT_EQ(between(machines->cluster.nodes.at(0), "gpu0", "gpu1"), "SYS");
}

TEST(Nccl, CpusThatTwoNodesClaimCountForNeither) {
  EXPECT_EQ(facts("<system version=\"1\"><cpu numaid=\"0\" affinity=\"ff\"/>"
                  "<cpu numaid=\"1\" affinity=\"ff0\"/></system>"),
            "numa0 0-3\nnuma1 8-11\n");
}

TEST(Nccl, WithoutClassADeviceIsNotKnown) {
  const std::string text = with_cpu("<pci busid=\"16:00.0\"/>");
  EXPECT_EQ(facts(text), "numa0 0-3\n");
  EXPECT_EQ(warnings(text),
            "t.xml:1:50: 0000:16:00.0 has no class: what it is is not known, and it is left out\n"
            "t.xml: names no GPU");
}

// The display of a management controller is no GPU; the class of a GPU may be any of several.
TEST(Nccl, KnowsGpusByClassAndVendor) {
  const auto pci = [](const char* busid, const char* pci_class, const char* vendor) {
    return text::cat("<pci busid=\"", busid, "\" class=\"", pci_class, "\" vendor=\"", vendor,
                     "\" device=\"0x1\"/>");
  };
  EXPECT_EQ(
      facts(with_cpu(pci("01:00.0", "0x120000", "0x1002") + pci("02:00.0", "0x038000", "0x8086") +
                     pci("03:00.0", "0x030000", "0x1a03") + pci("04:00.0", "0x010802", "0x144d"))),
      "numa0 0-3\n"
      "gpu0 0000:01:00.0 model=1002:1\n"
      "gpu1 0000:02:00.0 model=8086:1\n"
      "nvme0 0000:04:00.0 model=144d:1\n");
}

TEST(Nccl, PciDomainsMayHave32Bits) {
  EXPECT_EQ(facts(with_cpu(gpu("10000:e1:00.0"))), "numa0 0-3\ngpu0 10000:e1:00.0\n");
}

TEST(Nccl, RefusesWithPlaceAndWhat) {
  EXPECT_EQ(
      facts("<graphs version=\"1\"><graph id=\"0\"/></graphs>"),
      "t.xml:1:1: is an NCCL graph: the rings that NCCL chose, not what is near what; dump the "
      "topology with NCCL_TOPO_DUMP_FILE");
  EXPECT_EQ(
      facts("<system><cpu numaid=\"0\"></system>"),
      "t.xml:1:27: is malformed XML: Start-end tags mismatch; give the whole file; it may have "
      "been cut");
  EXPECT_EQ(facts(with_cpu("<pci busid=\"zero\" class=\"0x030200\"/>")),
            "t.xml:1:50: busid 'zero' is no PCI address; an address like 0000:10:1c.0 is expected");
  EXPECT_EQ(facts("<system><cpu numaid=\"x\"/></system>"),
            "t.xml:1:9: numaid 'x' is no NUMA number; a number from 0 on is expected, or -1");
  EXPECT_EQ(facts("<system><cpu host_hash=\"0x1\" numaid=\"0\"/><cpu host_hash=\"0x2\" "
                  "numaid=\"0\"/></system>"),
            "t.xml:1:1: is the topology of 2 hosts together; dump the topology of one host");
  EXPECT_EQ(facts("<system/><system/>"),
            "t.xml:1:10: a second root element begins here; give one topology at a time");
}

TEST(Nccl, RefusesXmlThatGrows) {
  EXPECT_EQ(
      facts("<!DOCTYPE system [<!ENTITY a \"aaaa\">]>\n<system/>"),
      "t.xml:1:19: declares entities or elements of its own; remove the declarations; a topology "
      "needs none");
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "<pci busid=\"01:00.0\" class=\"0x060400\">";
  for (int i = 0; i < 200; ++i) deep += "</pci>";
  EXPECT_NE(facts(with_cpu(deep)).find("elements stand more than 100 deep"), std::string::npos);
}

TEST(Nccl, TellsItselfFromOtherXml) {
  EXPECT_TRUE(nccl_recognises(kTree));
  EXPECT_TRUE(nccl_recognises("\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!-- <a> -->\n<graphs/>"));
  EXPECT_FALSE(nccl_recognises("<topology version=\"2.0\">"));
  EXPECT_FALSE(nccl_recognises("<!-- never closed"));
}

}  // namespace
}  // namespace tenon::formats::topology
