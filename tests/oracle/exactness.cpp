// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// tenon_oracle_exactness [--states N] [--seed S] [--only I]
//
// The allocator against the oracle on N random cases. Prints what the cases were like and every
// disagreement, cut down and in the notation; ends with 1 if there was one or if the cases of a long run
// were not as varied as they have to be. --only I prints case I of the seed and its comparison.

#include <array>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "core/checker/checker.hpp"
#include "oracle/compare.hpp"
#include "oracle/greedy.hpp"
#include "oracle/real.hpp"

namespace tenon::oracle {
namespace {

struct Options {
  std::uint64_t states = 1000;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> only;
};

std::optional<Options> options_from(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const auto value = text::to_u64(argv[i + 1]);
    if (!value) return {};
    if (name == "--states") {
      options.states = *value;
    } else if (name == "--seed") {
      options.seed = *value;
    } else if (name == "--only") {
      options.only = value;
    } else {
      return {};
    }
  }
  if (argc % 2 == 0) return {};
  return options;
}

/// Not a clause of a request, but a rule that has to be met as often: the smallest cores of some answer are
/// too many ranges (I42).
constexpr const char* kRangesClause = "32 ranges";

std::vector<std::string> kinds_of_clauses() {
  auto names = clause_names();
  names.emplace_back(kRangesClause);
  return names;
}

/// A run of at least so many states must be varied.
constexpr std::uint64_t kStatesToJudge = 20'000;

struct Tally {
  std::uint64_t states = 0;
  std::map<std::string, std::uint64_t> clauses;
  std::map<Outcome, std::uint64_t> outcomes;
  std::map<std::size_t, std::uint64_t> captured;  // states on parts of a captured machine
  std::array<std::uint64_t, kDisagreements> disagreements{};
  std::uint64_t few = 0;       // feasible with at most three answers
  std::uint64_t ids_free = 0;  // I54 leaves a choice
  std::uint64_t unproven = 0;
  std::uint64_t valid = 0;  // allocations looked at by the checker
  std::uint64_t greedy_refused = 0;
  std::uint64_t greedy_worse = 0;
  std::int64_t steps_max = 0;

