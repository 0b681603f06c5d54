// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/dra_node.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "domain/pci_class.hpp"
#include "domain/quantity.hpp"
#include "formats/topology/node_builder.hpp"

namespace tenon::formats::topology {
namespace {

using domain::PlaceIndex;

enum class Sort { kGpu, kMig, kNic, kVirtualNic, kOtherGpu, kOther };

/// An attribute in the driver's own domain, written with or without it.
std::string_view own(const DraSlice& slice, const DraDevice& device, std::string_view name) {
  const std::string_view plain = device.attribute(name);
  return plain.empty() ? device.attribute(text::cat(slice.driver, "/", name)) : plain;
}

std::string_view first_named(const DraDevice& device,
                             std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (const std::string_view value : device.all_named(name)) {
      if (!value.empty()) return value;
    }
  }
  return {};
}

Sort sort_of(const DraSlice& slice, const DraDevice& device) {
  if (slice.driver.starts_with("gpu.")) {
    const std::string_view type = own(slice, device, "type");
    if (type == "mig") return Sort::kMig;
    const bool whole = type.empty() || type == "gpu" || type == "amdgpu" || type == "vfio";
    return whole ? Sort::kGpu : Sort::kOtherGpu;
  }
  const bool nic = slice.driver == "dra.net" ||
                   !first_named(device, {"rdma", "rdmaDevice", "ifName", "interfaceName"}).empty();
  if (!nic) return Sort::kOther;
  return first_named(device, {"virtual"}) == "true" ? Sort::kVirtualNic : Sort::kNic;
}

class Assembly {
 public:
  Assembly(const std::string& name, std::vector<std::string>& warnings)
      : name_(name), warnings_(warnings), builder_(name) {}

  Result<domain::Node> build(const std::vector<const DraSlice*>& slices);

 private:
  struct Draft {
    const DraDevice* source;
    domain::Device device;
    std::string root;  // "pci0000:10"; "" where not known
  };

  Result<void> take(const DraSlice& slice, const DraDevice& device);
  Result<void> add(Draft draft);
  Draft draft_of(const DraDevice& device);
  Draft gpu_of(const DraSlice& slice, const DraDevice& device);
  Draft nic_of(const DraDevice& device);
  Result<void> add_partitions();
  std::optional<std::int64_t> memory_of(const DraDevice& device);
  std::vector<int> numa_of(const DraDevice& device);
  void place_all();
  void settle_numa();
  void warn_of_left_out();

  void warn(const DraDevice& device, std::string_view what) {
    warnings_.push_back(text::cat(device.where, ": ", what));
  }

