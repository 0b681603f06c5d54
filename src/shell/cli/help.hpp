// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The command table as texts: help on a terminal, the page docs/cli.md, completion scripts.
#pragma once

#include <string>
#include <string_view>

#include "shell/cli/commands.hpp"

namespace tenon::cli {

/// `program`: "tenon" or "kubectl tenon".
[[nodiscard]] std::string overview(std::string_view program);
[[nodiscard]] std::string help_of(const Command& command, std::string_view program);

/// The whole of docs/cli.md. A test compares the file with it.
[[nodiscard]] std::string manual();

[[nodiscard]] std::string bash_completion();
[[nodiscard]] std::string zsh_completion();

}  // namespace tenon::cli