  [[nodiscard]] std::uint64_t of(Outcome outcome) const {
    const auto found = outcomes.find(outcome);
    return found == outcomes.end() ? 0 : found->second;
  }
  [[nodiscard]] std::uint64_t infeasible() const {
    return of(Outcome::kRefused) + of(Outcome::kBadlyAsked);
  }
  [[nodiscard]] std::uint64_t disagreed() const {
    return std::accumulate(disagreements.begin() + 1, disagreements.end(), std::uint64_t{0});
  }
};

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// The yardstick, on a case that fits.
void count_greedy(const Case& c, const Opinion& opinion, Tally& tally) {
  const Situation s(c.node, c.holders);
  const auto given = greedy(s, c.request);
  const auto before = state::state_of(c.node, c.holders);
  if (!given || !before || !checker::check_allocation(*before, c.request, *given).empty()) {
    ++tally.greedy_refused;
    return;
  }
  const auto order = wishes_in_order(c.request);
  const auto own = levels_of(s, c.request, read_back(s, c.node, *given));
  if (price_of(own, order) > price_of(opinion.levels, order)) ++tally.greedy_worse;
}

void count(const Case& c, const Comparison& result, Tally& tally) {
  ++tally.states;
  for (const auto& name : clauses_of(c.request)) ++tally.clauses[name];
  if (c.real) ++tally.captured[*c.real];
  const auto& opinion = result.opinion;
  if (opinion.ranges_bite) ++tally.clauses[kRangesClause];
  ++tally.outcomes[opinion.outcome];
  ++tally.disagreements[static_cast<std::size_t>(result.what)];
  tally.unproven += result.proven ? 0 : 1;
  tally.valid += result.valid_checked ? 1 : 0;
  tally.steps_max = std::max(tally.steps_max, result.allocator_steps);
  if (opinion.outcome != Outcome::kFits) return;
  tally.few += opinion.answers < kAnswersCounted ? 1 : 0;
  tally.ids_free += opinion.ids_compared ? 0 : 1;
  count_greedy(c, opinion, tally);
}

void line(std::string_view what, std::uint64_t number, std::uint64_t of) {
  std::printf("%-44s %8llu  %5.1f %%\n", std::string{what}.c_str(),
              static_cast<unsigned long long>(number), percent(number, of));
}

void print_captured(const Tally& tally, const std::vector<RealNode>& captured) {
  struct Sum {
    int machines = 0;
    std::uint64_t states = 0;
  };
  std::map<std::string_view, Sum> of_source;
  for (const auto& [machine, states] : tally.captured) {
    auto& sum = of_source[captured[machine].source];
    ++sum.machines;
    sum.states += states;
  }
  for (const auto& [source, sum] : of_source) {
    line(text::cat("on parts of ", sum.machines, " of ", source), sum.states, tally.states);
  }
}

void print(const Tally& tally) {
  for (const auto& name : kinds_of_clauses()) {
    line(text::cat("clause ", name), tally.clauses.at(name), tally.states);
  }
  line("states", tally.states, tally.states);
  line("infeasible", tally.infeasible(), tally.states);
  line("  badly asked", tally.of(Outcome::kBadlyAsked), tally.states);
  const auto feasible = tally.of(Outcome::kFits);
  line("feasible", feasible, tally.states);
  line("  with at most three answers", tally.few, tally.states);
  line("  where I54 leaves the cores open", tally.ids_free, tally.states);
  line("too large for the oracle, validity only", tally.of(Outcome::kTooLarge), tally.states);
  line("of the feasible a greedy allocator refuses", tally.greedy_refused, feasible);
  line("of the feasible it places worse", tally.greedy_worse, feasible);
  line("allocations checked", tally.valid, tally.states);
  line("not proven by the allocator", tally.unproven, tally.states);
  for (std::size_t what = 1; what < tally.disagreements.size(); ++what) {
    line(text::cat("disagreements: ", to_text(static_cast<Disagreement>(what))),
         tally.disagreements[what], tally.states);
  }
  std::printf("most steps of the allocator for one answer   %8lld\n",
              static_cast<long long>(tally.steps_max));
}

/// What the cases of a long run should have been and were not; of a short run that says little.
std::vector<std::string> shortcomings(const Tally& tally, const std::vector<RealNode>& captured) {
  std::vector<std::string> found;
  if (tally.states < kStatesToJudge) return found;
  const auto at_least = [&](double wanted, std::string_view what, std::uint64_t number) {
    if (percent(number, tally.states) < wanted) {
      found.push_back(text::cat("less than ", static_cast<int>(wanted), " %: ", what));
    }
  };
  at_least(30, "infeasible", tally.infeasible());
  at_least(20, "with at most three answers", tally.few);
  for (const auto& name : kinds_of_clauses()) {
    at_least(5, text::cat("clause ", name), tally.clauses.at(name));
  }
  if (percent(tally.of(Outcome::kTooLarge), tally.states) > 20) {
    found.emplace_back("more than 20 %: too large for the oracle");
  }
  if (tally.captured.size() < captured.size()) {
    found.emplace_back("captured machines that no state is on");
  }
  return found;
}

void report(const Case& c, const Comparison& result, std::uint64_t number) {
  const auto small =
      shrink(c, [&](const Case& tried) { return compare(tried).what == result.what; });
  const auto again = compare(small);
  std::printf("case %llu: disagreement in %s\n%s# %s\n\n", static_cast<unsigned long long>(number),
              std::string{to_text(result.what)}.c_str(), to_text(small).c_str(),
              again.detail.c_str());
}

int run(const Options& options) {
  const auto captured = real_nodes();
  const auto real = nodes_of(captured);
  std::printf("%s, seed %llu\n", to_text(captured).c_str(),
              static_cast<unsigned long long>(options.seed));
  Tally tally;
  for (const auto& name : kinds_of_clauses()) tally.clauses[name] = 0;
  int reported = 0;
  const std::uint64_t first = options.only.value_or(0);
  const std::uint64_t end = options.only ? first + 1 : options.states;
  for (std::uint64_t i = first; i < end; ++i) {
    Dice dice(options.seed * 1'000'000'007ULL + i);
    const Case c = random_case(dice, real);
    if (options.only) std::printf("%s\n", to_text(c).c_str());
    const Comparison result = compare(c);
    count(c, result, tally);
    if (result.what != Disagreement::kNone && reported < 10) {
      ++reported;
      report(c, result, i);
    }
  }
  if (!options.only) {
    print_captured(tally, captured);
    print(tally);
  }
  const auto wrong = shortcomings(tally, captured);
  for (const auto& what : wrong) std::printf("the cases are not varied enough: %s\n", what.c_str());
  return tally.disagreed() == 0 && wrong.empty() ? 0 : 1;
}

}  // namespace
}  // namespace tenon::oracle

int main(int argc, char** argv) {
  const auto options = tenon::oracle::options_from(argc, argv);
  if (!options) {
    std::fprintf(stderr, "usage: tenon_oracle_exactness [--states N] [--seed S] [--only I]\n");
    return 64;
  }
  return tenon::oracle::run(*options);
}