  const std::string& name_;
  std::vector<std::string>& warnings_;
  NodeBuilder builder_;
  std::vector<Draft> drafts_;
  std::vector<std::pair<const DraSlice*, const DraDevice*>> migs_;
  std::set<std::tuple<std::string, std::string, std::string>> names_;
  std::map<std::string, int> left_out_;  // by reason
};

Result<domain::Node> Assembly::build(const std::vector<const DraSlice*>& slices) {
  for (const DraSlice* slice : slices) {
    for (const DraDevice& device : slice->devices) {
      if (!names_.emplace(slice->driver, slice->pool, device.name).second) {
        return bad_input(device.where, text::cat("stands twice in the slices of ", slice->driver),
                         "give each slice once");
      }
      if (auto done = take(*slice, device); !done) return std::unexpected(done.error());
    }
  }
  if (auto done = add_partitions(); !done) return std::unexpected(done.error());
  std::ranges::stable_sort(drafts_, [](const Draft& a, const Draft& b) {
    if (a.device.pci.has_value() != b.device.pci.has_value()) return a.device.pci.has_value();
    return std::tie(a.device.pci, a.source->name) < std::tie(b.device.pci, b.source->name);
  });
  place_all();
  settle_numa();
  bool has_gpu = false;
  for (Draft& draft : drafts_) {
    has_gpu = has_gpu || draft.device.kind() == domain::DeviceKind::kGpu;
    builder_.add_device(std::move(draft.device));
  }
  warn_of_left_out();
  if (!has_gpu) warnings_.push_back(text::cat("node ", name_, ": names no GPU"));
  return builder_.finish(text::cat("node ", name_));
}

Result<void> Assembly::take(const DraSlice& slice, const DraDevice& device) {
  if (device.has_taints) ++left_out_["taints are not read: tainted devices are offered alike"];
  switch (sort_of(slice, device)) {
    case Sort::kGpu:
      return add(gpu_of(slice, device));
    case Sort::kNic:
      return add(nic_of(device));
    case Sort::kMig:
      migs_.emplace_back(&slice, &device);
      return {};
    case Sort::kVirtualNic:
      ++left_out_["virtual network devices are left out"];
      return {};
    case Sort::kOtherGpu:
      ++left_out_[text::cat("devices of ", slice.driver, " that are no whole GPU are left out")];
      return {};
    case Sort::kOther:
      ++left_out_[text::cat("devices of ", slice.driver, " are neither GPU nor NIC: left out")];
      return {};
  }
  return {};
}

/// Two drivers may offer one device, each in its way; the first one stands.
Result<void> Assembly::add(Draft draft) {
  for (const Draft& other : drafts_) {
    if (!draft.device.pci || other.device.pci != draft.device.pci) continue;
    if (other.device.kind() != draft.device.kind()) {
      return bad_input(draft.source->where,
                       text::cat("is at ", to_text(*draft.device.pci), ", where ",
                                 other.source->name, " of another kind is"),
                       "a device is in one place: correct the slices");
    }
    warn(*draft.source, text::cat("is at ", to_text(*draft.device.pci), " like ",
                                  other.source->name, ": taken as the same, and left out"));
    return {};
  }
  drafts_.push_back(std::move(draft));
  return {};
}

Assembly::Draft Assembly::draft_of(const DraDevice& device) {
  Draft draft{.source = &device, .device = {}, .root = {}};
  std::string_view address = device.attribute("resource.kubernetes.io/pciBusID");
  if (address.empty()) {
    address = first_named(device, {"pciBusID", "pcieBusID", "pciAddress", "pciAddr"});
  }
  draft.device.pci = domain::pci_address_from_text(address);
  if (!address.empty() && !draft.device.pci) {
    warn(device, text::cat(text::quoted(address), " is no PCI address: it counts as not known"));
  }
  // A driver's own attribute of that name means what that driver says, and is not compared.
  draft.root = device.attribute("resource.kubernetes.io/pcieRoot");
  draft.device.numa = numa_of(device);
  return draft;
}

std::optional<std::int64_t> Assembly::memory_of(const DraDevice& device) {
  if (device.memory.empty()) return std::nullopt;
  const auto bytes = domain::whole_from_text(device.memory);
  if (bytes && *bytes > 0) return *bytes;
  warn(device,
       text::cat("memory ", text::quoted(device.memory), " is no amount: it counts as not known"));
  return std::nullopt;
}

std::vector<int> Assembly::numa_of(const DraDevice& device) {
  std::set<std::set<int>> statements;
  for (const DraAttribute& attribute : device.attributes) {
    if (attribute.name != "numaNode" && !attribute.name.ends_with("/numaNode")) continue;
    std::set<int> nodes;
    for (const std::string& value : attribute.values) {
      constexpr std::uint64_t kMost = 65'535;
      const auto number = text::to_u64(value);
      if (number && *number <= kMost) nodes.insert(static_cast<int>(*number));
    }
    if (!nodes.empty()) statements.insert(std::move(nodes));  // -1: the firmware is silent
  }
  if (statements.empty()) return {};
  if (statements.size() > 1) {
    warn(device, "its attributes name different NUMA nodes: they count as not known");
    return {};
  }
  return {statements.begin()->begin(), statements.begin()->end()};
}

Assembly::Draft Assembly::gpu_of(const DraSlice& slice, const DraDevice& device) {
  Draft draft = draft_of(device);
  draft.device.label = device.name;
  draft.device.id = own(slice, device, "uuid");
  domain::GpuFacts facts;
  std::string_view product = own(slice, device, "productName");
  if (product.empty()) product = own(slice, device, "model");
  facts.model = domain::gpu_model(product);
  facts.memory_bytes = memory_of(device);
  draft.device.facts = std::move(facts);
  return draft;
}

Assembly::Draft Assembly::nic_of(const DraDevice& device) {
  Draft draft = draft_of(device);
  domain::NicFacts facts;
  const std::string_view rdma_device = first_named(device, {"rdmaDevice"});
  const std::string_view interface = first_named(device, {"ifName", "interfaceName"});
  draft.device.label = !rdma_device.empty() ? rdma_device : !interface.empty() ? interface : device.name;
  draft.device.id = first_named(device, {"mac"});
  facts.model = first_named(device, {"pciDevice"});
  const std::string_view rdma = first_named(device, {"rdma"});
  if (rdma == "true" || rdma == "false") facts.rdma = rdma == "true";
  facts.bond = draft.device.label.find("bond") != std::string::npos;
  const auto vfs = text::to_u64(first_named(device, {"sriovVfs"}));
  if (vfs) facts.vfs = static_cast<int>(std::min<std::uint64_t>(*vfs, domain::kVfsOfANicMax));
  draft.device.facts = std::move(facts);
  return draft;
}

/// Partitions that exist are all that their card gives. Partitions that could be cut from a card that
/// is offered whole are another way to give the same card, and are left out.
Result<void> Assembly::add_partitions() {
  std::map<std::string, Draft> cards;  // by UUID
  for (const auto& [slice, device] : migs_) {
    const std::string parent{own(*slice, *device, "parentUUID")};
    const bool whole = std::ranges::any_of(
        drafts_, [&](const Draft& draft) { return !parent.empty() && draft.device.id == parent; });
    const std::string_view profile = own(*slice, *device, "profile");
    if (whole || device->draws_on_counters || parent.empty() || profile.empty()) {
      ++left_out_
          [parent.empty() || profile.empty()
               ? "MIG partitions without parentUUID or profile are left out"
               : "MIG partitions that could be cut are left out: their cards are given whole"];
      continue;
    }
    auto entry = cards.find(parent);
    if (entry == cards.end()) {
      Draft card = gpu_of(*slice, *device);
      card.device.label.clear();
      card.device.id = parent;
      auto& facts = std::get<domain::GpuFacts>(card.device.facts);
      facts.memory_bytes.reset();  // the partition's, not the card's
      facts.mig = domain::MigMode::kFixed;
      entry = cards.emplace(parent, std::move(card)).first;
    }
    std::get<domain::GpuFacts>(entry->second.device.facts)
        .partitions.push_back({std::string{profile}, memory_of(*device)});
  }
  for (auto& [parent, card] : cards) {
    if (auto done = add(std::move(card)); !done) return done;
  }
  return {};
}

/// One bridge for each root. It is on the NUMA node that its devices name, if they agree.
void Assembly::place_all() {
  std::map<std::string, PlaceIndex> bridges;
  std::map<std::string, std::set<std::vector<int>>> numa;
  for (Draft& draft : drafts_) {
    if (draft.root.empty()) continue;
    auto entry = bridges.find(draft.root);
    if (entry == bridges.end()) {
      entry = bridges.emplace(draft.root, builder_.add_place(domain::PlaceKind::kBridge, {})).first;
    }
    draft.device.place = entry->second;
    if (!draft.device.numa.empty()) numa[draft.root].insert(draft.device.numa);
  }
  for (const auto& [root, statements] : numa) {
    if (statements.size() == 1 && statements.begin()->size() == 1) {
      builder_.place(bridges.at(root)).numa = statements.begin()->front();
    } else if (statements.size() > 1) {
      warnings_.push_back(text::cat("node ", name_, ": devices of ", text::quoted(root),
                                    " name different NUMA nodes"));
    }
  }
}

/// Slices do not list NUMA nodes. Where a single one is named and some device names none, the machine
/// must not look as if all of it were on the one.
void Assembly::settle_numa() {
  std::set<int> named;
  for (const Draft& draft : drafts_)
    named.insert(draft.device.numa.begin(), draft.device.numa.end());
  for (const int index : named) builder_.numa(index);
  if (named.size() != 1) return;
  const bool vague = std::ranges::any_of(drafts_, [&](const Draft& draft) {
    const bool by_place = draft.device.place && builder_.place(*draft.device.place).numa;
    return draft.device.numa.empty() && !by_place;
  });
  if (!vague) return;
  const int other = *named.begin() == 0 ? 1 : 0;
  builder_.numa(other);
  warnings_.push_back(
      text::cat("node ", name_, ": only NUMA node ", *named.begin(),
                " is named, and not by every device: another one, of which nothing is "
                "known, is written as numa",
                other));
}

void Assembly::warn_of_left_out() {
  for (const auto& [reason, count] : left_out_) {
    warnings_.push_back(text::cat("node ", name_, ": ", reason, " (", count, ")"));
  }
}

}  // namespace

Result<domain::Node> node_of_slices(const std::string& name,
                                    const std::vector<const DraSlice*>& slices,
                                    std::vector<std::string>& warnings) {
  return Assembly{name, warnings}.build(slices);
}

}  // namespace tenon::formats::topology
