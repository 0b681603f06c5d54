// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The memory of packings that failed: what it takes for the same must be the same.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/allocation/allocate.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::allocation {
namespace {

bool fit(std::string_view machine, std::string_view request) {
  const auto document = notation::parse(std::string{machine}, "machine");
  const auto asked = notation::parse_request(std::string{request}, "request");
  if (!document || !asked) return false;
  const auto state = state::state_of(document->cluster.nodes.at(0), document->cluster.holders);
  if (!state) return false;
  const Answer answer = allocate(*state, *asked);
  EXPECT_TRUE(answer.proven_best);
  return answer.result.has_value();
}

// Greedy is wrong here: 0.5 + 0.3 on one card leaves 0.2, which nothing fills. The way back passes
// cards that have failed with other amounts left.
TEST(Packing, TellsCardsApartByTheThousandthsThatAreLeft) {
  constexpr std::string_view kTwo = "node a1\n numa0 cpus=0-3 { gpu0 gpu1 }\n";
  EXPECT_TRUE(fit(kTwo, "gpu=0.5+0.3*3+0.25*2"));
  EXPECT_TRUE(fit(kTwo, "gpu=0.35*2+0.25*2+0.2*4"));
  EXPECT_FALSE(fit(kTwo, "gpu=0.5+0.3*3+0.26*2")) << "0.5 + 0.3 leaves 0.2; 0.3 * 2 leaves 0.4";
}

}  // namespace
}  // namespace tenon::allocation
