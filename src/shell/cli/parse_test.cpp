// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/cli/parse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "base/text.hpp"
#include "shell/cli/help.hpp"
#include "support/shared_data.hpp"

namespace tenon::cli {
namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (const auto word : text::words(line)) words.emplace_back(word);
  return words;
}

/// "topo show format=smi output=json | a.txt b.txt", or "error: ...".
std::string parsed(const std::vector<std::string>& words) {
  const auto result = parse(words);
  if (!result) return text::cat("error: ", to_text(result.error()));
  std::string out{result->command->name};
  for (const auto& [name, value] : result->invocation.flags)
    out += text::cat(" ", name, "=", value);
  if (!result->invocation.operands.empty()) {
    out += text::cat(" | ", text::join(result->invocation.operands, " "));
  }
  return out;
}
std::string parsed(std::string_view line) { return parsed(words_of(line)); }

TEST(Parse, TakesFlagsInEachSpelling) {
  const std::string all = "topo check format=smi output=json color=auto | a.txt";
  EXPECT_EQ(parsed("topo check --format smi -o json a.txt"), all);
  EXPECT_EQ(parsed("topo check a.txt --format=smi -ojson"), all);
  EXPECT_EQ(parsed("topo check -o=json a.txt --format=smi"), all);
}

TEST(Parse, TakesTheStandardInputAndWhatFollowsTwoDashes) {
  EXPECT_EQ(parsed("topo convert -"), "topo convert format=auto color=auto | -");
  EXPECT_EQ(parsed("topo convert -- --odd"), "topo convert format=auto color=auto | --odd");
}

TEST(Parse, TakesSwitchesAndTheirOpposites) {
  EXPECT_EQ(parsed({"place", "--cluster", "-", "--cluster", "b", "--request", "gpu=1 nic=1",
                    "--no-fix", "--explain"}),
            "place cluster=- cluster=b explain=yes fix=no request=gpu=1 nic=1 format=auto "
            "name=request output=table "
            "steps-max=2000000 color=auto");
}

// --explain=-1 switched it off, and --no-fix=3 went for --no-fix.
TEST(Parse, RefusesAValueOfASwitch) {
  for (const std::string name : {"--explain", "--no-fix", "--fix", "--help"}) {
    EXPECT_EQ(
        parsed({"place", "--request", "gpu=1", name + "=-1"}),
        text::cat("error: '", name, "' of 'tenon place' takes no value; write ", name, " alone"));
  }
  EXPECT_EQ(parsed({"topo", "convert", "--", "--ascii=1"}),
            "topo convert format=auto color=auto | --ascii=1");
}

TEST(Parse, NamesWhatIsWrongAndWhatWasMeant) {
  EXPECT_EQ(parsed("plase"), "error: no command 'plase'; did you mean 'place'?");
  EXPECT_EQ(parsed("topo shwo x"), "error: no command 'topo shwo'; did you mean 'show'?");
  EXPECT_EQ(parsed("topo"),
            "error: 'topo' needs a second word; it is one of: check, convert, distances, show");
  EXPECT_EQ(parsed("frobnicate"), "error: no command 'frobnicate'; see 'tenon help'");
  EXPECT_EQ(
      parsed("--color never topo show x"),
      "error: flag '--color' stands before the command; write the command first, see 'tenon help'");
  EXPECT_EQ(parsed("topo show --outptu json x"),
            "error: 'tenon topo show' has no flag '--outptu'; did you mean '--output'?");
  EXPECT_EQ(parsed("topo show"),
            "error: 'tenon topo show' needs FILE...; see 'tenon topo show --help'");
  EXPECT_EQ(parsed("topo check x -o svg"),
            "error: 'svg' is no value of '--output' of 'tenon topo check'; it is one of: csv, "
            "json, name, table, wide, "
            "yaml");
  EXPECT_EQ(parsed("topo show x --format smi --format nccl"),
            "error: flag '--format' is given twice; give it once");
  EXPECT_EQ(parsed("version now"),
            "error: 'tenon version' does not take 'now'; see 'tenon version --help'");
  EXPECT_EQ(parsed("place --cluster x"),
            "error: 'tenon place' needs --request CLAUSES; see 'tenon place --help'");
  EXPECT_TRUE(parsed("topo show x --output").starts_with("error: 'tenon topo show': "))
      << "a value is missing";
}

