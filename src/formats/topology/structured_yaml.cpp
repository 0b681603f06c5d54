// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>

#include "base/text.hpp"
#include "formats/topology/value_builder.hpp"

namespace tenon::formats::topology {
namespace {

ValueBuilder::Position position_of(const YAML::Mark& mark) {
  return {static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1)};
}

/// Leaves the parser of the library, which knows no other way to stop; never leaves this file.
struct Stop {};

class Handler final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    // On some malformed texts ("!a, ") the library gives documents without end, all at one place.
    if (mark.pos <= last_start_) {
      stop_unless(
          builder.fail("is malformed YAML: nothing that is known stands here", position_of(mark)));
    }
    last_start_ = mark.pos;
  }
  void OnDocumentEnd() override { documents.push_back(builder.take()); }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    stop_unless(builder.null(position_of(mark)));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { refuse_anchor(mark, 1); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    stop_unless(builder.scalar(value, position_of(mark)));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_anchor(mark, anchor);
    stop_unless(builder.begin(Value::Kind::kList, position_of(mark)));
  }
  void OnSequenceEnd() override { stop_unless(builder.end({})); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_anchor(mark, anchor);
    stop_unless(builder.begin(Value::Kind::kMap, position_of(mark)));
  }
  void OnMapEnd() override { stop_unless(builder.end({})); }

  ValueBuilder builder;
  std::vector<Value> documents;

 private:
  int last_start_ = -1;

  static void stop_unless(bool goes_on) {
    if (!goes_on) throw Stop{};
  }
  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      stop_unless(builder.fail("an anchor or alias is used", position_of(mark)));
    }
  }
};

std::string at(std::string_view name, ValueBuilder::Position position) {
  if (position.line == 0) return std::string{name};
  return text::cat(name, ":", position.line, ":", position.column);
}

}  // namespace

Result<std::vector<Value>> parse_yaml(std::string_view text, std::string_view name) {
  if (text.size() > kYamlBytesMax) {
    return std::unexpected(Error{
        ErrorKind::kTooLarge, std::string{name},
        text::cat("has ", text.size(), " bytes, of YAML at most ", kYamlBytesMax, " are read"),
        "give JSON (kubectl get -o json), or fewer nodes at a time"});
  }
  Handler handler;
  try {
    std::istringstream stream{std::string{text}};
    YAML::Parser parser{stream};
    while (parser.HandleNextDocument(handler)) {
    }
  } catch (const Stop&) {
    return bad_input(at(name, handler.builder.problem_at()), *handler.builder.problem(),
                     "write plain block style, each key once, without anchors");
  } catch (const YAML::Exception& error) {
    return bad_input(error.mark.is_null() ? std::string{name} : at(name, position_of(error.mark)),
                     text::cat("is malformed YAML: ", error.msg),
                     "give the whole file; it may have been cut");
  }
  return std::move(handler.documents);
}

}  // namespace tenon::formats::topology
