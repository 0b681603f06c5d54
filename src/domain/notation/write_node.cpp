// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"
#include "domain/notation/values.hpp"
#include "domain/quantity.hpp"

namespace tenon::notation {
namespace {

using domain::Node;
using domain::PlaceIndex;
using text::cat;

constexpr std::size_t kLineMax = 100;

void add(std::string& line, std::string_view key, std::string_view value) {
  line += cat(' ', key, value);
}
void add_text(std::string& line, std::string_view key, std::string_view value) {
  if (!value.empty()) add(line, key, written(value));
}
void add_reason(std::string& line, const std::optional<std::string>& reason) {
  if (reason) add(line, "cordoned=", written(*reason));
}
void add_pci(std::string& line, const std::optional<domain::PciAddress>& pci) {
  if (pci) add(line, "pci=", to_text(*pci));
}

std::string mig_text(const domain::GpuFacts& gpu) {
  if (gpu.mig == domain::MigMode::kDynamic) return "dynamic";
  if (gpu.partitions.empty()) return "none";
  std::string out;
  for (std::size_t i = 0; i < gpu.partitions.size();) {
    std::size_t same = i;
    while (same < gpu.partitions.size() && gpu.partitions[same] == gpu.partitions[i]) ++same;
    if (!out.empty()) out += ',';
    out += gpu.partitions[i].profile;
    if (gpu.partitions[i].memory_bytes) {
      out += cat(':', domain::bytes_to_text(*gpu.partitions[i].memory_bytes));
    }
    if (same - i > 1) out += cat('*', same - i);
    i = same;
  }
  return out;
}

void add_facts(std::string& line, const domain::GpuFacts& gpu) {
  add_text(line, "model=", gpu.model);
  if (gpu.memory_bytes) add(line, "mem=", domain::bytes_to_text(*gpu.memory_bytes));
  if (gpu.mig != domain::MigMode::kOff) add(line, "mig=", mig_text(gpu));
  if (gpu.slots) add(line, "slots=", cat(*gpu.slots));
}

void add_facts(std::string& line, const domain::NicFacts& nic) {
  add_text(line, "model=", nic.model);
  if (nic.rate_bits) add(line, "rate=", domain::rate_to_text(*nic.rate_bits));
  if (nic.role) add(line, "role=", *nic.role == domain::NicRole::kStorage ? "storage" : "compute");
  if (nic.rdma) add(line, "rdma=", *nic.rdma ? "yes" : "no");
  if (nic.bond) add(line, "bond=", "yes");
  if (nic.vfs > 0) add(line, "vfs=", cat(nic.vfs));
}

void add_facts(std::string& line, const domain::NvmeFacts& nvme) {
  add_text(line, "model=", nvme.model);
  if (nvme.capacity_bytes) add(line, "capacity=", domain::rate_to_text(*nvme.capacity_bytes));
}

std::string device_text(const domain::Device& device) {
  std::string line = to_text(device);
  add_text(line, "label=", device.label);
  add_text(line, "id=", device.id);
  add_pci(line, device.pci);
  std::string numa;
  for (const int node : device.numa) numa += cat(numa.empty() ? "" : ",", node);
  if (!numa.empty()) add(line, "numa=", numa);
  std::visit([&](const auto& facts) { add_facts(line, facts); }, device.facts);
  add_reason(line, device.cordoned);
  return line;
}

std::string cores_text(const domain::NumaNode& numa) {
  if (!numa.cores) return " smt=?";
  const auto& cores = *numa.cores;
  if (std::all_of(cores.begin(), cores.end(),
                  [](const auto& c) { return c.threads.size() == 1; })) {
    return "";
  }
  if (std::all_of(cores.begin(), cores.end(),
                  [](const auto& c) { return c.threads.size() == 2; })) {
    const auto ids = numa.cpus.ids();
    const std::size_t half = ids.size() / 2;
    bool split = half == cores.size();
    bool adjacent = split;
    for (std::size_t i = 0; i < cores.size() && (split || adjacent); ++i) {
      split = split && cores[i].threads == std::vector{ids[i], ids[half + i]};
      adjacent = adjacent && cores[i].threads == std::vector{ids[2 * i], ids[2 * i + 1]};
    }
    if (split || adjacent) return split ? " smt=split" : " smt=adjacent";
  }
  std::string out;
  for (const auto& core : cores) {
    out += out.empty() ? " cores=" : ",";
    for (std::size_t i = 0; i < core.threads.size(); ++i)
      out += cat(i == 0 ? "" : "+", core.threads[i]);
  }
  return out;
}

/// One thing of the tree: a line, and what hangs under it.
struct Item {
  std::string line;
  bool block = false;
  std::vector<Item> below;
};

std::string on_one_line(const Item& item) {
  std::string out = item.line;
  if (!item.block) return out;
  out += " {";
  for (const auto& below : item.below) out += cat(' ', on_one_line(below));
  return out + (item.below.empty() ? "}" : " }");
}

void lay_out(const Item& item, std::size_t indent, std::string& out) {
  const std::string line = on_one_line(item);
  out.append(indent, ' ');
  if (!item.block || indent + line.size() <= kLineMax) {
    out += cat(line, '\n');
    return;
  }
  out += cat(item.line, " {\n");
  for (const auto& below : item.below) lay_out(below, indent + 2, out);
  out.append(indent, ' ');
  out += "}\n";
}

class NodeWriter {
 public:
  explicit NodeWriter(const Node& node) : node_(node), places_(node.places.size()) {
    for (std::size_t i = 0; i < node.devices.size(); ++i) {
      if (const auto place = node.devices[i].place) at(*place).devices.push_back(i);
    }
    for (std::size_t i = 0; i < node.places.size(); ++i) {
      if (const auto parent = node.places[i].parent) at(*parent).places.push_back(i);
      names_.insert(node.places[i].name);
    }
  }

