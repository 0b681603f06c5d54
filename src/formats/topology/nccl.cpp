// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/nccl.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "domain/pci_class.hpp"
#include "formats/topology/claims.hpp"
#include "formats/topology/input.hpp"
#include "formats/topology/node_builder.hpp"
#include "formats/topology/pci_role.hpp"
#include "formats/topology/xml.hpp"

namespace tenon::formats::topology {
namespace {

using domain::PciAddress;
using domain::PlaceIndex;
using domain::PlaceKind;

constexpr std::size_t kPlacesMax = 4096;

/// 0 where the text is no such number: not known.
std::uint64_t hex_or_zero(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  return text::hex_to_u64(text).value_or(0);
}

/// Base class and subclass of "0x030200"; 0 where there is none.
domain::PciClass pci_class_of(std::string_view text) {
  return static_cast<domain::PciClass>((hex_or_zero(text) >> 8U) & 0xFFFFU);
}

/// "10de:20b0": what the file has of a model; "" where it is silent.
std::string model_of(pugi::xml_node pci) {
  const std::string_view vendor = attribute_or_empty(pci, "vendor");
  const std::string_view device = attribute_or_empty(pci, "device");
  const bool known =
      hex_or_zero(vendor) != 0 && vendor.starts_with("0x") && device.starts_with("0x");
  return known ? text::cat(vendor.substr(2), ":", device.substr(2)) : "";
}

std::string kubernetes_arch(std::string_view arch) {
  if (arch == "x86_64") return "amd64";
  if (arch == "arm64" || arch == "aarch64") return "arm64";
  if (arch == "ppc64" || arch == "ppc64le") return "ppc64le";
  return std::string{arch};
}

/// A device with what is needed to join its links once all devices are known.
struct Found {
  domain::Device device;
  pugi::xml_node gpu;  // the element with its links; null of a NIC
};

class Reading {
 public:
  Reading(const XmlText& xml, std::string_view name)
      : xml_(xml), name_(name), builder_(node_name(name)) {}

  Result<Machines> read();

 private:
  using Done = Result<void>;

  PciRole role_of(pugi::xml_node pci);
  Done take_cpu(pugi::xml_node cpu);
  Done take_numa(pugi::xml_node cpu, std::optional<int>& numa);
  /// `above`: the place over it; nothing right under a cpu.
  Done take_pci(pugi::xml_node pci, std::optional<PlaceIndex> above, std::optional<int> numa);
  Done take_children(pugi::xml_node pci, PlaceIndex place, std::optional<int> numa);
  PlaceIndex bridge_place(pugi::xml_node pci, const PciAddress& address,
                          std::optional<PlaceIndex> above, std::optional<int> numa);
  PlaceIndex implied_bridge(std::optional<int> numa);
  Done take_endpoint(pugi::xml_node pci, const PciAddress& address);
  void take_gpu(pugi::xml_node pci, const PciAddress& address, PlaceIndex place);
  void take_nic(pugi::xml_node nic, std::optional<PciAddress> address,
                std::optional<PlaceIndex> place, std::string_view model);
  void add_devices();
  void add_links();
  void add_links_of(pugi::xml_node gpu, NodeBuilder::Handle from,
                    const std::map<PciAddress, NodeBuilder::Handle>& gpus);
  void add_links_over_switches();
  void warn_of_absences();

  void warn(pugi::xml_node at, std::string_view what) {
    warnings_.push_back(text::cat(xml_.where(at), ": ", what));
  }

