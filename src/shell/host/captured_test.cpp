// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Captured machines against other sources: our own notation, the rules of a sound node, and hwloc's
// XML of the same machine as the XML reader takes it.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "core/topology/check.hpp"
#include "core/topology/distances.hpp"
#include "domain/notation/notation.hpp"
#include "formats/topology/reader.hpp"
#include "shell/host/host.hpp"
#include "support/shared_data.hpp"

namespace tenon::host {
namespace {

using domain::Node;

constexpr std::string_view kFolder = "topo/hwloc-sysfs";

std::vector<std::string> archives() {
  std::vector<std::string> paths;
  for (const auto& path : support::shared_data_files(kFolder)) {
    if (path.extension() == ".gz") paths.push_back(path.string());
  }
  return paths;
}

TEST(CapturedTrees, RoundTripThroughTheNotation) {
  TENON_SHARED_DATA_OR_SKIP(folder, kFolder);
  for (const auto& path : archives()) {
    const auto got = read_archive(path);
    ASSERT_TRUE(got) << to_text(got.error());
    const std::string text = notation::write(got->node);
    const auto again = notation::parse(text, "written");
    ASSERT_TRUE(again) << to_text(again.error()) << "\n" << text;
    ASSERT_EQ(again->cluster.nodes.size(), 1U) << text;
    EXPECT_EQ(notation::write(again->cluster.nodes[0]), text);
    EXPECT_EQ(again->cluster.nodes[0].numa, got->node.numa) << text;
    EXPECT_EQ(again->cluster.nodes[0].devices.size(), got->node.devices.size()) << text;
  }
}

TEST(CapturedTrees, AreSoundNodes) {
  TENON_SHARED_DATA_OR_SKIP(folder, kFolder);
  for (const auto& path : archives()) {
    const auto got = read_archive(path);
    ASSERT_TRUE(got) << to_text(got.error());
    for (const auto& finding : topology::check_node(got->node)) {
      EXPECT_NE(finding.severity, topology::Severity::kError)
          << path << ": " << finding.subject << ": " << finding.text;
    }
  }
}

// "0000:02:00.0 0000:02:00.3 PIX", for each two devices that both have an address.
std::set<std::string> distances_of(const Node& node) {
  std::set<std::string> lines;
  const topology::Distances distances{node};
  for (std::uint32_t a = 0; a < node.devices.size(); ++a) {
    for (std::uint32_t b = a + 1; b < node.devices.size(); ++b) {
      if (!node.devices[a].pci || !node.devices[b].pci) continue;
      const auto distance = distances.pci(domain::DeviceIndex{a}, domain::DeviceIndex{b});
      lines.insert(text::cat(to_text(*node.devices[a].pci), " ", to_text(*node.devices[b].pci), " ",
                             distance ? domain::to_text(*distance) : "?"));
    }
  }
  return lines;
}

std::map<std::string, std::string> numa_of_devices(const Node& node) {
  std::map<std::string, std::string> near;
  for (std::uint32_t i = 0; i < node.devices.size(); ++i) {
    if (!node.devices[i].pci) continue;
    std::string& list = near[to_text(*node.devices[i].pci)];
    list = text::cat(domain::to_text(node.devices[i].kind()), " near");
    for (const int numa : topology::numa_of(node, domain::DeviceIndex{i})) {
      list += text::cat(" ", numa);
    }
  }
  return near;
}

// Two paths to one machine: kernel files read by us, and hwloc's own export of them read by the XML
// reader. They share no code but the nouns.
TEST(CapturedTrees, AgreeWithTheirXml) {
  TENON_SHARED_DATA_OR_SKIP(folder, kFolder);
  int compared = 0;
  for (const auto& path : archives()) {
    std::filesystem::path xml = path;
    xml = xml.replace_extension().replace_extension(".xml");
    if (!std::filesystem::exists(xml)) continue;
    SCOPED_TRACE(xml.filename().string());
    std::ifstream file{xml, std::ios::binary};
    const formats::topology::Source source{.name = xml.string(),
                                           .bytes = {std::istreambuf_iterator<char>{file}, {}}};
    const auto exported = formats::topology::read(std::span{&source, 1}, "hwloc");
    ASSERT_TRUE(exported) << to_text(exported.error());
    ASSERT_EQ(exported->cluster.nodes.size(), 1U);
    const Node& other = exported->cluster.nodes[0];

    const auto got = read_archive(path);
    ASSERT_TRUE(got) << to_text(got.error());
    EXPECT_EQ(got->node.numa, other.numa);
    EXPECT_EQ(numa_of_devices(got->node), numa_of_devices(other));
    EXPECT_EQ(distances_of(got->node), distances_of(other));
    ++compared;
  }
  EXPECT_EQ(compared, 3);
}

}  // namespace
}  // namespace tenon::host
