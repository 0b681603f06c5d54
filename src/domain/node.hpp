// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A machine as its reader saw it: CPUs, memory, devices, and what is known of what is near what.
//
// Plain data. What follows from it (distances, groups, contradictions) is core/topology's; who
// holds what is domain/allocation.hpp's. A fact that nobody saw is std::nullopt, never a default.
//
// Invariants (notation and readers keep them; topology::check_node reports what is left):
//   (1) Devices stand in the order GPUs, NICs, NVMes; `ordinal` counts from 0 within a kind and is
//       what the notation writes: gpu0, nic3, nvme1.
//   (2) A place is younger than its parent: no cycle. At the top stand bridges only; a port hangs
//       under a bridge, a switch under a port, a bridge or a switch.
//   (3) NUMA nodes are sorted by os_index; their CPU sets are disjoint.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/cpu_set.hpp"
#include "domain/distance.hpp"
#include "domain/pci_address.hpp"

namespace tenon::domain {

/// Bounds on every input (docs/invariants.md I20). A reader refuses what is above them.
inline constexpr int kDevicesOfAKindMax = 64;
inline constexpr int kNumaNodesMax = 64;
inline constexpr int kThreadsOfACoreMax = 8;
inline constexpr int kVfsOfANicMax = 512;
/// NVLinks from one GPU to another: what Link holds, and what costs count from (I50).
inline constexpr std::uint8_t kNvlinksMax = 255;

enum class DeviceKind : std::uint8_t { kGpu, kNic, kNvme };
[[nodiscard]] std::string_view to_text(DeviceKind kind);  // "gpu", "nic", "nvme"

/// One physical core: its hardware threads as the kernel numbers them, ascending.
struct Core {
  std::vector<CpuId> threads;
  friend bool operator==(const Core&, const Core&) = default;
};

struct NumaNode {
  int os_index = 0;
  std::optional<int> socket;
  CpuSet cpus;
  /// All cores of `cpus`, sorted by first thread; nothing where nobody saw which CPUs are siblings.
  std::optional<std::vector<Core>> cores;
  std::optional<std::int64_t> memory_bytes;
  friend bool operator==(const NumaNode&, const NumaNode&) = default;
};

/// An index into Node::places.
enum class PlaceIndex : std::uint32_t {};
/// An index into Node::devices.
enum class DeviceIndex : std::uint32_t {};

enum class PlaceKind : std::uint8_t { kBridge, kPort, kSwitch };

/// A vertex of the PCI tree above the cards.
struct Place {
  PlaceKind kind = PlaceKind::kBridge;
  /// As the notation writes it: "sw0", "bridge1", "port2"; "" of an implied bridge over one thing
  /// alone, which the notation leaves out.
  std::string name;
  std::optional<PlaceIndex> parent;  // nothing at the top
  /// Of a place at the top: the os_index of its NUMA node, where the firmware names it.
  std::optional<int> numa;
  std::optional<PciAddress> pci;
  /// A host bridge that the source does not name, put in so that each card hangs under one. Two
  /// cards under two of these may or may not share a real bridge; they count as not sharing.
  bool implied = false;
  friend bool operator==(const Place&, const Place&) = default;
};

/// A part of a GPU that MIG has cut off, as nvidia-smi names its profile ("1g.10gb").
struct MigPartition {
  std::string profile;
  std::optional<std::int64_t> memory_bytes;
  friend bool operator==(const MigPartition&, const MigPartition&) = default;
};

enum class MigMode : std::uint8_t {
  kOff,      // given whole or in shares
  kFixed,    // given by the partitions that exist
  kDynamic,  // empty card of 7 compute and 8 memory slices, cut on demand (core/topology/mig.hpp)
};

struct GpuFacts {
  std::string model;  // "A100-SXM4-80GB"; "" where not known
  std::optional<std::int64_t> memory_bytes;
  MigMode mig = MigMode::kOff;
  std::vector<MigPartition> partitions;  // of kFixed, in the order of their slots
  std::optional<int> slots;              // most shares at one time; nothing: only capacity limits
  friend bool operator==(const GpuFacts&, const GpuFacts&) = default;
};

enum class NicRole : std::uint8_t { kCompute, kStorage };

struct NicFacts {
  std::string model;
  std::optional<std::int64_t> rate_bits;  // bits per second of all its ports
  std::optional<NicRole> role;
  std::optional<bool> rdma;
  bool bond = false;  // an aggregate of other ports
  int vfs = 0;        // virtual functions that can be given away
  friend bool operator==(const NicFacts&, const NicFacts&) = default;
};

struct NvmeFacts {
  std::string model;
  std::optional<std::int64_t> capacity_bytes;
  friend bool operator==(const NvmeFacts&, const NvmeFacts&) = default;
};

struct Device {
  int ordinal = 0;
  std::string label;  // the source's own name ("GPU0", "mlx5_0"); "" where it has none
  std::string id;     // stable identity: UUID, serial or GUID; "" where not known
  std::optional<PciAddress> pci;
  std::optional<PlaceIndex> place;  // nothing where the tree does not show it
  /// os_index of each NUMA node that it is near to; empty where not known. Of a device with a
  /// place, the place's top decides unless this says more.
  std::vector<int> numa;
  std::optional<std::string> cordoned;  // an administrator's reason; such a device is not given
  std::variant<GpuFacts, NicFacts, NvmeFacts> facts;

  [[nodiscard]] DeviceKind kind() const { return static_cast<DeviceKind>(facts.index()); }
  friend bool operator==(const Device&, const Device&) = default;
};

/// "gpu0", "nic3".
[[nodiscard]] std::string to_text(const Device& device);

/// What one source says of an ordered pair of devices: a cell of a matrix.
struct Link {
  enum class Seen : std::uint8_t { kNothing, kSelf, kDistance, kNvlink };
  Seen seen = Seen::kNothing;
  Distance distance = Distance::kSame;  // of kDistance
  std::uint8_t nvlinks = 0;             // of kNvlink, at least 1
  friend bool operator==(const Link&, const Link&) = default;
};

/// "?", "X", "PIX" … "SYS", "NV12".
[[nodiscard]] std::string to_text(const Link& link);
[[nodiscard]] std::optional<Link> link_from_text(std::string_view cell);

/// A matrix as it was read: both directions, contradictions included.
struct Matrix {
  std::vector<DeviceIndex> header;
  std::vector<Link> cells;  // row by row; header.size() squared
  friend bool operator==(const Matrix&, const Matrix&) = default;
};

/// NVLinks stated outside a matrix, from one GPU towards another (one direction).
struct NvlinkFact {
  DeviceIndex from;
  DeviceIndex to;
  std::uint8_t links = 0;
  friend bool operator==(const NvlinkFact&, const NvlinkFact&) = default;
};

struct Node {
  std::string name;
  std::string arch;  // "amd64", "arm64" …; "" where not known
  std::optional<std::string> cordoned;
  std::vector<NumaNode> numa;
  std::vector<Place> places;
  std::vector<Device> devices;
  std::optional<Matrix> matrix;
  std::vector<NvlinkFact> nvlinks;  // sorted by (from, to), each pair at most once
  friend bool operator==(const Node&, const Node&) = default;
};

/// Devices of one kind, by ordinal.
[[nodiscard]] std::optional<DeviceIndex> find_device(const Node& node, DeviceKind kind,
                                                     int ordinal);

}  // namespace tenon::domain
