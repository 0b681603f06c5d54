// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "render/topology.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "render/device_words.hpp"
#include "render/layout.hpp"

namespace tenon::render {
namespace {

Ink ink_of(std::string_view state) {
  if (state == "free") return Ink::kGood;
  if (state == "cordoned") return Ink::kBad;
  return state == "taken" ? Ink::kAccent : Ink::kWarning;
}

std::string near_of(const views::NearView& near) {
  if (near.device.empty()) return kNone;
  return text::cat(near.device, " ", near.distance.empty() ? kUnknown : near.distance.c_str());
}

std::string holders_of(const views::DeviceView& device) {
  if (!device.cordoned.empty() && device.holders.empty())
    return text::cat("(", device.cordoned, ")");
  return or_else(text::join(device.holders, ","), kNone);
}

/// The rows of one box and what is in it. `stem` is what stands before its children.
class TreeWriter {
 public:
  TreeWriter(const views::TopologyView& view, Charset charset, Table& table)
      : view_(view), charset_(charset), table_(table) {}

  void write(const std::vector<Box>& boxes, const std::string& stem) {
    for (const Box& box : boxes) {
      const bool last = &box == &boxes.back();
      const bool fine = charset_ == Charset::kUnicode;
      const std::string branch = last ? (fine ? "└─ " : "`- ") : (fine ? "├─ " : "|- ");
      const std::string below = last ? "   " : (fine ? "│  " : "|  ");
      add_row(box, stem + branch);
      write(box.children, stem + below);
    }
  }

 private:
  void add_row(const Box& box, const std::string& stem) {
    if (box.kind == Box::Kind::kDevice) return add_device(view_.devices[*box.row], stem);
    Cell name{text::cat(stem, box.name)};
    std::string detail;
    if (box.kind == Box::Kind::kNuma) {
      detail = box.row ? detail_of(view_.numa[*box.row], view_) : "NUMA node not known";
    } else if (box.kind == Box::Kind::kNear) {
      name.text = text::cat(stem, "(", box.name, ")");
      detail = text::cat("within ", meaning_of(box.name));
    }
    table_.rows.push_back({name, {}, {detail, Ink::kFaint}, {}, {}, {}, {}, {box.pci}, {}});
  }

  void add_device(const views::DeviceView& device, const std::string& stem) {
    table_.rows.push_back({{stem + device.name},
                           {or_else(device.label, kNone)},
                           {or_else(detail_of(device), kUnknown)},
                           {state_of(device), ink_of(device.state)},
                           {near_of(device.near)},
                           {holders_of(device)},
                           {or_else(joined_numbers(device.numa), kUnknown)},
                           {or_else(device.pci, kUnknown)},
                           {or_else(device.id, kUnknown)}});
  }

