// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/partial.hpp"

#include <bit>

namespace tenon::allocation {

void Affinities::add(Mask numa) {
  ++count_;
  common_ &= numa;
  if (numa == 0) return;
  ++known_;
  near_ |= numa;
  while (numa != 0) ++near_count_[static_cast<std::size_t>(pop_lowest(numa))];
}

CoresMemory::Devices Affinities::devices() const {
  CoresMemory::Devices devices{.near = near_, .common = common_, .count = count_};
  for (std::size_t n = 0; n < near_count_.size(); ++n) {
    devices.far[n] = static_cast<std::uint8_t>(known_ - near_count_[n]);
  }
  return devices;
}

int compare_sets(Mask a, Mask b) {
  if (a == b) return 0;
  const Mask lowest_difference = (a ^ b) & (~(a ^ b) + 1);
  return (a & lowest_difference) != 0 ? -1 : 1;
}

int compare_units(const DeviceChoice& a, const DeviceChoice& b, int end) {
  for (std::size_t nic = 0; nic < static_cast<std::size_t>(end); ++nic) {
    if (a.nic_units[nic] != b.nic_units[nic]) return a.nic_units[nic] > b.nic_units[nic] ? -1 : 1;
  }
  return 0;
}

int compare_cards(const DeviceChoice& a, const DeviceChoice& b, int units) {
  for (std::size_t unit = 0; unit < static_cast<std::size_t>(units); ++unit) {
    if (a.unit_cards[unit] != b.unit_cards[unit]) {
      return a.unit_cards[unit] < b.unit_cards[unit] ? -1 : 1;
    }
  }
  return 0;
}

}  // namespace tenon::allocation
