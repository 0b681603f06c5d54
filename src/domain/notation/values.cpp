// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "domain/notation/values.hpp"

#include <algorithm>
#include <numeric>

#include "base/character.hpp"
#include "base/text.hpp"
#include "domain/notation/notation.hpp"
#include "domain/quantity.hpp"

namespace tenon::notation {
namespace {

constexpr int kNumberMax = 65535;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Changes of one letter that lead from one word to the other.
std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t k = 0; k < to.size(); ++k) {
      const std::size_t above = row[k + 1];
      row[k + 1] = std::min({above + 1, row[k] + 1, diagonal + (from[i] == to[k] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row.back();
}

std::string listed(std::span<const std::string_view> words) {
  std::string out;
  for (const auto word : words) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return out;
}

template <class T>
bool take_over(Lexer& in, std::string_view at, Result<T>&& result, T& out) {
  if (!result) return in.fail(at, result.error());
  out = std::move(*result);
  return true;
}

}  // namespace

Attribute attribute_of(std::string_view word) {
  const auto at = word.find_first_of("=<>\"");
  Attribute attribute{.word = word, .key = word};
  if (at == std::string_view::npos || word[at] == '"') return attribute;
  const bool ordered = word[at] != '=';
  if (ordered && word.substr(at + 1, 1) != "=") return attribute;
  attribute.key = word.substr(0, ordered ? at + 2 : at);
  attribute.value = word.substr(ordered ? at + 2 : at + 1);
  attribute.relation = word[at] == '='   ? Relation::kIs
                       : word[at] == '<' ? Relation::kAtMost
                                         : Relation::kAtLeast;
  return attribute;
}

std::optional<int> numbered(std::string_view word, std::string_view prefix) {
  if (!word.starts_with(prefix)) return std::nullopt;
  const auto digits = word.substr(prefix.size());
  const auto number = text::to_u64(digits);
  if (!number || *number > kNumberMax || (digits.size() > 1 && digits[0] == '0')) {
    return std::nullopt;
  }
  return static_cast<int>(*number);
}

std::optional<DeviceName> device_name(std::string_view word) {
  for (const auto kind :
       {domain::DeviceKind::kGpu, domain::DeviceKind::kNic, domain::DeviceKind::kNvme}) {
    if (const auto ordinal = numbered(word, to_text(kind))) return DeviceName{kind, *ordinal};
  }
  return std::nullopt;
}

bool read_text(Lexer& in, std::string_view word, std::string& out) {
  out.clear();
  if (!word.starts_with('"')) {
    if (word.find('"') != std::string_view::npos) {
      return in.fail(word, "quotes in the middle of a text", "put all of it in quotes");
    }
    if (word.empty()) return in.fail(word, "the text is missing", "write \"\" for an empty one");
    out = word;
  } else {
    std::size_t i = 1;
    for (; i < word.size() && word[i] != '"'; ++i) {
      if (word[i] == '\\') {
        ++i;
        if (i >= word.size() || (word[i] != '"' && word[i] != '\\')) {
          return in.fail(word.substr(i - 1), "a backslash before neither \" nor \\",
                         "write \\\\ for a backslash");
        }
      }
      out += word[i];
    }
    if (i + 1 != word.size()) {
      return in.fail(word, "more follows right after the closing quotes", "put a blank between");
    }
  }
  if (out.size() > kTextFactBytesMax) {
    return in.too_large(word, text::cat("a text of ", out.size(), " bytes"),
                        text::cat("at most ", kTextFactBytesMax, " bytes"));
  }
  return true;
}

bool read_known_text(Lexer& in, std::string_view word, std::string& out) {
  if (word != "?") return read_text(in, word, out);
  out.clear();
  return true;
}

bool read_name(Lexer& in, std::string_view word, std::string& out) {
  if (!read_text(in, word, out)) return false;
  if (out.empty()) return in.fail(word, "the name is empty");
  if (out.size() > kNameBytesMax) {
    return in.too_large(word, text::cat("a name of ", out.size(), " bytes"),
                        text::cat("at most ", kNameBytesMax, " bytes"));
  }
  return true;
}

bool read_int(Lexer& in, std::string_view digits, int least, int most, int& out) {
  const auto number = text::to_u64(digits);
  if (!number || *number < static_cast<std::uint64_t>(least) ||
      *number > static_cast<std::uint64_t>(most)) {
    return in.fail(digits, text::cat(text::quoted(digits), " is no number here"),
                   text::cat("write a whole number from ", least, " to ", most));
  }
  out = static_cast<int>(*number);
  return true;
}

bool read_whole(Lexer& in, std::string_view amount, std::int64_t& out) {
  return take_over(in, amount, domain::whole_from_text(amount), out);
}

bool read_milli(Lexer& in, std::string_view amount, std::int64_t& out) {
  return take_over(in, amount, domain::milli_from_text(amount), out);
}

bool read_cpus(Lexer& in, std::string_view list, domain::CpuSet& out) {
  return take_over(in, list, domain::CpuSet::from_text(list), out);
}

bool read_profile(Lexer& in, std::string_view word, std::string& out) {
  const auto of_profile = [](char c) {
    return is_digit(c) || is_letter(c) || c == '.' || c == '-' || c == '_' || c == '+';
  };
  bool good = !word.empty() && is_digit(word[0]) && word.size() <= kProfileBytesMax &&
              std::all_of(word.begin(), word.end(), of_profile);
  for (std::size_t i = 0; good && i < word.size(); ++i) {
    good = word[i] != '+' || (i + 1 < word.size() && is_letter(word[i + 1]));
  }
  if (!good) {
    return in.fail(word, text::cat(text::quoted(word), " is no MIG profile"),
                   "write one such as 1g.10gb or 1g.10gb+me");
  }
  out = word;
  return true;
}

bool read_distance(Lexer& in, std::string_view word, domain::Distance& out) {
  const auto distance = domain::distance_from_text(word);
  if (!distance) {
    constexpr std::string_view kKnown[] = {"PIX", "PXB", "PHB", "NODE", "SYS"};
    return fail_choice(in, word, kKnown);
  }
  out = *distance;
  return true;
}

bool read_known_whole(Lexer& in, std::string_view amount, std::optional<std::int64_t>& out) {
  out.reset();
  return amount == "?" || read_whole(in, amount, out.emplace());
}

bool fail_choice(Lexer& in, std::string_view word, std::span<const std::string_view> known) {
  return fail_unknown(in, word, text::cat(text::quoted(word), " cannot stand here"), known);
}

bool fail_unknown(Lexer& in, std::string_view word, std::string_view what,
                  std::span<const std::string_view> known) {
  // A slip of the finger changes a letter or two; more is another word. Long words are no slips.
  constexpr std::size_t kSlipMax = 2;
  constexpr std::size_t kWordMax = 32;
  std::string_view nearest;
  std::size_t fewest = kSlipMax + 1;
  for (const auto candidate : known) {
    if (word.size() > kWordMax) break;
    const std::size_t changes = edits(word, candidate);
    if (changes < fewest && changes < candidate.size()) {
      fewest = changes;
      nearest = candidate;
    }
  }
  std::string advice = nearest.empty() ? "" : text::cat("perhaps ", nearest, "; ");
  advice += text::cat("known here: ", listed(known));
  return in.fail(word, std::string{what}, std::move(advice));
}

bool Once::first(Lexer& in, const Attribute& attribute) {
  if (std::find(seen_.begin(), seen_.end(), attribute.key) != seen_.end()) {
    return in.fail(attribute.word, text::cat(text::quoted(attribute.key), " stands twice"),
                   "leave one of them");
  }
  seen_.push_back(attribute.key);
  return true;
}

std::string written(std::string_view text) {
  const auto bare = [](char c) {
    return c != ' ' && c != '"' && c != '\\' && c != '{' && c != '}' && c != '#';
  };
  if (!text.empty() && text != "?" && text::find_control(text) == std::string_view::npos &&
      std::all_of(text.begin(), text.end(), bare)) {
    return std::string{text};
  }
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text.front();
    if (c == '"' || c == '\\') out += '\\';
    // No text of the notation has control characters; one that comes from elsewhere must not
    // break the line that it stands on.
    const std::size_t control = c == '\t' ? 0 : text::control_bytes(text);
    out += control > 0 ? '?' : c;
    text.remove_prefix(std::max<std::size_t>(control, 1));
  }
  out += '"';
  return out;
}

std::string written_name(std::string_view name) {
  const auto plain = [](char c) {
    return is_digit(c) || is_letter(c) || c == '.' || c == '-' || c == '_' || c == '/';
  };
  if (!name.empty() && std::all_of(name.begin(), name.end(), plain)) return std::string{name};
  const std::string out = written(name);
  return out.starts_with('"') ? out : text::cat('"', out, '"');
}

}  // namespace tenon::notation
