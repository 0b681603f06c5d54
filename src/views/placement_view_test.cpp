// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "views/placement_view.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/prng.hpp"
#include "base/text.hpp"
#include "domain/notation/notation.hpp"
#include "views/level_words.hpp"
#include "views/pairs.hpp"

namespace tenon::views {
namespace {

struct Asked {
  domain::Cluster cluster;
  PlacementView view;
};

Asked asked(std::string_view text, std::string_view clauses) {
  auto document = notation::parse(text, "test");
  EXPECT_TRUE(document) << (document ? "" : to_text(document.error()));
  const auto request = notation::parse_request(clauses, "test");
  EXPECT_TRUE(request) << (request ? "" : to_text(request.error()));
  const domain::Cluster cluster = document->cluster;
  const auto placement = planner::place(cluster, *request, {}, planner::FixWanted::kYes);
  EXPECT_TRUE(placement) << (placement ? "" : to_text(placement.error()));
  return {cluster, placement_view(cluster, {"p", *request}, *placement)};
}

std::string pairs(const PlacementView& view) {
  std::vector<std::string> words;
  for (const PairView& pair : view.pairs) {
    words.push_back(text::cat(pair.gpu, "-", pair.nic, " ", pair.distance));
  }
  return text::join(words, ", ");
}

std::string level(const std::vector<LevelView>& levels, std::string_view name) {
  for (const LevelView& one : levels) {
    if (one.name == name) return one.words;
  }
  return "no such level";
}

//   a1  numa0 { sw0 { gpu0 nic0* } sw1 { gpu1 nic1 } }      a2  too small
constexpr std::string_view kTwo = R"(
node a1
  numa0 cpus=0-7 mem=64Gi {
    sw0 { gpu0 nic0 }
    sw1 { gpu1 label=GPU1 id=GPU-77 pci=0000:41:00.0 model=H100 nic1 rate=400G }
  }
node a2
  numa0 cpus=0-3 { gpu0 }
held train on a1: nic0
)";

TEST(PlacementView, ShowsWhatIsGivenAndWhere) {
  const PlacementView view = asked(kTwo, "gpu=1 nic=1 pair<=PIX cores=2 mem=1Gi").view;
  EXPECT_EQ(view.answer, "placed");
  EXPECT_EQ(view.verdict, std::nullopt);
  EXPECT_EQ(view.node, "a1");
  EXPECT_EQ(view.clauses, "gpu=1 nic=1 pair<=PIX cores=2 mem=1Gi");
  EXPECT_EQ(view.allocation, "gpu1 nic1 cpus=0-1 mem=0:1Gi");
  ASSERT_EQ(view.grants.size(), 2U);
  const GrantView& gpu = view.grants.front();
  EXPECT_EQ(text::cat(gpu.device, " ", gpu.label, " ", gpu.id, " ", gpu.pci, " ", gpu.model, " ",
                      gpu.part),
            "gpu1 GPU1 GPU-77 0000:41:00.0 H100 whole");
  EXPECT_EQ(gpu.numa, std::vector<int>{0});
  EXPECT_EQ(pairs(view), "gpu1-nic1 PIX");
  EXPECT_EQ(view.cpus, "0-1");
  EXPECT_EQ(level(view.levels, "pair"), "worst GPU-NIC distance PIX");
  EXPECT_TRUE(view.proven_best);
}

TEST(PlacementView, SaysWhatEachNodeAnswered) {
  const PlacementView view = asked(kTwo, "gpu=1 nic=1 pair<=PIX").view;
  ASSERT_EQ(view.nodes.size(), 2U);
  EXPECT_EQ(view.nodes[0].answer, "chosen");
  EXPECT_EQ(view.nodes[0].allocation, "gpu1 nic1");
  EXPECT_EQ(view.nodes[0].levels, view.levels);
  EXPECT_EQ(view.nodes[1].answer, "never fits");
  EXPECT_EQ(view.nodes[1].code, "nic-count");
  EXPECT_FALSE(view.nodes[1].evidence.empty());
}

TEST(PlacementView, SaysWhyNotAndWhatWouldHelp) {
  const PlacementView view = asked(kTwo, "gpu=2 nic=2 pair<=PIX").view;
  EXPECT_EQ(view.answer, "not now");
  EXPECT_EQ(view.verdict, domain::Verdict::kNotNow);
  EXPECT_EQ(view.refused_by, "a1");
  EXPECT_EQ(view.code, "nic-count");
  ASSERT_TRUE(view.fix);
  EXPECT_EQ(view.fix->kind, "free-devices");
  EXPECT_EQ(view.fix->node, "a1");
  EXPECT_EQ(text::join(view.fix->names, " "), "nic0");
  EXPECT_EQ(view.fix->text, "free nic0 (held by train) on a1");
  EXPECT_TRUE(view.nodes[0].levels.empty());
}

TEST(PlacementView, WritesTheRequestThatWouldFit) {
  const PlacementView view = asked(kTwo, "gpu=3").view;
  EXPECT_EQ(view.answer, "never fits");
  ASSERT_TRUE(view.fix);
  EXPECT_EQ(view.fix->kind, "ask-less");
  EXPECT_EQ(view.fix->request, "gpu=2");
}

TEST(PlacementView, NamesNoNodeForABadQuestion) {
  const PlacementView view = asked(kTwo, "gpu=1 nvme<=PIX").view;
  EXPECT_EQ(view.answer, "badly asked");
  EXPECT_EQ(view.refused_by, "");
  EXPECT_EQ(view.fix, std::nullopt);
}

TEST(PlacementView, EndsWithANextStepWhereThereIsNoFix) {
  const auto step = [](std::string_view machine, std::string_view clauses) {
    return asked(machine, clauses).view.next_step;
  };
  EXPECT_EQ(step(kTwo, "gpu=3"), "") << "the fix is the next step";
  EXPECT_EQ(step("node a1 cordoned=\"fan\"\n numa0 cpus=0-3", "cores=1"),
            "ask the administrator to lift the cordon");
  EXPECT_EQ(step("node a1\n numa0 cpus=0-3", "gpu=1 cores=9"),
            "change more than one clause, or give other machines");
  EXPECT_EQ(step("node a1\n numa0 cpus=0-3 { gpu0 }\n nic0", "gpu=1 nic=1 pair<=SYS gpu.model=X"),
            "change more than one clause, or give other machines");
  EXPECT_EQ(step("node a1\n numa0 cpus=0-3 smt=?", "cores=1"),
            "state the fact in the notation, or read another source");
  EXPECT_EQ(step("", "gpu=1"), "give a cluster that has a node");
  EXPECT_EQ(step(kTwo, "gpu=1 nvme<=PIX"), "mend or leave out the clause that is named");
}

// Without a search for a fix nobody knows that one clause is not enough.
TEST(PlacementView, NamesTheStepOfTheCodeWhereNoFixWasSought) {
  const auto cluster =
      notation::parse("node a1\n numa0 cpus=0-3 { gpu0 }\nheld p on a1: gpu0", "test")->cluster;
  const auto request = [](std::string_view clauses) {
    return domain::NamedRequest{"r", *notation::parse_request(clauses, "test")};
  };
  const auto step = [&](std::string_view clauses) {
    const auto placement =
        planner::place(cluster, request(clauses).request, {}, planner::FixWanted::kNo);
    return placement_view(cluster, request(clauses), *placement).next_step;
  };
  EXPECT_EQ(step("gpu=2"), "ask for fewer GPUs");
  EXPECT_EQ(step("gpu=1"), "wait, end holders, or ask for fewer GPUs");
}

// One step refuses a2 at sight, but does not search a1: what a2 proves is no answer of the cluster.
TEST(PlacementView, DecidesNothingWhereTheSearchOfANodeWasCut) {
  const auto cluster =
      notation::parse("node a1\n numa0 cpus=0-3 { gpu0 nic0 }\nnode a2\n numa0 cpus=0-3", "test")
          ->cluster;
  const domain::NamedRequest request{"r",
                                     *notation::parse_request("gpu=1 nic=1 pair<=PIX", "test")};
  const auto view = [&](std::int64_t steps_max) {
    return placement_view(cluster, request,
                          *planner::place(cluster, request.request, {.steps_max = steps_max},
                                          planner::FixWanted::kYes));
  };
  EXPECT_EQ(view(1000).answer, "never fits");
  const PlacementView cut = view(1);
  EXPECT_EQ(cut.nodes[0].answer, kNotDecided);
  EXPECT_EQ(cut.nodes[1].answer, "never fits");
  EXPECT_EQ(cut.answer, kNotDecided);
  EXPECT_EQ(cut.code, "");
  EXPECT_EQ(cut.refused_by, "a1");
  EXPECT_EQ(cut.next_step, "give --steps-max a larger number");
}

TEST(PlacementView, ShowsPartsOfDevices) {
  const PlacementView view =
      asked("node a1\n numa0 cpus=0-7 { gpu0 mem=10Gi nic0 vfs=4 }", "gpu=0.5 vf=2").view;
  std::vector<std::string> parts;
  for (const GrantView& grant : view.grants)
    parts.push_back(text::cat(grant.device, " ", grant.part));
  EXPECT_EQ(text::join(parts, ", "), "gpu0 0.5/5Gi, nic0 vf 0, nic0 vf 1");
}

// Both GPUs could use nic0, at PHB from gpu1; the sum is smaller if gpu1 takes nic1.
//   bridge0 { port0 { sw0 { gpu0 nic0 } } port1 { sw1 { gpu1 } } port2 { nic1 } }
TEST(Pairs, MapEachGpuToANicOfItsOwn) {
  EXPECT_EQ(pairs(asked(R"(
node a1
  numa0 cpus=0-7 { bridge0 { port0 { sw0 { gpu0 nic0 } } port1 { sw1 { gpu1 } } port2 { nic1 } } }
)",
                        "gpu=2 nic=2")
                      .view),
            "gpu0-nic0 PIX, gpu1-nic1 PHB");
}

