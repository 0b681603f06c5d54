// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/hwloc_facts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "domain/pci_class.hpp"

namespace tenon::formats::topology {
namespace {

/// What an operating system device is; hwloc 3 writes bits, versions before it a number.
struct OsKinds {
  bool gpu = false;
  bool network = false;
  bool fabric = false;  // RDMA verbs
  bool storage = false;
};

OsKinds os_kinds(const HwlocFile& file, pugi::xml_node os_device) {
  const auto number = text::to_u64(attribute_or_empty(os_device, "osdev_type"));
  if (!number) return {};
  if (file.major >= 3) {
    return {.gpu = (*number & 4U) != 0,
            .network = (*number & 16U) != 0,
            .fabric = (*number & 32U) != 0,
            .storage = (*number & 1U) != 0};
  }
  constexpr std::uint64_t kCoprocessor = 5;
  return {.gpu = *number == 1 || *number == kCoprocessor,
          .network = *number == 2,
          .fabric = *number == 3,
          .storage = *number == 0};
}

/// Names of devices that a compute runtime made, the most telling first.
constexpr std::array<std::string_view, 5> kRuntimes{"nvml", "cuda", "rsmi", "ze", "opencl"};

/// Index into kRuntimes; its size where no runtime made this device.
std::size_t runtime_of(pugi::xml_node os_device) {
  const std::string_view name = attribute_or_empty(os_device, "name");
  for (std::size_t i = 0; i < kRuntimes.size(); ++i) {
    if (!name.starts_with(kRuntimes[i])) continue;
    const char next = name.size() > kRuntimes[i].size() ? name[kRuntimes[i].size()] : ' ';
    const std::string_view type = hwloc_info(os_device, "OpenCLDeviceType");
    if (next >= '0' && next <= '9' && (type.empty() || type == "GPU")) return i;
  }
  return kRuntimes.size();
}

std::vector<pugi::xml_node> os_devices(pugi::xml_node device) {
  std::vector<pugi::xml_node> found;
  for (const auto child : device.children("object")) {
    if (hwloc_type(child) == HwlocType::kOsDevice) found.push_back(child);
  }
  std::ranges::stable_sort(found, {}, runtime_of);
  return found;
}

bool is_compute_device(pugi::xml_node device) {
  return std::ranges::any_of(os_devices(device), [](pugi::xml_node os_device) {
    return runtime_of(os_device) < kRuntimes.size();
  });
}

std::string_view first_info(const std::vector<pugi::xml_node>& os_devices,
                            std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (const auto os_device : os_devices) {
      const std::string_view value = hwloc_info(os_device, name);
      if (!value.empty()) return value;
    }
  }
  return {};
}

std::string model_of(pugi::xml_node device) {
  const std::string_view name = hwloc_info(device, "PCIDevice");
  if (!name.empty()) return std::string{name};
  const HwlocPciType type = hwloc_pci_type(device);
  return type.vendor == 0 ? "" : type.ids;
}

domain::Device gpu_of(pugi::xml_node device) {
  const auto runtimes = os_devices(device);
  domain::Device out;
  if (!runtimes.empty() && runtime_of(runtimes.front()) < kRuntimes.size()) {
    out.label = attribute_or_empty(runtimes.front(), "name");
  }
  out.id = first_info(runtimes, {"NVIDIAUUID", "AMDUUID", "LevelZeroUUID"});
  domain::GpuFacts facts;
  facts.model = domain::gpu_model(first_info(runtimes, {"GPUModel", "LevelZeroModel"}));
  if (facts.model.empty()) facts.model = model_of(device);
  facts.memory_bytes =
      hwloc_kibibytes(first_info(runtimes, {"CUDAGlobalMemorySize", "RSMIVRAMSize",
                                            "LevelZeroHBMSize", "OpenCLGlobalMemorySize"}));
  out.facts = std::move(facts);
  return out;
}

domain::Device nic_of(const HwlocFile& file, pugi::xml_node device) {
  domain::Device out;
  domain::NicFacts facts;
  facts.model = model_of(device);
  std::string network;
  std::string address;
  for (const auto os_device : os_devices(device)) {
    const OsKinds kinds = os_kinds(file, os_device);
    const std::string_view name = attribute_or_empty(os_device, "name");
    if (kinds.fabric) {  // version 3 calls these network as well
      facts.rdma = true;
      if (out.label.empty()) out.label = name;
      if (out.id.empty()) out.id = hwloc_info(os_device, "NodeGUID");
    } else if (kinds.network) {
      if (!facts.rdma) facts.rdma = false;
      if (network.empty()) network = name;
      if (address.empty()) address = hwloc_info(os_device, "Address");
    }
  }
  if (out.label.empty()) out.label = network;
  if (out.id.empty()) out.id = address;
  facts.bond = out.label.find("bond") != std::string::npos;
  out.facts = std::move(facts);
  return out;
}

domain::Device nvme_of(const HwlocFile& file, pugi::xml_node device) {
  domain::Device out;
  domain::NvmeFacts facts;
  for (const auto os_device : os_devices(device)) {
    if (!os_kinds(file, os_device).storage) continue;
    if (out.label.empty()) out.label = attribute_or_empty(os_device, "name");
    if (out.id.empty()) out.id = hwloc_info(os_device, "SerialNumber");
    if (facts.model.empty()) facts.model = hwloc_info(os_device, "Model");
    const auto size = hwloc_kibibytes(hwloc_info(os_device, "Size"));
    constexpr std::int64_t kMost = std::int64_t{1} << 61;
    if (size && facts.capacity_bytes.value_or(0) < kMost) {
      facts.capacity_bytes = facts.capacity_bytes.value_or(0) + *size;
    }
  }
  if (facts.model.empty()) facts.model = model_of(device);
  out.facts = std::move(facts);
  return out;
}

}  // namespace

