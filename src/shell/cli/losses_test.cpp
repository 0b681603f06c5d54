// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/cli/losses.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tenon::cli {
namespace {

notation::Document parsed(std::string_view text) {
  const auto document = notation::parse(text, "test");
  EXPECT_TRUE(document.has_value());
  return document.value_or(notation::Document{});
}

constexpr std::string_view kNode = R"(node a1 arch=amd64
  numa0 cpus=0-3 { sw0 { gpu0 label=GPU0 nic0 rate=400G } }
)";

TEST(Losses, AreNoneWhereTheTextSaysIt) {
  const auto document = parsed(kNode);
  EXPECT_TRUE(losses_of(document, notation::write(document)).empty());
}

TEST(Losses, AreToldByTheReaderToo) {
  EXPECT_TRUE(tells_of_loss(
      "a.xml:3:1: 0000:00:16.0 has no class: what it is is not known, and it is left out"));
  EXPECT_FALSE(tells_of_loss("a.txt: 12 of 144 cells were not seen"));
}

TEST(Losses, NameEachFactThatDoesNotComeBack) {
  auto document = parsed(kNode);
  document.cluster.nodes[0].arch = "arm64";
  document.cluster.nodes[0].devices[0].label = "GPU7";
  document.cluster.nodes[0].devices[1].place.reset();
  EXPECT_EQ(
      losses_of(document, kNode),
      (std::vector<std::string>{"a1: its architecture", "a1: the PCI tree", "a1: label of gpu0"}));
}

TEST(Losses, AreAllWhereTheTextCannotBeRead) {
  const auto losses = losses_of(parsed(kNode), "node {");
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_TRUE(losses[0].starts_with("all of it")) << losses[0];
}

// The order in which a source lists the places of its tree says nothing.
TEST(Losses, DoNotComeFromTheOrderOfPlaces) {
  auto document =
      parsed("node a1\n  numa0 cpus=0-3 { sw0 { gpu0 } }\n  numa1 cpus=4-7 { sw1 { gpu1 } }\n");
  auto& node = document.cluster.nodes[0];
  const std::string text = notation::write(document);
  std::ranges::reverse(node.places);
  const auto last = static_cast<std::uint32_t>(node.places.size() - 1);
  const auto turned = [&](domain::PlaceIndex index) {
    return domain::PlaceIndex{last - static_cast<std::uint32_t>(index)};
  };
  for (auto& place : node.places) {
    if (place.parent) place.parent = turned(*place.parent);
  }
  for (auto& device : node.devices) {
    if (device.place) device.place = turned(*device.place);
  }
  EXPECT_EQ(losses_of(document, text), std::vector<std::string>{});
}

}  // namespace
}  // namespace tenon::cli
