// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// tenon_oracle_fixes [--states N] [--seed S]
//
// Verdicts (I60, I62) and nearest fixes (I65 … I69) of refused cases, against all that could have
// been tried (fix_oracle.hpp). A fix, applied, must make the request fit; no fix of an earlier kind may
// exist, and of its own kind none may be smaller. Prints how many cases there were of which sort, and
// ends with 1 on any disagreement.

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "core/planner/place.hpp"
#include "oracle/compare.hpp"
#include "oracle/fix_oracle.hpp"
#include "oracle/real.hpp"

namespace tenon::oracle {
namespace {

struct Tally {
  int refused = 0;
  int too_large = 0;
  int incomplete = 0;
  int applied = 0;  // fixes that were applied, and fit then
  std::array<int, kFixKindNames.size()> kinds{};
  std::array<int, 9>
      added{};  // additions that no smaller or earlier one does for; by number of devices
  int no_addition_helps = 0;   // nor does any other fix
  int additions_too_many = 0;  // to be tried
  std::map<domain::Verdict, int> verdicts;
  int not_known = 0;
  int disagreements = 0;
};

const char* name_of(FixKind kind) { return kFixKindNames.at(static_cast<std::size_t>(kind)); }

/// "1 NIC beside nic0 and 2 NICs beside gpu3"
std::string to_text(const domain::Node& node, const Addition& addition) {
  const std::string_view one = addition.kind == domain::DeviceKind::kGpu   ? "GPU"
                               : addition.kind == domain::DeviceKind::kNic ? "NIC"
                                                                           : "NVMe";
  std::map<domain::DeviceIndex, int> of_site;
  for (const auto beside : addition.beside) ++of_site[beside];
  std::string out;
  for (const auto& [site, number] : of_site) {
    const auto& device = node.devices.at(static_cast<std::size_t>(site));
    const bool last = site == of_site.rbegin()->first;
    out += text::cat(out.empty() ? ""
                     : last      ? " and "
                                 : ", ",
                     number, " ", one, number == 1 ? "" : "s", " beside ", domain::to_text(device));
  }
  return out;
}

/// Equal in all that I69 says of devices, old and new.
bool equal_devices(const Situation& a, const Situation& b) {
  const auto same_numa = [](const auto& x, const auto& y) { return x.numa == y.numa; };
  return a.gpu_gpu == b.gpu_gpu && a.gpu_nic == b.gpu_nic && a.gpu_nvme == b.gpu_nvme &&
         a.nvlinks == b.nvlinks && std::ranges::equal(a.gpus, b.gpus, same_numa) &&
         std::ranges::equal(a.nics, b.nics, same_numa) &&
         std::ranges::equal(a.nvmes, b.nvmes, same_numa);
}

/// I69, where none of the first four kinds helps; `add`: what the planner offers, if anything.
std::string judge_addition(const Case& c, const planner::AddHardware* add, const Case& after,
                           Tally& tally) {
  std::optional<Addition> expected;
  try {
    expected = fewest_additions(c);
  } catch (const TooLarge&) {
    ++tally.additions_too_many;
    return "";
  }
  const auto wanted = expected ? to_text(c.node, *expected) : "none";
  const auto given = add != nullptr ? add->what : "none";
  if (given != wanted) return text::cat("I69: adds ", given, "; the oracle: ", wanted);
  if (!expected) {
    ++tally.no_addition_helps;
    return "";
  }
  ++tally.added.at(expected->beside.size());
  const bool equal = equal_devices(Situation(after.node, after.holders), grown(c, *expected));
  return equal ? "" : "I69: a new device is not where it should be: " + given;
}

/// Of the four kinds that change the request or what is held.
bool is_nearest(const planner::Fix& fix, const ExpectedFix& expected) {
  if (const auto* free = std::get_if<planner::FreeDevices>(&fix.change)) {
    return free->devices == expected.devices;
  }
  if (const auto* relax = std::get_if<planner::RelaxClause>(&fix.change)) {
    return relax->request == expected.request;
  }
  if (const auto* end = std::get_if<planner::EndHolders>(&fix.change)) {
    return end->holders == expected.holders;
  }
  return std::get<planner::AskLess>(fix.change).request == expected.request;
}

/// What is wrong with the planner's verdict; "" where nothing is.
std::string judge_verdict(const Case& c, const domain::Refusal& refusal, Tally& tally) {
  const auto [verdict, decisive] = expected_verdict(c);
  ++tally.verdicts[verdict];
  if (refusal.verdict != verdict) {
    return text::cat("I60: says ", domain::to_text(refusal.verdict), ", the oracle ",
                     domain::to_text(verdict));
  }
  const bool not_known = fits(at_its_best(decisive), c.request);
  tally.not_known += not_known ? 1 : 0;
  if ((refusal.code == domain::RefusalCode::kNotKnown) == not_known) return "";
  return text::cat("I62: the code is ", domain::to_text(refusal.code), " (", refusal.evidence, ")");
}

/// What is wrong with the planner's answer; "" where nothing is.
std::string judge(const Case& c, Tally& tally) {
  const domain::Cluster cluster{.nodes = {c.node}, .holders = c.holders};
  const auto placed = planner::place(cluster, c.request, {}, planner::FixWanted::kYes);
  if (!placed) return "place: " + tenon::to_text(placed.error());
  if (placed->chosen) return "placed what the oracle refuses";
  if (auto wrong = judge_verdict(c, *placed->refusal, tally); !wrong.empty()) return wrong;

  const auto expected = nearest_of_first_kinds(c);
  const auto& fix = placed->fix;
  Case after;
  if (fix) {
    const auto applied = planner::apply_fix(cluster, c.request, *fix);
    after = {applied.cluster.nodes.at(0), applied.cluster.holders, applied.request};
    if (!fits(after)) return "the fix does not make it fit: " + fix->text;
    ++tally.applied;
  }
  if (!placed->fix_search_complete) {
    ++tally.incomplete;
    return "";
  }
  const auto kind = fix ? static_cast<FixKind>(fix->change.index()) : FixKind::kNone;
  ++tally.kinds.at(static_cast<std::size_t>(kind));
  const auto said = fix ? fix->text : "no fix";
  if (expected.kind == FixKind::kNone) {
    if (kind < FixKind::kAdd) return text::cat(said, "; the oracle: nothing of that kind helps");
    return judge_addition(c, fix ? std::get_if<planner::AddHardware>(&fix->change) : nullptr, after,
                          tally);
  }
  if (kind != expected.kind) return text::cat(said, "; the oracle: ", name_of(expected.kind));
  return is_nearest(*fix, expected) ? "" : "of that kind there is a nearer one: " + said;
}

std::string judge_if_small(const Case& c, Tally& tally) {
  try {
    if (ask(Situation(c.node, c.holders), c.request).outcome != Outcome::kRefused) return "";
    const auto wrong = judge(c, tally);
    ++tally.refused;
    return wrong;
  } catch (const TooLarge&) {
    ++tally.too_large;
    return "";
  }
}

void report(const Case& c, const std::string& wrong, std::uint64_t number) {
  const auto key = wrong.substr(0, wrong.find_first_of(":;"));
  Tally unused;
  const Case small = shrink(c, [&](const Case& tried) {
    const auto still = judge_if_small(tried, unused);
    return still.substr(0, still.find_first_of(":;")) == key;
  });
  std::printf("case %llu\n%s# %s\n\n", static_cast<unsigned long long>(number),
              to_text(small).c_str(), judge_if_small(small, unused).c_str());
}

void print(const Tally& tally) {
  const auto line = [](const std::string& what, int number) {
    std::printf("%-44s %8d\n", what.c_str(), number);
  };
  line("refused", tally.refused);
  line("left as too large for the oracle", tally.too_large);
  for (const auto& [verdict, number] : tally.verdicts) {
    line(text::cat("verdict ", domain::to_text(verdict)), number);
  }
  line("  of these not known", tally.not_known);
  for (std::size_t k = 0; k < kFixKindNames.size(); ++k) {
    line(text::cat("nearest fix: ", kFixKindNames[k]), tally.kinds[k]);
  }
  line("search cut by its limit", tally.incomplete);
  line("fixes applied that made the request fit", tally.applied);
  for (std::size_t number = 1; number < tally.added.size(); ++number) {
    line(text::cat("no smaller addition than of ", number), tally.added[number]);
  }
  line("no addition helps", tally.no_addition_helps);
  line("additions not compared: too many", tally.additions_too_many);
  line("disagreements", tally.disagreements);
}

int run(std::uint64_t states, std::uint64_t seed) {
  const auto captured = real_nodes();
  const auto real = nodes_of(captured);
  std::printf("%s, %llu states, seed %llu\n", to_text(captured).c_str(),
              static_cast<unsigned long long>(states), static_cast<unsigned long long>(seed));
  Tally tally;
  for (std::uint64_t i = 0; i < states; ++i) {
    Dice dice(seed * 1'000'000'007ULL + i);
    const Case c = random_case(dice, real);
    const auto wrong = judge_if_small(c, tally);
    if (!wrong.empty() && ++tally.disagreements <= 8) report(c, wrong, i);
  }
  print(tally);
  return tally.disagreements == 0 && tally.refused > 0 ? 0 : 1;
}

}  // namespace
}  // namespace tenon::oracle

int main(int argc, char** argv) {
  std::uint64_t states = 300;
  std::uint64_t seed = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const auto value = tenon::text::to_u64(argv[i + 1]);
    const std::string_view name = argv[i];
    if (!value || (name != "--states" && name != "--seed")) {
      std::fprintf(stderr, "usage: tenon_oracle_fixes [--states N] [--seed S]\n");
      return 64;
    }
    (name == "--states" ? states : seed) = *value;
  }
  return tenon::oracle::run(states, seed);
}
