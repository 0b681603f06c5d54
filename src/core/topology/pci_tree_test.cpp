// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/topology/pci_tree.hpp"

#include <gtest/gtest.h>

namespace tenon::topology {
namespace {

using domain::Distance;
using Answer = std::optional<Distance>;

// Every word that one host bridge can give, once, on one small machine:
//
//   bridge0 ── port ── sw0 ─┬─ gpu0
//           │               ├─ nic0
//           │               └─ sw1 ── gpu1
//           └─ port ── nic1
//   bridge1 ── port ── gpu2
struct PciTreeOfTwoBridges : testing::Test {
  PciTree tree;
  PciTree::Vertex bridge0 = tree.add_host_bridge();
  PciTree::Vertex sw0 = tree.add_switch(tree.add_root_port(bridge0));
  PciTree::Vertex gpu0 = tree.add_card(sw0);
  PciTree::Vertex nic0 = tree.add_card(sw0);
  PciTree::Vertex gpu1 = tree.add_card(tree.add_switch(sw0));
  PciTree::Vertex nic1 = tree.add_card(tree.add_root_port(bridge0));
  PciTree::Vertex gpu2 = tree.add_card(tree.add_root_port(tree.add_host_bridge()));

  // Both ways at once: distance is symmetric (invariant 2).
  Answer between(PciTree::Vertex a, PciTree::Vertex b) const {
    EXPECT_EQ(tree.below_one_bridge(a, b), tree.below_one_bridge(b, a));
    return tree.below_one_bridge(a, b);
  }
};

TEST_F(PciTreeOfTwoBridges, NamesEachDistance) {
  EXPECT_EQ(between(gpu0, gpu0), Distance::kSame);
  EXPECT_EQ(between(gpu0, nic0), Distance::kPix);
  EXPECT_EQ(between(nic0, gpu1), Distance::kPxb);
  EXPECT_EQ(between(gpu0, nic1), Distance::kPhb);
  EXPECT_EQ(between(gpu1, nic1), Distance::kPhb);
  EXPECT_EQ(between(gpu0, gpu2), std::nullopt);
}

// A virtual machine with a flat bus: cards straight under the host bridge.
TEST(PciTree, CallsCardsStraightUnderOneHostBridgePhb) {
  PciTree tree;
  const auto bridge = tree.add_host_bridge();
  const auto a = tree.add_card(bridge);
  const auto b = tree.add_card(bridge);
  EXPECT_EQ(tree.below_one_bridge(a, b), Distance::kPhb);
}

// Two cards under one root port without a switch (a bifurcated slot) are as near as one switch
// would make them.
TEST(PciTree, CallsCardsUnderOneRootPortPix) {
  PciTree tree;
  const auto port = tree.add_root_port(tree.add_host_bridge());
  const auto a = tree.add_card(port);
  const auto b = tree.add_card(port);
  EXPECT_EQ(tree.below_one_bridge(a, b), Distance::kPix);
}

// One root port with two switches straight under it counts both.
//
//   bridge ── port ─┬─ sw ── gpu0
//                   └─ sw ── gpu1
TEST(PciTree, CountsBothSwitchesUnderOneRootPort) {
  PciTree tree;
  const auto port = tree.add_root_port(tree.add_host_bridge());
  const auto a = tree.add_card(tree.add_switch(port));
  const auto b = tree.add_card(tree.add_switch(port));
  EXPECT_EQ(tree.below_one_bridge(a, b), Distance::kPxb);
}

// Switches straight under a host bridge have root ports of their own, so cards under two of them
// meet at the bridge.
TEST(PciTree, GivesASwitchUnderABridgeItsOwnRootPort) {
  PciTree tree;
  const auto bridge = tree.add_host_bridge();
  const auto sw = tree.add_switch(bridge);
  const auto a = tree.add_card(sw);
  const auto b = tree.add_card(sw);
  const auto c = tree.add_card(tree.add_switch(bridge));
  EXPECT_EQ(tree.below_one_bridge(a, b), Distance::kPix);
  EXPECT_EQ(tree.below_one_bridge(a, c), Distance::kPhb);
}

}  // namespace
}  // namespace tenon::topology
