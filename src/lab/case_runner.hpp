// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// run_case() with the planner as an argument, so that a test can give one that errs. Private to lab.
#pragma once

#include <string_view>

#include "core/planner/place.hpp"
#include "lab/case.hpp"

namespace tenon::lab {

using Planner = decltype(&planner::place);

[[nodiscard]] Result<CaseReport> run_case_with(Planner planner, std::string_view text,
                                               std::string_view name);

}  // namespace tenon::lab
