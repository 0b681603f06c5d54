// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/src.hpp>
#include <limits>

#include "base/text.hpp"
#include "formats/topology/input.hpp"
#include "formats/topology/value_builder.hpp"

namespace tenon::formats::topology {
namespace {

namespace json = boost::json;

/// What boost::json::basic_parser calls. Long texts come in parts.
class Handler {
 public:
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = max_object_size;
  static constexpr std::size_t max_key_size = max_object_size;
  static constexpr std::size_t max_string_size = max_object_size;

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code& error) {
    return stop_unless(builder.begin(Value::Kind::kMap, {}), error);
  }
  bool on_object_end(std::size_t, json::error_code& error) {
    return stop_unless(builder.end({}), error);
  }
  bool on_array_begin(json::error_code& error) {
    return stop_unless(builder.begin(Value::Kind::kList, {}), error);
  }
  bool on_array_end(std::size_t, json::error_code& error) {
    return stop_unless(builder.end({}), error);
  }
  bool on_key_part(json::string_view part, std::size_t, json::error_code&) { return add(part); }
  bool on_key(json::string_view part, std::size_t, json::error_code& error) {
    add(part);
    return stop_unless(builder.key(std::exchange(parts_, {})), error);
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) { return add(part); }
  bool on_string(json::string_view part, std::size_t, json::error_code& error) {
    return scalar(part, error);
  }
  bool on_number_part(json::string_view part, json::error_code&) { return add(part); }
  bool on_int64(std::int64_t, json::string_view part, json::error_code& error) {
    return scalar(part, error);
  }
  bool on_uint64(std::uint64_t, json::string_view part, json::error_code& error) {
    return scalar(part, error);
  }
  bool on_double(double, json::string_view part, json::error_code& error) {
    return scalar(part, error);
  }
  bool on_bool(bool value, json::error_code& error) {
    return scalar(value ? "true" : "false", error);
  }
  bool on_null(json::error_code& error) { return stop_unless(builder.null({}), error); }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

  ValueBuilder builder;

 private:
  bool add(json::string_view part) {
    parts_.append(part.data(), part.size());
    return true;
  }
  bool scalar(json::string_view part, json::error_code& error) {
    add(part);
    return stop_unless(builder.scalar(std::exchange(parts_, {}), {}), error);
  }
  /// Any code stops the parser; why it stopped is in the builder.
  static bool stop_unless(bool goes_on, json::error_code& error) {
    if (!goes_on) error = json::error::exception;
    return goes_on;
  }

  std::string parts_;
};

}  // namespace

Result<std::vector<Value>> parse_json(std::string_view text, std::string_view name) {
  json::parse_options options;
  options.max_depth = kValueDepthMax + 1;  // the builder says so first
  json::basic_parser<Handler> parser(options);
  json::error_code error;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (!error) {
    const auto rest = text.find_first_not_of(" \t\r\n", read);
    if (rest == std::string_view::npos) {
      std::vector<Value> documents;
      documents.push_back(parser.handler().builder.take());
      return documents;
    }
    return bad_input(position(name, text, rest), "something stands behind the JSON value",
                     "give one value; several objects go into the items of a List");
  }
  const auto& problem = parser.handler().builder.problem();
  if (problem) return bad_input(position(name, text, read), *problem, "mend the file");
  return bad_input(position(name, text, read), text::cat("is malformed JSON: ", error.message()),
                   "give the whole file; it may have been cut");
}

}  // namespace tenon::formats::topology
