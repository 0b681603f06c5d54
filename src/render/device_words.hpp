// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What is said of devices and NUMA nodes in the same words by text and picture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "views/topology_view.hpp"

namespace tenon::render {

inline constexpr const char* kNone = "<none>";        // it is not there
inline constexpr const char* kUnknown = "<unknown>";  // nobody saw it

[[nodiscard]] std::string or_else(const std::string& text, const char* otherwise);

/// "0,1"
[[nodiscard]] std::string joined_numbers(const std::vector<int>& numbers);

/// For people: at most one digit behind the point, "503.5Gi"; kUnknown where not known.
[[nodiscard]] std::string shown_bytes(std::optional<std::int64_t> bytes);

/// "A100-SXM4-80GB, 80Gi", "400G, compute, RDMA": what it is, as far as it is known.
[[nodiscard]] std::string detail_of(const views::DeviceView& device);
/// "cpus 0-47, 24 of 48 cores free, 384Gi"
[[nodiscard]] std::string detail_of(const views::NumaView& numa, const views::TopologyView& view);
/// "amd64, 96 CPUs, 768Gi, 8 GPUs, 4 NICs"
[[nodiscard]] std::string detail_of(const views::TopologyView& view);

/// "free", "shared, 0.5 left"
[[nodiscard]] std::string state_of(const views::DeviceView& device);

}  // namespace tenon::render
