// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/hwloc_devices.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "formats/topology/hwloc_facts.hpp"

namespace tenon::formats::topology {

using domain::PlaceIndex;
using domain::PlaceKind;

Result<void> HwlocDevices::read(pugi::xml_node machine) {
  if (auto done = visit(machine); !done) return done;
  if (auto done = refuse_repeated(); !done) return done;
  fold_virtual_functions();
  add_all();
  return {};
}

/// Down to where I/O hangs.
Result<void> HwlocDevices::visit(pugi::xml_node object) {
  std::optional<std::vector<int>> numa;  // asked for only where something hangs
  for (const auto child : object.children("object")) {
    if (!is_io(hwloc_type(child))) {
      if (auto done = visit(child); !done) return done;
      continue;
    }
    if (!numa) {
      auto near = cpus_.near(object);
      if (!near) return std::unexpected(near.error());
      numa = std::move(*near);
    }
    if (auto done = visit_io(child, Above{.numa = *numa}); !done) return done;
  }
  return {};
}

Result<void> HwlocDevices::visit_io(pugi::xml_node object, const Above& above) {
  constexpr std::size_t kPlacesMax = 4096;
  if (places_ > kPlacesMax) {
    return std::unexpected(Error{ErrorKind::kTooLarge, file_.xml.where(object),
                                 text::cat("has more than ", kPlacesMax, " bridges"),
                                 "give the topology of one machine"});
  }
  Above here = above;
  switch (hwloc_type(object)) {
    case HwlocType::kBridge:
      if (auto done = take_bridge(object, here); !done) return done;
      break;
    case HwlocType::kPciDevice:
      return take_device(object, here);
    default:
      return {};
  }
  for (const auto child : object.children("object")) {
    if (auto done = visit_io(child, here); !done) return done;
  }
  return {};
}

PlaceIndex HwlocDevices::new_bridge(const std::vector<int>& numa, bool implied) {
  ++places_;
  const PlaceIndex bridge = builder_.add_place(PlaceKind::kBridge, std::nullopt);
  if (numa.size() == 1) builder_.place(bridge).numa = numa.front();
  builder_.place(bridge).implied = implied;
  return bridge;
}

/// What has no bridge above in the file still hangs under one.
PlaceIndex HwlocDevices::top_place(const Above& above) {
  return above.place ? *above.place : new_bridge(above.numa, true);
}

Result<void> HwlocDevices::take_bridge(pugi::xml_node object, Above& above) {
  const std::string_view type = attribute_or_empty(object, "bridge_type");
  if (type.starts_with("0")) {
    above.place = new_bridge(above.numa, false);
    above.bridges = 0;
    return {};
  }
  const std::string_view busid = attribute_or_empty(object, "pci_busid");
  const auto address = domain::pci_address_from_text(busid);
  if (!address) {
    return bad_input(file_.xml.where(object),
                     text::cat("pci_busid ", text::quoted(busid), " is no PCI address"),
                     "an address like 0000:3b:00.0 is expected");
  }
  const PlaceIndex parent = top_place(above);
  const bool down_port = above.bridges > 0 && above.bridges % 2 == 0;
  if (!down_port) {
    ++places_;
    const PlaceKind kind = above.bridges == 0 ? PlaceKind::kPort : PlaceKind::kSwitch;
    above.place = builder_.add_place(kind, parent, address);
  }
  ++above.bridges;
  return {};
}

Result<void> HwlocDevices::take_device(pugi::xml_node object, const Above& above) {
  const std::string_view busid = attribute_or_empty(object, "pci_busid");
  const auto address = domain::pci_address_from_text(busid);
  if (!address) {
    return bad_input(file_.xml.where(object),
                     text::cat("pci_busid ", text::quoted(busid), " is no PCI address"),
                     "an address like 0000:3b:00.0 is expected");
  }
  const PciRole role = hwloc_role(file_, object);
  if (role == PciRole::kOther || role == PciRole::kBridge) {
    if (is_doubtful_display(file_, object)) {
      file_.warn(object, text::cat("display ", to_text(*address),
                                   " is not counted as a GPU: no runtime computes on it"));
    }
    return {};
  }
  Function function{.object = object, .device = hwloc_device(file_, object, role)};
  function.device.pci = *address;
  function.device.place = top_place(above);
  if (above.numa.size() > 1) function.device.numa = above.numa;
  function.ids = hwloc_pci_type(object).ids;
  function.has_os_device = object.child("object");
  function.named_virtual = role == PciRole::kNic && is_named_virtual_function(object);
  functions_.push_back(std::move(function));
  return {};
}

Result<void> HwlocDevices::refuse_repeated() {
  std::ranges::stable_sort(functions_, {}, [](const Function& it) { return *it.device.pci; });
  const auto twice = std::ranges::adjacent_find(
      functions_,
      [](const Function& a, const Function& b) { return a.device.pci == b.device.pci; });
  if (twice == functions_.end()) return {};
  return bad_input(file_.xml.where(std::next(twice)->object),
                   text::cat("device ", to_text(*twice->device.pci), " stands twice; first at ",
                             file_.xml.where(twice->object)),
                   "a device is in one place: remove the wrong one");
}

/// Virtual functions are no NICs of their own where their card is there to count them.
void HwlocDevices::fold_virtual_functions() {
  std::map<std::pair<std::uint32_t, std::uint8_t>, std::vector<Function*>> by_bus;
  for (Function& function : functions_) {
    if (function.device.kind() != domain::DeviceKind::kNic) continue;
    by_bus[{function.device.pci->domain, function.device.pci->bus}].push_back(&function);
  }
  for (const auto& [bus, functions] : by_bus) fold_virtual_functions_of_bus(functions);
  std::erase_if(functions_, [](const Function& it) { return it.vfs < 0; });
}

void HwlocDevices::fold_virtual_functions_of_bus(const std::vector<Function*>& functions) {
  Function* const first = functions.front();
  const auto is_virtual = [&](const Function& it) {
    // Without driver, and another device than the first function, which has one.
    const bool idle = !it.has_os_device && first->has_os_device && it.ids != first->ids;
    return it.named_virtual || (&it != first && idle);
  };
  std::vector<Function*> physical;
  std::vector<Function*> virtuals;
  for (Function* function : functions) {
    (is_virtual(*function) ? virtuals : physical).push_back(function);
  }
  if (physical.empty() || virtuals.empty()) return;  // in a virtual machine they are what there is
  constexpr int kFolded = -1;
  for (Function* function : virtuals) function->vfs = kFolded;
  if (physical.size() > 1) {
    file_.warn(virtuals.front()->object,
               text::cat(virtuals.size(), " virtual functions of a card with ", physical.size(),
                         " physical ones: which is whose is not known, and they are left out"));
    return;
  }
  const auto count = std::min<std::size_t>(virtuals.size(), domain::kVfsOfANicMax);
  if (count < virtuals.size()) {
    file_.warn(first->object,
               text::cat("has ", virtuals.size(), " virtual functions: ", count, " are counted"));
  }
  std::get<domain::NicFacts>(physical.front()->device.facts).vfs = static_cast<int>(count);
}

void HwlocDevices::add_all() {
  for (Function& function : functions_) {
    const auto handle = builder_.add_device(std::move(function.device));
    if (builder_.device(handle).kind() != domain::DeviceKind::kGpu) continue;
    gpus_[text::cat("PCIDev:", attribute_or_empty(function.object, "gp_index"))] = handle;
    for (const auto child : function.object.children("object")) {
      gpus_[text::cat("OSDev:", attribute_or_empty(child, "gp_index"))] = handle;
    }
  }
}

}  // namespace tenon::formats::topology
