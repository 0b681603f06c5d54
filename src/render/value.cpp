// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "render/value.hpp"

#include <algorithm>
#include <array>

#include "base/character.hpp"
#include "base/check.hpp"
#include "base/text.hpp"
#include "render/text_style.hpp"

namespace tenon::render {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '/';
}

/// True if YAML 1.1 and 1.2 both read the bare word as this text and nothing else.
bool is_bare_yaml(std::string_view word) {
  constexpr std::array<std::string_view, 9> kTaken{"y",   "n",    "yes",   "no",  "on",
                                                   "off", "true", "false", "null"};
  if (word.empty() || !std::ranges::all_of(word, is_key_character)) return false;
  const char first = word.front();
  const bool letter = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z');
  return letter && std::ranges::find(kTaken, text::lower(word)) == kTaken.end();
}

void indent(std::string& out, int depth) { out.append(static_cast<std::size_t>(depth) * 2, ' '); }

}  // namespace

std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text.front();
    const auto [length, point] = text::first_character(text);
    if (length == 0) {
      out += "\\ufffd";
      text.remove_prefix(1);
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (!is_printable(point)) {
      out += "\\u";
      for (const unsigned shift : {12U, 8U, 4U, 0U}) out += kHex[(point >> shift) & 15U];
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  out += '"';
  return out;
}

Value& Value::add(std::string key, Value value) {
  auto* members = std::get_if<Members>(&data_);
  check(members != nullptr, "a member is added to an object");
  members->emplace_back(std::move(key), std::move(value));
  return *this;
}

Value& Value::add_known(std::string key, Value value) {
  if (!value.says_nothing()) add(std::move(key), std::move(value));
  return *this;
}

Value& Value::add_all(Value members) {
  auto* others = std::get_if<Members>(&members.data_);
  check(others != nullptr, "only the members of an object are added");
  for (auto& [key, value] : *others) add(std::move(key), std::move(value));
  return *this;
}

Value& Value::push(Value value) {
  auto* list = std::get_if<List>(&data_);
  check(list != nullptr, "an item is pushed to a list");
  list->push_back(std::move(value));
  return *this;
}

bool Value::empty() const {
  if (const auto* list = std::get_if<List>(&data_)) return list->empty();
  const auto* members = std::get_if<Members>(&data_);
  check(members != nullptr, "only a list or an object can be empty");
  return members->empty();
}

bool Value::says_nothing() const {
  if (std::holds_alternative<std::monostate>(data_)) return true;
  if (const auto* words = std::get_if<std::string>(&data_)) return words->empty();
  if (const auto* list = std::get_if<List>(&data_)) return list->empty();
  if (const auto* members = std::get_if<Members>(&data_)) return members->empty();
  return false;
}

bool Value::is_nested() const {
  return (std::holds_alternative<List>(data_) || std::holds_alternative<Members>(data_)) &&
         !empty();
}

void Value::write_scalar(std::string& out, bool yaml) const {
  if (const auto* flag = std::get_if<bool>(&data_)) {
    out += *flag ? "true" : "false";
  } else if (const auto* number = std::get_if<std::int64_t>(&data_)) {
    out += text::cat(*number);
  } else if (const auto* words = std::get_if<std::string>(&data_)) {
    out += yaml && is_bare_yaml(*words) ? *words : json_quoted(*words);
  } else if (std::holds_alternative<List>(data_)) {
    out += "[]";
  } else if (std::holds_alternative<Members>(data_)) {
    out += "{}";
  } else {
    out += "null";
  }
}

void Value::write_json(std::string& out, int depth) const {
  if (!is_nested()) return write_scalar(out, false);
  const auto* list = std::get_if<List>(&data_);
  out += list != nullptr ? "[" : "{";
  std::string_view before = "\n";
  const auto start_item = [&] {
    out += before;
    before = ",\n";
    indent(out, depth + 1);
  };
  if (list != nullptr) {
    for (const Value& item : *list) {
      start_item();
      item.write_json(out, depth + 1);
    }
  } else {
    for (const auto& [key, item] : std::get<Members>(data_)) {
      start_item();
      out += json_quoted(key);
      out += ": ";
      item.write_json(out, depth + 1);
    }
  }
  out += '\n';
  indent(out, depth);
  out += list != nullptr ? "]" : "}";
}

/// Writes lines at `depth`; the first one stands where the caller has already indented.
void Value::write_yaml(std::string& out, int depth) const {
  if (!is_nested()) {
    write_scalar(out, true);
    out += '\n';
    return;
  }
  bool first = true;
  const auto start_item = [&] {
    if (!first) indent(out, depth);
    first = false;
  };
  if (const auto* list = std::get_if<List>(&data_)) {
    for (const Value& item : *list) {
      start_item();
      out += "- ";
      item.write_yaml(out, depth + 1);
    }
    return;
  }
  for (const auto& [key, item] : std::get<Members>(data_)) {
    start_item();
    out += is_bare_yaml(key) ? key : json_quoted(key);
    if (item.is_nested()) {
      out += ":\n";
      indent(out, depth + 1);
      item.write_yaml(out, depth + 1);
    } else {
      out += ": ";
      item.write_yaml(out, depth + 1);
    }
  }
}

std::string Value::to_json() const {
  std::string out;
  write_json(out, 0);
  out += '\n';
  return out;
}

std::string Value::to_yaml() const {
  std::string out;
  write_yaml(out, 0);
  return out;
}

}  // namespace tenon::render
