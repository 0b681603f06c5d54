// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Distances of captured trees, against a second reading that goes from the XML straight to the words.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "core/topology/distances.hpp"
#include "formats/topology/reader.hpp"
#include "support/shared_data.hpp"

namespace tenon::formats::topology {
namespace {

/// What stands above one function, from the top: an identity for each.
struct Path {
  std::string numa;
  std::string host_bridge;  // "" where the file names none
  std::string root_port;
  std::vector<std::string> switches;
};

using Paths = std::map<std::string, Path>;  // by PCI address

/// The table of architecture, read literally.
std::string word(const std::string& a, const Path& x, const std::string& b, const Path& y) {
  if (a.substr(0, a.find('.')) == b.substr(0, b.find('.'))) return "PIX";
  std::size_t shared = 0;
  while (shared < std::min(x.switches.size(), y.switches.size()) &&
         x.switches[shared] == y.switches[shared]) {
    ++shared;
  }
  const bool one_port = !x.root_port.empty() && x.root_port == y.root_port;
  if (shared > 0 || one_port) {
    const std::size_t between =
        x.switches.size() + y.switches.size() - 2 * shared + (shared > 0 ? 1 : 0);
    return between <= 1 ? "PIX" : "PXB";
  }
  if (!x.host_bridge.empty() && x.host_bridge == y.host_bridge) return "PHB";
  return x.numa == y.numa ? "NODE" : "SYS";
}

void read_nccl(pugi::xml_node pci, Path path, Paths& paths) {
  const std::string id = pci.attribute("busid").value();
  if (std::string{pci.attribute("class").value()}.starts_with("0x0604")) {
    path.switches.push_back(id);
  } else {
    paths[id] = path;
  }
  for (const auto child : pci.children("pci")) read_nccl(child, path, paths);
}

Paths nccl_paths(const pugi::xml_document& document) {
  Paths paths;
  for (const auto cpu : document.child("system").children("cpu")) {
    for (const auto pci : cpu.children("pci")) {
      read_nccl(pci, {.numa = cpu.attribute("numaid").value()}, paths);
    }
  }
  return paths;
}

std::string identity(pugi::xml_node object) { return text::cat(object.offset_debug()); }

/// Odd bridges below the root port are up ports; even ones belong to the switch above them.
void read_hwloc(pugi::xml_node object, Path path, int bridges, Paths& paths) {
  const std::string type = object.attribute("type").value();
  if (type == "PCIDev") {
    paths[object.attribute("pci_busid").value()] = path;
    return;
  }
  if (type != "Bridge") {
    if (object.attribute("nodeset")) path.numa = object.attribute("nodeset").value();
  } else if (std::string{object.attribute("bridge_type").value()} == "0-1") {
    path.host_bridge = identity(object);
    bridges = 0;
  } else {
    if (bridges == 0) path.root_port = identity(object);
    if (bridges % 2 == 1) path.switches.push_back(identity(object));
    ++bridges;
  }
  for (const auto child : object.children("object")) read_hwloc(child, path, bridges, paths);
}

Paths hwloc_paths(const pugi::xml_document& document) {
  Paths paths;
  read_hwloc(document.child("topology").child("object"), {}, 0, paths);
  return paths;
}

/// Compares all pairs whose addresses the oracle has; returns how many.
int compare(const std::filesystem::path& file, Paths (*paths_of)(const pugi::xml_document&)) {
  std::ifstream in(file, std::ios::binary);
  const Source source{file.filename().string(),
                      {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}};
  const auto machines = read({&source, 1}, "auto");
  if (!machines) {
    EXPECT_EQ(machines.error().kind, ErrorKind::kUnsupported) << file;
    return 0;
  }
  pugi::xml_document document;
  EXPECT_TRUE(document.load_buffer(source.bytes.data(), source.bytes.size())) << file;
  const Paths paths = paths_of(document);
  const domain::Node& node = machines->cluster.nodes.at(0);
  const tenon::topology::Distances distances(node);
  int compared = 0;
  for (std::uint32_t a = 0; a < node.devices.size(); ++a) {
    for (std::uint32_t b = 0; b < node.devices.size(); ++b) {
      if (a == b || !node.devices[a].pci || !node.devices[b].pci) continue;
      const std::string from = to_text(*node.devices[a].pci);
      const std::string to = to_text(*node.devices[b].pci);
      const auto distance = distances.pci(domain::DeviceIndex{a}, domain::DeviceIndex{b});
      EXPECT_TRUE(distance.has_value()) << file << from << to;
      if (!distance) continue;
      EXPECT_EQ(domain::to_text(*distance), word(from, paths.at(from), to, paths.at(to)))
          << file << " " << from << " " << to;
      ++compared;
    }
  }
  return compared;
}

TEST(TreeOracle, AgreesOnCapturedNcclTrees) {
  TENON_SHARED_DATA_OR_SKIP(folder, "topo/nccl-xml");
  int compared = 0;
  for (const std::string_view below : {"topo/nccl-xml", "topo/nccl-xml/rccl"}) {
    for (const auto& file : support::shared_data_files(below)) {
      if (file.extension() == ".xml") compared += compare(file, nccl_paths);
    }
  }
  EXPECT_GT(compared, 1000);
}

TEST(TreeOracle, AgreesOnCapturedHwlocTrees) {
  TENON_SHARED_DATA_OR_SKIP(folder, "topo/hwloc");
  int compared = 0;
  for (const std::string_view below : {"topo/hwloc", "topo/hwloc-sysfs"}) {
    for (const auto& file : support::shared_data_files(below)) {
      if (file.extension() == ".xml") compared += compare(file, hwloc_paths);
    }
  }
  EXPECT_GT(compared, 200);
}

}  // namespace
}  // namespace tenon::formats::topology
