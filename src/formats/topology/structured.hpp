// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// JSON and YAML as one tree of maps, lists and scalars, within bounds.
//
// Anchors and aliases are refused: no tool writes them into what is read here, and they are how a
// small text becomes a large one. So are keys that stand twice in a map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "formats/topology/reader.hpp"

namespace tenon::formats::topology {

inline constexpr std::size_t kValuesMax = 1'000'000;
inline constexpr std::size_t kValueDepthMax = 64;
inline constexpr std::size_t kYamlBytesMax = 16U << 20U;

struct Member;

struct Value {
  enum class Kind : std::uint8_t { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  std::uint32_t line = 0;  // from 1; 0 where the parser does not say (JSON)
  std::uint32_t column = 0;
  std::string scalar;  // as it was written: "7", "true", "pci0000:10"
  std::vector<Value> items;
  std::vector<Member> members;  // sorted by key, each once

  /// The member of that key; a null value where there is none, or where this is no map.
  [[nodiscard]] const Value& operator[](std::string_view key) const;
  [[nodiscard]] bool is_scalar() const { return kind == Kind::kScalar; }
};

struct Member {
  std::string key;
  Value value;
};

/// One value for each document of the text: one of JSON, any number of YAML, which are divided by
/// "---". A text that begins with a brace or a bracket is JSON.
[[nodiscard]] Result<std::vector<Value>> parse_structured(const Source& source);

/// "name:line:column", or the name alone.
[[nodiscard]] std::string where(std::string_view name, const Value& value);

}  // namespace tenon::formats::topology
