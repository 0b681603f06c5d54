// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"
#include "domain/notation/read.hpp"
#include "domain/notation/values.hpp"
#include "domain/request.hpp"

namespace tenon::notation {
namespace {

using domain::Grant;
using domain::GrantMode;

/// The grants of one holder while they are read.
struct GrantDraft {
  const GrantContext& context;
  std::size_t node_index;
  const domain::Node& node;
  Slots own;  // taken by the grants so far
  domain::Allocation allocation;

  [[nodiscard]] bool taken(domain::DeviceIndex device, int slot) const {
    return context.slots.taken(node_index, device, slot) || own.taken(node_index, device, slot);
  }
};

/// Slots 0 … count - 1 of a device, of which `fits` says which will do.
struct SlotRange {
  int count;
  std::function<bool(int)> fits = [](int) { return true; };
};

/// The number after `@`, or the smallest that fits and is free.
bool read_slot(Lexer& in, std::string_view word, std::string_view slot, const SlotRange& range,
               const GrantDraft& draft, Grant& grant) {
  const auto& device = draft.node.devices[static_cast<std::size_t>(grant.device)];
  if (range.count == 0) return in.fail(word, text::cat(to_text(device), " has none of these"));
  if (!slot.empty()) {
    if (!read_int(in, slot, 0, range.count - 1, grant.slot)) return false;
    return range.fits(grant.slot) ||
           in.fail(slot, text::cat("slot ", grant.slot, " of ", to_text(device), " is another"));
  }
  for (int i = 0; i < range.count; ++i) {
    if (range.fits(i) && !draft.taken(grant.device, i)) {
      grant.slot = i;
      return true;
    }
  }
  return in.fail(word, text::cat("no slot of ", to_text(device), " is left for this"),
                 "see what the holders above have");
}

/// What a share of `milli` takes of the card's memory, rounded down (I22).
std::int64_t bytes_of_share(std::int64_t milli, std::int64_t memory) {
  constexpr std::int64_t kWhole = domain::kMilliOfAWhole;
  return memory / kWhole * milli + memory % kWhole * milli / kWhole;
}

/// "0.5", "0.5/12Gi".
bool read_share(Lexer& in, std::string_view value, const domain::GpuFacts& gpu, Grant& grant) {
  grant.mode = GrantMode::kShare;
  const auto slash = value.find('/');
  if (!read_milli(in, value.substr(0, slash), grant.amount)) return false;
  if (grant.amount < 1 || grant.amount > domain::kMilliOfAWhole) {
    return in.fail(value, "a share of a GPU is above 0 and at most 1",
                   "write the device alone for all of it");
  }
  if (slash != std::string_view::npos) return read_whole(in, value.substr(slash + 1), grant.bytes);
  grant.bytes = bytes_of_share(grant.amount, gpu.memory_bytes.value_or(0));
  return true;
}

bool read_gpu_part(Lexer& in, const Attribute& word, std::string_view part, std::string_view slot,
                   const domain::GpuFacts& gpu, const GrantDraft& draft, Grant& grant) {
  constexpr std::string_view kMig = "mig:";
  if (!part.starts_with(kMig)) {
    return read_share(in, part, gpu, grant) &&
           read_slot(in, word.word, slot, {static_cast<int>(domain::kMilliOfAWhole)}, draft, grant);
  }
  grant.mode = GrantMode::kMig;
  if (!read_profile(in, part.substr(kMig.size()), grant.profile)) return false;
  switch (gpu.mig) {
    case domain::MigMode::kOff:
      return in.fail(word.word, text::cat(word.key, " is not in MIG mode"),
                     "say mig= on the GPU, or grant a share");
    case domain::MigMode::kFixed:
      return read_slot(in, word.word, slot,
                       {static_cast<int>(gpu.partitions.size()),
                        [&](int i) {
                          return gpu.partitions[static_cast<std::size_t>(i)].profile ==
                                 grant.profile;
                        }},
                       draft, grant);
    case domain::MigMode::kDynamic:
      break;
  }
  // Where the next partition may begin is a matter of MIG's own rules, which are no notation.
  if (slot.empty()) {
    return in.fail(word.word, "of a dynamic card the first memory slice must be named",
                   text::cat("write ", word.word.substr(0, kNameBytesMax), "@0"));
  }
  constexpr int kMemorySlices = 8;
  return read_slot(in, word.word, slot, {kMemorySlices}, draft, grant);
}

bool read_device_grant(Lexer& in, const Attribute& word, domain::DeviceIndex index,
                       GrantDraft& draft) {
  const auto& device = draft.node.devices[static_cast<std::size_t>(index)];
  Grant grant{.device = index};
  const auto at = word.value.rfind('@');
  const bool slot_said = at != std::string_view::npos;
  const auto part = word.value.substr(0, at);
  const auto slot = slot_said ? word.value.substr(at + 1) : std::string_view{};
  if (slot_said && slot.empty()) {
    return in.fail(word.word, "the slot after @ is missing",
                   "leave @ out for the smallest free one");
  }
  bool good = true;
  if (word.relation != Relation::kNone) {
    if (const auto* gpu = std::get_if<domain::GpuFacts>(&device.facts)) {
      good = read_gpu_part(in, word, part, slot, *gpu, draft, grant);
    } else if (const auto* nic = std::get_if<domain::NicFacts>(&device.facts);
               nic != nullptr && part == "vf") {
      grant.mode = GrantMode::kVf;
      good = read_slot(in, word.word, slot, {nic->vfs}, draft, grant);
    } else if (nic != nullptr && !slot_said) {
      grant.mode = GrantMode::kBandwidth;
      good = read_whole(in, part, grant.amount);
    } else {
      good =
          in.fail(word.word, text::cat(text::quoted(word.value), " is no part of ", word.key),
                  nic != nullptr ? "write nic0, nic0=vf@3 or nic0=40G" : "an NVMe is given whole");
    }
  }
  if (!good) return false;
  draft.own.take(draft.node_index, index, grant.slot);
  draft.allocation.grants.push_back(std::move(grant));
  return in.charge(word.word, sizeof grant);
}

/// "0:64Gi,1:64Gi".
bool read_memory(Lexer& in, std::string_view list, GrantDraft& draft) {
  auto& memory = draft.allocation.memory;
  for (const auto part : text::split(list, ',')) {
    const auto colon = part.find(':');
    domain::MemoryGrant grant;
    if (colon == std::string_view::npos) {
      return in.fail(part, "of which NUMA node", "write mem=0:64Gi,1:64Gi");
    }
    if (!read_int(in, part.substr(0, colon), 0, 65535, grant.numa) ||
        !read_whole(in, part.substr(colon + 1), grant.bytes)) {
      return false;
    }
    const auto& nodes = draft.node.numa;
    if (std::none_of(nodes.begin(), nodes.end(),
                     [&](const auto& numa) { return numa.os_index == grant.numa; })) {
      return in.fail(part, text::cat(draft.node.name, " has no numa", grant.numa));
    }
    if (grant.bytes == 0) return in.fail(part, "no memory at all", "leave the NUMA node out");
    if (std::any_of(memory.begin(), memory.end(),
                    [&](const auto& other) { return other.numa == grant.numa; })) {
      return in.fail(part, text::cat("numa", grant.numa, " stands twice"));
    }
    memory.push_back(grant);
  }
  std::sort(memory.begin(), memory.end(),
            [](const auto& a, const auto& b) { return a.numa < b.numa; });
  return in.charge(list, memory.size() * sizeof(domain::MemoryGrant));
}

bool read_cpu_grant(Lexer& in, std::string_view list, GrantDraft& draft) {
  domain::CpuSet left;
  if (!read_cpus(in, list, left)) return false;
  draft.allocation.cpus = left;
  for (const auto& numa : draft.node.numa) left.erase(numa.cpus);
  if (!left.empty()) {
    return in.fail(list, text::cat(draft.node.name, " has no CPU ", left.ranges().front().first));
  }
  return in.charge(list, draft.allocation.cpus.ranges().size() * sizeof(domain::CpuRange));
}

bool read_grant(Lexer& in, const Attribute& word, GrantDraft& draft) {
  if (const auto name = device_name(word.key)) {
    const auto device = find_device(draft.node, name->kind, name->ordinal);
    if (!device) {
      return in.fail(word.word, text::cat(draft.node.name, " has no ", word.key),
                     "tenon topo show draws what it has");
    }
    return read_device_grant(in, word, *device, draft);
  }
  if (word.relation == Relation::kIs) {
    if (word.key == "cpus") return read_cpu_grant(in, word.value, draft);
    if (word.key == "cpu") return read_milli(in, word.value, draft.allocation.cpu_milli);
    if (word.key == "mem") return read_memory(in, word.value, draft);
  }
  constexpr std::string_view kKnown[] = {"gpuK", "nicK", "nvmeK", "cpus=", "cpu=", "mem="};
  return fail_unknown(in, word.word, text::cat(text::quoted(word.key), " is no grant"), kKnown);
}

/// Grants to the end of the line.
bool read_grants(Lexer& in, const GrantContext& context, std::size_t node_index,
                 domain::Allocation& out) {
  GrantDraft draft{context, node_index, context.cluster.nodes[node_index], {}, {}};
  std::string_view last;
  Once once;
  while (in.at_word()) {
    const auto word = attribute_of(in.take().text);
    last = word.word;
    if (!device_name(word.key) && !once.first(in, word)) return false;
    if (!read_grant(in, word, draft)) return false;
  }
  auto& grants = draft.allocation.grants;
  const auto key = [](const Grant& grant) { return std::pair{grant.device, grant.slot}; };
  std::sort(grants.begin(), grants.end(),
            [&](const Grant& a, const Grant& b) { return key(a) < key(b); });
  const auto twice =
      std::adjacent_find(grants.begin(), grants.end(),
                         [&](const Grant& a, const Grant& b) { return key(a) == key(b); });
  if (twice != grants.end()) {
    const auto& device = draft.node.devices[static_cast<std::size_t>(twice->device)];
    return in.fail(last, text::cat(to_text(device), " is granted twice on this line"),
                   "grant a device once, or different slots of it");
  }
  out = std::move(draft.allocation);
  return !in.failed();
}

/// "on NODE:": which node it is.
bool read_on_node(Lexer& in, const GrantContext& context, std::size_t& out) {
  const Token node = in.take();
  if (node.kind != TokenKind::kWord) return in.fail(node.text, "the node's name is missing");
  auto word = node.text;
  if (word.ends_with(':')) {
    word.remove_suffix(1);
  } else if (in.at_word(":")) {
    in.take();
  } else {
    return in.fail(word, "a colon follows the node's name", "write on NODE: gpu0 …");
  }
  std::string name;
  if (!read_name(in, word, name)) return false;
  const auto found = context.names.find(name);
  if (found == context.names.end()) {
    std::vector<std::string_view> known;
    constexpr std::size_t kShown = 8;
    for (const auto& [other, _] : context.names) {
      if (known.size() < kShown) known.push_back(other);
    }
    if (known.empty()) {
      return in.fail(word, text::cat("there is no node ", text::quoted(name), " above"),
                     "describe the node first");
    }
    return fail_unknown(in, word, text::cat("there is no node ", text::quoted(name), " above"),
                        known);
  }
  out = found->second;
  return true;
}

bool read_holder_name(Lexer& in, std::string& out) {
  const Token name = in.take();
  if (name.kind != TokenKind::kWord) return in.fail(name.text, "a name is missing here");
  return read_name(in, name.text, out);
}

}  // namespace

void Slots::take(std::size_t node, const domain::Allocation& allocation) {
  for (const auto& grant : allocation.grants) take(node, grant.device, grant.slot);
}

void Slots::take(std::size_t node, domain::DeviceIndex device, int slot) {
  auto& slots = taken_[{node, device}];
  const auto at = static_cast<std::size_t>(slot);
  if (slots.size() <= at) slots.resize(at + 1);
  slots[at] = true;
}

bool Slots::taken(std::size_t node, domain::DeviceIndex device, int slot) const {
  const auto found = taken_.find({node, device});
  const auto at = static_cast<std::size_t>(slot);
  return found != taken_.end() && at < found->second.size() && found->second[at];
}

bool read_holder(Lexer& in, const GrantContext& context, domain::Holder& out) {
  std::size_t node = 0;
  if (!read_holder_name(in, out.name)) return false;
  if (const Token on = in.take(); on.kind != TokenKind::kWord || on.text != "on") {
    return in.fail(on.text, "here the word on belongs", "write held NAME on NODE: gpu0 …");
  }
  if (!read_on_node(in, context, node)) return false;
  out.node = context.cluster.nodes[node].name;
  return in.charge(in.peek().text, sizeof out) && read_grants(in, context, node, out.allocation);
}

bool read_expected(Lexer& in, const GrantContext& context, Expected& out) {
  if (!read_holder_name(in, out.request)) return false;
  const Token word = in.take();
  if (word.kind == TokenKind::kWord && word.text == "refused:") {
    out.refusal = in.take_rest_of_line();
    return in.charge(word.text, sizeof out + out.refusal.size());
  }
  if (word.kind != TokenKind::kWord || word.text != "on") {
    return in.fail(word.text, "here on or refused: belongs",
                   "write -> NAME on NODE: gpu0 …, or -> NAME refused: TEXT");
  }
  std::size_t node = 0;
  if (!read_on_node(in, context, node)) return false;
  out.node = context.cluster.nodes[node].name;
  return in.charge(word.text, sizeof out) &&
         read_grants(in, context, node, out.allocation.emplace());
}

}  // namespace tenon::notation
