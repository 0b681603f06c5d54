// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What PCI says of a function, its class and its vendor, and which of these mean GPUs. What else
// a source knows of a function is its reader's to add.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::domain {

/// Base class and subclass: 0x0302 of class 0x030200.
using PciClass = std::uint16_t;

namespace pci_class {
inline constexpr PciClass kNvme = 0x0108;
inline constexpr PciClass kEthernet = 0x0200;
inline constexpr PciClass kInfiniband = 0x0207;
inline constexpr PciClass kFabric = 0x0208;
inline constexpr PciClass kVga = 0x0300;
inline constexpr PciClass k3d = 0x0302;
inline constexpr PciClass kDisplay = 0x0380;  // neither VGA nor 3D
inline constexpr PciClass kBridge = 0x0604;
inline constexpr PciClass kAccelerator = 0x1200;
}  // namespace pci_class

namespace pci_vendor {
inline constexpr std::uint16_t kUnknown = 0;
inline constexpr std::uint16_t kAmd = 0x1002;
inline constexpr std::uint16_t kNvidia = 0x10de;
inline constexpr std::uint16_t kHygon = 0x1d94;
inline constexpr std::uint16_t kMooreThreads = 0x1ed5;
inline constexpr std::uint16_t kIntel = 0x8086;
}  // namespace pci_vendor

/// Classes that a GPU may have. VGA is mostly a management controller's or a desktop's.
[[nodiscard]] bool may_be_gpu(PciClass pci_class);

/// False for pci_vendor::kUnknown.
[[nodiscard]] bool makes_gpus(std::uint16_t vendor);

/// One spelling of GPU models over all sources, without the maker in front: "NVIDIA A100-SXM4-40GB"
/// is "A100-SXM4-40GB".
[[nodiscard]] std::string gpu_model(std::string_view product);

}  // namespace tenon::domain