  [[nodiscard]] std::string write() {
    std::string out = cat("node ", written_name(node_.name));
    add_text(out, "arch=", node_.arch);
    add_reason(out, node_.cordoned);
    out += '\n';
    for (const auto& numa : node_.numa) lay_out(numa_item(numa), 2, out);
    for (std::size_t i = 0; i < node_.places.size(); ++i) {
      const auto& place = node_.places[i];
      if (!place.parent && !has_line(place.numa)) lay_out(top_item(i, Braces::kNone), 2, out);
    }
    for (const auto& device : node_.devices) {
      if (!device.place) lay_out({device_text(device)}, 2, out);
    }
    write_nvlinks(out);
    write_matrix(out);
    return out;
  }

 private:
  struct Below {
    std::vector<std::size_t> devices;
    std::vector<std::size_t> places;
  };
  enum class Braces : std::uint8_t { kNone, kOfNuma };

  Below& at(PlaceIndex place) { return places_[static_cast<std::size_t>(place)]; }

  [[nodiscard]] bool has_line(std::optional<int> numa) const {
    return std::any_of(node_.numa.begin(), node_.numa.end(),
                       [&](const auto& known) { return known.os_index == numa; });
  }

  Item numa_item(const domain::NumaNode& numa) {
    Item item{cat("numa", numa.os_index)};
    if (!numa.cpus.empty()) add(item.line, "cpus=", numa.cpus.to_text());
    item.line += cores_text(numa);
    if (numa.memory_bytes) add(item.line, "mem=", domain::bytes_to_text(*numa.memory_bytes));
    if (numa.socket) add(item.line, "socket=", cat(*numa.socket));
    for (std::size_t i = 0; i < node_.places.size(); ++i) {
      const auto& place = node_.places[i];
      if (!place.parent && place.numa == numa.os_index) {
        item.below.push_back(top_item(i, Braces::kOfNuma));
      }
    }
    item.block = !item.below.empty();
    return item;
  }

  /// A tree. The bridge that the notation implies is left out where reading implies it again: over
  /// one thing alone, a device only inside numaK.
  Item top_item(std::size_t index, Braces around) {
    const auto& place = node_.places[index];
    const auto& below = places_[index];
    const bool alone = below.devices.size() + below.places.size() == 1;
    const bool bare = place.implied && place.name.empty() && !place.pci && alone;
    if (bare && around == Braces::kOfNuma && !below.devices.empty()) {
      return {device_text(node_.devices[below.devices[0]])};
    }
    const bool unsaid_numa = around == Braces::kNone && place.numa;
    if (bare && !unsaid_numa && !below.places.empty()) return place_item(below.places[0]);
    Item item = place_item(index);
    if (unsaid_numa) add(item.line, "numa=", cat(*place.numa));
    if (place.implied) add(item.line, "implied=", "yes");
    return item;
  }