HwlocPciType hwloc_pci_type(pugi::xml_node device) {
  const std::string_view text = attribute_or_empty(device, "pci_type");
  constexpr std::size_t kClassEnd = 4;  // "0302 [10de:1db8]"
  constexpr std::size_t kVendor = 6;
  constexpr std::size_t kDevice = 11;
  if (text.size() < kDevice + 4 || text[kClassEnd] != ' ' || text[kVendor - 1] != '[') return {};
  const auto pci_class = text::hex_to_u64(text.substr(0, kClassEnd));
  const auto vendor = text::hex_to_u64(text.substr(kVendor, 4));
  const auto id = text::hex_to_u64(text.substr(kDevice, 4));
  if (!pci_class || !vendor || !id) return {};
  return {.pci_class = static_cast<domain::PciClass>(*pci_class),
          .vendor = static_cast<std::uint16_t>(*vendor),
          .ids = std::string{text.substr(kVendor, kDevice + 4 - kVendor)}};
}

PciRole hwloc_role(const HwlocFile& file, pugi::xml_node device) {
  const HwlocPciType type = hwloc_pci_type(device);
  const PciRole by_class = pci_role(type.pci_class, type.vendor);
  if (by_class != PciRole::kOther) return by_class;
  if (is_compute_device(device)) return PciRole::kGpu;
  for (const auto os_device : os_devices(device)) {
    const OsKinds kinds = os_kinds(file, os_device);
    if (kinds.network || kinds.fabric) return PciRole::kNic;
  }
  return PciRole::kOther;
}

domain::Device hwloc_device(const HwlocFile& file, pugi::xml_node device, PciRole role) {
  if (role == PciRole::kGpu) return gpu_of(device);
  if (role == PciRole::kNic) return nic_of(file, device);
  return nvme_of(file, device);
}

bool is_doubtful_display(const HwlocFile& file, pugi::xml_node device) {
  const HwlocPciType type = hwloc_pci_type(device);
  constexpr unsigned kDisplay = 0x03;
  return type.pci_class >> 8U == kDisplay && domain::makes_gpus(type.vendor) &&
         hwloc_role(file, device) == PciRole::kOther;
}

bool is_named_virtual_function(pugi::xml_node device) {
  if (hwloc_info(device, "PCIDevice").find("Virtual Function") != std::string_view::npos) {
    return true;
  }
  constexpr std::array<std::string_view, 14> kVirtual{
      "14e4:16dc", "14e4:1806",                                                      // Broadcom
      "15b3:1002", "15b3:1004", "15b3:1014", "15b3:1016", "15b3:1018", "15b3:101a",  // Mellanox
      "15b3:101c", "15b3:101e",                                                      // Mellanox
      "8086:10ed", "8086:1520", "8086:154c", "8086:1889"};                           // Intel
  return std::ranges::find(kVirtual, hwloc_pci_type(device).ids) != kVirtual.end();
}

}  // namespace tenon::formats::topology