  const XmlText& xml_;
  std::string_view name_;
  NodeBuilder builder_;
  std::vector<std::string> warnings_;
  CpuClaims cpus_;
  std::set<std::string> archs_;
  std::size_t places_ = 0;
  std::map<std::pair<std::optional<PlaceIndex>, PciAddress>, PlaceIndex> bridges_;
  std::set<PciAddress> bridge_ids_;
  std::set<PciAddress> reported_;
  std::map<PciAddress, std::string> endpoints_;  // where each stands
  std::vector<Found> found_;
  std::vector<NodeBuilder::Handle> handles_;  // of found_, after sorting
  /// NVLinks to a switch: by switch, by GPU.
  std::map<std::string, std::map<NodeBuilder::Handle, unsigned>> to_switch_;
};

Result<Machines> Reading::read() {
  const auto root = xml_.root();
  if (std::string_view{root.name()} == "graphs") {
    return std::unexpected(
        Error{ErrorKind::kUnsupported, xml_.where(root),
              "is an NCCL graph: the rings that NCCL chose, not what is near what",
              "dump the topology with NCCL_TOPO_DUMP_FILE"});
  }
  if (std::string_view{root.name()} != "system") {
    return std::unexpected(
        Error{ErrorKind::kUnsupported, xml_.where(root),
              text::cat("is no NCCL topology: its root is ", text::quoted(root.name())),
              "give a file whose root is system"});
  }
  std::set<std::string_view> hosts;
  for (const auto child : root.children("cpu")) {
    if (const auto host = attribute(child, "host_hash")) hosts.insert(*host);
  }
  if (hosts.size() > 1) {
    return std::unexpected(Error{ErrorKind::kUnsupported, xml_.where(root),
                                 text::cat("is the topology of ", hosts.size(), " hosts together"),
                                 "dump the topology of one host"});
  }
  for (const auto child : root.children()) {
    if (child.type() != pugi::node_element) continue;
    if (std::string_view{child.name()} != "cpu") {
      warn(child,
           text::cat(text::quoted(child.name()), " under system is not known and is left out"));
      continue;
    }
    if (auto done = take_cpu(child); !done) return std::unexpected(done.error());
  }
  for (const std::string& sentence : drop_contested(cpus_)) {
    warnings_.push_back(text::cat(name_, ": ", sentence));
  }
  for (auto& [id, cpus] : cpus_) builder_.numa(id).cpus = cpus;
  add_devices();
  add_links();
  warn_of_absences();
  auto node = builder_.finish(std::string{name_});
  if (!node) return std::unexpected(node.error());
  Machines machines;
  machines.cluster.nodes.push_back(std::move(*node));
  machines.warnings = std::move(warnings_);
  return machines;
}

Result<void> Reading::take_cpu(pugi::xml_node cpu) {
  std::optional<int> numa;
  if (auto done = take_numa(cpu, numa); !done) return done;
  if (const auto arch = attribute(cpu, "arch"); arch && !arch->empty()) {
    archs_.insert(kubernetes_arch(*arch));
  }
  for (const auto child : cpu.children()) {
    if (child.type() != pugi::node_element) continue;
    const std::string_view kind = child.name();
    if (kind == "pci") {
      if (auto done = take_pci(child, std::nullopt, numa); !done) return done;
    } else if (kind == "nic") {
      warn(child, "a NIC without PCI address: where it is in the machine is not known");
      take_nic(child, std::nullopt, std::nullopt, "");
    } else {
      warn(child, text::cat(text::quoted(kind), " under cpu is not known and is left out"));
    }
  }
  return {};
}

Result<void> Reading::take_numa(pugi::xml_node cpu, std::optional<int>& numa) {
  const auto id = attribute(cpu, "numaid");
  if (!id || *id == "-1") {
    warn(cpu, "a cpu without NUMA number: what is under it is on a NUMA node that is not known");
    return {};
  }
  constexpr std::uint64_t kOsIndexMax = 65'535;
  const auto number = text::to_u64(*id);
  if (!number || *number > kOsIndexMax) {
    return bad_input(xml_.where(cpu), text::cat("numaid ", text::quoted(*id), " is no NUMA number"),
                     "a number from 0 on is expected, or -1");
  }
  numa = static_cast<int>(*number);
  if (builder_.has_numa(*numa)) {
    warn(cpu, text::cat("NUMA node ", *numa, " stands twice: both are taken together"));
  }
  builder_.numa(*numa);
  const auto affinity = attribute(cpu, "affinity");
  if (!affinity || affinity->empty()) return {};
  const auto cpus = cpus_of_mask(*affinity);
  if (!cpus) {
    return bad_input(xml_.where(cpu), text::cat("affinity: ", cpus.error().what),
                     "a mask like 000000ff,ffff0000 is expected");
  }
  cpus_[*numa].insert(*cpus);
  return {};
}

PlaceIndex Reading::implied_bridge(std::optional<int> numa) {
  ++places_;
  const PlaceIndex bridge = builder_.add_place(PlaceKind::kBridge, std::nullopt);
  builder_.place(bridge).numa = numa;
  builder_.place(bridge).implied = true;
  return bridge;
}

/// What it is by the file's own words; by its class where these say nothing.
PciRole Reading::role_of(pugi::xml_node pci) {
  const auto vendor = static_cast<std::uint16_t>(hex_or_zero(attribute_or_empty(pci, "vendor")));
  const PciRole by_class = pci_role(pci_class_of(attribute_or_empty(pci, "class")), vendor);
  if (pci.child("gpu")) {
    if (by_class != PciRole::kGpu)
      warn(pci, "has a gpu, and is taken as one in spite of its class");
    return PciRole::kGpu;
  }
  return pci.child("nic") ? PciRole::kNic : by_class;
}

Result<void> Reading::take_pci(pugi::xml_node pci, std::optional<PlaceIndex> above,
                               std::optional<int> numa) {
  if (places_ > kPlacesMax) {
    return std::unexpected(Error{ErrorKind::kTooLarge, xml_.where(pci),
                                 text::cat("has more than ", kPlacesMax, " bridges"),
                                 "give the topology of one machine"});
  }
  const std::string_view busid = attribute_or_empty(pci, "busid");
  const auto address = domain::pci_address_from_text(busid);
  if (!address) {
    return bad_input(xml_.where(pci),
                     text::cat("busid ", text::quoted(busid), " is no PCI address"),
                     "an address like 0000:10:1c.0 is expected");
  }
  const PciRole role = role_of(pci);
  if (role == PciRole::kBridge) {
    const PlaceIndex place = bridge_place(pci, *address, above, numa);
    return take_children(pci, place, numa);
  }
  if (auto done = take_endpoint(pci, *address); !done) return done;
  if (role == PciRole::kOther) {
    const std::string_view text = attribute_or_empty(pci, "class");
    warn(pci, text.empty() ? text::cat(to_text(*address),
                                       " has no class: what it is is not known, and it is left out")
                           : text::cat(to_text(*address), " of class ", text::quoted(text),
                                       " is nothing to schedule, and is left out"));
    if (!pci.child("pci")) return {};
  }
  const PlaceIndex place = above ? *above : implied_bridge(numa);
  if (role == PciRole::kGpu) take_gpu(pci, *address, place);
  if (role == PciRole::kNic) take_nic(pci.child("nic"), address, place, model_of(pci));
  if (role == PciRole::kNvme) {
    Found found;
    found.device.pci = *address;
    found.device.place = place;
    found.device.facts = domain::NvmeFacts{.model = model_of(pci)};
    found_.push_back(std::move(found));
  }
  return take_children(pci, place, numa);
}

Result<void> Reading::take_children(pugi::xml_node pci, PlaceIndex place, std::optional<int> numa) {
  for (const auto child : pci.children("pci")) {
    if (auto done = take_pci(child, place, numa); !done) return done;
  }
  return {};
}

/// Of one place a bridge may be written once for each thing below it: that is the same bridge. The
/// same id elsewhere is another bridge, for these ids are often made up.
PlaceIndex Reading::bridge_place(pugi::xml_node pci, const PciAddress& address,
                                 std::optional<PlaceIndex> above, std::optional<int> numa) {
  const auto known = bridges_.find({above, address});
  if (known != bridges_.end() &&
      (above || builder_.place(*builder_.place(known->second).parent).numa == numa)) {
    if (reported_.insert(address).second) {
      warn(pci, text::cat("bridge ", to_text(address),
                          " stands again in the same place: both are "
                          "taken as one"));
    }
    return known->second;
  }
  if (!bridge_ids_.insert(address).second) {
    warn(pci, text::cat("bridge ", to_text(address),
                        " stands in two places: they are taken as two "
                        "bridges"));
  }
  if (endpoints_.contains(address)) {
    warn(pci, text::cat(to_text(address),
                        " is the address of a bridge and of a device: both are "
                        "kept"));
  }
  ++places_;
  const PlaceIndex parent = above ? *above : implied_bridge(numa);
  const PlaceIndex place = builder_.add_place(PlaceKind::kSwitch, parent, address);
  bridges_[{above, address}] = place;
  return place;
}

Result<void> Reading::take_endpoint(pugi::xml_node pci, const PciAddress& address) {
  const auto [entry, fresh] = endpoints_.try_emplace(address, xml_.where(pci));
  if (!fresh) {
    return bad_input(
        xml_.where(pci),
        text::cat("device ", to_text(address), " stands twice; first at ", entry->second),
        "a device is in one place: remove the wrong one");
  }
  if (bridge_ids_.contains(address)) {
    warn(pci, text::cat(to_text(address),
                        " is the address of a bridge and of a device: both are "
                        "kept"));
  }
  return {};
}

void Reading::take_gpu(pugi::xml_node pci, const PciAddress& address, PlaceIndex place) {
  Found found{.device = {}, .gpu = pci.child("gpu")};
  found.device.pci = address;
  found.device.place = place;
  found.device.facts = domain::GpuFacts{.model = model_of(pci)};
  found_.push_back(std::move(found));
}

/// Ports of one name are one NIC; other names on the same card are NICs of their own.
void Reading::take_nic(pugi::xml_node nic, std::optional<PciAddress> address,
                       std::optional<PlaceIndex> place, std::string_view model) {
  const std::size_t first = found_.size();
  for (const auto net : nic.children("net")) {
    const std::string_view label = attribute_or_empty(net, "name");
    const auto same =
        std::find_if(found_.begin() + static_cast<std::ptrdiff_t>(first), found_.end(),
                     [&](const Found& it) { return it.device.label == label; });
    const auto speed = text::to_u64(attribute_or_empty(net, "speed"));
    constexpr std::uint64_t kMegabitsMax = 100'000'000;
    constexpr std::int64_t kMega = 1'000'000;
    const std::int64_t rate =
        speed && *speed <= kMegabitsMax ? static_cast<std::int64_t>(*speed) * kMega : 0;
    if (same != found_.end()) {
      auto& facts = std::get<domain::NicFacts>(same->device.facts);
      if (facts.rate_bits && rate > 0) *facts.rate_bits += rate;
      continue;
    }
    Found found;
    domain::NicFacts facts;
    facts.model = model;
    if (rate > 0) facts.rate_bits = rate;
    facts.bond = label.find("bond") != std::string_view::npos;
    // Verbs count their ports from 1; port 0 is a plain socket.
    if (attribute_or_empty(net, "gdr") == "1") {
      facts.rdma = true;
    } else if (attribute_or_empty(net, "port") == "0") {
      facts.rdma = false;
    }
    found.device.label = label;
    const std::string_view guid = attribute_or_empty(net, "guid");
    const bool same_card = found_.size() > first;
    if (hex_or_zero(guid) != 0 && !same_card) found.device.id = guid;
    if (!same_card) found.device.pci = address;
    if (same_card && address) {
      warn(net, text::cat(text::quoted(label), " shares the address ", to_text(*address),
                          " with another NIC of the card: its own is not known"));
    }
    found.device.place = place;
    found.device.facts = std::move(facts);
    found_.push_back(std::move(found));
  }
  if (found_.size() > first || !address) return;
  Found found;
  found.device.pci = address;
  found.device.place = place;
  found.device.facts = domain::NicFacts{.model = std::string{model}};
  found_.push_back(std::move(found));
}

void Reading::add_devices() {
  std::ranges::stable_sort(found_, [](const Found& a, const Found& b) {
    if (a.device.pci.has_value() != b.device.pci.has_value()) return a.device.pci.has_value();
    return a.device.pci < b.device.pci;
  });
  for (Found& found : found_) handles_.push_back(builder_.add_device(std::move(found.device)));
}

void Reading::add_links() {
  std::map<PciAddress, NodeBuilder::Handle> gpus;
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const domain::Device& device = builder_.device(handles_[i]);
    if (device.kind() == domain::DeviceKind::kGpu) gpus[*device.pci] = handles_[i];
  }
  for (std::size_t i = 0; i < found_.size(); ++i) add_links_of(found_[i].gpu, handles_[i], gpus);
  add_links_over_switches();
}

void Reading::add_links_of(pugi::xml_node gpu, NodeBuilder::Handle from,
                           const std::map<PciAddress, NodeBuilder::Handle>& gpus) {
  constexpr std::uint64_t kNvSwitch = 0x0680;
  for (const auto link : gpu.children()) {
    const std::string_view kind = link.name();
    if (kind != "nvlink" && kind != "xgmi") continue;
    const std::string_view target = attribute_or_empty(link, "target");
    const auto count = text::to_u64(attribute_or_empty(link, "count"));
    if (!count || *count == 0 || *count > domain::kNvlinksMax) {
      warn(link, text::cat("count ", text::quoted(attribute_or_empty(link, "count")),
                           " is no number of links: left out"));
      continue;
    }
    const auto links = static_cast<unsigned>(*count);
    const std::uint64_t target_class = hex_or_zero(attribute_or_empty(link, "tclass"));
    if (target_class >> 8U == kNvSwitch && (target_class & 0xFFU) == 0) {
      to_switch_[std::string{target}][from] += links;
      continue;
    }
    const auto address = domain::pci_address_from_text(target);
    const auto to = address ? gpus.find(*address) : gpus.end();
    if (to == gpus.end()) {
      warn(link, text::cat("links to ", text::quoted(target),
                           ", which is no GPU of this file: left out"));
    } else if (to->second == from) {
      warn(link, text::cat("links from ", to_text(*address), " to itself: left out"));
    } else {
      builder_.add_nvlinks(from, to->second, links);
    }
  }
}

/// Through a switch two GPUs have as many links as the one with fewer has to it.
void Reading::add_links_over_switches() {
  for (const auto& [target, gpus] : to_switch_) {
    for (const auto& [from, links] : gpus) {
      for (const auto& [to, links_of_other] : gpus) {
        if (from != to) builder_.add_nvlinks(from, to, std::min(links, links_of_other));
      }
    }
  }
}

void Reading::warn_of_absences() {
  if (archs_.size() == 1) {
    builder_.set_arch(*archs_.begin());
  } else if (archs_.size() > 1) {
    warnings_.push_back(
        text::cat(name_, ": cpus of several architectures: which it is is not known"));
  }
  for (const NodeBuilder::Handle handle : handles_) {
    if (builder_.device(handle).kind() == domain::DeviceKind::kGpu) return;
  }
  warnings_.push_back(text::cat(name_, ": names no GPU"));
}

}  // namespace

bool nccl_recognises(std::string_view bytes) {
  const std::string_view root = xml_root(bytes);
  return root == "system" || root == "graphs";
}

Result<Machines> nccl_read(std::span<const Source> sources) {
  const auto source = only_source(sources, "an NCCL topology");
  if (!source) return std::unexpected(source.error());
  const auto xml = XmlText::parse(**source);
  if (!xml) return std::unexpected(xml.error());
  return Reading{*xml, (*source)->name}.read();
}

}  // namespace tenon::formats::topology
