// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/node_builder.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"

namespace tenon::formats::topology {

using domain::Device;
using domain::DeviceIndex;
using domain::DeviceKind;
using domain::Place;
using domain::PlaceIndex;
using domain::PlaceKind;

domain::NumaNode& NodeBuilder::numa(int os_index) {
  domain::NumaNode& numa = numa_[os_index];
  numa.os_index = os_index;
  return numa;
}

PlaceIndex NodeBuilder::add_place(PlaceKind kind, std::optional<PlaceIndex> parent,
                                  std::optional<domain::PciAddress> pci) {
  constexpr std::string_view kPrefix[] = {"bridge", "port", "sw"};
  const auto index = static_cast<std::size_t>(kind);
  Place place;
  place.kind = kind;
  place.name = text::cat(kPrefix[index], places_of_kind_[index]++);
  place.parent = parent;
  place.pci = pci;
  node_.places.push_back(std::move(place));
  return PlaceIndex{static_cast<std::uint32_t>(node_.places.size() - 1)};
}

Place& NodeBuilder::place(PlaceIndex index) {
  const auto i = static_cast<std::size_t>(index);
  check(i < node_.places.size(), "a place belongs to the builder that made it");
  return node_.places[i];
}

NodeBuilder::Handle NodeBuilder::add_device(Device device) {
  devices_.push_back(std::move(device));
  return Handle{static_cast<std::uint32_t>(devices_.size() - 1)};
}

Device& NodeBuilder::device(Handle handle) {
  const auto i = static_cast<std::size_t>(handle);
  check(i < devices_.size(), "a device belongs to the builder that made it");
  return devices_[i];
}

void NodeBuilder::add_nvlinks(Handle from, Handle to, unsigned links) {
  constexpr unsigned kLinksMax = domain::kNvlinksMax;
  unsigned& sum = nvlinks_[{from, to}];
  sum = std::min(kLinksMax, sum + std::min(kLinksMax, links));
}

void NodeBuilder::set_matrix(std::vector<Handle> header, std::vector<domain::Link> cells) {
  check(cells.size() == header.size() * header.size(), "a matrix is square");
  header_ = std::move(header);
  cells_ = std::move(cells);
}

Result<domain::Node> NodeBuilder::finish(const std::string& where) {
  const auto too_many = [&](std::size_t count, std::string_view of, int most) {
    return std::unexpected(Error{ErrorKind::kTooLarge, where,
                                 text::cat("has ", count, " ", of, ", at most ", most, " are read"),
                                 "leave out what is not to be scheduled"});
  };
  if (numa_.size() > domain::kNumaNodesMax) {
    return too_many(numa_.size(), "NUMA nodes", domain::kNumaNodesMax);
  }
  for (auto& [os_index, numa] : numa_) node_.numa.push_back(std::move(numa));

  std::vector<DeviceIndex> index_of(devices_.size());
  for (const DeviceKind kind : {DeviceKind::kGpu, DeviceKind::kNic, DeviceKind::kNvme}) {
    int ordinal = 0;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      if (devices_[i].kind() != kind) continue;
      index_of[i] = DeviceIndex{static_cast<std::uint32_t>(node_.devices.size())};
      node_.devices.push_back(devices_[i]);
      node_.devices.back().ordinal = ordinal++;
    }
    if (ordinal > domain::kDevicesOfAKindMax) {
      return too_many(static_cast<std::size_t>(ordinal), text::cat(domain::to_text(kind), "s"),
                      domain::kDevicesOfAKindMax);
    }
  }
  const auto index = [&](Handle handle) { return index_of[static_cast<std::size_t>(handle)]; };

  if (!header_.empty()) {
    domain::Matrix matrix;
    for (const Handle handle : header_) matrix.header.push_back(index(handle));
    matrix.cells = std::move(cells_);
    node_.matrix = std::move(matrix);
  }
  for (const auto& [pair, links] : nvlinks_) {
    if (links == 0) continue;
    node_.nvlinks.push_back({.from = index(pair.first),
                             .to = index(pair.second),
                             .links = static_cast<std::uint8_t>(links)});
  }
  std::ranges::sort(node_.nvlinks, {},
                    [](const domain::NvlinkFact& fact) { return std::pair{fact.from, fact.to}; });
  return std::move(node_);
}

}  // namespace tenon::formats::topology
