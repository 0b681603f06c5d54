// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/cli/cli.hpp"

#include "base/text.hpp"
#include "shell/cli/commands.hpp"
#include "shell/cli/help.hpp"
#include "shell/cli/parse.hpp"

namespace tenon::cli {
namespace {

/// A plugin's user types "kubectl tenon".
std::string shown_name(std::string_view path) {
  const auto slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  return name.starts_with("kubectl-tenon") ? "kubectl tenon" : "tenon";
}

render::TextStyle style_of(const Invocation& invocation, const Surroundings& surroundings) {
  render::TextStyle style{.color = surroundings.color,
                          .charset = surroundings.charset,
                          .detail = render::Detail::kNormal,
                          .width_max = surroundings.width_max};
  const std::string_view color = invocation.value("color");
  if (color == "always") style.color = render::Color::kYes;
  if (color == "never") style.color = render::Color::kNo;
  if (invocation.is_on("ascii")) style.charset = render::Charset::kAscii;
  return style;
}

}  // namespace

Outcome run(std::span<const std::string> words, const Surroundings& surroundings) {
  Desk desk{.program = shown_name(surroundings.program), .style = {}, .outcome = {}};
  const auto parsed = parse(words);
  if (!parsed) {
    desk.fail(parsed.error(), ExitCode::kBadlyAsked);
    return std::move(desk.outcome);
  }
  desk.style = style_of(parsed->invocation, surroundings);
  if (parsed->invocation.is_on("help")) {
    desk.outcome.out = help_of(*parsed->command, desk.program);
  } else {
    parsed->command->run(parsed->invocation, desk);
  }
  return std::move(desk.outcome);
}

}  // namespace tenon::cli