TEST(Parse, HelpComesBeforeEveryOtherCheck) {
  EXPECT_EQ(parsed("topo show --help"), "topo show help=yes");
  EXPECT_EQ(parsed("topo --help"), "help | topo");
  EXPECT_EQ(parsed(""), "help");
  EXPECT_EQ(parsed("--version"), "version output=table color=auto");
}

TEST(Commands, AreSortedUniqueAndWhole) {
  std::set<std::string_view> names;
  for (const Command& command : commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_NE(command.run, nullptr);
    EXPECT_FALSE(command.summary.empty());
    EXPECT_FALSE(command.help.empty());
    EXPECT_TRUE(std::ranges::is_sorted(command.flags, {}, &Flag::name)) << command.name;
    for (const Flag& flag : command.flags) {
      EXPECT_TRUE(std::ranges::is_sorted(flag.choices)) << command.name << " " << flag.name;
      EXPECT_FALSE(flag.help.empty());
    }
  }
  EXPECT_TRUE(std::ranges::is_sorted(commands(), {}, &Command::name));
}

// Every example of the table is a command that the table understands.
TEST(Commands, HaveExamplesThatParse) {
  for (const Command& command : commands()) {
    for (const Example& example : command.examples) {
      EXPECT_NE(example.command.find(text::cat("tenon ", command.name)), std::string_view::npos)
          << example.command;
    }
  }
}

TEST(Help, HasEveryFlagOfEachCommand) {
  for (const Command& command : commands()) {
    const std::string help = help_of(command, "kubectl tenon");
    EXPECT_NE(help.find(text::cat("kubectl tenon ", command.name)), std::string::npos) << help;
    for (const Flag& flag : command.flags) {
      EXPECT_NE(help.find(flag.name), std::string::npos) << help;
      for (const auto choice : flag.choices)
        EXPECT_NE(help.find(choice), std::string::npos) << help;
    }
    for (const auto line : text::split(help, '\n')) EXPECT_LE(line.size(), 120U) << line;
  }
}

TEST(Completion, KnowsEveryCommandFlagAndChoice) {
  for (const std::string& script : {bash_completion(), zsh_completion()}) {
    for (const Command& command : commands()) {
      EXPECT_NE(script.find(text::cat("'", command.name, "'")), std::string::npos) << command.name;
      for (const Flag& flag : command.flags) {
        EXPECT_NE(script.find(text::cat("--", flag.name)), std::string::npos) << flag.name;
        for (const auto choice : flag.choices) {
          EXPECT_NE(script.find(choice), std::string::npos) << choice;
        }
      }
    }
  }
}

// docs/cli.md is written by the program: TENON_UPDATE_GOLDEN=1 writes it anew.
TEST(Manual, IsTheFileInTheDocs) {
  const auto path = support::source_path("docs/cli.md");
  const char* update = std::getenv("TENON_UPDATE_GOLDEN");
  if (update != nullptr && std::string_view{update} == "1") {
    std::ofstream(path, std::ios::binary) << manual();
  }
  std::ifstream file(path, std::ios::binary);
  const std::string kept{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(kept, manual());
}

TEST(Nearest, IsASlipOfTheFingerAndNoMore) {
  EXPECT_EQ(nearest("palce", {"place", "topo"}), "place");
  EXPECT_EQ(nearest("xyz", {"place", "topo"}), "");
  EXPECT_EQ(nearest(std::string(10'000, 'x'), {"place"}), "");
}

}  // namespace
}  // namespace tenon::cli
