// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/planner/place.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::planner {
namespace {

using domain::Verdict;

domain::Cluster cluster_of(std::string_view text) {
  const auto document = notation::parse(text, "test");
  EXPECT_TRUE(document) << (document ? "" : to_text(document.error()));
  return document ? document->cluster : domain::Cluster{};
}

Placement placed(const domain::Cluster& cluster, std::string_view clauses) {
  const auto request = notation::parse_request(clauses, "test");
  EXPECT_TRUE(request) << (request ? "" : to_text(request.error()));
  const auto placement = place(cluster, request.value(), {}, FixWanted::kNo);
  EXPECT_TRUE(placement) << (placement ? "" : to_text(placement.error()));
  return *placement;
}

/// "a1: gpu0 nic0", or "not now, gpu-count".
std::string answer(std::string_view text, std::string_view clauses) {
  const domain::Cluster cluster = cluster_of(text);
  const Placement placement = placed(cluster, clauses);
  if (!placement.chosen) {
    return text::cat(to_text(placement.refusal->verdict), ", ", to_text(placement.refusal->code));
  }
  const domain::Node& node = cluster.nodes.at(*placement.chosen);
  return text::cat(node.name, ": ",
                   notation::write(*placement.nodes.at(*placement.chosen).answer.result, node));
}

/// The verdict of each node: "not now; never fits"; "fits" where one does.
std::string verdicts(std::string_view text, std::string_view clauses) {
  std::vector<std::string> words;
  for (const NodeAnswer& node : placed(cluster_of(text), clauses).nodes) {
    const auto& result = node.answer.result;
    words.emplace_back(result ? "fits" : to_text(result.error().verdict));
  }
  return text::join(words, "; ");
}

// Two alike machines; on a1 the NIC under gpu0's switch is taken (*).
//   a1  { sw0 { gpu0 nic0* } sw1 { gpu1 nic1 } }
//   a2  { sw0 { gpu0 nic0 }  sw1 { gpu1 nic1 } }
constexpr std::string_view kTwo = R"(
node a1
  numa0 cpus=0-7 mem=64Gi { sw0 { gpu0 nic0 } sw1 { gpu1 nic1 } }
node a2
  numa0 cpus=0-7 mem=64Gi { sw0 { gpu0 nic0 } sw1 { gpu1 nic1 } }
held x on a1: nic0
)";

TEST(Place, TakesTheNodeOfTheBestCost) {
  EXPECT_EQ(answer(kTwo, "gpu=1 nic=1"), "a1: gpu1 nic1") << "a1 breaks no intact switch more";
  EXPECT_EQ(answer(kTwo, "gpu=2 nic=2 pair<=PIX"), "a2: gpu0 gpu1 nic0 nic1");
}

TEST(Place, TakesTheFirstOfEqualNodes) {
  EXPECT_EQ(answer(R"(
node z
  numa0 cpus=0-7 { gpu0 }
node b
  numa0 cpus=0-7 { gpu0 }
)",
                   "gpu=1"),
            "z: gpu0");
}

// Nobody waits for a node that is taken when another is free.
TEST(Place, AnswersOfEachNodeStandInTheOrderOfTheCluster) {
  EXPECT_EQ(verdicts(kTwo, "gpu=2 nic=2 pair<=PIX"), "not now; fits");
  EXPECT_EQ(verdicts(kTwo, "gpu=3"), "never fits; never fits");
}

constexpr std::string_view kNotNow = R"(
node a1
  numa0 cpus=0-7 { gpu0 gpu1 }
held x on a1: gpu0
)";
constexpr std::string_view kCordonedDevice = R"(
node a2
  numa0 cpus=0-7 { gpu0 gpu1 cordoned="xid 79" }
)";
constexpr std::string_view kTooSmall = R"(
node a3
  numa0 cpus=0-7 { gpu0 }
)";

TEST(Place, WaitsWhereHoldersAreInTheWay) {
  EXPECT_EQ(answer(kNotNow, "gpu=2"), "not now, gpu-count");
}

TEST(Place, AsksTheAdministratorWhereACordonIsInTheWay) {
  EXPECT_EQ(answer(kCordonedDevice, "gpu=2"), "forbidden, gpu-count");
  EXPECT_EQ(answer("node a1 cordoned=\"moved\"\n numa0 cpus=0-7 { gpu0 }", "gpu=1"),
            "forbidden, node-cordoned");
}

TEST(Place, NamesTheCordonInTheEvidence) {
  const Placement placement = placed(cluster_of(kCordonedDevice), "gpu=2");
  EXPECT_NE(placement.refusal->evidence.find("gpu1 (xid 79)"), std::string::npos)
      << placement.refusal->evidence;
}

/// The evidence of each node's refusal.
std::vector<std::string> evidence(std::string_view text, std::string_view clauses) {
  std::vector<std::string> sentences;
  for (const NodeAnswer& node : placed(cluster_of(text), clauses).nodes) {
    sentences.push_back(node.answer.result.error().evidence);
  }
  return sentences;
}

// " is cordoned; the node is cordoned: moved" was said here: states have no names.
TEST(Place, SaysOnceThatANodeIsCordonedAndGivesEachItsOwnReason) {
  constexpr std::string_view kAlike = R"(
node a1 cordoned="moved"
  numa0 cpus=0-7 { gpu0 }
node a2 cordoned="broken fan"
  numa0 cpus=0-7 { gpu0 }
node a3 cordoned=""
  numa0 cpus=0-7 { gpu0 }
)";
  EXPECT_EQ(evidence(kAlike, "gpu=1"),
            (std::vector<std::string>{"the node is cordoned: moved",
                                      "the node is cordoned: broken fan", "the node is cordoned"}));
}

