// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// How far apart two devices of one node are, nearest first.
//
// The words are NVIDIA's (the legend of `nvidia-smi topo -m`); docs/invariants.md I10 says
// which word a PCI tree gives. NVLink is another relation, beside this one: domain/node.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tenon::domain {

enum class Distance : std::uint8_t {
  kSame,  // one device
  kPix,   // one switch between them, or one card
  kPxb,   // several switches, no host bridge
  kPhb,   // one host bridge
  kNode,  // several host bridges of one NUMA node
  kSys,   // several NUMA nodes
};

/// "SAME", "PIX", "PXB", "PHB", "NODE", "SYS".
[[nodiscard]] std::string_view to_text(Distance distance);

/// The five words that a request or a matrix may use ("PIX" … "SYS"), in capitals.
[[nodiscard]] std::optional<Distance> distance_from_text(std::string_view word);

/// True if a known distance lies within the bound. What is not known lies within no bound (I12).
[[nodiscard]] constexpr bool within(std::optional<Distance> distance, Distance bound) {
  return distance.has_value() && *distance <= bound;
}

}  // namespace tenon::domain
