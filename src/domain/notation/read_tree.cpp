// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "domain/notation/node_draft.hpp"
#include "domain/notation/notation.hpp"
#include "domain/notation/values.hpp"

namespace tenon::notation {
namespace {

using domain::DeviceKind;
using domain::PlaceIndex;
using domain::PlaceKind;

bool read_pci(Lexer& in, std::string_view word, std::optional<domain::PciAddress>& out) {
  if (word == "?") return true;
  out = domain::pci_address_from_text(word);
  return out || in.fail(word, text::cat(text::quoted(word), " is no PCI address"),
                        "write one such as 0000:10:1c.0");
}

/// "0" or "0,1": sorted, each once; `?` is not known.
bool read_numa_list(Lexer& in, std::string_view list, std::vector<int>& out) {
  if (list == "?") return true;
  for (const auto word : text::split(list, ',')) {
    int numa = 0;
    if (!read_int(in, word, 0, 65535, numa)) return false;
    if (std::find(out.begin(), out.end(), numa) != out.end()) {
      return in.fail(word, text::cat("NUMA node ", numa, " stands twice"));
    }
    out.push_back(numa);
    if (out.size() > static_cast<std::size_t>(domain::kNumaNodesMax)) {
      return in.too_large(list, "too many NUMA nodes");
    }
  }
  std::sort(out.begin(), out.end());
  return true;
}

/// "dynamic", "none", or "1g.10gb*3,2g.20gb:20Gi": the partitions in the order of their slots.
bool read_mig(Lexer& in, std::string_view value, domain::GpuFacts& gpu) {
  gpu.mig = value == "dynamic" ? domain::MigMode::kDynamic : domain::MigMode::kFixed;
  if (value == "dynamic" || value == "none") return true;
  for (auto part : text::split(value, ',')) {
    int repeat = 1;
    if (const auto star = part.find('*'); star != std::string_view::npos) {
      if (!read_int(in, part.substr(star + 1), 1, kPartitionsMax, repeat)) return false;
      part = part.substr(0, star);
    }
    domain::MigPartition partition;
    const auto colon = part.find(':');
    if (!read_profile(in, part.substr(0, colon), partition.profile)) return false;
    if (colon != std::string_view::npos &&
        !read_whole(in, part.substr(colon + 1), partition.memory_bytes.emplace())) {
      return false;
    }
    gpu.partitions.insert(gpu.partitions.end(), static_cast<std::size_t>(repeat), partition);
    if (gpu.partitions.size() > static_cast<std::size_t>(kPartitionsMax)) {
      return in.too_large(value, "too many partitions on one GPU",
                          text::cat("at most ", kPartitionsMax));
    }
  }
  return in.charge(value, gpu.partitions.size() * sizeof(domain::MigPartition));
}

bool read_yes_or_no(Lexer& in, std::string_view word, bool& out) {
  return read_choice<bool>(in, word, {{"yes", true}, {"no", false}}, out);
}

bool read_fact(Lexer& in, const Attribute& fact, domain::GpuFacts& gpu) {
  if (fact.key == "model") return read_known_text(in, fact.value, gpu.model);
  if (fact.key == "mem") return read_known_whole(in, fact.value, gpu.memory_bytes);
  if (fact.key == "mig") return read_mig(in, fact.value, gpu);
  if (fact.key == "slots") return read_int(in, fact.value, 1, 1000, gpu.slots.emplace());
  constexpr std::string_view kKnown[] = {"label", "id",  "pci", "numa", "cordoned",
                                         "model", "mem", "mig", "slots"};
  return fail_unknown(in, fact.key, text::cat("a GPU has no ", text::quoted(fact.key)), kKnown);
}

bool read_fact(Lexer& in, const Attribute& fact, domain::NicFacts& nic) {
  if (fact.key == "model") return read_known_text(in, fact.value, nic.model);
  if (fact.key == "rate") return read_known_whole(in, fact.value, nic.rate_bits);
  if (fact.key == "role") {
    return fact.value == "?" ||
           read_choice<domain::NicRole>(
               in, fact.value,
               {{"compute", domain::NicRole::kCompute}, {"storage", domain::NicRole::kStorage}},
               nic.role.emplace());
  }
  if (fact.key == "rdma") {
    return fact.value == "?" || read_yes_or_no(in, fact.value, nic.rdma.emplace());
  }
  if (fact.key == "bond") return read_yes_or_no(in, fact.value, nic.bond);
  if (fact.key == "vfs") return read_int(in, fact.value, 0, domain::kVfsOfANicMax, nic.vfs);
  constexpr std::string_view kKnown[] = {"label", "id",   "pci",  "numa", "cordoned", "model",
                                         "rate",  "role", "rdma", "bond", "vfs"};
  return fail_unknown(in, fact.key, text::cat("a NIC has no ", text::quoted(fact.key)), kKnown);
}

bool read_fact(Lexer& in, const Attribute& fact, domain::NvmeFacts& nvme) {
  if (fact.key == "model") return read_known_text(in, fact.value, nvme.model);
  if (fact.key == "capacity") return read_known_whole(in, fact.value, nvme.capacity_bytes);
  constexpr std::string_view kKnown[] = {"label",    "id",    "pci",     "numa",
                                         "cordoned", "model", "capacity"};
  return fail_unknown(in, fact.key, text::cat("an NVMe has no ", text::quoted(fact.key)), kKnown);
}

bool read_device_fact(Lexer& in, const Attribute& fact, domain::Device& device) {
  if (fact.key == "label") return read_known_text(in, fact.value, device.label);
  if (fact.key == "id") return read_known_text(in, fact.value, device.id);
  if (fact.key == "pci") return read_pci(in, fact.value, device.pci);
  if (fact.key == "numa") return read_numa_list(in, fact.value, device.numa);
  if (fact.key == "cordoned") return read_text(in, fact.value, device.cordoned.emplace());
  return std::visit([&](auto& facts) { return read_fact(in, fact, facts); }, device.facts);
}

/// A host bridge that the text does not name.
std::optional<PlaceIndex> imply_bridge(NodeDraft& draft, std::optional<int> numa) {
  draft.node.places.push_back({.kind = PlaceKind::kBridge, .numa = numa, .implied = true});
  return static_cast<PlaceIndex>(draft.node.places.size() - 1);
}

bool places_left(Lexer& in, std::string_view word, const NodeDraft& draft) {
  // Two: a switch may bring a bridge along.
  return draft.node.places.size() + 2 <= static_cast<std::size_t>(kPlacesMax) ||
         in.too_large(word, "too many bridges, ports and switches on one node",
                      text::cat("at most ", kPlacesMax));
}

bool read_device(Lexer& in, DeviceName name, const Spot& at, NodeDraft& draft) {
  const Token word = in.take();
  if (name.ordinal >= domain::kDevicesOfAKindMax) {
    return in.too_large(word.text, text::cat(word.text, " is one too many"),
                        text::cat("at most ", domain::kDevicesOfAKindMax, " devices of a kind"));
  }
  const std::uint64_t bit = std::uint64_t{1} << static_cast<unsigned>(name.ordinal);
  auto& seen = draft.ordinals_seen[static_cast<std::size_t>(name.kind)];
  if ((seen & bit) != 0) {
    return in.fail(word.text, text::cat(word.text, " stands twice"),
                   "number the devices of a kind from 0, each once");
  }
  seen |= bit;
  if (!places_left(in, word.text, draft)) return false;

  domain::Device device{.ordinal = name.ordinal};
  if (name.kind == DeviceKind::kNic) device.facts = domain::NicFacts{};
  if (name.kind == DeviceKind::kNvme) device.facts = domain::NvmeFacts{};
  device.place = at.parent;
  if (!at.parent && at.numa) device.place = imply_bridge(draft, at.numa);
  Once once;
  while (in.at_word()) {
    const auto fact = attribute_of(in.peek().text);
    if (fact.relation == Relation::kNone) break;
    in.take();
    if (!once.first(in, fact) || !read_device_fact(in, fact, device)) return false;
  }
  draft.node.devices.push_back(std::move(device));
  draft.device_words.push_back(word.text);
  return in.charge(word.text, sizeof device + sizeof(domain::Place));
}

std::optional<PlaceKind> place_kind(std::string_view word) {
  if (numbered(word, "bridge")) return PlaceKind::kBridge;
  if (numbered(word, "port")) return PlaceKind::kPort;
  if (numbered(word, "sw")) return PlaceKind::kSwitch;
  return std::nullopt;
}

/// domain/node.hpp, invariant (2).
bool may_hang(Lexer& in, std::string_view word, PlaceKind kind, const Spot& at,
              const NodeDraft& draft) {
  if (!at.parent) return true;
  if (kind == PlaceKind::kBridge) {
    return in.fail(word, "a host bridge stands at the top",
                   "put it straight inside numaK, or on the node");
  }
  const auto above = draft.node.places[static_cast<std::size_t>(*at.parent)].kind;
  return kind != PlaceKind::kPort || above == PlaceKind::kBridge ||
         in.fail(word, "a root port hangs under a host bridge",
                 "the ports of a switch are part of the switch: leave them out");
}

bool read_place_fact(Lexer& in, const Attribute& fact, const Spot& at, domain::Place& place) {
  const bool bridge = place.kind == PlaceKind::kBridge;
  if (fact.key == "pci") return read_pci(in, fact.value, place.pci);
  if (fact.key == "numa" && bridge) {
    if (at.numa) {
      return in.fail(fact.word, "the braces around say the NUMA node already",
                     "numa= belongs to a bridge outside of every numa line");
    }
    return fact.value == "?" || read_int(in, fact.value, 0, 65535, place.numa.emplace());
  }
  if (fact.key == "implied" && bridge) return read_yes_or_no(in, fact.value, place.implied);
  constexpr std::string_view kKnown[] = {"pci", "numa", "implied"};
  return fail_unknown(
      in, fact.key,
      text::cat(bridge ? "a bridge" : "a port or switch", " has no ", text::quoted(fact.key)),
      std::span{kKnown}.first(bridge ? 3 : 1));
}

bool read_place(Lexer& in, PlaceKind kind, const Spot& at, NodeDraft& draft) {
  const Token word = in.take();
  if (!places_left(in, word.text, draft) || !may_hang(in, word.text, kind, at, draft)) {
    return false;
  }
  if (!draft.place_names.insert(word.text).second) {
    return in.fail(word.text, text::cat(word.text, " stands twice"),
                   "give each bridge, port and switch of a node its own number");
  }
  domain::Place place{.kind = kind, .name = std::string{word.text}, .parent = at.parent};
  if (kind == PlaceKind::kBridge) {
    place.numa = at.numa;
  } else if (!at.parent) {
    place.parent = imply_bridge(draft, at.numa);
  }
  Once once;
  while (in.at_word()) {
    const auto fact = attribute_of(in.peek().text);
    if (fact.relation == Relation::kNone) break;
    in.take();
    if (!once.first(in, fact) || !read_place_fact(in, fact, at, place)) return false;
  }
  if (in.peek().kind != TokenKind::kOpen) {
    return in.fail(word.text, text::cat("what hangs under ", word.text, " is missing"),
                   text::cat("write ", word.text, " { … }"));
  }
  if (!in.charge(word.text, 2 * sizeof place)) return false;
  auto& places = draft.node.places;
  places.push_back(std::move(place));
  const auto index = static_cast<PlaceIndex>(places.size() - 1);
  return read_block(in, {.parent = index, .numa = at.numa, .depth = at.depth}, draft);
}

}  // namespace

bool read_block(Lexer& in, Spot inside, NodeDraft& draft) {
  const std::string_view brace = in.peek().text;
  if (++inside.depth > kTreeDepthMax) {
    return in.too_large(brace, "too many braces within braces",
                        text::cat("at most ", kTreeDepthMax));
  }
  in.open_block();
  while (in.at_word()) {
    if (!read_tree_item(in, inside, draft)) return false;
  }
  if (in.peek().kind != TokenKind::kClose) {
    return in.fail(brace, "the brace is never closed", "end the block with }");
  }
  in.close_block();
  return true;
}

bool read_tree_item(Lexer& in, Spot at, NodeDraft& draft) {
  const auto word = in.peek().text;
  if (const auto device = device_name(word)) return read_device(in, *device, at, draft);
  if (const auto kind = place_kind(word)) return read_place(in, *kind, at, draft);
  constexpr std::string_view kInside[] = {"gpuK", "nicK", "nvmeK", "bridgeK", "portK", "swK"};
  constexpr std::string_view kOnNode[] = {"numaK", "gpuK", "nicK",     "nvmeK",  "bridgeK",
                                          "portK", "swK",  "nvlink",   "matrix", "node",
                                          "pod",   "held", "reserved", "->"};
  return fail_unknown(in, word, text::cat(text::quoted(word), " cannot stand here"),
                      at.depth > 0 ? std::span<const std::string_view>{kInside} : kOnNode);
}

}  // namespace tenon::notation