  const views::TopologyView& view_;
  Charset charset_;
  Table& table_;
};

Value near_value(const views::NearView& near) {
  if (near.device.empty()) return {};
  Value value = Value::object();
  value.add("device", near.device).add_known("distance", near.distance);
  return value;
}

Value device_value(const views::DeviceView& device) {
  Value numa = Value::list();
  for (const int index : device.numa) numa.push(index);
  Value holders = Value::list();
  for (const auto& holder : device.holders) holders.push(holder);
  Value value = Value::object();
  value.add("name", device.name)
      .add("kind", domain::to_text(device.kind))
      .add_known("label", device.label)
      .add_known("id", device.id)
      .add_known("pci", device.pci)
      .add_known("numa", std::move(numa))
      .add_known("model", device.model)
      .add_known("memoryBytes", device.memory_bytes)
      .add_known("capacityBytes", device.capacity_bytes)
      .add_known("rateBits", device.rate_bits)
      .add_known("role", device.role)
      .add_known("rdma", device.rdma);
  if (device.bond) value.add("bond", true);
  if (device.vfs > 0) value.add("vfs", device.vfs);
  value.add_known("mig", device.mig)
      .add("state", device.state)
      .add_known("left", device.left)
      .add("holders", std::move(holders))
      .add_known("cordoned", device.cordoned)
      .add_known("nearest", near_value(device.near));
  return value;
}

Value numa_value(const views::NumaView& numa) {
  Value devices = Value::list();
  for (const auto& device : numa.devices) devices.push(device);
  Value value = Value::object();
  value.add("name", text::cat("numa", numa.os_index))
      .add_known("socket", numa.socket)
      .add("cpus", numa.cpus)
      .add("cpuCount", numa.cpu_count)
      .add_known("cores", numa.cores)
      .add_known("coresFree", numa.cores_free)
      .add("cpusFree", numa.cpus_free)
      .add_known("memoryBytes", numa.memory_bytes)
      .add_known("memoryBytesFree", numa.memory_bytes_free)
      .add("devices", std::move(devices));
  return value;
}

Value tree_value(const std::vector<views::TreeItem>& items) {
  Value list = Value::list();
  for (const auto& item : items) {
    Value value = Value::object();
    value.add("name", item.name).add_known("pci", item.pci);
    value.add_known("children", tree_value(item.children));
    list.push(std::move(value));
  }
  return list;
}

std::string_view to_text(topology::Severity severity) {
  switch (severity) {
    case topology::Severity::kNote:
      return "note";
    case topology::Severity::kWarning:
      return "warning";
    case topology::Severity::kError:
      return "error";
  }
  return "error";
}

Value finding_value(const topology::Finding& finding) {
  Value value = Value::object();
  value.add("severity", to_text(finding.severity))
      .add("code", finding.code)
      .add("subject", finding.subject)
      .add("text", finding.text);
  return value;
}

}  // namespace

Table topology_tree(const views::TopologyView& view, Charset charset) {
  const bool labelled = std::ranges::any_of(
      view.devices, [](const views::DeviceView& device) { return !device.label.empty(); });
  Table table{.columns = {{"NAME"},
                          {"LABEL", labelled ? Shown::kAlways : Shown::kWide},
                          {"DETAIL"},
                          {"STATE"},
                          {"NEAREST"},
                          {"HOLDERS"},
                          {"NUMA", Shown::kWide},
                          {"PCI", Shown::kWide},
                          {"ID", Shown::kWide}},
              .rows = {}};
  const Cell state = view.cordoned.empty() ? Cell{} : Cell{"cordoned", Ink::kBad};
  const Cell reason{view.cordoned.empty() ? std::string{} : text::cat("(", view.cordoned, ")")};
  table.rows.push_back(
      {{view.node, Ink::kBold}, {}, {detail_of(view)}, state, {}, reason, {}, {}, {}});
  TreeWriter(view, charset, table).write(layout_of(view), "");
  return table;
}

Table device_table(const std::vector<views::TopologyView>& views) {
  Table table{.columns = {{"NAME"},
                          {"NODE"},
                          {"DEVICE"},
                          {"KIND"},
                          {"LABEL"},
                          {"MODEL"},
                          {"STATE"},
                          {"LEFT"},
                          {"HOLDERS"},
                          {"CORDONED"},
                          {"NEAREST"},
                          {"DISTANCE"},
                          {"NUMA"},
                          {"PCI"},
                          {"ID"}},
              .rows = {}};
  for (const auto& view : views) {
    for (const auto& device : view.devices) {
      table.rows.push_back({{text::cat(view.node, "/", device.name)},
                            {view.node},
                            {device.name},
                            {std::string{domain::to_text(device.kind)}},
                            {device.label},
                            {device.model},
                            {device.state},
                            {device.left},
                            {text::join(device.holders, " ")},
                            {device.cordoned},
                            {device.near.device},
                            {device.near.distance},
                            {joined_numbers(device.numa)},
                            {device.pci},
                            {device.id}});
    }
  }
  return table;
}

Value topology_value(const views::TopologyView& view) {
  Value numa = Value::list();
  for (const auto& row : view.numa) numa.push(numa_value(row));
  std::vector<std::string> names(view.devices.size());  // in the square
  for (std::size_t i = 0; i < view.distances.devices.size(); ++i) {
    names[static_cast<std::size_t>(view.distances.devices[i])] = view.distances.names[i];
  }
  Value devices = Value::list();
  for (std::size_t row = 0; row < names.size(); ++row) {
    devices.push(device_value(view.devices[row]).add_known("nameInDistances", names[row]));
  }
  Value findings = Value::list();
  for (const auto& finding : view.findings) findings.push(finding_value(finding));
  Value value = Value::object();
  value.add("node", view.node)
      .add_known("arch", view.arch)
      .add_known("cordoned", view.cordoned)
      .add("cpuCount", view.cpu_count)
      .add_known("memoryBytes", view.memory_bytes)
      .add("numa", std::move(numa))
      .add("devices", std::move(devices))
      .add("tree", tree_value(view.tree))
      .add("distances", distances_value(view.distances))
      .add("findings", std::move(findings));
  return value;
}

Table distances_table(const views::DistancesView& view) {
  Table table{.columns = {{"NAME"}}, .rows = {}};
  for (const auto& name : view.names) table.columns.push_back({name});
  for (std::size_t row = 0; row < view.names.size(); ++row) {
    std::vector<Cell> cells{{view.names[row], Ink::kBold}};
    for (std::size_t column = 0; column < view.names.size(); ++column) {
      const std::string& word = view.at(row, column);
      Ink ink = Ink::kPlain;
      if (word == "PIX" || word.starts_with("NV")) ink = Ink::kGood;
      if (word == "X" || word == "SYS" || word.empty()) ink = Ink::kFaint;
      cells.push_back({or_else(word, kUnknown), ink});
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table distances_list(const std::vector<NodeDistances>& all) {
  Table table{.columns = {{"NAME"}, {"FROM"}, {"TO"}, {"DISTANCE"}}, .rows = {}};
  for (const auto& [node, view] : all) {
    for (std::size_t from = 0; from < view.names.size(); ++from) {
      for (std::size_t to = 0; to < view.names.size(); ++to) {
        if (from == to) continue;
        table.rows.push_back(
            {{node}, {view.names[from]}, {view.names[to]}, {or_else(view.at(from, to), kUnknown)}});
      }
    }
  }
  return table;
}

Value distances_value(const views::DistancesView& view) {
  Value square = Value::object();
  for (std::size_t row = 0; row < view.names.size(); ++row) {
    Value cells = Value::object();
    for (std::size_t column = 0; column < view.names.size(); ++column) {
      if (row == column) continue;
      const std::string& word = view.at(row, column);
      cells.add(view.names[column], word.empty() ? Value{} : Value{word});
    }
    square.add(view.names[row], std::move(cells));
  }
  return square;
}

Table findings_table(const std::vector<NodeFindings>& all) {
  Table table{.columns = {{"NAME"}, {"SEVERITY"}, {"CODE"}, {"SUBJECT"}, {"TEXT"}}, .rows = {}};
  for (const auto& [node, findings] : all) {
    for (const auto& finding : findings) {
      const Ink ink = finding.severity == topology::Severity::kError     ? Ink::kBad
                      : finding.severity == topology::Severity::kWarning ? Ink::kWarning
                                                                         : Ink::kPlain;
      table.rows.push_back({{node},
                            {std::string{to_text(finding.severity)}, ink},
                            {finding.code},
                            {or_else(finding.subject, kNone)},
                            {finding.text}});
    }
  }
  return table;
}

Value findings_value(const NodeFindings& findings) {
  Value list = Value::list();
  for (const auto& finding : findings.findings) list.push(finding_value(finding));
  Value value = Value::object();
  value.add("node", findings.node).add("findings", std::move(list));
  return value;
}

}  // namespace tenon::render
