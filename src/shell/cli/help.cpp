// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/cli/help.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "render/text_style.hpp"

namespace tenon::cli {
namespace {

struct CodeMeaning {
  ExitCode code;
  std::string_view meaning;
  std::string_view next;
};

constexpr std::array kExitCodes{
    CodeMeaning{ExitCode::kDone, "done; the request fits", ""},
    CodeMeaning{ExitCode::kError, "error: bad input, something lost or contradictory, not decided",
                "read the line on the standard error"},
    CodeMeaning{ExitCode::kNeverFits, "never fits, not even on the empty machines",
                "change the request or the cluster"},
    CodeMeaning{ExitCode::kNotNow, "not now: fits once holders have gone", "wait, or end a holder"},
    CodeMeaning{ExitCode::kForbidden, "forbidden: fits but for an administrator's cordon",
                "ask the administrator"},
    CodeMeaning{ExitCode::kBadlyAsked,
                "badly asked: the request contradicts itself, or wrong usage",
                "mend the request or the command"},
};

/// The examples and synopses are written for `tenon`; a plugin shows what its user types.
std::string as_typed(std::string_view text, std::string_view program) {
  std::string out;
  while (true) {
    const auto at = text.find("tenon ");
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += text::cat(program, " ");
    text.remove_prefix(at + 6);
  }
}

std::string synopsis(const Command& command) {
  std::string line = text::cat("tenon ", command.name);
  for (const Flag& flag : command.flags) {
    if (flag.given == Flag::Given::kRequired) line += text::cat(" --", flag.name, " ", flag.value);
  }
  if (!command.operands.empty()) line += text::cat(" ", command.operands);
  return line + " [FLAG...]";
}

std::string flag_words(const Flag& flag) {
  std::string words = flag.letter == 0 ? std::string{} : text::cat("-", flag.letter, ", ");
  words += flag.given == Flag::Given::kNegatable ? "--[no-]" : "--";
  words += flag.name;
  if (!flag.value.empty()) words += text::cat(" ", flag.value);
  return words;
}

std::string flag_help(const Flag& flag) {
  std::string help{flag.help};
  if (!flag.choices.empty()) {
    const std::vector<std::string> choices(flag.choices.begin(), flag.choices.end());
    help += text::cat(": ", text::join(choices, ", "));
  }
  if (flag.given == Flag::Given::kRequired) help += " (required)";
  if (!flag.value.empty() && !flag.fallback.empty()) help += text::cat(" (", flag.fallback, ")");
  return help;
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out{text};
  const std::size_t used = render::columns(text);
  if (used < width) out.append(width - used, ' ');
  return out;
}

/// Two columns, indented by two.
std::string pairs(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t width = 0;
  for (const auto& [left, right] : rows) width = std::max(width, left.size());
  std::string out;
  for (const auto& [left, right] : rows)
    out += text::cat("  ", padded(left, width), "  ", right, "\n");
  return out;
}

std::string flag_rows(const Command& command) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& flags : {command.flags, common_flags()}) {
    for (const Flag& flag : flags) rows.emplace_back(flag_words(flag), flag_help(flag));
  }
  return pairs(rows);
}

}  // namespace

std::string overview(std::string_view program) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Command& command : commands()) rows.emplace_back(command.name, command.summary);
  std::vector<std::pair<std::string, std::string>> codes;
  for (const CodeMeaning& row : kExitCodes) {
    codes.emplace_back(text::cat(static_cast<int>(row.code)), row.meaning);
  }
  return text::cat(
      "Tenon shows what is near what on GPU machines, and where a request fits.\n\nCommands:\n",
      pairs(rows), "\nExit codes:\n", pairs(codes), "\nStart with '", program,
      " topo show host', or '", program, " help COMMAND' for one command.\n");
}

std::string help_of(const Command& command, std::string_view program) {
  std::string out =
      text::cat(command.summary, ".\n\nUsage:\n  ", as_typed(synopsis(command), program), "\n\n",
                command.help, "\n\nFlags:\n", flag_rows(command));
  if (!command.examples.empty()) {
    out += "\nExamples:\n";
    for (const Example& example : command.examples) {
      out += text::cat("  # ", example.shows, "\n  ", as_typed(example.command, program), "\n");
    }
  }
  return out;
}

std::string manual() {
  std::string out =
      "# Command line\n\n"
      "Written from the command table (`src/shell/cli/commands.cpp`); a test compares the two.\n\n"
      "Answers go to the standard output, warnings and errors to the standard error, a line each:\n"
      "`tenon: FILE:LINE:COLUMN: what; advice`. Where the output is no terminal nothing is cut or "
      "coloured.\n"
      "JSON and YAML start with `apiVersion: tenon.dev/cli/v1` and a `kind`; within v1 members are "
      "only added.\n"
      "In tables `<none>` is what is not there, `<unknown>` what nobody saw.\n"
      "Called as `kubectl-tenon` the program is a kubectl plugin: `kubectl tenon topo show host`.\n"
      "If the reader of a pipe goes away, the rest is not written, and the exit code is the "
      "command's own.\n\n"
      "| exit code | meaning | what to do |\n|---|---|---|\n";
  for (const CodeMeaning& row : kExitCodes) {
    out += text::cat("| ", static_cast<int>(row.code), " | ", row.meaning, " | ", row.next, " |\n");
  }
  out +=
      "\n| environment | meaning |\n|---|---|\n"
      "| `NO_COLOR` | no colour with `--color auto` |\n"
      "| `LC_ALL`, `LC_CTYPE`, `LANG` | a locale without UTF-8 draws with ASCII |\n"
      "| `COLUMNS` | width of the terminal, where it is one |\n";
  for (const Command& command : commands()) {
    out +=
        text::cat("\n## tenon ", command.name, "\n\n```text\n", help_of(command, "tenon"), "```\n");
  }
  return out;
}

}  // namespace tenon::cli
