// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Completion scripts: a plain list of cases, so that a shell needs nothing but the script.

#include <algorithm>

#include "base/text.hpp"
#include "shell/cli/help.hpp"

namespace tenon::cli {
namespace {

std::vector<std::string> flags_of(const Command& command) {
  std::vector<std::string> words;
  for (const auto& flags : {command.flags, common_flags()}) {
    for (const Flag& flag : flags) {
      words.push_back(text::cat("--", flag.name));
      if (flag.given == Flag::Given::kNegatable) words.push_back(text::cat("--no-", flag.name));
      if (flag.letter != 0) words.push_back(text::cat("-", flag.letter));
    }
  }
  return words;
}

/// What may stand after `before` ("", "topo"): the next words of all commands, once each.
std::vector<std::string> next_words(std::string_view before) {
  std::vector<std::string> words;
  for (const Command& command : commands()) {
    std::string_view rest = command.name;
    if (!before.empty()) {
      if (!rest.starts_with(text::cat(before, " "))) continue;
      rest.remove_prefix(before.size() + 1);
    }
    const std::string word{rest.substr(0, rest.find(' '))};
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  }
  return words;
}

/// "-o|--output" for a shell's case.
std::string pattern_of(const Flag& flag) {
  std::string pattern = text::cat("--", flag.name);
  if (flag.letter != 0) pattern = text::cat("-", flag.letter, "|", pattern);
  return pattern;
}

/// The operands of a command where they are words and not files.
std::string operand_words(const Command& command) {
  if (command.name == "help") return text::join(next_words(""), " ");
  if (command.operands.find('|') == std::string_view::npos) return {};
  std::string words{command.operands};
  std::ranges::replace(words, '|', ' ');
  return words;
}

std::string_view first_word(const Command& command) {
  return command.name.substr(0, command.name.find(' '));
}

/// Value of the flag before the cursor, as lines of a case over "COMMAND:FLAG".
template <class Line>
std::string choices_of_flags(Line line) {
  std::string out;
  for (const Command& command : commands()) {
    for (const auto& flags : {command.flags, common_flags()}) {
      for (const Flag& flag : flags) {
        if (flag.value.empty()) continue;
        const std::vector<std::string> choices(flag.choices.begin(), flag.choices.end());
        out += line(command, flag, text::join(choices, " "));
      }
    }
  }
  return out;
}

/// "topo show:-o" needs a pattern for each spelling.
std::string spellings(const Command& command, const Flag& flag) {
  std::string out;
  const auto pattern = pattern_of(flag);
  for (const std::string_view spelling : text::split(pattern, '|')) {
    if (!out.empty()) out += '|';
    out += text::cat("'", command.name, ":", spelling, "'");
  }
  return out;
}

}  // namespace

std::string bash_completion() {
  std::string out =
      "# bash completion of tenon; load it with: source <(tenon completion bash)\n"
      "_tenon() {\n"
      "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  local command=\"${COMP_WORDS[1]}\" words=\"\"\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
  out += text::cat("    COMPREPLY=($(compgen -W \"", text::join(next_words(""), " "),
                   "\" -- \"$current\"))\n    return\n  fi\n  case \"$command\" in\n");
  std::vector<std::string> groups;
  for (const Command& command : commands()) {
    const std::string group{first_word(command)};
    if (group == command.name || std::ranges::find(groups, group) != groups.end()) continue;
    groups.push_back(group);
    out += text::cat("    ", group, ")\n      if [ \"$COMP_CWORD\" -eq 2 ]; then\n",
                     "        COMPREPLY=($(compgen -W \"", text::join(next_words(group), " "),
                     "\" -- \"$current\"))\n        return\n      fi\n",
                     "      command=\"$command ${COMP_WORDS[2]}\" ;;\n");
  }
  out += "  esac\n  case \"$command:$previous\" in\n";
  out += choices_of_flags([](const Command& command, const Flag& flag, const std::string& choices) {
    const std::string_view act = flag.value == "FILE" ? "-f" : "-W";
    return text::cat("    ", spellings(command, flag), ")\n      COMPREPLY=($(compgen ", act,
                     flag.value == "FILE" ? std::string{} : text::cat(" \"", choices, "\""),
                     " -- \"$current\"))\n      return ;;\n");
  });
  out += "  esac\n  case \"$command\" in\n";
  for (const Command& command : commands()) {
    out += text::cat("    '", command.name, "') words=\"", text::join(flags_of(command), " "));
    const std::string operands = operand_words(command);
    if (!operands.empty()) out += text::cat(" ", operands);
    out += "\" ;;\n";
  }
  out +=
      "  esac\n"
      "  if [[ \"$current\" == -* ]] || [[ \"$command\" == completion ]] || [[ \"$command\" == "
      "help ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _tenon tenon\n";
  return out;
}

std::string zsh_completion() {
  std::string out =
      "#compdef tenon\n"
      "# zsh completion of tenon; save it as _tenon in a folder of $fpath\n"
      "_tenon() {\n"
      "  local command=\"${words[2]}\" previous=\"${words[CURRENT-1]}\"\n"
      "  local -a list\n"
      "  if (( CURRENT == 2 )); then\n    list=(\n";
  for (const std::string& word : next_words("")) {
    const auto found = std::ranges::find_if(
        commands(), [&](const Command& command) { return first_word(command) == word; });
    const bool alone = found->name == word;
    out += text::cat("      '", word, ":", alone ? found->summary : "Several commands", "'\n");
  }
  out += "    )\n    _describe command list\n    return\n  fi\n  case \"$command\" in\n";
  std::vector<std::string> groups;
  for (const Command& command : commands()) {
    const std::string group{first_word(command)};
    if (group == command.name || std::ranges::find(groups, group) != groups.end()) continue;
    groups.push_back(group);
    out += text::cat("    ", group, ")\n      if (( CURRENT == 3 )); then\n        compadd -- ",
                     text::join(next_words(group), " "),
                     "\n        return\n      fi\n      command=\"$command ${words[3]}\" ;;\n");
  }
  out += "  esac\n  case \"$command:$previous\" in\n";
  out += choices_of_flags([](const Command& command, const Flag& flag, const std::string& choices) {
    const std::string act = flag.value == "FILE" ? std::string{"_files"}
                            : choices.empty()    ? std::string{":"}
                                                 : text::cat("compadd -- ", choices);
    return text::cat("    ", spellings(command, flag), ") ", act, "; return ;;\n");
  });
  out += "  esac\n  case \"$command\" in\n";
  for (const Command& command : commands()) {
    out +=
        text::cat("    '", command.name, "') list=(", text::join(flags_of(command), " "), ") ;;\n");
  }
  out += "  esac\n  if [[ \"$PREFIX\" == -* ]]; then\n    compadd -- $list\n    return\n  fi\n";
  out += "  case \"$command\" in\n";
  for (const Command& command : commands()) {
    const std::string operands = operand_words(command);
    if (!operands.empty())
      out += text::cat("    ", command.name, ") compadd -- ", operands, " ;;\n");
  }
  out +=
      "    *) _files ;;\n"
      "  esac\n"
      "}\n"
      "if [ \"$funcstack[1]\" = _tenon ]; then _tenon \"$@\"; else compdef _tenon tenon; fi\n";
  return out;
}

}  // namespace tenon::cli