// PIX and NODE add up to less than twice PHB, but no pair is farther than PHB then.
TEST(Pairs, PreferASmallerWorstDistanceToASmallerSum) {
  EXPECT_EQ(pairs(asked(R"(
node a1
  numa0 cpus=0-7
  gpu0
  gpu1
  nic0
  nic1
  matrix {
          gpu0 gpu1 nic0 nic1
    gpu0  X    SYS  PIX  PHB
    gpu1  SYS  X    PHB  NODE
    nic0  PIX  PHB  X    SYS
    nic1  PHB  NODE SYS  X
  }
)",
                        "gpu=2 nic=2")
                      .view),
            "gpu0-nic1 PHB, gpu1-nic0 PHB");
}

TEST(Pairs, LetGpusShareANicWhereTheyAreMore) {
  EXPECT_EQ(pairs(asked("node a1\n numa0 cpus=0-7 { sw0 { gpu0 gpu1 nic0 } }", "gpu=2 nic=1").view),
            "gpu0-nic0 PIX, gpu1-nic0 PIX");
}

TEST(Pairs, AreNoneWithoutNics) {
  EXPECT_EQ(pairs(asked("node a1\n numa0 cpus=0-7 { gpu0 }", "gpu=1").view), "");
}

// The map has the cost that the allocator gave: worst distance, and sum of distances.
TEST(Pairs, CostWhatTheAllocatorSays) {
  Prng prng(3);
  int compared = 0;
  for (int round = 0; round < 60; ++round) {
    std::string text = "node a1\n numa0 cpus=0-3 {";
    int gpus = 0;
    int nics = 0;
    for (int at = 0; at < 4; ++at) {
      text += text::cat(" bridge", at, " { sw", at, " {");
      for (std::uint64_t n = prng.below(3); n > 0; --n) text += text::cat(" gpu", gpus++);
      for (std::uint64_t n = prng.below(3); n > 0; --n) text += text::cat(" nic", nics++);
      text += text::cat(" sw", at + 10, " {");
      for (std::uint64_t n = prng.below(2); n > 0; --n) text += text::cat(" gpu", gpus++);
      for (std::uint64_t n = prng.below(2); n > 0; --n) text += text::cat(" nic", nics++);
      text += " } } }";
    }
    if (gpus == 0 || nics == 0) continue;
    const PlacementView view =
        asked(text + " }",
              text::cat("gpu=", gpus, " nic=", 1 + prng.below(static_cast<std::uint64_t>(nics))))
            .view;
    ASSERT_EQ(view.answer, "placed");
    std::int64_t worst = 0;
    std::int64_t sum = 0;
    for (const PairView& pair : view.pairs) {
      const auto rank = static_cast<std::int64_t>(*domain::distance_from_text(pair.distance));
      worst = std::max(worst, rank);
      sum += rank;
    }
    EXPECT_EQ(view.levels.at(0).name, "pair");
    EXPECT_EQ(view.levels[0].values.at(0), worst) << text;
    EXPECT_EQ(view.levels[0].values.at(1), sum) << text;
    ++compared;
  }
  EXPECT_GT(compared, 30);
}

TEST(LevelWords, SayEachLevelPlainly) {
  EXPECT_EQ(level_words({"gpus", {255 - 12, 255 - 12, 6, 6}}),
            "every two GPUs have 12 NVLinks or more");
  EXPECT_EQ(level_words({"gpus", {255, 255, 3, 3}}),
            "not every two GPUs have NVLink, farthest two GPUs PHB");
  EXPECT_EQ(level_words({"gpus", {0, 0, 0, 0}}), "");
  EXPECT_EQ(level_words({"pair", {6, 6, 6}}), "worst GPU-NIC distance not known");
  EXPECT_EQ(level_words({"numa", {0}}), "no core is on another NUMA node than a device");
  EXPECT_EQ(level_words({"memory", {1 << 20, 2}}),
            "memory from 2 NUMA nodes, 1Mi of it away from cores or devices");
  EXPECT_EQ(level_words({"switches", {1}}), "breaks 1 intact switch");
  EXPECT_EQ(level_words({"nvlink-groups", {0}}), "breaks no intact NVLink group");
  EXPECT_EQ(level_words({"no such level", {0}}), "");
}

}  // namespace
}  // namespace tenon::views
