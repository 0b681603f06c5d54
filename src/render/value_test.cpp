// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "render/value.hpp"

#include <gtest/gtest.h>

#include "render/envelope.hpp"

namespace tenon::render {
namespace {

TEST(Value, WritesMembersInTheirOrder) {
  Value value = envelope("Thing");
  value.add("b", 1).add("a", Value::list().push(true).push("x").push(Value{}));
  EXPECT_EQ(value.to_json(), R"({
  "apiVersion": "tenon.dev/cli/v1",
  "kind": "Thing",
  "b": 1,
  "a": [
    true,
    "x",
    null
  ]
}
)");
  EXPECT_EQ(value.to_yaml(), R"(apiVersion: tenon.dev/cli/v1
kind: Thing
b: 1
a:
  - true
  - x
  - null
)");
}

TEST(Value, WritesNestedListsAndObjectsInYaml) {
  Value value = Value::object();
  value.add("items",
            Value::list()
                .push(Value::object().add("name", "a1").add("inner", Value::object().add("k", 2)))
                .push(Value::list().push(1).push(2)));
  value.add("empty", Value::list()).add("none", Value::object());
  EXPECT_EQ(value.to_yaml(), R"(items:
  - name: a1
    inner:
      k: 2
  - - 1
    - 2
empty: []
none: {}
)");
}

// What YAML would read as a number, a truth value or a mark stays a text.
TEST(Value, QuotesWhatYamlWouldMisread) {
  for (const char* word :
       {"1", "1e3", "0x10", "yes", "No", "null", "~", "- x", "a: b", "#", "", " x"}) {
    EXPECT_EQ(Value{word}.to_yaml(), json_quoted(word) + "\n") << word;
  }
  EXPECT_EQ(Value{"mlx5_0"}.to_yaml(), "mlx5_0\n");
}

TEST(Value, EscapesWhatJsonForbids) {
  EXPECT_EQ(json_quoted("a\"b\\c\n\t\x01\x1b"), R"("a\"b\\c\n\t\u0001\u001b")");
  EXPECT_EQ(json_quoted("\xff"
                        "é\xe2\x82"),
            R"("\ufffdé\ufffd\ufffd")");
}

// C1, a line separator and U+FFFF stood in YAML as they are: no YAML reader takes them.
TEST(Value, EscapesWhatYamlAndTerminalsForbid) {
  const std::string odd = "\xC2\x9B m\xE2\x80\xA8\xE2\x80\xAE\xEF\xBF\xBF";
  EXPECT_EQ(json_quoted(odd), R"("\u009b m\u2028\u202e\uffff")");
  EXPECT_EQ(Value{odd}.to_yaml(), json_quoted(odd) + "\n");
}

TEST(Value, LeavesOutWhatIsNotKnown) {
  Value value = Value::object();
  value.add_known("a", std::optional<int>{})
      .add_known("b", "")
      .add_known("c", Value::list())
      .add_known("d", 0)
      .add("e", std::optional<std::int64_t>{});
  EXPECT_EQ(value.to_json(), "{\n  \"d\": 0,\n  \"e\": null\n}\n");
}

}  // namespace
}  // namespace tenon::render
