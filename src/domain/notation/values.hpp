// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What stands in one word of the notation: names, texts, numbers, amounts, and `key=value`.
//
// Private to this module. Every reader gives false after it has told the lexer what is wrong.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/node.hpp"
#include "domain/notation/lexer.hpp"

namespace tenon::notation {

enum class Relation : std::uint8_t { kNone, kIs, kAtMost, kAtLeast };

/// "mem=64Gi", "gpus<=PIX", "gpu.mem>=40Gi", or a word alone.
struct Attribute {
  std::string_view word;  // the whole of it: where it stands
  std::string_view key;   // "mem", "gpus<=", "gpu.mem>=": the relation belongs to it but for "="
  std::string_view value;
  Relation relation = Relation::kNone;
};
[[nodiscard]] Attribute attribute_of(std::string_view word);

/// The number K of a word like "gpu3"; nothing where the word is another. K is written without
/// leading zeros and at most 65535.
[[nodiscard]] std::optional<int> numbered(std::string_view word, std::string_view prefix);

/// "gpu3", "nic0", "nvme12".
struct DeviceName {
  domain::DeviceKind kind;
  int ordinal;
};
[[nodiscard]] std::optional<DeviceName> device_name(std::string_view word);

/// A text, quoted or not, at most kTextFactBytesMax long.
bool read_text(Lexer& in, std::string_view word, std::string& out);
/// The same for a fact: `?` without quotes is one that nobody saw, "".
bool read_known_text(Lexer& in, std::string_view word, std::string& out);
/// A name: a text that is not empty, at most kNameBytesMax long.
bool read_name(Lexer& in, std::string_view word, std::string& out);

bool read_int(Lexer& in, std::string_view digits, int least, int most, int& out);
bool read_whole(Lexer& in, std::string_view amount, std::int64_t& out);
bool read_milli(Lexer& in, std::string_view amount, std::int64_t& out);
bool read_cpus(Lexer& in, std::string_view list, domain::CpuSet& out);
/// A MIG profile: a digit, then letters, digits, points, hyphens; "+word" may follow.
bool read_profile(Lexer& in, std::string_view word, std::string& out);
bool read_distance(Lexer& in, std::string_view word, domain::Distance& out);
/// Amounts where `?` says that nobody saw it.
bool read_known_whole(Lexer& in, std::string_view amount, std::optional<std::int64_t>& out);

/// One of a few words.
template <class T>
struct Choice {
  std::string_view word;
  T value;
};
bool fail_choice(Lexer& in, std::string_view word, std::span<const std::string_view> known);
template <class T>
bool read_choice(Lexer& in, std::string_view word, std::initializer_list<Choice<T>> choices,
                 T& out) {
  std::vector<std::string_view> known;
  for (const auto& choice : choices) {
    if (choice.word == word) {
      out = choice.value;
      return true;
    }
    known.push_back(choice.word);
  }
  return fail_choice(in, word, known);
}

/// Says that `word` is not known here, what was perhaps meant, and what could stand here.
bool fail_unknown(Lexer& in, std::string_view word, std::string_view what,
                  std::span<const std::string_view> known);

/// Refuses the second of two equal keys. One object per statement.
class Once {
 public:
  bool first(Lexer& in, const Attribute& attribute);

 private:
  std::vector<std::string_view> seen_;
};

/// A text as the notation writes it: quoted where it must be.
[[nodiscard]] std::string written(std::string_view text);
/// The same for a fact: what looks like "not known" is quoted.
[[nodiscard]] std::string written_name(std::string_view name);

}  // namespace tenon::notation
