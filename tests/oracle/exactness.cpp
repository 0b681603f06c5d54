// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// tenon_oracle_exactness [--states N] [--seed S] [--only I]
//
// The allocator against the oracle on N random cases. Prints what the cases were like and every
// disagreement, cut down and in the notation; ends with 1 if there was one, or if the cases were not
// what they should be. --only I prints case I of the seed and its comparison.

#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>

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
      options.only = *value;
    } else {
      return {};
    }
  }
  if (argc % 2 == 0) return {};
  return options;
}

struct Tally {
  std::uint64_t states = 0;
  std::map<std::string, std::uint64_t> clauses;
  std::map<Outcome, std::uint64_t> outcomes;
  std::array<std::uint64_t, kDisagreements> disagreements{};
  std::uint64_t few = 0;       // feasible with at most three answers
  std::uint64_t ranges = 0;    // the limit of ranges matters
  std::uint64_t ids_free = 0;  // I54 leaves a choice
  std::uint64_t unproven = 0;
  std::uint64_t valid = 0;  // allocations looked at by the checker
  std::uint64_t greedy_refused = 0;
  std::uint64_t greedy_worse = 0;
  std::int64_t steps_max = 0;

  [[nodiscard]] double percent(std::uint64_t count) const {
    return states == 0 ? 0 : 100.0 * static_cast<double>(count) / static_cast<double>(states);
  }
};

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
  const auto& opinion = result.opinion;
  ++tally.outcomes[opinion.outcome];
  ++tally.disagreements[static_cast<std::size_t>(result.what)];
  tally.ranges += opinion.ranges_bite ? 1 : 0;
  tally.unproven += result.proven ? 0 : 1;
  tally.valid += result.valid_checked ? 1 : 0;
  tally.steps_max = std::max(tally.steps_max, result.allocator_steps);
  if (opinion.outcome != Outcome::kFits) return;
  tally.few += opinion.answers < kAnswersCounted ? 1 : 0;
  tally.ids_free += opinion.ids_compared ? 0 : 1;
  count_greedy(c, opinion, tally);
}

void print(const Tally& tally) {
  const auto line = [&](const char* what, std::uint64_t number) {
    std::printf("%-44s %8llu  %5.1f %%\n", what, static_cast<unsigned long long>(number),
                tally.percent(number));
  };
  const auto outcome = [&](Outcome o) {
    const auto found = tally.outcomes.find(o);
    return found == tally.outcomes.end() ? 0 : found->second;
  };
  for (const auto& name : clause_names()) {
    const auto found = tally.clauses.find(name);
    line(("clause " + name).c_str(), found == tally.clauses.end() ? 0 : found->second);
  }
  line("limit of ranges matters", tally.ranges);
  line("states", tally.states);
  line("infeasible", outcome(Outcome::kRefused) + outcome(Outcome::kBadlyAsked));
  line("  of these badly asked", outcome(Outcome::kBadlyAsked));
  line("feasible", outcome(Outcome::kFits));
  line("  of these with at most three answers", tally.few);
  line("  of these a greedy allocator refuses", tally.greedy_refused);
  line("  of these a greedy allocator places worse", tally.greedy_worse);
  line("  of these where I54 leaves the cores open", tally.ids_free);
  line("too large for the oracle, validity only", outcome(Outcome::kTooLarge));
  line("allocations checked", tally.valid);
  line("not proven by the allocator", tally.unproven);
  for (std::size_t what = 1; what < tally.disagreements.size(); ++what) {
    line(text::cat("disagreements: ", to_text(static_cast<Disagreement>(what))).c_str(),
         tally.disagreements[what]);
  }
  std::printf("most steps of the allocator for one answer  %10lld\n",
              static_cast<long long>(tally.steps_max));
}

/// True if the cases were what the figures claim; of a short run that says little.
bool cases_are_varied(const Tally& tally) {
  if (tally.states < 20'000) return true;
  bool varied = tally.percent(tally.few) >= 20;
  for (const auto& name : clause_names()) {
    const auto found = tally.clauses.find(name);
    varied = varied && found != tally.clauses.end() && tally.percent(found->second) >= 5;
  }
  const auto of = [&](Outcome o) {
    const auto found = tally.outcomes.find(o);
    return found == tally.outcomes.end() ? 0.0 : tally.percent(found->second);
  };
  return varied && of(Outcome::kRefused) + of(Outcome::kBadlyAsked) >= 30 &&
         of(Outcome::kTooLarge) <= 20;
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
  std::vector<domain::Node> real;
  for (auto& found : real_nodes()) real.push_back(std::move(found.node));
  std::printf("%zu captured machines, seed %llu\n", real.size(),
              static_cast<unsigned long long>(options.seed));
  Tally tally;
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
  if (options.only) return 0;
  print(tally);
  bool agree = true;
  for (std::size_t what = 1; what < tally.disagreements.size(); ++what) {
    agree = agree && tally.disagreements[what] == 0;
  }
  if (!cases_are_varied(tally)) std::printf("the cases are not what they should be\n");
  return agree && cases_are_varied(tally) ? 0 : 1;
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
