// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A document as JSON and YAML see it: the one tree that both are written from.
//
// Invariants
//   (1) Members keep the order in which they were added: equal values give equal bytes.
//   (2) What is written is well-formed whatever the texts hold: bytes that are no UTF-8 become U+FFFD.
//   (3) The YAML of a value reads back as the same value; its texts are never taken for numbers.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tenon::render {

class Value {
 public:
  using List = std::vector<Value>;
  using Members = std::vector<std::pair<std::string, Value>>;

  Value() = default;  // null
  Value(std::string text) : data_(std::move(text)) {}
  Value(std::string_view text) : data_(std::string{text}) {}
  Value(const char* text) : data_(std::string{text}) {}
  template <std::integral T>
  Value(T number) {
    if constexpr (std::same_as<T, bool>) {
      data_ = number;
    } else {
      data_ = static_cast<std::int64_t>(number);
    }
  }
  /// Null where nothing is known.
  template <class T>
  Value(const std::optional<T>& maybe) {
    if (maybe.has_value()) *this = Value{*maybe};
  }

  [[nodiscard]] static Value object() { return Value{Data{Members{}}}; }
  [[nodiscard]] static Value list() { return Value{Data{List{}}}; }

  /// REQUIRES: an object. Returns itself, so that calls can be chained.
  Value& add(std::string key, Value value);
  /// The same, but leaves out what is null, "" or an empty list or object.
  Value& add_known(std::string key, Value value);
  /// REQUIRES: both are objects.
  Value& add_all(Value members);
  /// REQUIRES: a list.
  Value& push(Value value);

  /// REQUIRES: a list or an object.
  [[nodiscard]] bool empty() const;

  /// Indented by two blanks, with a line end at the end.
  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] std::string to_yaml() const;

 private:
  using Data = std::variant<std::monostate, bool, std::int64_t, std::string, List, Members>;
  explicit Value(Data data) : data_(std::move(data)) {}

  [[nodiscard]] bool says_nothing() const;
  [[nodiscard]] bool is_nested() const;
  void write_json(std::string& out, int depth) const;
  void write_yaml(std::string& out, int depth) const;
  void write_scalar(std::string& out, bool yaml) const;

  Data data_;
};

/// `text` in JSON's quotes.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace tenon::render
