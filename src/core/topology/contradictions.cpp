// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "core/topology/distances.hpp"
#include "core/topology/findings.hpp"

namespace tenon::topology {
namespace {

using domain::Device;
using domain::DeviceIndex;
using domain::Distance;
using domain::Link;
using domain::Node;
using text::cat;

DeviceIndex index_at(std::size_t i) { return DeviceIndex{static_cast<std::uint32_t>(i)}; }

std::string pair_name(const Node& node, std::size_t a, std::size_t b) {
  return cat(to_text(node.devices[a]), " ", to_text(node.devices[b]));
}

std::string list_of(const std::vector<int>& numa) {
  std::vector<std::string> names;
  for (const int os_index : numa) names.push_back(cat("numa", os_index));
  return text::join(names, ",");
}

bool is_nvlink(const Link& link) { return link.seen == Link::Seen::kNvlink; }
bool is_distance(const Link& link) { return link.seen == Link::Seen::kDistance; }

// Both directions of one pair of cells, as read.
void cells(const Node& node, std::size_t a, std::size_t b, const Link& there, const Link& back,
           Findings& findings) {
  const auto say = [&] {
    return cat(to_text(node.devices[a]), " sees ", to_text(there), ", ", to_text(node.devices[b]),
               " sees ", to_text(back));
  };
  const auto name = pair_name(node, a, b);
  if (there.seen == Link::Seen::kSelf || back.seen == Link::Seen::kSelf) {
    findings.warning("self-cell", name, cat(say(), ": X belongs on the diagonal"));
  } else if ((is_nvlink(there) && is_distance(back)) || (is_distance(there) && is_nvlink(back))) {
    findings.warning("one-way-nvlink", name,
                     cat(say(), "; NVLink in one direction counts as none"));
  } else if (there.seen == Link::Seen::kNothing || back.seen == Link::Seen::kNothing) {
    const bool both = there == back;
    findings.note("unseen-cell", name,
                  both ? "nobody saw this cell in either direction"
                       : cat(say(), "; the cell that was seen stands for both"));
  } else if (there != back) {
    findings.warning("asymmetric-link", name, cat(say(), "; the weaker counts"));
  }
}

void matrix(const Node& node, Findings& findings) {
  if (!node.matrix) return;
  const auto& header = node.matrix->header;
  const auto cell = [&](std::size_t row, std::size_t column) -> const Link& {
    return node.matrix->cells[row * header.size() + column];
  };
  for (std::size_t r = 0; r < header.size(); ++r) {
    const auto a = static_cast<std::size_t>(header[r]);
    const Link& self = cell(r, r);
    if (self.seen != Link::Seen::kSelf && self.seen != Link::Seen::kNothing) {
      findings.warning("self-cell", to_text(node.devices[a]),
                       cat("the matrix says ", to_text(self), " of a device and itself"));
    }
    for (std::size_t c = r + 1; c < header.size(); ++c) {
      cells(node, a, static_cast<std::size_t>(header[c]), cell(r, c), cell(c, r), findings);
    }
  }
}

void stated_nvlinks(const Node& node, Findings& findings) {
  std::map<std::pair<DeviceIndex, DeviceIndex>, int> links;
  for (const auto& fact : node.nvlinks) links[{fact.from, fact.to}] = fact.links;
  for (const auto& [ends, count] : links) {
    const auto back = links.find({ends.second, ends.first});
    const int other = back == links.end() ? 0 : back->second;
    if (other >= count) continue;
    const auto name = pair_name(node, static_cast<std::size_t>(ends.first),
                                static_cast<std::size_t>(ends.second));
    if (other == 0) {
      findings.warning("one-way-nvlink", name,
                       cat(count, " NVLinks one way, none back; they count as none"));
    } else {
      findings.warning("asymmetric-link", name,
                       cat(count, " NVLinks one way, ", other, " back; the smaller counts"));
    }
  }
}

// What the tree alone says, against what the matrix alone says.
void matrix_against_tree(const Node& node, Findings& findings) {
  if (!node.matrix) return;
  Node tree_only = node;
  tree_only.matrix.reset();
  tree_only.nvlinks.clear();
  const Distances by_tree(tree_only);
  const auto& header = node.matrix->header;
  for (std::size_t r = 0; r < header.size(); ++r) {
    for (std::size_t c = 0; c < header.size(); ++c) {
      const Link& read = node.matrix->cells[r * header.size() + c];
      const auto told = by_tree.pci(header[r], header[c]);
      if (r == c || !is_distance(read) || !told || read.distance == *told) continue;
      const Link& mirror = node.matrix->cells[c * header.size() + r];
      if (r > c && mirror == read) continue;  // said once for both directions
      findings.warning(
          "matrix-tree-disagree",
          pair_name(node, static_cast<std::size_t>(header[r]), static_cast<std::size_t>(header[c])),
          cat("the matrix says ", to_text(read), ", the PCI tree ", domain::to_text(*told),
              "; the weaker counts"));
    }
  }
}

bool meet(const std::vector<int>& a, const std::vector<int>& b) {
  return std::ranges::any_of(
      a, [&](int os_index) { return std::ranges::find(b, os_index) != b.end(); });
}

// A distance below SYS says that two devices share a NUMA node; affinities may say they do not.
void distances_against_numa(const Node& node, Findings& findings) {
  const Distances distances(node);
  for (std::size_t a = 0; a < node.devices.size(); ++a) {
    const auto near_a = numa_of(node, index_at(a));
    for (std::size_t b = a + 1; b < node.devices.size(); ++b) {
      const auto pci = distances.pci(index_at(a), index_at(b));
      const auto near_b = numa_of(node, index_at(b));
      if (!pci) {
        if (distances.nvlinks(index_at(a), index_at(b)) == 0) {
          findings.note("distance-unknown", pair_name(node, a, b), "no source says how far");
        }
        continue;
      }
      if (near_a.empty() || near_b.empty()) continue;
      if (*pci < Distance::kSys && !meet(near_a, near_b)) {
        findings.warning("affinity-against-distance", pair_name(node, a, b),
                         cat(domain::to_text(*pci), " away, but near ", list_of(near_a), " and ",
                             list_of(near_b)));
      } else if (*pci == Distance::kSys && near_a == near_b) {
        findings.note("sys-within-numa-node", pair_name(node, a, b),
                      cat("SYS away, though both are near ", list_of(near_a)));
      }
    }
  }
}

void device_numa(const Node& node, Findings& findings) {
  for (std::size_t i = 0; i < node.devices.size(); ++i) {
    const Device& device = node.devices[i];
    const auto near = numa_of(node, index_at(i));
    if (near.empty()) {
      findings.note("device-numa-unknown", to_text(device),
                    "no source says which NUMA node is near");
    }
    for (const int os_index : near) {
      const auto there = std::ranges::find(node.numa, os_index, &domain::NumaNode::os_index);
      if (there != node.numa.end()) continue;
      findings.warning("no-such-numa-node", to_text(device),
                       cat("near numa", os_index, ", which the node does not have"));
    }
    if (device.numa.empty() || !device.place) continue;
    const auto* place = &node.places[static_cast<std::size_t>(*device.place)];
    while (place->parent) place = &node.places[static_cast<std::size_t>(*place->parent)];
    if (place->numa && !meet(device.numa, {*place->numa})) {
      findings.warning("numa-against-place", to_text(device),
                       cat("says ", list_of(device.numa), ", its place is of numa", *place->numa));
    }
  }
}

void numa_nodes(const Node& node, Findings& findings) {
  for (const auto& numa : node.numa) {
    const auto name = cat("numa", numa.os_index);
    if (numa.cpus.empty()) {
      findings.note("numa-without-cpus", name, "memory alone, as of a GPU; it gives no cores");
    } else if (!numa.cores) {
      findings.note("siblings-unknown", name, "no source says which CPUs share a core");
    }
    if (!numa.memory_bytes) findings.note("memory-unknown", name, "no source says how much memory");
  }
}

void identities(const Node& node, Findings& findings) {
  std::map<std::string, const Device*> owner;
  for (const Device& device : node.devices) {
    if (device.id.empty()) continue;
    const auto [entry, fresh] = owner.try_emplace(device.id, &device);
    if (fresh) continue;
    findings.warning("duplicate-id", cat(to_text(*entry->second), " ", to_text(device)),
                     cat("both have the identity ", device.id));
  }
}

}  // namespace

void find_contradictions(const Node& node, Findings& findings) {
  matrix(node, findings);
  stated_nvlinks(node, findings);
  matrix_against_tree(node, findings);
  distances_against_numa(node, findings);
  device_numa(node, findings);
  numa_nodes(node, findings);
  identities(node, findings);
}

}  // namespace tenon::topology
