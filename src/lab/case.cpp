// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "lab/case.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "base/text.hpp"
#include "core/checker/checker.hpp"
#include "core/planner/fix.hpp"
#include "core/planner/place.hpp"
#include "core/state/node_state.hpp"
#include "domain/notation/notation.hpp"
#include "domain/quantity.hpp"
#include "formats/topology/reader.hpp"
#include "lab/case_runner.hpp"
#include "lab/words.hpp"

namespace tenon::lab {
namespace {

using domain::Cluster;
using text::cat;

/// What the step before an expectation answered.
struct PlaceAnswer {
  domain::NamedRequest pod;
  Cluster before;  // as the step found it
  planner::Placement placement;
};
using Answer = std::variant<std::monostate, PlaceAnswer, Error>;

class CaseRunner {
 public:
  CaseRunner(Planner planner, std::string_view text, std::string_view name)
      : planner_(planner), lines_(text::split(text, '\n')), name_(name) {}

  Result<CaseReport> run();

 private:
  using Step = Result<void> (CaseRunner::*)(std::string_view rest);
  /// What a statement has to do with the step before it.
  enum class Role : std::uint8_t { kHead, kStep, kExpectation };
  struct Statement {
    std::string_view word;
    Role role;
    Step step;
  };

  Result<void> run_line();
  Result<void> read_notation();
  Result<void> read_files();
  Result<void> place(std::string_view rest);
  Result<void> release(std::string_view rest);
  Result<void> read_quantity(std::string_view rest);
  Result<void> expect_plan(std::string_view rest);
  Result<void> expect_fix(std::string_view rest);
  Result<void> expect_steps(std::string_view rest);
  Result<void> expect_error(std::string_view rest);
  Result<void> expect_warning(std::string_view rest);
  Result<void> head_id(std::string_view rest) { return head(report_.id, rest); }
  Result<void> head_source(std::string_view rest) { return head(report_.source, rest); }
  Result<void> head_about(std::string_view rest) { return head(report_.about, rest); }
  Result<void> reason(std::string_view rest);
  Result<void> head(std::string& field, std::string_view rest);

  static const Statement* statement_of(std::string_view line);

  [[nodiscard]] std::string where() const { return cat(name_, ':', at_ + 1); }
  [[nodiscard]] std::unexpected<Error> wrong(std::string what, std::string advice = {}) const {
    return bad_input(where(), std::move(what), std::move(advice));
  }
  /// The text at its place in the file, so that errors of other readers name the right line.
  [[nodiscard]] std::string in_place(std::string_view text) const {
    return std::string(at_, '\n').append(text);
  }
  [[nodiscard]] std::string_view line() const { return text::trim(lines_[at_]); }
  /// All that the step before answered is expected by a line of the case.
  [[nodiscard]] Result<void> nothing_owed(std::string_view step) const;
  void answer(Answer answer) {
    answer_ = std::move(answer);
    expected_ = false;
  }
  Result<void> ask_checker(const PlaceAnswer& placed);
  void start_cluster();
  void add(Cluster described);
  void compare(bool met, std::string_view expected, std::string got);
  [[nodiscard]] notation::Expected got(const PlaceAnswer& answer) const;

