// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Machines drawn from views made by hand: how a node becomes a view is views' own test.

#include "render/topology.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "render/device_words.hpp"
#include "render/layout.hpp"
#include "render/topology_svg.hpp"

namespace tenon::render {
namespace {

using domain::DeviceIndex;
using domain::DeviceKind;
using views::TreeItem;

views::DeviceView device(std::string name, DeviceKind kind) {
  views::DeviceView view;
  view.name = std::move(name);
  view.kind = kind;
  view.state = "free";
  return view;
}

TreeItem leaf(std::string name, std::size_t row) {
  return {.kind = TreeItem::Kind::kDevice,
          .name = std::move(name),
          .pci = {},
          .row = row,
          .children = {}};
}

// Two GPUs that a matrix calls NVLink neighbours, and a NIC with each; nobody saw a PCI tree, nor the NUMA
// node of the NICs.
//        gpu0  gpu1  nic0  nic1
//   gpu0  X    NV4   PXB   SYS
//   gpu1  NV4  X     SYS   PIX
views::TopologyView matrix_only() {
  views::TopologyView view;
  view.node = "m1";
  view.numa.resize(2);
  view.numa[0].cpus = "0-3";
  view.numa[1].os_index = 1;
  view.numa[1].cpus = "4-7";
  view.devices = {device("gpu0", DeviceKind::kGpu), device("gpu1", DeviceKind::kGpu),
                  device("nic0", DeviceKind::kNic), device("nic1", DeviceKind::kNic)};
  view.tree = {{.kind = TreeItem::Kind::kNuma,
                .name = "numa0",
                .pci = {},
                .row = 0,
                .children = {leaf("gpu0", 0)}},
               {.kind = TreeItem::Kind::kNuma,
                .name = "numa1",
                .pci = {},
                .row = 1,
                .children = {leaf("gpu1", 1)}},
               {.kind = TreeItem::Kind::kNuma,
                .name = "numa?",
                .pci = {},
                .row = {},
                .children = {leaf("nic0", 2), leaf("nic1", 3)}}};
  view.distances.names = {"GPU0", "GPU1", "NIC0", "NIC1"};
  view.distances.devices = {DeviceIndex{0}, DeviceIndex{1}, DeviceIndex{2}, DeviceIndex{3}};
  view.distances.cells = {"X",   "NV4", "PXB", "SYS",  //
                          "NV4", "X",   "SYS", "PIX",  //
                          "PXB", "SYS", "X",   "",     //
                          "SYS", "PIX", "SYS", "X"};
  return view;
}

/// "numa0(PXB(gpu0 nic0))": a tree in one line.
std::string outline(const std::vector<Box>& boxes) {
  std::vector<std::string> parts;
  for (const Box& box : boxes) {
    parts.push_back(box.children.empty() ? box.name
                                         : text::cat(box.name, "(", outline(box.children), ")"));
  }
  return text::join(parts, " ");
}

TEST(Layout, GroupsWhatAMatrixCallsNear) {
  EXPECT_EQ(outline(layout_of(matrix_only())), "numa0(PXB(gpu0 nic0)) numa1(PIX(gpu1 nic1))");
}

TEST(Layout, NestsSwitchesWithinSwitches) {
  views::TopologyView view = matrix_only();
  view.tree = {{.kind = TreeItem::Kind::kNuma,
                .name = "numa0",
                .pci = {},
                .row = 0,
                .children = {leaf("gpu0", 0), leaf("gpu1", 1), leaf("nic0", 2), leaf("nic1", 3)}}};
  view.distances.cells = {"X",   "PXB", "PIX", "PXB",  //
                          "PXB", "X",   "PXB", "PIX",  //
                          "PIX", "PXB", "X",   "PXB",  //
                          "PXB", "PIX", "PXB", "X"};
  EXPECT_EQ(outline(layout_of(view)), "numa0(PXB(PIX(gpu0 nic0) PIX(gpu1 nic1)))");
}

// bridge0 { port0 { sw0 { gpu0 nic0 } } }: one box, for there is nothing else in the outer ones.
TEST(Layout, MergesChainsOfPlaces) {
  const auto place = [](std::string name, std::vector<TreeItem> children) {
    return TreeItem{TreeItem::Kind::kPlace, std::move(name), {}, {}, std::move(children)};
  };
  views::TopologyView view = matrix_only();
  view.tree = {
      {.kind = TreeItem::Kind::kNuma,
       .name = "numa0",
       .pci = {},
       .row = 0,
       .children = {
           place("bridge0", {place("port0", {place("sw0", {leaf("gpu0", 0), leaf("nic0", 2)})})}),
           place("bridge1",
                 {place("port1", {leaf("gpu1", 1)}), place("port2", {leaf("nic1", 3)})})}}};
  EXPECT_EQ(outline(layout_of(view)),
            "numa0(bridge0/port0/sw0(gpu0 nic0) bridge1(port1(gpu1) port2(nic1)))");
}

// A cell that is near one way and far the other is far: nearness is never drawn on a guess.
TEST(Layout, TakesTheWeakerDirection) {
  views::TopologyView view = matrix_only();
  view.distances.cells[2] = "PIX";  // gpu0 to nic0; the way back says SYS
  view.distances.cells[8] = "SYS";
  EXPECT_EQ(outline(layout_of(view)), "numa0(gpu0) numa1(PIX(gpu1 nic1)) numa?(nic0)");
}

TEST(Layout, SaysNvlinksInWords) {
  EXPECT_EQ(nvlink_lines(matrix_only()), std::vector<std::string>{"gpu0 gpu1: NV4"});
}

TEST(TopologyTree, DrawsWhatStandsInWhat) {
  views::TopologyView view = matrix_only();
  view.devices[0].label = "GPU0";
  view.devices[0].model = "A100";
  view.devices[0].memory_bytes = std::int64_t{80} << 30;
  view.devices[0].state = "taken";
  view.devices[0].holders = {"train"};
  view.devices[0].near = {"nic0", "PXB"};
  EXPECT_EQ(to_text(topology_tree(view, Charset::kUnicode), {}),
            R"(NAME            LABEL    DETAIL                    STATE   NEAREST    HOLDERS
m1                       2 GPUs, 2 NICs
├─ numa0                 cpus 0-3
│  └─ (PXB)              within several switches
│     ├─ gpu0   GPU0     A100, 80Gi                taken   nic0 PXB   train
│     └─ nic0   <none>   <unknown>                 free    <none>     <none>
└─ numa1                 cpus 4-7
   └─ (PIX)              within one switch
      ├─ gpu1   <none>   <unknown>                 free    <none>     <none>
      └─ nic1   <none>   <unknown>                 free    <none>     <none>
)");
}

TEST(TopologyTree, DrawsWithAsciiToo) {
  const std::string text =
      to_text(topology_tree(matrix_only(), Charset::kAscii), {.charset = Charset::kAscii});
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x80) << text;
}

TEST(Distances, AreNullWhereNobodySawThem) {
  const auto view = matrix_only().distances;
  const std::string json = distances_value(view).to_json();
  EXPECT_NE(json.find("\"NIC1\": null"), std::string::npos) << json;
  EXPECT_NE(json.find("\"GPU1\": \"NV4\""), std::string::npos) << json;
  EXPECT_EQ(json.find("\"X\""), std::string::npos) << json;
}

// The source counts NICs otherwise than the drawing: the square beside a drawing follows the drawing.
TEST(Distances, FollowTheDrawingBesideIt) {
  views::TopologyView view = matrix_only();
  view.distances.devices = {DeviceIndex{0}, DeviceIndex{1}, DeviceIndex{3}, DeviceIndex{2}};
  const auto square = square_by_device(view);
  EXPECT_EQ(square.names, (std::vector<std::string>{"gpu0", "gpu1", "nic0", "nic1"}));
  EXPECT_EQ(square.at(0, 3), "PXB");
  EXPECT_EQ(square.at(3, 0), "PXB");
  EXPECT_EQ(square.at(0, 2), "SYS");
}

TEST(ShownBytes, IsShortAndNeverMoreThanIsThere) {
  EXPECT_EQ(shown_bytes(std::int64_t{80} << 30), "80Gi");
  EXPECT_EQ(shown_bytes((std::int64_t{80} << 30) - 1), "79.9Gi");
  EXPECT_EQ(shown_bytes(540604416LL * 1024), "515.5Gi");
  EXPECT_EQ(shown_bytes(0), "0");
  EXPECT_EQ(shown_bytes(9223372036854775807LL), "7.9Ei");
  EXPECT_EQ(shown_bytes({}), "<unknown>");
}

TEST(TopologySvg, EscapesAndIsTheSameTwice) {
  views::TopologyView view = matrix_only();
  view.node = "a<b>&\"c\x01";
  view.devices[0].label = "</text><script>";
  const std::string svg = topology_svg({view});
  EXPECT_EQ(svg, topology_svg({view}));
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("a&lt;b&gt;&amp;&quot;c\\x01"), std::string::npos);
  EXPECT_TRUE(svg.starts_with("<svg ")) << svg.substr(0, 80);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

}  // namespace
}  // namespace tenon::render
