// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The nearest fix of a refused request: the smallest change that makes it fit.
//
// Kinds in the order in which they are offered; a later kind only where no earlier one works
// (docs/invariants.md I65 … I69).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/allocation/allocate.hpp"
#include "domain/cluster.hpp"

namespace tenon::planner {

/// At most this many devices are named for freeing; more is a matter of ending holders.
inline constexpr int kFreeDevicesMax = 4;
/// At most this many devices are added.
inline constexpr int kAddDevicesMax = 8;

/// Devices that holders would give back, or a cordon would give free.
struct FreeDevices {
  std::vector<domain::DeviceIndex> devices;  // ascending
  friend bool operator==(const FreeDevices&, const FreeDevices&) = default;
};
/// One clause, one step weaker.
struct RelaxClause {
  std::string from;  // "pair<=PIX"
  std::string to;    // "pair<=PXB"; "" where the clause goes
  domain::Request request;
  friend bool operator==(const RelaxClause&, const RelaxClause&) = default;
};
struct EndHolders {
  std::vector<std::string> holders;  // sorted; the fewest
  friend bool operator==(const EndHolders&, const EndHolders&) = default;
};
/// One amount, as much as would fit.
struct AskLess {
  std::string from;  // "gpu=8"
  std::string to;    // "gpu=6"
  domain::Request request;
  friend bool operator==(const AskLess&, const AskLess&) = default;
};
/// More devices of one kind beside what is there.
struct AddHardware {
  std::string what;   // "1 NIC beside nic0 and 2 NICs beside gpu3"
  domain::Node node;  // as it would be
  friend bool operator==(const AddHardware&, const AddHardware&) = default;
};

struct Fix {
  std::string node;  // where it would fit then
  std::variant<FreeDevices, RelaxClause, EndHolders, AskLess, AddHardware> change;
  std::string text;  // one sentence: "free nic1 on a1 (held by train)"
};

/// The cluster and request as they would be. What `place` then answers is an allocation.
struct Applied {
  domain::Cluster cluster;
  domain::Request request;
};
[[nodiscard]] Applied apply_fix(const domain::Cluster& cluster, const domain::Request& request,
                                const Fix& fix);

struct FixSearch {
  std::optional<Fix> fix;
  /// False: counted work ran out. Without a fix there may be one, and a fix may not be the nearest.
  bool complete = true;
  std::int64_t steps = 0;  // counted work
};

/// REQUIRES: the cluster does not contradict itself (place() answers); the request is well asked and
/// refused on every node.
[[nodiscard]] FixSearch nearest_fix(const domain::Cluster& cluster, const domain::Request& request,
                                    const allocation::Limits& limits);

}  // namespace tenon::planner
