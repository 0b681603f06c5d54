// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/planner/fix.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/check.hpp"
#include "base/text.hpp"
#include "core/planner/fix_kinds.hpp"
#include "core/planner/hardware.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::planner {
namespace {

/// Work of one search, over all kinds and nodes: some seconds.
constexpr std::int64_t kFixStepsMax = 2'000'000;
/// A question costs at least this, however quickly it is answered.
constexpr std::int64_t kStepsOfAQuestion = 50;
/// One question may take this part of what the first one, without a fix, may.
constexpr std::int64_t kPartOfAQuestion = 16;

using FindFix = std::optional<Fix> (*)(const FixQuestion&, Work&);
/// In the order in which they are offered.
constexpr std::array<FindFix, 5> kKinds{find_free_devices, find_relax_clause, find_end_holders,
                                        find_ask_less, find_add_hardware};

bool equal_holdings(const NodeCase& a, const NodeCase& b) {
  return std::ranges::equal(a.holders, b.holders, {}, &domain::Holder::allocation,
                            &domain::Holder::allocation);
}

std::vector<std::size_t> distinct_cases(const std::vector<NodeCase>& cases) {
  std::vector<std::size_t> distinct;
  std::map<std::string, std::vector<std::size_t>> known;  // by the state's key
  for (std::size_t i = 0; i < cases.size(); ++i) {
    std::string key;
    state::append_key(key, cases[i].now);
    auto& alike = known[key];
    const bool seen = std::ranges::any_of(alike, [&](std::size_t j) {
      return cases[i].now == cases[j].now && equal_holdings(cases[i], cases[j]) &&
             equal_hardware(*cases[i].node, *cases[j].node);
    });
    if (seen) continue;
    alike.push_back(i);
    distinct.push_back(i);
  }
  return distinct;
}

/// Words of canonical notation; blanks inside quotes do not part.
std::vector<std::string> clauses_of(const domain::Request& request) {
  const std::string text = notation::write(request);
  std::vector<std::string> clauses;
  std::string clause;
  bool quoted = false;
  bool escaped = false;
  for (const char c : text) {
    if (c == ' ' && !quoted) {
      if (!clause.empty()) clauses.push_back(std::move(clause));
      clause.clear();
      continue;
    }
    clause += c;
    if (c == '"' && !escaped) quoted = !quoted;
    escaped = c == '\\' && !escaped;
  }
  if (!clause.empty()) clauses.push_back(std::move(clause));
  return clauses;
}

std::string without(const std::vector<std::string>& clauses,
                    const std::vector<std::string>& others) {
  std::vector<std::string> rest;
  for (const std::string& clause : clauses) {
    if (std::ranges::find(others, clause) == others.end()) rest.push_back(clause);
  }
  return text::join(rest, " ");
}

}  // namespace

FixSearch nearest_fix(const domain::Cluster& cluster, const domain::Request& request,
                      const allocation::Limits& limits) {
  const auto cases = node_cases(cluster);
  check(cases.has_value(), "a fix is asked for a cluster that does not contradict itself");
  const FixQuestion question{cluster, request, *cases, distinct_cases(*cases)};
  Work work({.steps_max = std::max<std::int64_t>(limits.steps_max / kPartOfAQuestion, 1)},
            kFixStepsMax);
  FixSearch search;
  for (const FindFix find : kKinds) {
    search.fix = find(question, work);
    if (search.fix || work.exhausted()) break;
  }
  search.complete = work.complete();
  search.steps = work.steps();
  return search;
}

bool fits(const state::NodeState& state, const domain::Request& request, Work& work) {
  if (work.exhausted()) return false;
  const allocation::Fit answer = allocation::fits(state, request, work.limits());
  work.spend(kStepsOfAQuestion + answer.steps);
  if (!answer.proven) work.not_proven();
  return answer.fits;
}

std::optional<std::size_t> best_node(const FixQuestion& question, const domain::Request& request,
                                     Work& work) {
  if (allocation::badly_asked(request)) return std::nullopt;
  std::optional<std::size_t> best;
  allocation::Cost best_cost;
  for (const std::size_t position : question.distinct) {
    const state::NodeState& now = question.cases[position].now;
    if (work.exhausted()) return std::nullopt;
    if (!fits(now, request, work)) continue;
    allocation::Answer answer = allocation::allocate(now, request, work.limits());
    work.spend(answer.steps);
    if (best && answer.cost >= best_cost) continue;
    best = position;
    best_cost = std::move(answer.cost);
  }
  return best;
}

ClauseChange clause_change(const domain::Request& from, const domain::Request& to) {
  const auto before = clauses_of(from);
  const auto after = clauses_of(to);
  return {without(before, after), without(after, before)};
}

std::string and_list(const std::vector<std::string>& parts) {
  std::string list;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) list += i + 1 == parts.size() ? " and " : ", ";
    list += parts[i];
  }
  return list;
}

}  // namespace tenon::planner