  Planner planner_;
  std::vector<std::string_view> lines_;
  std::string_view name_;
  std::size_t at_ = 0;
  Cluster cluster_;
  bool stepped_ = false;  // since the cluster was described
  Answer answer_;
  bool expected_ = true;
  std::vector<std::string> warnings_;  // of the files above, expected by nobody so far
  CaseReport report_;
};

const CaseRunner::Statement* CaseRunner::statement_of(std::string_view line) {
  static constexpr Statement kStatements[] = {
      {"->", Role::kExpectation, &CaseRunner::expect_plan},
      {"about", Role::kHead, &CaseRunner::head_about},
      {"case", Role::kHead, &CaseRunner::head_id},
      {"error", Role::kExpectation, &CaseRunner::expect_error},
      {"fix", Role::kExpectation, &CaseRunner::expect_fix},
      {"place", Role::kStep, &CaseRunner::place},
      {"read", Role::kStep, &CaseRunner::read_quantity},
      {"release", Role::kStep, &CaseRunner::release},
      {"source", Role::kHead, &CaseRunner::head_source},
      {"warning", Role::kExpectation, &CaseRunner::expect_warning},
      {"where", Role::kExpectation, &CaseRunner::expect_steps},
      {"why", Role::kHead, &CaseRunner::reason},
  };
  const auto word = first_word(line);
  const auto* found = std::find_if(std::begin(kStatements), std::end(kStatements),
                                   [&](const Statement& known) { return known.word == word; });
  return found == std::end(kStatements) ? nullptr : found;
}

Result<CaseReport> CaseRunner::run() {
  while (at_ < lines_.size()) {
    if (auto done = run_line(); !done) return std::unexpected(std::move(done.error()));
  }
  at_ = lines_.size() - 1;
  if (auto done = nothing_owed("last step"); !done) return std::unexpected(std::move(done.error()));
  if (report_.id.empty() || report_.source.empty() || report_.about.empty()) {
    return wrong("a case says its number, where it was reported, and what it shows",
                 "begin with lines case, source and about");
  }
  if (report_.checked == 0)
    return wrong("the case expects nothing", "write what must come out: -> …");
  return std::move(report_);
}

Result<void> CaseRunner::run_line() {
  if (line().empty() || line().starts_with('#')) {
    ++at_;
    return {};
  }
  const auto* statement = statement_of(line());
  if (statement == nullptr || statement->role == Role::kStep) {
    if (auto done = nothing_owed("step before"); !done) return done;
    answer_ = {};
  }
  if (statement == nullptr) return first_word(line()) == "file" ? read_files() : read_notation();
  if (auto done = (this->*statement->step)(rest_of(line())); !done) return done;
  ++at_;
  return {};
}

Result<void> CaseRunner::head(std::string& field, std::string_view rest) {
  if (rest.empty()) return wrong("the line says nothing");
  if (!field.empty()) field += ' ';
  field += rest;
  return {};
}

/// For the reader of the case alone.
Result<void> CaseRunner::reason(std::string_view rest) {
  return rest.empty() ? wrong("the line says nothing") : Result<void>{};
}

Result<void> CaseRunner::nothing_owed(std::string_view step) const {
  if (!warnings_.empty()) {
    return wrong(cat("nobody expects the warning: ", warnings_.front()),
                 "write warning WORDS below the file, or mend the file");
  }
  if (expected_) return {};
  return wrong(cat("nothing is expected of the ", step), "write what it must answer: -> …");
}

/// A description after a step begins another cluster.
void CaseRunner::start_cluster() {
  if (stepped_) cluster_ = {};
  stepped_ = false;
}

/// Nodes, and those who hold something there.
void CaseRunner::add(Cluster described) {
  auto& [nodes, holders] = described;
  std::move(nodes.begin(), nodes.end(), std::back_inserter(cluster_.nodes));
  std::move(holders.begin(), holders.end(), std::back_inserter(cluster_.holders));
}

/// All lines up to the next statement of the case.
Result<void> CaseRunner::read_notation() {
  start_cluster();
  std::string text = in_place("");
  for (; at_ < lines_.size(); ++at_) {
    if (statement_of(line()) != nullptr || first_word(line()) == "file") break;
    if (first_word(line()) == "pod") {
      return wrong("a pod is asked for by place", "write place pod NAME …");
    }
    text += cat(lines_[at_], '\n');
  }
  auto document = notation::parse(text, name_);
  if (!document) return std::unexpected(std::move(document.error()));
  add(std::move(document->cluster));
  return {};
}

/// `file NAME FORMAT`, each with its text indented by two, all of one format: one call of a reader.
Result<void> CaseRunner::read_files() {
  start_cluster();
  std::vector<formats::topology::Source> sources;
  std::string format;
  while (at_ < lines_.size() && first_word(lines_[at_]) == "file") {
    const auto words = text::words(line());
    if (words.size() != 3 || (!format.empty() && format != words[2])) {
      return wrong("file needs a name and a format, the same one for files that belong together",
                   "write file NAME FORMAT");
    }
    format = words[2];
    auto& source = sources.emplace_back(std::string{words[1]}, "");
    constexpr std::string_view kIndent = "  ";
    for (++at_; at_ < lines_.size(); ++at_) {
      const auto text = lines_[at_];
      if (!text.starts_with(kIndent) && !text::trim(text).empty()) break;
      source.bytes += cat(text.substr(std::min(text.size(), kIndent.size())), '\n');
    }
  }
  auto machines = formats::topology::read(sources, format);
  if (!machines) {
    answer(std::move(machines.error()));
    return {};
  }
  add(std::move(machines->cluster));
  warnings_ = std::move(machines->warnings);
  return {};
}

Result<void> CaseRunner::place(std::string_view rest) {
  stepped_ = true;
  auto document = notation::parse(in_place(rest), name_);
  if (!document) {
    answer(std::move(document.error()));
    return {};
  }
  if (document->requests.size() != 1 || !document->cluster.nodes.empty()) {
    return wrong("place is followed by one pod", "write place pod NAME …");
  }
  PlaceAnswer placed{std::move(document->requests[0]), cluster_, {}};
  const auto same = [&](const auto& holder) { return holder.name == placed.pod.name; };
  if (std::any_of(cluster_.holders.begin(), cluster_.holders.end(), same)) {
    return wrong(cat(text::quoted(placed.pod.name), " has something already"),
                 "release it, or take another name");
  }
  auto placement = planner_(cluster_, placed.pod.request, {}, planner::FixWanted::kNo);
  if (!placement) return wrong(to_text(placement.error()), "mend the holders of the case");
  placed.placement = std::move(*placement);
  if (auto done = ask_checker(placed); !done) return done;
  if (const auto chosen = placed.placement.chosen) {
    const auto& node = placed.placement.nodes[*chosen];
    cluster_.holders.push_back(
        {domain::HolderKind::kPod, placed.pod.name, node.node, *node.answer.result});
  }
  answer(std::move(placed));
  return {};
}

/// The second opinion on what was placed: a rule that it breaks is a mismatch, whatever the case expects.
Result<void> CaseRunner::ask_checker(const PlaceAnswer& placed) {
  const auto& [pod, before, placement] = placed;
  if (!placement.chosen) return {};
  const auto node = state::state_of(before.nodes[*placement.chosen], before.holders);
  if (!node) return wrong(to_text(node.error()), "mend the holders of the case");
  const auto& allocation = *placement.nodes[*placement.chosen].answer.result;
  for (const auto& broken : checker::check_allocation(*node, pod.request, allocation)) {
    report_.mismatches.push_back(
        {where(), "an allowed plan", cat(broken.invariant, ' ', broken.evidence)});
  }
  return {};
}

Result<void> CaseRunner::release(std::string_view rest) {
  stepped_ = true;
  const auto gone =
      std::erase_if(cluster_.holders, [&](const auto& holder) { return holder.name == rest; });
  return gone == 1 ? Result<void>{} : wrong(cat(text::quoted(rest), " has nothing"));
}

/// `read quantity whole "400m" = 1`, or `… refused: negative`.
Result<void> CaseRunner::read_quantity(std::string_view rest) {
  const auto open = rest.find('"');
  const auto close = rest.rfind('"');
  if (open == std::string_view::npos || close == open) {
    return wrong("the amount stands in quotes", "write read quantity whole \"1.5Gi\" = 1610612736");
  }
  const auto what = text::trim(rest.substr(0, open));
  const auto amount = rest.substr(open + 1, close - open - 1);
  const auto expected = text::trim(rest.substr(close + 1));
  if (what != "quantity whole" && what != "quantity milli") {
    return wrong("only quantities are read", "write read quantity whole, or read quantity milli");
  }
  const auto value =
      what == "quantity whole" ? domain::whole_from_text(amount) : domain::milli_from_text(amount);
  const auto got = value ? cat("= ", *value) : cat("refused: ", to_text(value.error()));
  constexpr std::string_view kRefused = "refused:";
  if (expected.starts_with(kRefused)) {
    compare(!value && has_words_in_order(got, expected), expected, got);
  } else {
    compare(got == expected, expected, got);
  }
  return {};
}

Result<void> CaseRunner::expect_plan(std::string_view) {
  const auto* placed = std::get_if<PlaceAnswer>(&answer_);
  if (const auto* error = std::get_if<Error>(&answer_)) return std::unexpected(*error);
  if (placed == nullptr)
    return wrong("there is no answer to compare with", "write place pod … above");
  const auto expected = notation::parse_expected(in_place(line()), name_, placed->before);
  if (!expected) return std::unexpected(expected.error());
  if (expected->request != placed->pod.name) {
    return wrong(cat("the step before placed ", placed->pod.name), "expect that pod's answer");
  }
  auto plan = got(*placed);
  const bool met = expected->node
                       ? *expected == plan
                       : !plan.node && has_words_in_order(plan.refusal, expected->refusal);
  notation::Document shown{placed->before, {}, {std::move(plan)}};
  shown.cluster.holders.clear();
  const auto text = notation::write(shown);
  compare(met, line(), text.substr(text.rfind("->")));
  return {};
}

/// "VERDICT CODE EVIDENCE (NODE)" of a refusal.
notation::Expected CaseRunner::got(const PlaceAnswer& answer) const {
  notation::Expected plan{.request = answer.pod.name};
  const auto& placement = answer.placement;
  if (placement.chosen) {
    const auto& node = placement.nodes[*placement.chosen];
    plan.node = node.node;
    plan.allocation = *node.answer.result;
  } else if (placement.refusal) {
    const auto& refusal = *placement.refusal;
    plan.refusal = cat(to_text(refusal.verdict), ' ', to_text(refusal.code), ' ', refusal.evidence);
    if (placement.refused_by) {
      plan.refusal += cat(" (", placement.nodes[*placement.refused_by].node, ')');
    }
  }
  return plan;
}

Result<void> CaseRunner::expect_fix(std::string_view rest) {
  const auto* placed = std::get_if<PlaceAnswer>(&answer_);
  if (placed == nullptr || !placed->placement.refusal) {
    return wrong("only what was refused has a fix", "write it below a refusal");
  }
  if (placed->placement.refusal->verdict == domain::Verdict::kBadlyAsked) {
    return wrong("what is badly asked has no fix but to ask again");
  }
  const auto search = planner::nearest_fix(placed->before, placed->pod.request, {});
  const auto text = search.fix ? search.fix->text : std::string{"none"};
  compare(has_words_in_order(text, rest), cat("fix ", rest), cat("fix ", text));
  return {};
}

/// `where NAME took at most N steps`: work is counted, so a bound on it holds on every machine.
Result<void> CaseRunner::expect_steps(std::string_view rest) {
  const auto words = text::words(rest);
  const auto* placed = std::get_if<PlaceAnswer>(&answer_);
  const bool form = words.size() == 6 && words[1] == "took" && words[2] == "at" &&
                    words[3] == "most" && words[5] == "steps";
  const auto most = form ? text::to_u64(words[4]) : std::nullopt;
  if (!most || placed == nullptr || words[0] != placed->pod.name) {
    return wrong("the bound is on the step before", "write where NAME took at most N steps");
  }
  std::int64_t steps = 0;
  for (const auto& node : placed->placement.nodes) steps += node.answer.steps;
  compare(static_cast<std::uint64_t>(steps) <= *most, line(), cat("took ", steps, " steps"));
  return {};
}

Result<void> CaseRunner::expect_error(std::string_view rest) {
  const auto* error = std::get_if<Error>(&answer_);
  if (error == nullptr) return wrong("the step before was no error", "expect its answer: -> …");
  compare(has_words_in_order(to_text(*error), rest), line(), cat("error ", to_text(*error)));
  return {};
}

/// Of the files above: one line for each warning, in their order.
Result<void> CaseRunner::expect_warning(std::string_view rest) {
  if (warnings_.empty()) {
    return wrong("the files above gave no further warning", "leave the line out");
  }
  compare(has_words_in_order(warnings_.front(), rest), line(), cat("warning ", warnings_.front()));
  warnings_.erase(warnings_.begin());
  return {};
}

void CaseRunner::compare(bool met, std::string_view expected, std::string got) {
  expected_ = true;
  ++report_.checked;
  while (got.ends_with('\n')) got.pop_back();
  if (!met) report_.mismatches.push_back({where(), std::string{expected}, std::move(got)});
}

}  // namespace

Result<CaseReport> run_case_with(Planner planner, std::string_view text, std::string_view name) {
  return CaseRunner{planner, text, name}.run();
}

Result<CaseReport> run_case(std::string_view text, std::string_view name) {
  return run_case_with(planner::place, text, name);
}

}  // namespace tenon::lab
