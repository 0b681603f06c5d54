// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// From words to a command of the table and what was asked of it.
#pragma once

#include <span>
#include <string>

#include "shell/cli/commands.hpp"

namespace tenon::cli {

struct Parsed {
  const Command* command = nullptr;
  Invocation invocation;  // with the fallbacks of flags that were not given
};

/// An Error names the word that is wrong and, where one is near, the word that was meant.
/// `--help` asks for the help of the command: a Parsed whose invocation has it on, not checked further.
[[nodiscard]] Result<Parsed> parse(std::span<const std::string> words);

/// The candidate nearest to `word`, if it is near enough to be a slip of the finger.
[[nodiscard]] std::string_view nearest(std::string_view word,
                                       const std::vector<std::string_view>& candidates);

}  // namespace tenon::cli
