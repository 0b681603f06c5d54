// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "domain/pci_class.hpp"

#include <algorithm>
#include <array>

namespace tenon::domain {
namespace {

struct GpuMaker {
  std::uint16_t vendor;
  std::string_view name;  // as products begin with it, and a blank
};

constexpr std::array kGpuMakers{
    GpuMaker{pci_vendor::kNvidia, "NVIDIA "},
    GpuMaker{pci_vendor::kAmd, "AMD "},
    GpuMaker{pci_vendor::kIntel, "Intel "},
    GpuMaker{pci_vendor::kHygon, "Hygon "},
    GpuMaker{pci_vendor::kMooreThreads, "Moore Threads "},
};

}  // namespace

bool may_be_gpu(PciClass pci_class) {
  return pci_class == pci_class::kVga || pci_class == pci_class::k3d ||
         pci_class == pci_class::kDisplay || pci_class == pci_class::kAccelerator;
}

bool makes_gpus(std::uint16_t vendor) {
  return std::ranges::find(kGpuMakers, vendor, &GpuMaker::vendor) != kGpuMakers.end();
}

std::string gpu_model(std::string_view product) {
  for (const auto& maker : kGpuMakers) {
    if (product.size() > maker.name.size() && product.starts_with(maker.name)) {
      product.remove_prefix(maker.name.size());
    }
  }
  return std::string{product};
}

}  // namespace tenon::domain
