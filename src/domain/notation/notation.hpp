// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The text form of clusters, requests, holders and expected plans (docs/notation.md).
//
// Invariants
//   (1) write(parse(t)) parses to the value of parse(t); write is a function of the value alone.
//   (2) parse reads any bytes in bounded time and memory: a value, or an Error at line and column.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "domain/cluster.hpp"

namespace tenon::notation {

inline constexpr std::size_t kTextBytesMax = 64U << 20U;
inline constexpr std::size_t kNameBytesMax = 253;       // of a node or pod, as in Kubernetes
inline constexpr std::size_t kTextFactBytesMax = 1024;  // of a label, model, reason …
inline constexpr std::size_t kProfileBytesMax = 64;
inline constexpr int kTreeDepthMax = 32;     // braces within braces
inline constexpr int kPlacesMax = 4096;      // bridges, ports and switches of a node
inline constexpr int kPartitionsMax = 64;    // MIG partitions of a GPU
inline constexpr int kCountMax = 1'000'000;  // NICs, cores, drives that a request may name
inline constexpr int kUnitsReadMax = 4096;   // GPUs, shares, partitions that a request may name

/// "-> train on a1: gpu0 nic0 cpus=0-15", or "-> big refused: nic-count nic needs 8 has 4".
struct Expected {
  std::string request;
  std::optional<std::string> node;               // nothing: refused
  std::optional<domain::Allocation> allocation;  // of a placed one; indices by the named node
  std::string refusal;                           // of a refused one: all after the colon, trimmed
  friend bool operator==(const Expected&, const Expected&) = default;
};

struct Document {
  domain::Cluster cluster;
  std::vector<domain::NamedRequest> requests;
  std::vector<Expected> expected;
  friend bool operator==(const Document&, const Document&) = default;
};

/// `name` is the file's, for errors: "name:line:column".
[[nodiscard]] Result<Document> parse(std::string_view text, std::string_view name);

/// The clauses of a request alone: "gpu=2 nic=2 pair<=PIX".
[[nodiscard]] Result<domain::Request> parse_request(std::string_view text, std::string_view name);

/// One expected plan, "-> train on a1: gpu0=0.5", as if it stood below the holders of `cluster`.
[[nodiscard]] Result<Expected> parse_expected(std::string_view line, std::string_view name,
                                              const domain::Cluster& cluster);

[[nodiscard]] std::string write(const Document& document);
[[nodiscard]] std::string write(const domain::Node& node);
[[nodiscard]] std::string write(const domain::Request& request);
[[nodiscard]] std::string write(const domain::Holder& holder, const domain::Node& node);

/// "gpu0 gpu1 nic0 cpus=0-15 mem=0:64Gi": what an allocation has, in the words of its node.
[[nodiscard]] std::string write(const domain::Allocation& allocation, const domain::Node& node);

}  // namespace tenon::notation
