// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Values as bytes, one behind the other, to look something up by.
//
// Equal bytes are equal values where the same calls were made: a list has its length before it.
// Whoever makes a key of a struct opens it with a structured binding: then a new member stops the
// build until the key has it too.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tenon {

class Key {
 public:
  /// Goes on behind what `bytes` has.
  explicit Key(std::string& bytes) : bytes_(bytes) {}

  template <std::integral T>
  void add(T value) {
    // Small values are most of them: one byte, where the first says how many follow.
    auto rest = static_cast<std::uint64_t>(value);
    if (rest < 0xF0) {
      bytes_ += static_cast<char>(rest);
      return;
    }
    bytes_ += static_cast<char>(0xF8);
    for (int i = 0; i < 8; ++i, rest >>= 8U) bytes_ += static_cast<char>(rest & 0xFFU);
  }
  template <class E>
    requires std::is_enum_v<E>
  void add(E value) {
    add(static_cast<std::underlying_type_t<E>>(value));
  }
  void add(const std::string& text) {
    add(text.size());
    bytes_ += text;
  }
  template <class T>
  void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  /// Ascending numbers, none below 0, as runs: free cores are mostly a few of them.
  void add_runs(const std::vector<int>& ascending) {
    for (std::size_t i = 0; i < ascending.size();) {
      std::size_t end = i + 1;
      while (end < ascending.size() && ascending[end] == ascending[end - 1] + 1) ++end;
      add(ascending[i] + 1);
      add(end - i);
      i = end;
    }
    add(0);
  }

 private:
  std::string& bytes_;
};

}  // namespace tenon
