// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "lab/case.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/text.hpp"
#include "core/planner/place.hpp"
#include "lab/case_runner.hpp"

namespace tenon::lab {
namespace {

constexpr std::string_view kHead = "case T01\nsource here\nabout a test\n";

/// "2 checked", and each mismatch; or the error.
std::string outcome(std::string_view text, Planner planner = planner::place) {
  const auto report = run_case_with(planner, text::cat(kHead, text), "t");
  if (!report) return to_text(report.error());
  std::string out = text::cat(report->checked, " checked");
  for (const auto& mismatch : report->mismatches) {
    out += text::cat("\n", mismatch.where, ": ", mismatch.expected, " | ", mismatch.got);
  }
  return out;
}

TEST(Case, HoldsWhatItPlaced) {
  EXPECT_EQ(outcome("node a\n gpu0 gpu1\nplace pod p gpu=1\n-> p on a: gpu0\nplace pod q gpu=1\n"
                    "-> q on a: gpu1\nplace pod r gpu=1\n-> r refused: not now\nrelease p\n"
                    "place pod r gpu=1\n-> r on a: gpu0\n"),
            "4 checked");
}

TEST(Case, ShowsWhatCameOutInstead) {
  EXPECT_EQ(outcome("node a\n gpu0 gpu1\nplace pod p gpu=1\n-> p on a: gpu1\n"),
            "1 checked\nt:7: -> p on a: gpu1 | -> p on a: gpu0");
  EXPECT_EQ(outcome("node a\n gpu0 gpu1\nplace pod p gpu=1\n-> p refused: not now\n"),
            "1 checked\nt:7: -> p refused: not now | -> p on a: gpu0");
  const auto refused = outcome("node a\n gpu0\nplace pod p gpu=2\n-> p on a: gpu0\n");
  EXPECT_TRUE(
      refused.starts_with("1 checked\nt:7: -> p on a: gpu0 | -> p refused: never fits gpu-count"))
      << refused;
  EXPECT_EQ(outcome("read quantity whole \"1k\" = 1024\n"), "1 checked\nt:4: = 1024 | = 1000");
}

TEST(Case, TakesADescriptionAfterAStepAsAnotherCluster) {
  EXPECT_EQ(outcome("node a\n gpu0\nnode b\n gpu0\nplace pod p gpu=1\n-> p on a: gpu0\n"
                    "node b\n gpu0\nplace pod p gpu=1\n-> p on b: gpu0\n"),
            "2 checked");
}

TEST(Case, ReadsMachinesFromWhatOtherToolsPrint) {
  EXPECT_EQ(outcome("file topo.txt smi\n"
                    "  \tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
                    "  GPU0\t X \tNV4\t0-3\t0\n"
                    "  GPU1\tNV4\t X \t0-3\t0\n"
                    "place pod p gpu=2 nvlink=all\n"
                    "-> p on topo: gpu0 gpu1\n"),
            "1 checked");
  EXPECT_EQ(outcome("file topo.txt smi\n  nothing\nerror t\n").substr(0, 9), "1 checked");
}

// gpu0 was given a second time: nodes of a file were taken, and its holders were not.
TEST(Case, TakesTheHoldersOfAFileToo) {
  EXPECT_EQ(outcome("file c tenon\n  node a1\n   gpu0 gpu1\n  held x on a1: gpu0\n"
                    "place pod p gpu=1\n-> p on a1: gpu1\nrelease x\nplace pod q gpu=1\n"
                    "-> q on a1: gpu0\n"),
            "2 checked");
}

TEST(Case, ExpectsEachWarningOfAFile) {
  const std::string_view file = "file c tenon\n  node a\n   gpu0\n  pod q gpu=1\n";
  const std::string_view steps = "place pod p gpu=1\n-> p on a: gpu0\n";
  const std::string_view unexpected =
      ": nobody expects the warning: c: requests and expected plans are no machines: left out; "
      "write warning WORDS below the file, or mend the file";
  EXPECT_EQ(outcome(text::cat(file, steps)), text::cat("t:8", unexpected));
  EXPECT_EQ(outcome(file), text::cat("t:8", unexpected));
  EXPECT_EQ(outcome(text::cat(file, "warning c: requests left out\n", steps)), "2 checked");
  EXPECT_EQ(outcome(text::cat(file, "warning cordons\n", steps)),
            "2 checked\nt:8: warning cordons | warning c: requests and expected plans are no "
            "machines: left out");
  EXPECT_EQ(outcome(text::cat(file, "warning requests\nwarning requests\n", steps)),
            "t:9: the files above gave no further warning; leave the line out");
}

// An answer that was read once stayed, and any line below met it again.
TEST(Case, ComparesOnlyWithTheStepBefore) {
  const std::string_view placed = "node a\n gpu0\nplace pod p gpu=1\n-> p on a: gpu0\n";
  EXPECT_EQ(outcome(text::cat(placed, "release p\n-> p on a: gpu0\n")),
            "t:9: there is no answer to compare with; write place pod … above");
  EXPECT_EQ(outcome(text::cat(placed, "node b\n-> p on a: gpu0\n")),
            "t:9: there is no answer to compare with; write place pod … above");
  EXPECT_EQ(outcome("node a\n gpu0\nplace pod p gpu=1\nread quantity whole \"1k\" = 1000\n"),
            "t:7: nothing is expected of the step before; write what it must answer: -> …");
}

/// Plans as if nobody had anything.
Result<planner::Placement> place_over_others(const domain::Cluster& cluster,
                                             const domain::Request& request,
                                             const allocation::Limits& limits,
                                             planner::FixWanted fix) {
  return planner::place({cluster.nodes, {}}, request, limits, fix);
}

// The case itself may expect what no rule allows.
TEST(Case, ReportsAPlanThatTheCheckerRefuses) {
  const std::string_view text =
      "node a\n gpu0\nheld x on a: gpu0\nplace pod p gpu=1\n-> p on a: gpu0\n";
  EXPECT_EQ(outcome(text, place_over_others),
            "1 checked\nt:7: an allowed plan | I32 gpu0 is not wholly free");
}

TEST(Case, ExpectsErrors) {
  EXPECT_EQ(outcome("node a\nplace pod p mem=-1\nerror negative\n"), "1 checked");
  EXPECT_EQ(outcome("node a\nplace pod p mem=-1\n-> p refused: x\n"),
            "t:5:11: '-1' is negative; an amount is at least 0");
}

TEST(Case, RefusesWhatIsNoCase) {
  EXPECT_EQ(
      to_text(run_case("", "t").error()),
      "t:1: a case says its number, where it was reported, and what it shows; begin with lines "
      "case, source and about");
  EXPECT_EQ(outcome(""), "t:4: the case expects nothing; write what must come out: -> …");
  EXPECT_EQ(outcome("node a\nplace pod p gpu=1\n"),
            "t:6: nothing is expected of the last step; write what it must answer: -> …");
  EXPECT_EQ(outcome("node a\nplace pod p gpu=1\nrelease p\n"),
            "t:6: nothing is expected of the step before; write what it must answer: -> …");
  EXPECT_EQ(outcome("-> p on a: gpu0\n"),
            "t:4: there is no answer to compare with; write place pod … above");
  EXPECT_EQ(outcome("node a\n gpu0\nplace pod p gpu=1\n-> q on a: gpu0\n"),
            "t:7: the step before placed p; expect that pod's answer");
  EXPECT_EQ(outcome("node a\npod p gpu=1\n"),
            "t:5: a pod is asked for by place; write place pod NAME …");
  EXPECT_EQ(outcome("node a\n gpu1\n"),
            "t:5:2: gpu1, but there is no gpu0; number the devices of a kind from 0 without a gap");
  EXPECT_EQ(outcome("release p\n"), "t:4: 'p' has nothing");
  EXPECT_EQ(outcome("read mind \"x\" = 1\n"),
            "t:4: only quantities are read; write read quantity whole, or read quantity milli");
  EXPECT_EQ(outcome("node a\nplace pod p\n-> p on a:\nwhere p took long\n"),
            "t:7: the bound is on the step before; write where NAME took at most N steps");
  EXPECT_EQ(outcome("node a\nplace pod p\n-> p on a:\nfix more\n"),
            "t:7: only what was refused has a fix; write it below a refusal");
}

}  // namespace
}  // namespace tenon::lab
