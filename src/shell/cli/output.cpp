// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/cli/output.hpp"

#include <array>

#include "base/check.hpp"

namespace tenon::cli {

Form form_of(const Invocation& invocation) {
  constexpr std::array<std::pair<std::string_view, Form>, 7> kForms{{{"table", Form::kTable},
                                                                     {"wide", Form::kWide},
                                                                     {"json", Form::kJson},
                                                                     {"yaml", Form::kYaml},
                                                                     {"csv", Form::kCsv},
                                                                     {"name", Form::kName},
                                                                     {"svg", Form::kSvg}}};
  for (const auto& [word, form] : kForms) {
    if (invocation.value("output") == word) return form;
  }
  check(false, "the table of flags allows only these forms");
  return Form::kTable;
}

}  // namespace tenon::cli
