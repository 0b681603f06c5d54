// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The command line as a whole, in the surroundings that a transcript cannot have: a terminal.

#include "shell/cli/cli.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.hpp"
#include "render/text_style.hpp"
#include "support/shared_data.hpp"

namespace tenon::cli {
namespace {

const std::string& matrix() {
  static const std::string kPath = support::source_path("examples/matrix.txt");
  return kPath;
}

Outcome shown(const Surroundings& surroundings, std::vector<std::string> more = {}) {
  std::vector<std::string> words{"topo", "show", matrix()};
  words.insert(words.end(), more.begin(), more.end());
  return run(words, surroundings);
}

const Surroundings kPipe{.program = "tenon", .charset = render::Charset::kUnicode};
const Surroundings kTerminal{.program = "tenon",
                             .color = render::Color::kYes,
                             .charset = render::Charset::kUnicode,
                             .width_max = 60};

TEST(Cli, CutsLinesToTheTerminal) {
  const Outcome outcome = shown(kTerminal, {"--color", "never"});
  EXPECT_EQ(outcome.code, ExitCode::kDone);
  EXPECT_NE(outcome.out.find("…"), std::string::npos) << outcome.out;
  const auto table = outcome.out.substr(0, outcome.out.find("\n\n"));
  for (const auto line : text::split(table, '\n')) EXPECT_LE(render::columns(line), 60U) << line;
}

TEST(Cli, CutsNothingInAPipe) { EXPECT_EQ(shown(kPipe).out.find("…"), std::string::npos); }

TEST(Cli, ColoursATerminalUnlessToldOtherwise) {
  EXPECT_NE(shown(kTerminal).out.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown(kTerminal, {"--color", "never"}).out.find('\x1b'), std::string::npos);
  EXPECT_EQ(shown(kPipe).out.find('\x1b'), std::string::npos);
  EXPECT_NE(shown(kPipe, {"--color=always"}).out.find('\x1b'), std::string::npos);
}

// A file that cannot be read and one that can: nothing is printed as if all was well.
TEST(Cli, KeepsErrorsOutOfTheData) {
  const Outcome outcome = shown(kPipe, {"no-such-file"});
  EXPECT_EQ(outcome.code, ExitCode::kError);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("tenon: no-such-file: ")) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

// A control character in an argument does not reach the terminal.
TEST(Cli, PrintsWordsOfTheUserSafely) {
  const Outcome outcome = run(std::vector<std::string>{"\x1b[2J"}, kTerminal);
  EXPECT_EQ(outcome.code, ExitCode::kBadlyAsked);
  EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos);
}

TEST(Cli, IsAPluginByItsName) {
  const Surroundings plugin{.program = "/usr/local/bin/kubectl-tenon"};
  EXPECT_NE(run(std::vector<std::string>{"help"}, plugin).out.find("kubectl tenon topo show host"),
            std::string::npos);
}

}  // namespace
}  // namespace tenon::cli
