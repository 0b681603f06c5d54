// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// ResourceSlices as written, versions v1alpha3 to v1 alike: who offers which devices on which node.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "formats/topology/structured.hpp"

namespace tenon::formats::topology {

/// An attribute has a name, qualified by a domain or meant in that of the driver, and values of one
/// type: mostly one, of list types several.
struct DraAttribute {
  std::string name;
  std::vector<std::string> values;
};

struct DraDevice {
  std::string name;
  std::string where;  // "file:line:column: device gpu-0", for messages
  std::vector<DraAttribute> attributes;
  std::string memory;  // quantity of the capacity "memory"; "" where there is none
  bool has_taints = false;
  bool draws_on_counters = false;  // one of several ways to cut a device, not one that exists

  /// The first value of the attribute of exactly that name; "" where there is none.
  [[nodiscard]] std::string_view attribute(std::string_view name) const;
  /// All values of attributes whose name ends like that behind a slash, or is that: "numaNode" finds
  /// "dra.net/numaNode".
  [[nodiscard]] std::vector<std::string_view> all_named(std::string_view last) const;
};

struct DraSlice {
  std::string node;
  std::string driver;
  std::string pool;
  std::uint64_t generation = 0;
  std::uint64_t slices_of_pool = 0;
  std::string where;
  std::vector<DraDevice> devices;
};

/// All slices of the documents of one text: single objects, Lists and ResourceSliceLists. Other
/// objects and slices that are not of one node become warnings.
Result<void> collect_slices(const std::vector<Value>& documents, std::string_view source_name,
                            std::vector<DraSlice>& slices, std::vector<std::string>& warnings);

}  // namespace tenon::formats::topology
