// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// For tests: a sysfs tree from a few lines, and a node as a few lines.
#pragma once

#include <string>
#include <string_view>

#include "base/check.hpp"
#include "base/text.hpp"
#include "domain/node.hpp"
#include "shell/host/file_tree.hpp"

namespace tenon::host {

/// One PCI function a line: its way below sys/devices, then files of its folder. A class and a
/// vendor are hexadecimal as in lspci; '_' stands for a blank.
///
///   pci0000:00/0000:00:01.0 class=0604
///   pci0000:00/0000:00:01.0/0000:01:00.0 class=0302 vendor=10de numa_node=0
///
/// A line whose first word starts with '/' is one file: "/sys/class/net/bond0/bonding/slaves=a_b".
inline FileTree tree_of(std::string_view lines) {
  FileTree tree;
  const auto put = [&](std::string_view path, std::string content) {
    const auto added = tree.add_file(path, std::move(content));
    check(added.has_value(), added ? std::string_view{} : std::string_view{added.error()});
  };
  const auto unquoted = [](std::string_view raw) {
    std::string value{raw};
    for (char& c : value) c = c == '_' ? ' ' : c;
    return value + "\n";
  };
  for (const auto line : text::split(lines, '\n')) {
    const auto words = text::words(line);
    if (words.empty()) continue;
    if (words[0].starts_with('/')) {
      const auto equals = words[0].find('=');
      put(words[0].substr(1, equals - 1), unquoted(words[0].substr(equals + 1)));
      continue;
    }
    const std::string way{words[0]};
    const std::string name = way.substr(way.rfind('/') + 1);
    check(tree.add_directory("sys/devices/" + way).has_value(), "a function is there once");
    check(tree.add_link("sys/bus/pci/devices/" + name, "../../../devices/" + way).has_value(),
          "an address is there once");
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto equals = words[i].find('=');
      const auto file = words[i].substr(0, equals);
      const auto value = words[i].substr(equals + 1);
      const std::string path = text::cat("sys/devices/", way, "/", file);
      if (file == "class") {
        put(path, text::cat("0x", value, "00\n"));
      } else if (file == "vendor" || file == "device") {
        put(path, text::cat("0x", value, "\n"));
      } else if (file == "physfn") {
        check(tree.add_link(path, text::cat("../", value)).has_value(), "one physfn");
      } else {
        put(path, unquoted(value));
      }
    }
  }
  return tree;
}

/// One device a line: "gpu0 bridge0/port0/sw0 numa=0"; the NUMA node is the device's own or its
/// top's, "?" where neither says it.
inline std::string lines_of(const domain::Node& node) {
  std::string lines;
  for (const auto& device : node.devices) {
    std::string way;
    std::optional<int> top;
    for (auto here = device.place; here;) {
      const auto& place = node.places[static_cast<std::size_t>(*here)];
      way = way.empty() ? place.name : text::cat(place.name, "/", way);
      top = place.numa;
      here = place.parent;
    }
    std::string numa;
    for (const int index : device.numa) numa += text::cat(numa.empty() ? "" : ",", index);
    if (numa.empty()) numa = top ? text::cat(*top) : "?";
    lines += text::cat(to_text(device), " ", way.empty() ? "-" : way, " numa=", numa, "\n");
  }
  return lines;
}

}  // namespace tenon::host
