// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A reported case as a text: a cluster, steps, and what each step must answer (docs/cases.md).
//
// Pure: the text has all that the case needs, sources of other tools included.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tenon::lab {

/// An expectation that was not met; or a plan that is not allowed (core/checker), expected or not.
struct Mismatch {
  std::string where;     // "file:line"
  std::string expected;  // as the case says it, or "an allowed plan"
  std::string got;       // in the same words
  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

struct CaseReport {
  std::string id;      // "A04"
  std::string source;  // where it was reported
  std::string about;   // what it shows, in one sentence
  int checked = 0;     // expectations, met or not
  std::vector<Mismatch> mismatches;

  [[nodiscard]] bool passed() const { return mismatches.empty(); }
};

/// `name` is the file's. An Error where the text is no case: a step that nobody expects anything of, a
/// cluster that cannot be read, no expectation at all.
[[nodiscard]] Result<CaseReport> run_case(std::string_view text, std::string_view name);

}  // namespace tenon::lab
