// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/cli/parse.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/text.hpp"

namespace tenon::cli {
namespace {

Result<Parsed> badly_asked(std::string what, std::string advice) {
  return bad_input({}, std::move(what), std::move(advice));
}

std::string see_help(const Command& command) {
  return text::cat("see 'tenon ", command.name, " --help'");
}

/// Optimal string alignment: a swap of two neighbours is one slip.
std::size_t slips(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t k = 0; k <= b.size(); ++k) {
      if (i == 0 || k == 0) {
        cost[i][k] = i + k;
        continue;
      }
      cost[i][k] = std::min({cost[i - 1][k] + 1, cost[i][k - 1] + 1,
                             cost[i - 1][k - 1] + (a[i - 1] == b[k - 1] ? 0U : 1U)});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
        cost[i][k] = std::min(cost[i][k], cost[i - 2][k - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates,
                         std::string otherwise) {
  const std::string_view meant = nearest(word, candidates);
  return meant.empty() ? std::move(otherwise) : text::cat("did you mean '", meant, "'?");
}

Result<Parsed> no_such_command(std::span<const std::string> words) {
  const std::string& first = words.front();
  if (first.starts_with('-')) {
    return badly_asked(text::cat("flag '", first, "' stands before the command"),
                       "write the command first, see 'tenon help'");
  }
  std::vector<std::string_view> seconds;  // of a group: topo
  std::vector<std::string_view> firsts;
  for (const Command& command : commands()) {
    const auto cut = command.name.find(' ');
    firsts.push_back(command.name.substr(0, cut));
    if (cut != std::string_view::npos && firsts.back() == first) {
      seconds.push_back(command.name.substr(cut + 1));
    }
  }
  if (seconds.empty()) {
    return badly_asked(text::cat("no command '", first, "'"),
                       did_you_mean(first, firsts, "see 'tenon help'"));
  }
  const std::vector<std::string> list(seconds.begin(), seconds.end());
  const std::string choices = text::cat("it is one of: ", text::join(list, ", "));
  if (words.size() < 2) return badly_asked(text::cat("'", first, "' needs a second word"), choices);
  return badly_asked(text::cat("no command '", first, " ", words[1], "'"),
                     did_you_mean(words[1], seconds, choices));
}

/// CLI11's registration of one flag; what it collects is read back by copy_given().
struct Registered {
  const Flag* flag;
  CLI::Option* option;
  std::vector<std::string> texts;
  bool on = false;
};

void register_flag(CLI::App& app, Registered& entry) {
  const Flag& flag = *entry.flag;
  std::string names = text::cat("--", flag.name);
  if (flag.letter != 0) names += text::cat(",-", flag.letter);
  if (flag.value.empty()) {
    if (flag.given == Flag::Given::kNegatable) names += text::cat(",!--no-", flag.name);
    entry.option = app.add_flag(names, entry.on);
  } else {
    entry.option = app.add_option(names, entry.texts);
    entry.option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    entry.option->allow_extra_args(false);
  }
}

/// "" if the values of the flag are as its table says, else what is wrong.
Result<void> take_values(const Command& command, Registered& entry, Invocation& invocation) {
  const Flag& flag = *entry.flag;
  if (flag.value.empty()) {
    if (entry.option->count() > 0)
      invocation.flags.emplace_back(flag.name, entry.on ? "yes" : "no");
    return {};
  }
  if (entry.texts.size() > 1 && flag.given != Flag::Given::kRepeated) {
    return bad_input({}, text::cat("flag '--", flag.name, "' is given twice"), "give it once");
  }
  for (std::string& value : entry.texts) {
    // CLI11 leaves the sign in "-o=json".
    if (flag.letter != 0 && value.starts_with('=')) value.erase(0, 1);
    const bool allowed =
        flag.choices.empty() || std::ranges::find(flag.choices, value) != flag.choices.end();
    if (!allowed) {
      const std::vector<std::string_view> choices(flag.choices.begin(), flag.choices.end());
      const std::vector<std::string> list(choices.begin(), choices.end());
      return bad_input({},
                       text::cat("'", value, "' is no value of '--", flag.name, "' of 'tenon ",
                                 command.name, "'"),
                       text::cat("it is one of: ", text::join(list, ", ")));
    }
    invocation.flags.emplace_back(flag.name, value);
  }
  return {};
}

/// The first flag that the table does not have, as the error to show.
Result<Parsed> no_such_flag(const Command& command, std::string_view word) {
  std::vector<std::string> names;
  for (const auto& flags : {command.flags, common_flags()}) {
    for (const Flag& flag : flags) names.push_back(text::cat("--", flag.name));
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return badly_asked(text::cat("'tenon ", command.name, "' has no flag '", word, "'"),
                     did_you_mean(word.substr(0, word.find('=')), candidates, see_help(command)));
}

/// A switch takes no value; CLI11 would take "--explain=-1" for its opposite.
Result<void> check_switches(const Command& command, std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word == "--") break;
    const std::string_view name = std::string_view{word}.substr(0, word.find('='));
    if (name.size() == word.size()) continue;
    for (const auto& flags : {command.flags, common_flags()}) {
      for (const Flag& flag : flags) {
        const bool named =
            name == text::cat("--", flag.name) || name == text::cat("--no-", flag.name);
        if (!named || !flag.value.empty()) continue;
        return bad_input({}, text::cat("'", name, "' of 'tenon ", command.name, "' takes no value"),
                         text::cat("write ", name, " alone"));
      }
    }
  }
  return {};
}

Result<void> check_operands(const Command& command, const Invocation& invocation) {
  const std::size_t count = invocation.operands.size();
  const bool many = command.operands.ends_with("...") || command.operands.starts_with('[');
  const bool needed = !command.operands.empty() && !command.operands.starts_with('[');
  if (needed && count == 0) {
    return bad_input({}, text::cat("'tenon ", command.name, "' needs ", command.operands),
                     see_help(command));
  }
  const std::size_t most = command.operands.empty() ? 0 : many ? count : 1;
  if (count > most) {
    return bad_input(
        {}, text::cat("'tenon ", command.name, "' does not take '", invocation.operands[most], "'"),
        see_help(command));
  }
  return {};
}

Result<Parsed> parse_command(const Command& command, std::span<const std::string> words) {
  Parsed parsed{.command = &command, .invocation = {}};
  if (auto checked = check_switches(command, words); !checked) {
    return std::unexpected(checked.error());
  }
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::unique_ptr<Registered>> entries;
  for (const auto& flags : {command.flags, common_flags()}) {
    for (const Flag& flag : flags) {
      entries.push_back(std::make_unique<Registered>(Registered{&flag, nullptr, {}, false}));
      register_flag(app, *entries.back());
    }
  }
  std::vector<std::string> backwards(words.rbegin(), words.rend());  // what CLI11 wants
  try {
    app.parse(backwards);
  } catch (const CLI::ParseError& error) {
    return badly_asked(text::cat("'tenon ", command.name, "': ", error.what()), see_help(command));
  }
  parsed.invocation.operands = app.remaining();

  for (const auto& entry : entries) {
    if (auto taken = take_values(command, *entry, parsed.invocation); !taken) {
      return std::unexpected(taken.error());
    }
  }
  if (parsed.invocation.is_on("help")) return parsed;

  // What follows "--" is an operand even if it looks like a flag.
  const auto end_of_flags = std::ranges::find(words, "--");
  for (const std::string& word : parsed.invocation.operands) {
    const bool before_end = std::find(words.begin(), end_of_flags, word) != end_of_flags;
    if (before_end && word.size() > 1 && word.starts_with('-') && word != "--") {
      return no_such_flag(command, word);
    }
  }
  std::erase(parsed.invocation.operands, "--");
  if (auto checked = check_operands(command, parsed.invocation); !checked) {
    return std::unexpected(checked.error());
  }
  for (const auto& entry : entries) {
    const Flag& flag = *entry->flag;
    if (entry->option->count() > 0) continue;
    if (flag.given == Flag::Given::kRequired) {
      return badly_asked(
          text::cat("'tenon ", command.name, "' needs --", flag.name, " ", flag.value),
          see_help(command));
    }
    if (!flag.fallback.empty()) parsed.invocation.flags.emplace_back(flag.name, flag.fallback);
  }
  return parsed;
}

}  // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  std::string_view best;
  std::size_t fewest = std::max<std::size_t>(word.size() / 3, 1) + 1;
  if (word.size() > 64) return best;  // no slip of a finger: and the work stays small
  for (const std::string_view candidate : candidates) {
    const std::size_t count = slips(word, candidate);
    if (count < fewest) {
      fewest = count;
      best = candidate;
    }
  }
  return best;
}

Result<Parsed> parse(std::span<const std::string> words) {
  static constexpr std::string_view kHelp = "help";
  static constexpr std::string_view kVersion = "version";
  const std::string first = words.empty() ? std::string{kHelp} : words.front();
  const auto named = [](std::string_view name) {
    return &*std::ranges::find(commands(), name, &Command::name);
  };
  if (words.empty() || first == "--help" || first == "-h") {
    return Parsed{named(kHelp), {}};
  }
  if (first == "--version") return parse_command(*named(kVersion), words.subspan(1));
  for (const Command& command : commands()) {
    const auto parts = text::words(command.name);
    if (words.size() < parts.size()) continue;
    if (!std::ranges::equal(parts, words.first(parts.size()))) continue;
    return parse_command(command, words.subspan(parts.size()));
  }
  const bool asks_help = std::ranges::any_of(
      words.subspan(1), [](const std::string& word) { return word == "--help" || word == "-h"; });
  if (asks_help) {  // of a group of commands
    return Parsed{named(kHelp), Invocation{.flags = {}, .operands = {first}}};
  }
  return no_such_command(words);
}

}  // namespace tenon::cli
