// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Any bytes give a value that survives being written and read again, or an error that says where.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "domain/notation/notation.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tenon::check;
  namespace notation = tenon::notation;
  const std::string_view text{reinterpret_cast<const char*>(data), size};

  if (const auto document = notation::parse(text, "fuzz")) {
    const auto written = notation::write(*document);
    const auto again = notation::parse(written, "again");
    check(again && *again == *document, "what is written reads back as it was");
    check(notation::write(*again) == written, "a value has one text");
  } else {
    check(document.error().where.starts_with("fuzz"), "an error says where");
    check(!document.error().what.empty(), "an error says what");
  }

  if (const auto request = notation::parse_request(text, "fuzz")) {
    const auto again = notation::parse_request(notation::write(*request), "again");
    check(again && *again == *request, "a request reads back as it was");
  }
  return 0;
}
