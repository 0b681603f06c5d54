// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The planner's oracle: verdicts (I60, I62) and nearest fixes (I65 … I69) on one node, with ask() as the
// judge of what fits and every smaller change tried.
//
// Written from docs/invariants.md alone; shares no code with core/planner.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "domain/refusal.hpp"
#include "oracle/generate.hpp"
#include "oracle/oracle.hpp"

namespace tenon::oracle {

/// Thrown where too much would have to be tried; nothing is known then.
struct TooLarge {};

[[nodiscard]] bool fits(const Situation& s, const domain::Request& request);
[[nodiscard]] bool fits(const Case& c);

/// I60, and the case whose refusal it is (I62).
[[nodiscard]] std::pair<domain::Verdict, Case> expected_verdict(const Case& c);

/// I62: everything that nobody saw, as good as it could be.
[[nodiscard]] Situation at_its_best(const Case& c);

enum class FixKind : std::uint8_t { kFree, kRelax, kEnd, kLess, kAdd, kNone };
inline constexpr std::array kFixKindNames{"free devices", "relax",        "end holders",
                                          "ask for less", "add hardware", "none"};

struct ExpectedFix {
  FixKind kind = FixKind::kNone;
  std::vector<domain::DeviceIndex> devices;
  std::vector<std::string> holders;
  domain::Request request;
};
/// I65 … I68; kNone where none of these four kinds helps.
[[nodiscard]] ExpectedFix nearest_of_first_kinds(const Case& c);

/// More devices of one kind, each beside one that is there; ascending.
struct Addition {
  domain::DeviceKind kind = domain::DeviceKind::kNic;
  std::vector<domain::DeviceIndex> beside;
};
/// I69.
[[nodiscard]] std::optional<Addition> fewest_additions(const Case& c);

/// The node with more devices in it. WARNING: groups (I14) stay those of the old ones: what fits, not what is
/// best.
[[nodiscard]] Situation grown(const Case& c, const Addition& addition);

}  // namespace tenon::oracle
