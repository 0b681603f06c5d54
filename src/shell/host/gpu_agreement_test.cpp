// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// One GPU as the kernel shows it and as hwloc's XML has it: the same device, under the same model, so
// that a request with gpu.model= fits both or none. No captured machine has both, so it is written here.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "formats/topology/reader.hpp"
#include "shell/host/devices.hpp"
#include "shell/host/machine_test.hpp"
#include "shell/host/pci.hpp"

namespace tenon::host {
namespace {

struct Card {
  std::string_view pci_class;
  std::string_view vendor;
  std::string_view product;  // of its driver
};

/// "H100 80GB HBM3"; "none" where there is no GPU.
std::string model_in(const domain::Node& node) {
  if (node.devices.empty()) return "none";
  EXPECT_EQ(node.devices.size(), 1U);
  return std::get<domain::GpuFacts>(node.devices.front().facts).model;
}

std::string model_in_sysfs(const Card& card) {
  std::string product{card.product};
  std::ranges::replace(product, ' ', '_');
  const auto file =
      card.vendor == "10de"
          ? text::cat("\n/proc/driver/nvidia/gpus/0000:01:00.0/information=Model:_", product)
          : text::cat(" product_name=", product);
  const auto tree = tree_of(text::cat("pci0000:00/0000:00:01.0 class=0604\n",
                                      "pci0000:00/0000:00:01.0/0000:01:00.0 class=", card.pci_class,
                                      " vendor=", card.vendor, file));
  domain::Node node;
  std::vector<std::string> warnings;
  const auto functions = read_functions(tree, warnings);
  EXPECT_TRUE(functions && add_devices(tree, *functions, node, warnings));
  return model_in(node);
}

std::string model_in_xml(const Card& card) {
  const formats::topology::Source source{
      "h.xml",
      text::cat(R"(<topology version="2.0"><object type="Machine">
        <object type="NUMANode" os_index="0" cpuset="0x1" nodeset="0x1"/>
        <object type="Core"><object type="PU" os_index="0" cpuset="0x1"/></object>
        <object type="Bridge" bridge_type="0-1"><object type="Bridge" bridge_type="1-1" pci_busid="0000:00:01.0">
        <object type="PCIDev" pci_busid="0000:01:00.0" pci_type=")",
                card.pci_class, " [", card.vendor, R"(:0001] [0000:0000] 00">
        <object type="OSDev" name="card0" osdev_type="1"><info name="GPUModel" value=")",
                card.product, R"("/></object></object></object></object></object></topology>)")};
  const auto machines = formats::topology::read({&source, 1}, "hwloc");
  EXPECT_TRUE(machines) << to_text(machines.error());
  return machines ? model_in(machines->cluster.nodes.at(0)) : "";
}

TEST(GpuAgreement, OneModelInSysfsAndXml) {
  for (const auto& [card, model] : {
           std::pair{Card{"0302", "10de", "NVIDIA H100 80GB HBM3"}, "H100 80GB HBM3"},
           std::pair{Card{"0300", "10de", "NVIDIA RTX A6000"}, "RTX A6000"},
           std::pair{Card{"0302", "10de", "Tesla V100-SXM2-32GB"}, "Tesla V100-SXM2-32GB"},
           std::pair{Card{"1200", "1002", "AMD Instinct MI300X OAM"}, "Instinct MI300X OAM"},
           std::pair{Card{"0380", "8086", "Intel Flex-170"}, "Flex-170"},
           std::pair{Card{"0380", "1d94", "Hygon DCU K100"}, "DCU K100"},
           std::pair{Card{"1200", "1ed5", "Moore Threads MTT S4000"}, "MTT S4000"},
           std::pair{Card{"0300", "1a03", "ASPEED Graphics"}, "none"},
           std::pair{Card{"1200", "1da3", "Gaudi"}, "none"},
       }) {
    EXPECT_EQ(model_in_sysfs(card), model) << card.product;
    EXPECT_EQ(model_in_xml(card), model) << card.product;
  }
}

}  // namespace
}  // namespace tenon::host
