// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// help, version, completion: what needs no machine.

#include <algorithm>

#include "base/text.hpp"
#include "render/envelope.hpp"
#include "render/table.hpp"
#include "shell/cli/commands.hpp"
#include "shell/cli/help.hpp"
#include "shell/cli/output.hpp"
#include "shell/cli/parse.hpp"

namespace tenon::cli {
namespace {

constexpr std::string_view kVersion = TENON_VERSION;

/// The part of the overview that is about one group of commands.
std::string help_of_group(std::string_view group, std::string_view program) {
  std::string out = text::cat("Usage:\n");
  for (const Command& command : commands()) {
    if (!command.name.starts_with(text::cat(group, " "))) continue;
    out += text::cat("  ", program, " ", command.name, " ", command.operands, "\n      ",
                     command.summary, "\n");
  }
  return out;
}

}  // namespace

void run_help(const Invocation& invocation, Desk& desk) {
  if (invocation.operands.empty()) {
    desk.outcome.out = overview(desk.program);
    return;
  }
  const std::string name = text::join(invocation.operands, " ");
  const auto found = std::ranges::find(commands(), name, &Command::name);
  if (found != commands().end()) {
    desk.outcome.out = help_of(*found, desk.program);
    return;
  }
  const bool group = std::ranges::any_of(commands(), [&](const Command& command) {
    return command.name.starts_with(text::cat(name, " "));
  });
  if (group) {
    desk.outcome.out = help_of_group(name, desk.program);
    return;
  }
  const auto parsed = parse(invocation.operands);  // for its error: the name that was meant
  desk.fail(parsed
                ? Error{.what = text::cat("no help on '", name, "'"), .advice = "see 'tenon help'"}
                : parsed.error(),
            ExitCode::kBadlyAsked);
}

void run_version(const Invocation& invocation, Desk& desk) {
  const render::Table table{.columns = {{"NAME"}, {"VERSION"}, {"API"}},
                            .rows = {{{"tenon"}, {std::string{kVersion}}, {render::kApiVersion}}}};
  const Form form = form_of(invocation);
  if (form == Form::kTable) {
    desk.outcome.out = text::cat("tenon ", kVersion, "\n");
    return;
  }
  write_table(table, "program", form, desk,
              [] { return render::envelope("Version").add("version", kVersion); });
}

void run_completion(const Invocation& invocation, Desk& desk) {
  const std::string& shell = invocation.operands.front();
  if (shell == "bash") {
    desk.outcome.out = bash_completion();
  } else if (shell == "zsh") {
    desk.outcome.out = zsh_completion();
  } else {
    desk.fail(
        {.what = text::cat("no completion for '", shell, "'"), .advice = "it is one of: bash, zsh"},
        ExitCode::kBadlyAsked);
  }
}

}  // namespace tenon::cli
