// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The allocator's answer to one case beside the oracle's: what they do not agree on, and the
// smallest case that still shows it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/allocation/allocate.hpp"
#include "oracle/generate.hpp"
#include "oracle/oracle.hpp"

namespace tenon::oracle {

enum class Disagreement : std::uint8_t {
  kNone,
  kFeasibility,  // one says yes, the other no
  kCost,         // another allocation is cheaper, or the cost is not that of the allocation
  kIds,          // of equal cost, but not the smallest
  kInvalid,      // the checker or the state refuses it
};
inline constexpr int kDisagreements = 5;
[[nodiscard]] std::string_view to_text(Disagreement what);

struct Comparison {
  Opinion opinion;
  Disagreement what = Disagreement::kNone;
  std::string detail;
  bool proven = true;
  bool valid_checked = false;  // an allocation was given and looked at
  std::int64_t allocator_steps = 0;
};
[[nodiscard]] Comparison compare(const Case& c, const Bounds& bounds = {});

/// Drops holders, clauses, amounts and devices as long as `still` says so.
[[nodiscard]] Case shrink(Case c, const std::function<bool(const Case&)>& still);

/// In the notation: a case that `tenon place` reads.
[[nodiscard]] std::string to_text(const Case& c);

}  // namespace tenon::oracle
