// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "core/checker/checker.hpp"
#include "core/state/node_state.hpp"
#include "core/topology/check.hpp"
#include "core/topology/shape.hpp"
#include "oracle/generate.hpp"
#include "oracle/oracle.hpp"

using namespace tenon;
using namespace tenon::oracle;

int main(int argc, char** argv) {
  const int states = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::map<std::string, int> clauses;
  std::map<Outcome, int> outcomes;
  int few = 0, bite = 0, loose = 0, bad = 0;
  std::int64_t steps = 0;
  double tgen = 0, task = 0;
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  for (int i = 0; i < states; ++i) {
    const double t0 = now();
    Dice dice(static_cast<std::uint64_t>(i));
    const Case c = random_case(dice, {});
    const double t1 = now();
    const Situation s(c.node, c.holders);
    const Opinion o = ask(s, c.request);
    const double t2 = now();
    tgen += t1 - t0;
    task += t2 - t1;
    ++outcomes[o.outcome];
    steps += o.steps;
    for (const auto& name : clauses_of(c.request)) ++clauses[name];
    if (o.outcome == Outcome::kFits && o.answers <= 3) ++few;
    bite += o.ranges_bite;
    for (const auto& f : topology::check_node(c.node))
      if (f.severity == topology::Severity::kError)
        std::printf("%d node: %s %s %s\n", i, f.code.c_str(), f.subject.c_str(), f.text.c_str()),
            ++bad;
    const auto before = state::state_of(c.node, c.holders);
    if (!before) {
      std::printf("%d holders: %s\n", i, before.error().what.c_str());
      ++bad;
      continue;
    }
    if (o.outcome != Outcome::kFits) continue;
    if (!o.ids_compared) {
      ++loose;
      continue;
    }
    auto v = checker::check_allocation(*before, c.request, o.best);
    if (!v.empty()) {
      std::printf("%d: %s", i, checker::to_text(v).c_str());
      ++bad;
    }
    auto after = *before;
    const auto applied = state::apply(after, o.best);
    if (!applied) {
      std::printf("%d apply: %s\n", i, applied.error().what.c_str());
      ++bad;
    } else {
      state::release(after, o.best);
      if (!(after == *before)) std::printf("%d release\n", i), ++bad;
    }
    const auto again = levels_of(s, c.request, read_back(s, c.node, o.best));
    const auto order = wishes_in_order(c.request);
    if (price_of(again, order) != price_of(o.levels, order)) std::printf("%d levels\n", i), ++bad;
    if (bad > 20) break;
  }
  for (const auto& name : clause_names())
    std::printf("%-22s %5.1f\n", name.c_str(), 100.0 * clauses[name] / states);
  std::printf(
      "fits %.1f refused %.1f bad %.1f large %.1f few %.1f bite %.1f loose %.1f steps %.1f gen "
      "%.3f ms ask %.3f ms\n",
      100.0 * outcomes[Outcome::kFits] / states, 100.0 * outcomes[Outcome::kRefused] / states,
      100.0 * outcomes[Outcome::kBadlyAsked] / states,
      100.0 * outcomes[Outcome::kTooLarge] / states, 100.0 * few / states, 100.0 * bite / states,
      100.0 * loose / states, static_cast<double>(steps) / states, tgen * 1000 / states,
      task * 1000 / states);
}
