// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/hwloc.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "formats/topology/hwloc_cpus.hpp"
#include "formats/topology/hwloc_devices.hpp"
#include "formats/topology/hwloc_file.hpp"
#include "formats/topology/hwloc_links.hpp"
#include "formats/topology/input.hpp"
#include "formats/topology/node_builder.hpp"
#include "formats/topology/xml.hpp"

namespace tenon::formats::topology {
namespace {

/// Version 1 wrote none.
Result<int> major_version(const XmlText& xml) {
  const auto version = attribute(xml.root(), "version");
  if (!version) return 1;
  const auto major = text::to_u64(version->substr(0, version->find('.')));
  if (major && *major >= 1 && *major <= 3) return static_cast<int>(*major);
  return std::unexpected(
      Error{ErrorKind::kUnsupported, xml.where(xml.root()),
            text::cat("is of hwloc version ", text::quoted(*version)),
            "versions 1 to 3 are read; lstopo --export-xml-flags v2 writes one"});
}

std::string kubernetes_arch(std::string_view machine) {
  if (machine == "x86_64") return "amd64";
  if (machine == "aarch64") return "arm64";
  return std::string{machine};
}

Result<domain::Node> read_node(const HwlocFile& file) {
  const auto machine = file.xml.root().child("object");
  if (hwloc_type(machine) != HwlocType::kMachine) {
    return bad_input(file.xml.where(file.xml.root()), "has no object of type Machine",
                     "give the file as lstopo wrote it");
  }
  NodeBuilder builder{node_name(file.name)};
  HwlocCpus cpus{file};
  if (auto done = cpus.collect(machine); !done) return std::unexpected(done.error());
  cpus.settle(builder);
  HwlocDevices devices{file, cpus, builder};
  if (auto done = devices.read(machine); !done) return std::unexpected(done.error());
  if (auto done = hwloc_read_links(file, devices.gpus(), builder); !done) {
    return std::unexpected(done.error());
  }
  std::string_view arch = hwloc_info(file.xml.root(), "Architecture");  // version 3
  if (arch.empty()) arch = hwloc_info(machine, "Architecture");
  builder.set_arch(kubernetes_arch(arch));
  return builder.finish(std::string{file.name});
}

}  // namespace

bool hwloc_recognises(std::string_view bytes) { return xml_root(bytes) == "topology"; }

Result<Machines> hwloc_read(std::span<const Source> sources) {
  const auto source = only_source(sources, "an hwloc topology");
  if (!source) return std::unexpected(source.error());
  const auto xml = XmlText::parse(**source);
  if (!xml) return std::unexpected(xml.error());
  if (std::string_view{xml->root().name()} != "topology") {
    return std::unexpected(
        Error{ErrorKind::kUnsupported, xml->where(xml->root()),
              text::cat("is no hwloc topology: its root is ", text::quoted(xml->root().name())),
              "give a file whose root is topology"});
  }
  const auto major = major_version(*xml);
  if (!major) return std::unexpected(major.error());
  Machines machines;
  auto node = read_node(HwlocFile{*xml, (*source)->name, *major, machines.warnings});
  if (!node) return std::unexpected(node.error());
  if (std::ranges::none_of(node->devices, [](const domain::Device& device) {
        return device.kind() == domain::DeviceKind::kGpu;
      })) {
    machines.warnings.push_back(text::cat((*source)->name, ": names no GPU"));
  }
  machines.cluster.nodes.push_back(std::move(*node));
  return machines;
}

}  // namespace tenon::formats::topology
