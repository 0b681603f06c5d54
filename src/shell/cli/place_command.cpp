// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// place: one request on a cluster.

#include "base/text.hpp"
#include "core/allocation/allocate.hpp"
#include "core/planner/place.hpp"
#include "domain/notation/notation.hpp"
#include "render/envelope.hpp"
#include "render/placement.hpp"
#include "shell/cli/commands.hpp"
#include "shell/cli/input.hpp"
#include "shell/cli/output.hpp"
#include "views/placement_view.hpp"

namespace tenon::cli {
namespace {

ExitCode code_of(const views::PlacementView& view) {
  if (!view.verdict) return ExitCode::kDone;
  if (!view.proven_best) return ExitCode::kError;
  switch (*view.verdict) {
    case domain::Verdict::kNotNow:
      return ExitCode::kNotNow;
    case domain::Verdict::kForbidden:
      return ExitCode::kForbidden;
    case domain::Verdict::kNeverFits:
      return ExitCode::kNeverFits;
    case domain::Verdict::kBadlyAsked:
      return ExitCode::kBadlyAsked;
  }
  return ExitCode::kError;
}

/// For a POSIX shell: bare where that is safe.
std::string shell_quoted(std::string_view word) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@,+";
  if (!word.empty() && word.find_first_not_of(kSafe) == std::string_view::npos) {
    return std::string{word};
  }
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

/// The command that asks for less or otherwise; "" for a fix that only people can make.
std::string fix_command(const views::PlacementView& view, const Invocation& invocation,
                        const Desk& desk) {
  if (!view.fix || view.fix->request.empty()) return {};
  std::string command = text::cat(desk.program, " place");
  for (const std::string& file : invocation.values("cluster")) {
    command += text::cat(" --cluster ", shell_quoted(file));
  }
  return text::cat(command, " --request ", shell_quoted(view.fix->request));
}

std::optional<domain::NamedRequest> read_request(const Invocation& invocation, Desk& desk) {
  const std::size_t name_bytes = invocation.value("name").size();
  if (name_bytes == 0 || name_bytes > notation::kNameBytesMax) {
    desk.fail({.what = text::cat("--name has ", name_bytes, " bytes"),
               .advice = text::cat("a name has 1 to ", notation::kNameBytesMax)},
              ExitCode::kBadlyAsked);
    return std::nullopt;
  }
  const std::string_view clauses = invocation.value("request");
  auto request = notation::parse_request(clauses, "--request");
  if (!request) {
    desk.fail(request.error(), ExitCode::kBadlyAsked);
    return std::nullopt;
  }
  return domain::NamedRequest{std::string{invocation.value("name")}, std::move(*request)};
}

std::optional<allocation::Limits> read_limits(const Invocation& invocation, Desk& desk) {
  const auto steps = text::to_u64(invocation.value("steps-max"));
  constexpr std::uint64_t kMost = 1'000'000'000'000;
  if (!steps || *steps == 0 || *steps > kMost) {
    desk.fail({.what = text::cat("'", invocation.value("steps-max"), "' is no number of steps"),
               .advice = text::cat("--steps-max takes 1 to ", kMost)},
              ExitCode::kBadlyAsked);
    return std::nullopt;
  }
  return allocation::Limits{.steps_max = static_cast<std::int64_t>(*steps)};
}

std::optional<Inputs> read_cluster(const Invocation& invocation, Desk& desk) {
  if (auto once = check_stdin_once(invocation.values("cluster")); !once) {
    desk.fail(once.error(), ExitCode::kBadlyAsked);
    return std::nullopt;
  }
  auto inputs =
      read_machines(invocation.values("cluster"), invocation.value("format"), SameName::kRefuse);
  if (!inputs) {
    desk.fail(inputs.error());
    return std::nullopt;
  }
  for (const std::string& warning : inputs->warnings) desk.warn(warning);
  return std::move(*inputs);
}

void write(const views::PlacementView& view, const Invocation& invocation, Desk& desk) {
  const std::string command = fix_command(view, invocation, desk);
  const Form form = form_of(invocation);
  if (form == Form::kName) {  // of the answer, not of all that were asked
    if (!view.verdict) desk.outcome.out = text::cat("node/", render::printable(view.node), "\n");
    return;
  }
  if (form == Form::kTable || form == Form::kWide) {
    render::TextStyle style = desk.style;
    if (form == Form::kWide) style.detail = render::Detail::kWide;
    const bool explain = form == Form::kWide || invocation.is_on("explain");
    desk.outcome.out = render::placement_text(
        view, explain ? render::Explained::kYes : render::Explained::kNo, command, style);
    return;
  }
  write_table(render::placement_table(view), "node", form, desk, [&] {
    render::Value value = render::envelope("Placement");
    value.add_all(render::placement_value(view, command));
    return value;
  });
}

}  // namespace

void run_place(const Invocation& invocation, Desk& desk) {
  if (invocation.values("cluster").empty()) {
    return desk.fail({.what = "'tenon place' needs --cluster FILE",
                      .advice = "give the machines, or --cluster host for this one"},
                     ExitCode::kBadlyAsked);
  }
  const auto request = read_request(invocation, desk);
  const auto limits = read_limits(invocation, desk);
  if (!request || !limits) return;
  const auto inputs = read_cluster(invocation, desk);
  if (!inputs) return;
  const auto fix = invocation.is_on("fix") ? planner::FixWanted::kYes : planner::FixWanted::kNo;
  const auto placement = planner::place(inputs->cluster, request->request, *limits, fix);
  if (!placement) return desk.fail(placement.error());
  const auto view = views::placement_view(inputs->cluster, *request, *placement);
  write(view, invocation, desk);
  desk.outcome.code = code_of(view);
  if (view.answer != views::kNotDecided) return;
  desk.fail({.what = text::cat("not decided: a search was cut after ", limits->steps_max,
                               limits->steps_max == 1 ? " step" : " steps"),
             .advice = "give --steps-max a larger number"});
}

}  // namespace tenon::cli
