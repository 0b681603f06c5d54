// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Every command, in one sorted table: parsing, help, completion and docs/cli.md all come from it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "shell/cli/cli.hpp"

namespace tenon::cli {

struct Flag {
  std::string_view name;   // "output"
  char letter = 0;         // 'o'; 0 for none
  std::string_view value;  // "FORM"; "" for a switch, which has a --no- twin if `negatable`
  std::string_view help;   // one line
  std::span<const std::string_view> choices;  // of the value; empty: any text
  std::string_view fallback;                  // what it is when not given
  enum class Given : std::uint8_t {
    kMaybe,
    kRequired,
    kRepeated,
    kNegatable
  } given = Given::kMaybe;
};

struct Example {
  std::string_view command;
  std::string_view shows;
};

/// What the user asked, checked against the command's flags.
struct Invocation {
  std::vector<std::pair<std::string_view, std::string>>
      flags;  // by Flag::name; switches: "yes", "no"
  std::vector<std::string> operands;

  /// The last value given, else the flag's fallback.
  [[nodiscard]] std::string_view value(std::string_view flag) const;
  [[nodiscard]] std::vector<std::string> values(std::string_view flag) const;
  [[nodiscard]] bool is_on(std::string_view flag) const { return value(flag) == "yes"; }
};

/// What a command works with, besides what was asked.
struct Desk {
  std::string program;  // "tenon", "kubectl tenon"
  render::TextStyle style;
  Outcome outcome;

  void warn(std::string_view line);
  /// One line for the error; the exit code stays the worst that was seen.
  void fail(const Error& error, ExitCode code = ExitCode::kError);
};

struct Command {
  std::string_view name;      // "topo show"
  std::string_view operands;  // "FILE...", "" for none
  std::string_view summary;   // one line
  std::string_view help;      // paragraphs
  std::span<const Example> examples;
  std::span<const Flag> flags;
  void (*run)(const Invocation& invocation, Desk& desk);
};

/// Sorted by name.
[[nodiscard]] std::span<const Command> commands();
/// Of every command: --color, --ascii, --help.
[[nodiscard]] std::span<const Flag> common_flags();

// One function a command, in x_command.cpp.
void run_case(const Invocation& invocation, Desk& desk);
void run_completion(const Invocation& invocation, Desk& desk);
void run_help(const Invocation& invocation, Desk& desk);
void run_place(const Invocation& invocation, Desk& desk);
void run_topo_check(const Invocation& invocation, Desk& desk);
void run_topo_convert(const Invocation& invocation, Desk& desk);
void run_topo_distances(const Invocation& invocation, Desk& desk);
void run_topo_show(const Invocation& invocation, Desk& desk);
void run_version(const Invocation& invocation, Desk& desk);

}  // namespace tenon::cli
