// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/structured.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"
#include "formats/topology/input.hpp"
#include "formats/topology/value_builder.hpp"

namespace tenon::formats::topology {

const Value& Value::operator[](std::string_view key) const {
  static const Value kNothing;
  const auto found = std::ranges::lower_bound(members, key, std::less<>{}, &Member::key);
  return found != members.end() && found->key == key ? found->value : kNothing;
}

Result<std::vector<Value>> parse_structured(const Source& source) {
  const auto text = checked_text(source);
  if (!text) return std::unexpected(text.error());
  const char first = (*text)[text->find_first_not_of(" \t\r\n")];
  return first == '{' || first == '[' ? parse_json(*text, source.name)
                                      : parse_yaml(*text, source.name);
}

std::string where(std::string_view name, const Value& value) {
  if (value.line == 0) return std::string{name};
  return text::cat(name, ":", value.line, ":", value.column);
}

bool ValueBuilder::fail(std::string what, Position at) {
  if (!problem_) {
    problem_ = std::move(what);
    problem_at_ = at;
  }
  return false;
}

bool ValueBuilder::begin(Value::Kind kind, Position at) {
  if (waits_for_key()) return fail("a key is no scalar", at);
  if (open_.size() >= kValueDepthMax) {
    return fail(text::cat("values stand more than ", kValueDepthMax, " deep"), at);
  }
  Open open;
  open.value.kind = kind;
  open.value.line = at.line;
  open.value.column = at.column;
  open_.push_back(std::move(open));
  return true;
}

bool ValueBuilder::end(Position at) {
  check(!open_.empty(), "an end has a beginning");
  Value value = std::move(open_.back().value);
  open_.pop_back();
  std::ranges::stable_sort(value.members, {}, &Member::key);
  const auto twice = std::ranges::adjacent_find(value.members, {}, &Member::key);
  if (twice != value.members.end()) {
    const Position second{std::next(twice)->value.line, std::next(twice)->value.column};
    return fail(text::cat("key ", text::quoted(twice->key), " stands twice"),
                second.line == 0 ? at : second);
  }
  return add(std::move(value));
}

bool ValueBuilder::key(std::string text) {
  open_.back().key = std::move(text);
  return true;
}

bool ValueBuilder::scalar(std::string text, Position at) {
  if (waits_for_key()) return key(std::move(text));
  Value value;
  value.kind = Value::Kind::kScalar;
  value.line = at.line;
  value.column = at.column;
  value.scalar = std::move(text);
  return add(std::move(value));
}

bool ValueBuilder::null(Position at) {
  if (waits_for_key()) return fail("a key is empty", at);
  Value value;
  value.line = at.line;
  value.column = at.column;
  return add(std::move(value));
}

bool ValueBuilder::waits_for_key() const {
  return !open_.empty() && open_.back().value.kind == Value::Kind::kMap && !open_.back().key;
}

bool ValueBuilder::add(Value value) {
  if (++count_ > kValuesMax) {
    return fail(text::cat("has more than ", kValuesMax, " values"), {value.line, value.column});
  }
  if (open_.empty()) {
    done_ = std::move(value);
    return true;
  }
  Open& parent = open_.back();
  if (parent.value.kind == Value::Kind::kMap) {
    parent.value.members.push_back({std::move(*parent.key), std::move(value)});
    parent.key.reset();
  } else {
    parent.value.items.push_back(std::move(value));
  }
  return true;
}

Value ValueBuilder::take() {
  Value value = done_ ? std::move(*done_) : Value{};
  done_.reset();
  return value;
}

}  // namespace tenon::formats::topology