TEST(Place, NamesCordonedDevicesWithTheReasonsThatThereAre) {
  constexpr std::string_view kCordons = R"(
node a1
  numa0 cpus=0-7 { gpu0 cordoned="" gpu1 cordoned="xid 79" gpu2 }
node a2
  numa0 cpus=0-7 { gpu0 gpu1 cordoned="fan" gpu2 }
)";
  EXPECT_EQ(evidence(kCordons, "gpu=3"),
            (std::vector<std::string>{"gpu needs 3 has 1; cordoned: gpu0, gpu1 (xid 79)",
                                      "gpu needs 3 has 2; cordoned: gpu1 (fan)"}));
}

// A holder and a cordon: when the holder has gone the cordon is still there.
TEST(Place, CallsItForbiddenWhereWaitingIsNotEnough) {
  EXPECT_EQ(answer(text::cat(kCordonedDevice, "held x on a2: gpu0"), "gpu=2"),
            "forbidden, gpu-count");
}

TEST(Place, NeverFitsWhereTheMachineIsTooSmall) {
  EXPECT_EQ(answer(kTooSmall, "gpu=2"), "never fits, gpu-count");
}

TEST(Place, TakesTheMildestVerdictOfAllNodes) {
  EXPECT_EQ(answer(text::cat(kTooSmall, kCordonedDevice), "gpu=2"), "forbidden, gpu-count");
  EXPECT_EQ(answer(text::cat(kTooSmall, kCordonedDevice, kNotNow), "gpu=2"), "not now, gpu-count");
  const Placement placement =
      placed(cluster_of(text::cat(kTooSmall, kNotNow, kCordonedDevice)), "gpu=2");
  EXPECT_EQ(placement.refused_by, 1U);
}

TEST(Place, RefusesABadQuestionBeforeLookingAtAnyNode) {
  EXPECT_EQ(answer(kTooSmall, "gpu=1 nvme<=PIX"), "badly asked, request");
  EXPECT_EQ(answer("", "gpu=1 nvme<=PIX"), "badly asked, request");
  EXPECT_EQ(verdicts(kTooSmall, "gpu=1 nvme<=PIX"), "badly asked");
}

TEST(Place, NeverFitsAClusterWithoutNodes) {
  EXPECT_EQ(answer("", "gpu=1"), "never fits, no-node");
}

TEST(Place, RunsARequestForNothingAnywhere) { EXPECT_EQ(answer(kTooSmall, ""), "a3: "); }

TEST(Place, RefusesAClusterThatContradictsItself) {
  domain::Cluster cluster = cluster_of(kNotNow);
  cluster.holders.push_back(cluster.holders.front());
  EXPECT_FALSE(place(cluster, {}, {}, FixWanted::kNo));
  cluster.holders.back().node = "elsewhere";
  EXPECT_FALSE(place(cluster, {}, {}, FixWanted::kNo));
  cluster = cluster_of(kNotNow);
  cluster.nodes.push_back(cluster.nodes.front());
  EXPECT_FALSE(place(cluster, {}, {}, FixWanted::kNo));
}

// What holders leave is refused at sight, and proven; what the empty node says was cut.
TEST(Place, ProvesNoNeverFitsByASearchThatWasCut) {
  const domain::Cluster cluster = cluster_of(R"(
node a1
  numa0 cpus=0-7 { sw0 { gpu0 gpu1 gpu2 } sw1 { nic0 nic1 nic2 } }
held x on a1: gpu0 gpu1
)");
  const auto request = notation::parse_request("gpu=2 nic=2 pair<=PIX", "test");
  const auto proven = [&](std::int64_t steps_max) {
    const auto placement = place(cluster, *request, {.steps_max = steps_max}, FixWanted::kNo);
    EXPECT_EQ(placement->refusal->verdict, Verdict::kNeverFits);
    return placement->nodes.front().answer.proven_best;
  };
  EXPECT_TRUE(proven(1000));
  EXPECT_FALSE(proven(1));
}

// 300 machines in three states.
TEST(Place, AnswersAlikeNodesAlike) {
  domain::Cluster cluster;
  const domain::Cluster model = cluster_of(kTwo);
  for (int i = 0; i < 300; ++i) {
    domain::Node node = model.nodes.front();
    node.name = text::cat("n", i);
    cluster.nodes.push_back(node);
    if (i % 3 == 0) continue;
    domain::Holder holder = model.holders.front();
    holder.node = node.name;
    holder.allocation.grants.front().device = domain::DeviceIndex(static_cast<unsigned>(i % 3));
    cluster.holders.push_back(holder);
  }
  const Placement placement = placed(cluster, "gpu=1 nic=1 pair<=PIX");
  EXPECT_EQ(placement.nodes.size(), 300U);
  for (std::size_t i = 3; i < 300; ++i) {
    EXPECT_EQ(placement.nodes[i].answer.result, placement.nodes[i % 3].answer.result);
  }
  EXPECT_EQ(placement.chosen, 1U) << "gpu0 is taken there: no intact switch is broken";
}

}  // namespace
}  // namespace tenon::planner
