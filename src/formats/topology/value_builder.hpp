// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The events of a parser into a Value: counts, measures depth, refuses keys that stand twice.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/topology/structured.hpp"

namespace tenon::formats::topology {

/// Each event returns false where parsing must stop; problem() then says why.
class ValueBuilder {
 public:
  struct Position {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };

  [[nodiscard]] bool begin(Value::Kind kind, Position at);
  [[nodiscard]] bool end(Position at);
  [[nodiscard]] bool key(std::string text);
  /// Also takes a scalar for a key where a map waits for one.
  [[nodiscard]] bool scalar(std::string text, Position at);
  [[nodiscard]] bool null(Position at);
  [[nodiscard]] bool fail(std::string what, Position at);

  [[nodiscard]] bool waits_for_key() const;
  /// The finished document; leaves the builder ready for the next one.
  [[nodiscard]] Value take();

  [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }
  [[nodiscard]] Position problem_at() const { return problem_at_; }

 private:
  struct Open {
    Value value;
    std::optional<std::string> key;  // read, its value not yet
  };

  [[nodiscard]] bool add(Value value);

  std::vector<Open> open_;
  std::optional<Value> done_;
  std::size_t count_ = 0;
  std::optional<std::string> problem_;
  Position problem_at_;
};

/// The parsers behind parse_structured. `text` is checked (input.hpp).
[[nodiscard]] Result<std::vector<Value>> parse_json(std::string_view text, std::string_view name);
[[nodiscard]] Result<std::vector<Value>> parse_yaml(std::string_view text, std::string_view name);

}  // namespace tenon::formats::topology
