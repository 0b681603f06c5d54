// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The forms of -o: one table and one value tree serve them all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "render/table.hpp"
#include "render/value.hpp"
#include "shell/cli/commands.hpp"

namespace tenon::cli {

enum class Form : std::uint8_t { kTable, kWide, kJson, kYaml, kCsv, kName, kSvg };

/// REQUIRES: a command that has --output.
[[nodiscard]] Form form_of(const Invocation& invocation);

/// Appends the answer to the output. `names` is the kind before each name of -o name; `value` makes
/// the tree for JSON and YAML. REQUIRES: form is not kSvg.
template <class MakeValue>
void write_table(const render::Table& table, std::string_view kind, Form form, Desk& desk,
                 MakeValue value) {
  switch (form) {
    case Form::kTable:
    case Form::kWide: {
      render::TextStyle style = desk.style;
      style.detail = form == Form::kWide ? render::Detail::kWide : render::Detail::kNormal;
      desk.outcome.out += render::to_text(table, style);
      return;
    }
    case Form::kCsv:
      desk.outcome.out += render::to_csv(table);
      return;
    case Form::kName:
      desk.outcome.out += render::to_names(table, kind);
      return;
    case Form::kJson:
      desk.outcome.out += render::Value{value()}.to_json();
      return;
    case Form::kYaml:
      desk.outcome.out += render::Value{value()}.to_yaml();
      return;
    case Form::kSvg:
      break;
  }
}

}  // namespace tenon::cli
