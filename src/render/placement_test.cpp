// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "render/placement.hpp"

#include <gtest/gtest.h>

namespace tenon::render {
namespace {

views::PlacementView placed() {
  views::PlacementView view;
  view.request = "train";
  view.clauses = "gpu=1 nic=1 pair<=PIX";
  view.answer = "placed";
  view.node = "a1";
  view.allocation = "gpu0 nic0";
  view.grants = {{.device = "gpu0", .label = "GPU0", .model = "A100", .numa = {0}, .part = "whole"},
                 {.device = "nic0", .label = "", .model = "", .numa = {}, .part = "whole"}};
  view.pairs = {{"gpu0", "nic0", "PIX"}};
  view.levels = {{"pair", {1, 1, 1}, "worst PIX"},
                 {"nvme", {0, 0}, ""},
                 {"switches", {1}, "1 switch broken into"}};
  view.nodes = {
      {.node = "a1", .answer = "chosen", .levels = view.levels, .allocation = "gpu0 nic0"},
      {.node = "a2",
       .answer = "fits",
       .levels = {{"pair", {2, 2, 2}, "worst PXB"}, {"nvme", {0, 0}, ""}, {"switches", {0}, ""}},
       .allocation = "gpu3 nic0"},
      {.node = "a3", .answer = "not now", .code = "nic-count", .evidence = "nic needs 1 has 0"}};
  return view;
}

views::PlacementView refused() {
  views::PlacementView view;
  view.request = "big";
  view.clauses = "gpu=8 nic=8";
  view.answer = "never fits";
  view.verdict = domain::Verdict::kNeverFits;
  view.refused_by = "a1";
  view.code = "nic-count";
  view.evidence = "nic needs 8 has 4";
  view.fix = views::FixView{.kind = "ask-less",
                            .node = "a1",
                            .text = "ask for nic=4 instead of nic=8",
                            .request = "gpu=8 nic=4",
                            .names = {}};
  view.fix_searched = true;
  view.fix_search_complete = true;
  view.nodes = {
      {.node = "a1", .answer = "never fits", .code = "nic-count", .evidence = "nic needs 8 has 4"}};
  return view;
}

TEST(Placement, SaysTheAnswerInOneLine) {
  EXPECT_EQ(placement_text(placed(), Explained::kNo, "", {}),
            "train fits a1: gpu0 nic0\n"
            "Because nothing on a1 is nearer: worst PIX\n");
}

TEST(Placement, EndsARefusalWithWhatToDo) {
  views::PlacementView view = refused();
  view.fix.reset();
  view.fix_searched = false;
  view.fix_search_complete = false;
  view.next_step = "ask for fewer NICs";
  const std::string no =
      "big does not fit on a1: nic needs 8 has 4 (nic-count)\n"
      "It never fits: not even if nobody held anything.\n";
  const auto said = [&] { return placement_text(view, Explained::kNo, "", {}); };
  EXPECT_EQ(said(), no + "Next step: ask for fewer NICs\n");
  view.fix_searched = true;
  EXPECT_EQ(said(), no + "No nearest fix: the search was cut off before it found one.\n"
                         "Next step: ask for fewer NICs\n");
  view.fix_search_complete = true;
  EXPECT_EQ(said(), no + "No nearest fix: no single change makes it fit.\n"
                         "Next step: ask for fewer NICs\n");
}

TEST(Placement, ClaimsNoVerdictOfASearchThatWasCut) {
  views::PlacementView view = refused();
  view.answer = views::kNotDecided;
  view.proven_best = false;
  view.code.clear();
  view.evidence = "the search was cut off";
  view.fix_search_complete = false;
  view.next_step = "give --steps-max a larger number";
  const std::string no = "big is not decided on a1: the search was cut off; it may fit after all\n";
  const auto said = [&] { return placement_text(view, Explained::kNo, "", {}); };
  EXPECT_EQ(said(), no + "Nearest fix: ask for nic=4 instead of nic=8\n"
                         "A nearer fix may exist: the search for it was cut off.\n"
                         "Next step: give --steps-max a larger number\n");
  view.fix.reset();
  EXPECT_EQ(said(), no + "No nearest fix: the search was cut off before it found one.\n"
                         "Next step: give --steps-max a larger number\n");
}

TEST(Placement, ExplainsPairsLevelsAndEachNode) {
  EXPECT_EQ(placement_text(placed(), Explained::kYes, "", {}),
            R"(train fits a1: gpu0 nic0
Because nothing on a1 is nearer: worst PIX
It asked for: gpu=1 nic=1 pair<=PIX

What it gets
NAME   LABEL    PART    MODEL       NUMA
gpu0   GPU0     whole   A100        0
nic0   <none>   whole   <unknown>   <unknown>

Each GPU and its NIC
GPU    NIC    DISTANCE   MEANING
gpu0   nic0   PIX        one switch

Why these: no other choice on this node costs less, compared from the first level down
LEVEL      COST    MEANING
pair       1,1,1   worst PIX
switches   1       1 switch broken into

Each node
NAME   ANSWER    WHY
a1     chosen    gpu0 nic0
a2     fits      pair: worst PXB; here worst PIX
a3     not now   nic-count: nic needs 1 has 0
)");
}

TEST(Placement, DoesNotSayNeverOfWhatAFactWouldDecide) {
  views::PlacementView view = refused();
  view.fix.reset();
  view.code = "not-known";
  view.evidence = "nobody saw which CPUs share a core (numa0)";
  view.next_step = "give the fact";
  EXPECT_TRUE(placement_text(view, Explained::kNo, "", {})
                  .starts_with("big does not fit on a1: nobody saw which CPUs share a core (numa0) "
                               "(not-known)\nAs far as is known it never fits: what would decide "
                               "it was not seen.\n"));
}

TEST(Placement, NamesTheOneCauseAndTheNextStep) {
  EXPECT_EQ(placement_text(refused(), Explained::kNo,
                           "tenon place --cluster x --request 'gpu=8 nic=4'", {}),
            R"(big does not fit on a1: nic needs 8 has 4 (nic-count)
It never fits: not even if nobody held anything.
Nearest fix: ask for nic=4 instead of nic=8
  tenon place --cluster x --request 'gpu=8 nic=4'
)");
}

TEST(Placement, DoesNotClaimTheBestWhenTheSearchWasCut) {
  views::PlacementView view = placed();
  view.proven_best = false;
  const std::string text = placement_text(view, Explained::kYes, "", {});
  EXPECT_NE(text.find("It may not be the best"), std::string::npos);
  EXPECT_EQ(text.find("no other choice"), std::string::npos);
}

TEST(Placement, IsAValueForScripts) {
  EXPECT_EQ(placement_value(refused(), "").to_json(), R"({
  "request": "big",
  "clauses": "gpu=8 nic=8",
  "answer": "never fits",
  "refusal": {
    "node": "a1",
    "code": "nic-count",
    "evidence": "nic needs 8 has 4",
    "proven": true
  },
  "fix": {
    "kind": "ask-less",
    "node": "a1",
    "text": "ask for nic=4 instead of nic=8",
    "request": "gpu=8 nic=4"
  },
  "fixSearchComplete": true,
  "nodes": [
    {
      "node": "a1",
      "answer": "never fits",
      "code": "nic-count",
      "evidence": "nic needs 8 has 4",
      "provenBest": true,
      "steps": 0
    }
  ]
}
)");
}

}  // namespace
}  // namespace tenon::render