  Item place_item(std::size_t index) {
    const auto& place = node_.places[index];
    Item item{place.name.empty() ? new_name(place.kind) : place.name, true};
    add_pci(item.line, place.pci);
    for (const auto device : places_[index].devices) {
      item.below.push_back({device_text(node_.devices[device])});
    }
    for (const auto child : places_[index].places) item.below.push_back(place_item(child));
    return item;
  }

  std::string new_name(domain::PlaceKind kind) {
    const std::string_view word = kind == domain::PlaceKind::kBridge ? "bridge"
                                  : kind == domain::PlaceKind::kPort ? "port"
                                                                     : "sw";
    for (int number = 0;; ++number) {
      std::string name = cat(word, number);
      if (names_.insert(name).second) return name;
    }
  }

  /// Groups of GPUs with as many links between every two of them, both ways, then the rest.
  void write_nvlinks(std::string& out) const {
    auto left = node_.nvlinks;
    const auto find = [&](domain::DeviceIndex from, domain::DeviceIndex to, std::uint8_t links) {
      return std::find(left.begin(), left.end(), domain::NvlinkFact{from, to, links});
    };
    const auto name = [&](domain::DeviceIndex gpu) {
      return to_text(node_.devices[static_cast<std::size_t>(gpu)]);
    };
    while (!left.empty()) {
      const auto fact = left.front();
      if (find(fact.to, fact.from, fact.links) == left.end()) {
        out +=
            cat("  nvlink NV", int{fact.links}, ' ', name(fact.from), " -> ", name(fact.to), '\n');
        left.erase(left.begin());
        continue;
      }
      std::vector<domain::DeviceIndex> group{fact.from, fact.to};
      for (std::size_t i = 0; i < node_.devices.size(); ++i) {
        const auto gpu = static_cast<domain::DeviceIndex>(i);
        const bool with_all = std::all_of(group.begin(), group.end(), [&](auto member) {
          return find(gpu, member, fact.links) != left.end() &&
                 find(member, gpu, fact.links) != left.end();
        });
        if (with_all) group.push_back(gpu);
      }
      std::sort(group.begin(), group.end());
      out += cat("  nvlink NV", int{fact.links});
      for (const auto gpu : group) out += cat(' ', name(gpu));
      out += '\n';
      std::erase_if(left, [&](const auto& other) {
        const auto in_group = [&](auto gpu) {
          return std::binary_search(group.begin(), group.end(), gpu);
        };
        return in_group(other.from) && in_group(other.to);
      });
    }
  }

  void write_matrix(std::string& out) const {
    if (!node_.matrix) return;
    const auto& matrix = *node_.matrix;
    const std::size_t size = matrix.header.size();
    std::vector<std::string> names;
    std::size_t width = 0;
    for (const auto device : matrix.header) {
      names.push_back(to_text(node_.devices[static_cast<std::size_t>(device)]));
      width = std::max(width, names.back().size());
    }
    const auto padded = [&](std::string_view word) {
      return std::string(2, ' ') + std::string{word} +
             std::string(width - std::min(width, word.size()), ' ');
    };
    const auto add_line = [&](std::string line) {
      line.erase(line.find_last_not_of(' ') + 1);
      out += cat("  ", line, '\n');
    };
    out += "  matrix {\n";
    std::string header = padded("");
    for (const auto& column : names) header += padded(column);
    add_line(std::move(header));
    for (std::size_t row = 0; row < size; ++row) {
      std::string line = padded(names[row]);
      for (std::size_t column = 0; column < size; ++column) {
        line += padded(to_text(matrix.cells[row * size + column]));
      }
      add_line(std::move(line));
    }
    out += "  }\n";
  }

  const Node& node_;
  std::vector<Below> places_;
  std::set<std::string> names_;
};

}  // namespace

std::string write(const Node& node) { return NodeWriter{node}.write(); }

}  // namespace tenon::notation
