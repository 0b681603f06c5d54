// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "oracle/compare.hpp"

#include "base/text.hpp"
#include "core/checker/checker.hpp"
#include "core/state/node_state.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::oracle {

namespace {

using Named = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

Named named(const allocation::Cost& cost) {
  Named all;
  for (const auto& level : cost.levels) all.emplace_back(std::string{level.name}, level.values);
  return all;
}

std::string words(const Named& levels) {
  std::string out;
  for (const auto& [name, values] : levels) {
    out += text::cat(out.empty() ? "" : "; ", name, " ");
    for (std::size_t i = 0; i < values.size(); ++i) out += text::cat(i == 0 ? "" : ",", values[i]);
  }
  return out;
}

/// Maps of more than that many states are not worth the time.
bool pair_can_be_priced(const domain::Request& request, const Chosen& chosen) {
  const auto gpus = distinct(chosen.gpus).size();
  const auto most = static_cast<double>(pair_most(request, gpus, chosen.nics.size()));
  double states = 1;
  for (std::size_t u = 0; u < chosen.nics.size(); ++u) states *= most + 1;
  return states < 100'000;
}

class Judge {
 public:
  Judge(const Case& c, const Situation& s, const allocation::Answer& answer, Comparison& out)
      : c_(c), s_(s), answer_(answer), out_(out), order_(wishes_in_order(c.request)) {}

  void refusal() {
    const auto& refused = answer_.result.error();
    const bool badly = refused.verdict == domain::Verdict::kBadlyAsked;
    const bool fits = out_.opinion.outcome == Outcome::kFits;
    if (fits && answer_.proven_best) {
      say(Disagreement::kFeasibility, "refused, but the oracle gives " + best());
    }
    if (badly != (out_.opinion.outcome == Outcome::kBadlyAsked)) {
      say(Disagreement::kFeasibility, badly ? "called badly asked" : "not called badly asked");
    }
    if (refused.evidence.empty()) say(Disagreement::kInvalid, "a refusal without evidence");
  }

  void allocation(const state::NodeState& before) {
    const auto& given = *answer_.result;
    out_.valid_checked = true;
    const auto violations = checker::check_allocation(before, c_.request, given);
    if (!violations.empty()) {
      say(Disagreement::kInvalid, text::cat(words_of(given), ": ", checker::to_text(violations)));
    }
    auto after = before;
    if (const auto applied = state::apply(after, given); !applied) {
      say(Disagreement::kInvalid, "not applied: " + to_text(applied.error()));
    } else {
      state::release(after, given);
      if (!(after == before)) say(Disagreement::kInvalid, "I25: not reversible");
    }
    if (out_.opinion.outcome == Outcome::kRefused || out_.opinion.outcome == Outcome::kBadlyAsked) {
      say(Disagreement::kFeasibility, text::cat("gives ", words_of(given), ", the oracle refuses"));
    }
    if (out_.what == Disagreement::kNone) cost(given);
  }

 private:
  void cost(const domain::Allocation& given) {
    const Chosen chosen = read_back(s_, c_.node, given);
    if (!pair_can_be_priced(c_.request, chosen)) return;
    const Levels own = levels_of(s_, c_.request, chosen);
    const auto said = named(answer_.cost);
    if (said != oracle::named(own, order_)) {
      say(Disagreement::kCost, text::cat(words_of(given), "\n  is said to cost ", words(said),
                                         "\n  and costs ", words(oracle::named(own, order_))));
      return;
    }
    if (out_.opinion.outcome != Outcome::kFits) return;
    const Price best_price = price_of(out_.opinion.levels, order_);
    const Price price = price_of(own, order_);
    const auto both = text::cat("gives ", words_of(given), "\n  ", words(said), "\n  oracle ",
                                best(), "\n  ", words(oracle::named(out_.opinion.levels, order_)));
    if (price < best_price) say(Disagreement::kCost, "better than the oracle: " + both);
    if (!answer_.proven_best) return;
    if (price > best_price) say(Disagreement::kCost, "not the best: " + both);
    if (price == best_price && out_.opinion.ids_compared && given != out_.opinion.best) {
      say(Disagreement::kIds, both);
    }
  }

  void say(Disagreement what, std::string detail) {
    if (out_.what != Disagreement::kNone) return;
    out_.what = what;
    out_.detail = std::move(detail);
  }
  [[nodiscard]] std::string words_of(const domain::Allocation& allocation) const {
    return notation::write(allocation, c_.node);
  }
  [[nodiscard]] std::string best() const { return words_of(out_.opinion.best); }

  const Case& c_;
  const Situation& s_;
  const allocation::Answer& answer_;
  Comparison& out_;
  std::vector<domain::Wish> order_;
};

}  // namespace

std::string_view to_text(Disagreement what) {
  switch (what) {
    case Disagreement::kNone:
      return "none";
    case Disagreement::kFeasibility:
      return "feasibility";
    case Disagreement::kCost:
      return "cost";
    case Disagreement::kIds:
      return "ids";
    case Disagreement::kInvalid:
      return "validity";
  }
  return "";
}

Comparison compare(const Case& c, const Bounds& bounds) {
  Comparison out;
  const auto before = state::state_of(c.node, c.holders);
  if (!before) {
    out.what = Disagreement::kInvalid;
    out.detail = "holders: " + to_text(before.error());
    return out;
  }
  const Situation s(c.node, c.holders);
  out.opinion = ask(s, c.request, bounds);
  const auto answer = allocation::allocate(*before, c.request);
  out.proven = answer.proven_best;
  out.allocator_steps = answer.steps;
  Judge judge(c, s, answer, out);
  if (answer.result) {
    judge.allocation(*before);
  } else {
    judge.refusal();
  }
  return out;
}

std::string to_text(const Case& c) {
  return notation::write({.cluster = {.nodes = {c.node}, .holders = c.holders},
                          .requests = {{.name = "p", .request = c.request}}});
}

}  // namespace tenon::oracle
