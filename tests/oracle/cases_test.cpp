// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What random cases have to be before anything is learnt from them.

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "core/topology/check.hpp"
#include "domain/notation/notation.hpp"
#include "oracle/compare.hpp"
#include "oracle/greedy.hpp"

namespace tenon::oracle {
namespace {

Case case_of(std::uint64_t seed) {
  Dice dice(seed);
  return random_case(dice, {});
}

TEST(Cases, AreTheSameForTheSameSeed) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(to_text(case_of(seed)), to_text(case_of(seed)));
  }
  EXPECT_NE(to_text(case_of(1)), to_text(case_of(2)));
}

// A disagreement is printed in the notation: what is read back must be the case that was meant.
TEST(Cases, ReadBackAsTheyAreWritten) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Case c = case_of(seed);
    const auto text = to_text(c);
    const auto document = notation::parse(text, "case");
    ASSERT_TRUE(document.has_value()) << to_text(document.error()) << "\n" << text;
    EXPECT_EQ(notation::write(*document), text);
    const auto again = ask(Situation(document->cluster.nodes.at(0), document->cluster.holders),
                           document->requests.at(0).request);
    EXPECT_EQ(again.outcome, ask(Situation(c.node, c.holders), c.request).outcome) << text;
  }
}

TEST(Cases, BreakNoInvariantOfANode) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (const auto& finding : topology::check_node(case_of(seed).node)) {
      EXPECT_NE(finding.severity, topology::Severity::kError)
          << "seed " << seed << ": " << finding.code << " " << finding.subject;
    }
  }
}

// The near NIC of gpu0 is taken: whoever takes gpu0 first cannot have the pair.
TEST(Greedy, TakesTheSmallestGpuAndMissesThePair) {
  const auto document = notation::parse(
      "node a1\n  numa0 cpus=0-3 { sw0 { gpu0 nic0 } sw1 { gpu1 nic1 } }\n"
      "held x on a1: nic0\npod p gpu=1 nic=1 pair<=PIX",
      "case");
  ASSERT_TRUE(document.has_value());
  const auto& node = document->cluster.nodes.at(0);
  const Situation s(node, document->cluster.holders);
  const auto given = greedy(s, document->requests.at(0).request);
  ASSERT_TRUE(given.has_value());
  EXPECT_EQ(notation::write(*given, node), "gpu0 nic1");
}

// A pair that never fits beside clauses that have nothing to do with it.
TEST(Shrink, LeavesOnlyWhatIsNeeded) {
  const auto document = notation::parse(
      "node a1 arch=amd64\n  numa0 cpus=0-3 mem=8Gi { sw0 { gpu0 nic0 } sw1 { gpu1 nic1 } nvme0 }\n"
      "held x on a1: nic0 cpus=0\nheld y on a1: nvme0\n"
      "pod p gpu=2 nic=1 pair<=PIX cores=2 mem=1Gi arch=amd64",
      "case");
  ASSERT_TRUE(document.has_value());
  const Case c{document->cluster.nodes.at(0), document->cluster.holders,
               document->requests.at(0).request};
  const auto pair_refused = [](const Case& tried) {
    return tried.request.pair &&
           ask(Situation(tried.node, tried.holders), tried.request).outcome == Outcome::kRefused;
  };
  ASSERT_TRUE(pair_refused(c));
  const Case small = shrink(c, pair_refused);
  EXPECT_TRUE(pair_refused(small));
  EXPECT_TRUE(small.holders.empty());
  EXPECT_EQ(small.request.cores, 0);
  EXPECT_EQ(small.request.memory_bytes, 0);
  EXPECT_EQ(small.request.arch, "");
  EXPECT_LT(small.node.devices.size(), c.node.devices.size());
}

}  // namespace
}  // namespace tenon::oracle
