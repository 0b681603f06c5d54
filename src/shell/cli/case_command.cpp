// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// case run: reported cases and what they expect.

#include "base/text.hpp"
#include "lab/case.hpp"
#include "render/envelope.hpp"
#include "render/table.hpp"
#include "shell/cli/commands.hpp"
#include "shell/cli/input.hpp"
#include "shell/cli/output.hpp"

namespace tenon::cli {
namespace {

struct Run {
  std::string file;
  lab::CaseReport report;
};

render::Table table_of(const std::vector<Run>& runs) {
  render::Table table{.columns = {{"NAME"},
                                  {"RESULT"},
                                  {"CHECKED", render::Shown::kAlways, render::Align::kRight},
                                  {"ABOUT"},
                                  {"SOURCE", render::Shown::kWide},
                                  {"FILE", render::Shown::kWide}},
                      .rows = {}};
  for (const auto& [file, report] : runs) {
    const render::Cell result =
        report.passed()
            ? render::Cell{"passed", render::Ink::kGood}
            : render::Cell{text::cat(report.mismatches.size(), " wrong"), render::Ink::kBad};
    table.rows.push_back({{report.id},
                          result,
                          {text::cat(report.checked)},
                          {report.about},
                          {report.source},
                          {file}});
  }
  return table;
}

render::Value value_of(const std::vector<Run>& runs) {
  render::Value items = render::Value::list();
  for (const auto& [file, report] : runs) {
    render::Value mismatches = render::Value::list();
    for (const auto& mismatch : report.mismatches) {
      render::Value value = render::Value::object();
      value.add("where", mismatch.where)
          .add("expected", mismatch.expected)
          .add("got", mismatch.got);
      mismatches.push(std::move(value));
    }
    render::Value value = render::Value::object();
    value.add("id", report.id)
        .add("file", file)
        .add("source", report.source)
        .add("about", report.about)
        .add("passed", report.passed())
        .add("checked", report.checked)
        .add("mismatches", std::move(mismatches));
    items.push(std::move(value));
  }
  render::Value list = render::envelope("CaseList");
  list.add("items", std::move(items));
  return list;
}

}  // namespace

void run_case(const Invocation& invocation, Desk& desk) {
  if (auto once = check_stdin_once(invocation.operands); !once) {
    return desk.fail(once.error(), ExitCode::kBadlyAsked);
  }
  std::vector<Run> runs;
  for (const std::string& file : invocation.operands) {
    const auto bytes = read_text(file);
    if (!bytes) {
      desk.fail(bytes.error());
      continue;
    }
    auto report = lab::run_case(*bytes, file == "-" ? "<stdin>" : file);
    if (!report) {
      desk.fail(report.error());
      continue;
    }
    for (const auto& mismatch : report->mismatches) {
      desk.fail({.where = mismatch.where,
                 .what = text::cat("expected '", mismatch.expected, "', got '", mismatch.got, "'"),
                 .advice = {}});
    }
    runs.push_back({file, std::move(*report)});
  }
  write_table(table_of(runs), "case", form_of(invocation), desk, [&] { return value_of(runs); });
}

}  // namespace tenon::cli
