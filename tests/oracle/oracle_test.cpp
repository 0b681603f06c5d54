// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The oracle itself, on cases worked out by hand.

#include "oracle/oracle.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"
#include "oracle/devices.hpp"

namespace tenon::oracle {
namespace {

struct Asked {
  notation::Document document;
  Opinion opinion;
};

Asked put(std::string_view text) {
  auto document = notation::parse(text, "case");
  if (!document) {
    ADD_FAILURE() << to_text(document.error());
    return {};
  }
  const auto& node = document->cluster.nodes.at(0);
  Asked asked{
      .opinion = ask(Situation(node, document->cluster.holders), document->requests.at(0).request)};
  asked.document = std::move(*document);
  return asked;
}

/// The best answer in words: "gpu1 nic1 cpus=0-3".
std::string best(std::string_view text) {
  const auto asked = put(text);
  switch (asked.opinion.outcome) {
    case Outcome::kFits:
      return notation::write(asked.opinion.best, asked.document.cluster.nodes.at(0));
    case Outcome::kRefused:
      return "refused";
    case Outcome::kBadlyAsked:
      return "badly asked";
    case Outcome::kTooLarge:
      return "too large";
  }
  return "";
}

/// Its levels: "pair 1,1,1; gpus 0,0,0,0; …".
std::string levels(std::string_view text) {
  const auto asked = put(text);
  std::string out;
  for (const auto& [name, values] :
       named(asked.opinion.levels, wishes_in_order(asked.document.requests.at(0).request))) {
    out += text::cat(out.empty() ? "" : "; ", name, " ");
    for (std::size_t i = 0; i < values.size(); ++i) out += text::cat(i == 0 ? "" : ",", values[i]);
  }
  return out;
}

// Two switches with one GPU and one NIC each; the near NIC of gpu0 is taken (*).
//   numa0 { sw0 { gpu0 nic0* } sw1 { gpu1 nic1 } }
TEST(Oracle, PairsWithTheFreeNicUnderTheSameSwitch) {
  constexpr const char* kNode =
      "node a1\n  numa0 cpus=0-3 { sw0 { gpu0 nic0 } sw1 { gpu1 nic1 } }\nheld x on a1: nic0\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=1 nic=1 pair<=PIX")), "gpu1 nic1");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=2 nic=1 pair<=PIX")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=2 nic=1 pair<=NODE")), "gpu0 gpu1 nic1");
}

// gpu0 and gpu1 are linked, gpu2 is alone: one GPU is taken from where nothing whole breaks.
TEST(Oracle, LeavesANvlinkGroupIntact) {
  constexpr const char* kNode =
      "node a1\n  numa0 cpus=0-3 { gpu0 gpu1 gpu2 }\n  nvlink NV4 gpu0 gpu1\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=1")), "gpu2");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=2")), "gpu0 gpu1");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=3 nvlink=connected")), "refused");
  EXPECT_EQ(levels(text::cat(kNode, "pod p gpu=1")),
            "pair 0,0,0; gpus 0,0,0,0; numa 0; memory 0,0; nvme 0,0; nvlink-groups 0; switches 0; "
            "numa-nodes 1; gpus-broken 1; nics-broken 0; core-nodes 0");
}

// A half is free on gpu1, which is broken already.
TEST(Oracle, PacksSharesOnABrokenCard) {
  constexpr const char* kNode =
      "node a1\n  numa0 cpus=0-3 { gpu0 mem=1000 gpu1 mem=1000 }\nheld x on a1: gpu1=0.5\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=0.5")), "gpu1=0.5/500@1");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=0.5*2")), "gpu0=0.5/500@0 gpu0=0.5/500@1");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=0.5*2 gpu.cards=apart")),
            "gpu0=0.5/500@0 gpu1=0.5/500@1");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=0.5*2 gpu.cards=one")),
            "gpu0=0.5/500@0 gpu0=0.5/500@1");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=0.6*2 gpu.cards=one")), "refused");
}

// ceil(1000 x 334 / 1001) = 334 thousandths; three of them are 1002.
TEST(Oracle, RoundsThousandthsUpAndBytesDown) {
  constexpr const char* kNode = "node a1\n  numa0 cpus=0-3 { gpu0 mem=1001 }\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu.bytes=334*2")), "gpu0=0.334/334@0 gpu0=0.334/334@1");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu.bytes=334*3")), "refused");
  // Two halves fit, with 500 bytes each of 1001.
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=0.5*2")), "gpu0=0.5/500@0 gpu0=0.5/500@1");
}

TEST(Oracle, CutsADynamicCard) {
  constexpr const char* kNode = "node a1\n  numa0 cpus=0-3 { gpu0 mem=80Gi mig=dynamic }\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p mig=1g.10gb*2+3g.40gb")),
            "gpu0=mig:1g.10gb@0 gpu0=mig:1g.10gb@1 gpu0=mig:3g.40gb@4");
  // 4g can only start at 0, so the 3g before it goes to 4.
  EXPECT_EQ(best(text::cat(kNode, "pod p mig=3g.40gb+4g.40gb")),
            "gpu0=mig:4g.40gb@0 gpu0=mig:3g.40gb@4");
  EXPECT_EQ(best(text::cat(kNode, "pod p mig=4g.40gb*2")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p mig=1g.20gb*4")),
            "gpu0=mig:1g.20gb@0 gpu0=mig:1g.20gb@2 gpu0=mig:1g.20gb@4 gpu0=mig:1g.20gb@6");
  EXPECT_EQ(best(text::cat(kNode, "pod p mig=1g.10gb*8")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p mig=1g.80gb")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p mig=5g.40gb")), "badly asked");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=1")), "refused");
}

TEST(Oracle, TakesAFixedPartitionOfThatNameOnly) {
  constexpr const char* kNode =
      "node a1\n  numa0 cpus=0-3 { gpu0 mig=1g.10gb,2g.20gb,1g.10gb }\n"
      "held x on a1: gpu0=mig:1g.10gb@0\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p mig=1g.10gb")), "gpu0=mig:1g.10gb@2");
  EXPECT_EQ(best(text::cat(kNode, "pod p mig=1g.10gb*2")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p mig=2g")), "refused");
}

//   numa0 { gpu0 } 4 cores, 8Gi    numa1 { gpu1 } 4 cores, 8Gi
constexpr const char* kTwoNodes =
    "node a1\n  numa0 cpus=0-3 mem=8Gi { gpu0 nic0 }\n  numa1 cpus=4-7 mem=8Gi { gpu1 nic1 }\n";

TEST(Oracle, KeepsEverythingOnOneNumaNode) {
  const std::string held = text::cat(kTwoNodes, "held x on a1: cpus=0-2\n");
  EXPECT_EQ(best(text::cat(held, "pod p gpu=1 cores=2 mem=4Gi numa=single")),
            "gpu1 cpus=4-5 mem=1:4Gi");
  EXPECT_EQ(best(text::cat(held, "pod p gpu=1 cores=5 numa=single")), "refused");
  EXPECT_EQ(best(text::cat(held, "pod p gpu=1 cores=5 numa=near-devices")), "refused");
  EXPECT_EQ(best(text::cat(held, "pod p gpu=2 cores=5 numa=near-devices")), "gpu0 gpu1 cpus=3-7");
}

// Memory follows the cores; what does not fit there comes from the other node.
TEST(Oracle, TakesMemoryWhereTheCoresAre) {
  EXPECT_EQ(best(text::cat(kTwoNodes, "pod p cores=1 mem=10Gi")), "cpus=0 mem=0:8Gi,1:2Gi");
  EXPECT_EQ(best(text::cat(kTwoNodes, "held x on a1: cpus=0-3\npod p cores=1 mem=10Gi")),
            "cpus=4 mem=0:2Gi,1:8Gi");
  // Two cores can be at home on both.
  EXPECT_EQ(best(text::cat(kTwoNodes, "pod p cores=2 mem=10Gi")), "cpus=0,4 mem=0:8Gi,1:2Gi");
  EXPECT_EQ(best(text::cat(kTwoNodes, "pod p gpu=1 mem=1Gi numa=none\nheld x on a1: gpu0")),
            "gpu1 mem=0:1Gi");
  EXPECT_EQ(best(text::cat(kTwoNodes, "pod p mem=17Gi")), "refused");
}

TEST(Oracle, SpreadsCoresOverSockets) {
  constexpr const char* kNode =
      "node a1\n  numa0 cpus=0-3 socket=0\n  numa1 cpus=4-7 socket=0\n  numa2 cpus=8-11 socket=1\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p cores=4 cores.plan=spread")), "cpus=0-1,8-9");
  EXPECT_EQ(best(text::cat(kNode, "pod p cores=5 cores.plan=spread")), "cpus=0-2,8-9");
  EXPECT_EQ(best(text::cat(kNode, "pod p cores=10 cores.plan=spread")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p cores=5")), "cpus=0-4");
}

// 40 cores of two threads, i and i + 40; every other one is pinned, so a core costs two ranges.
TEST(Oracle, KeepsTheLimitOfRanges) {
  std::string node = "node a1\n  numa0 cpus=0-79 smt=split mem=8Gi\nheld x on a1: cpus=";
  for (int i = 1; i < 36; i += 2) node += text::cat(i == 1 ? "" : ",", i, ",", i + 40);
  node += "\n";
  EXPECT_EQ(best(text::cat(node, "pod p cores=16")).substr(0, 9), "cpus=0,2,");
  EXPECT_EQ(best(text::cat(node, "pod p cores=23")), "refused");
  // 18 lone cores and the run 36 … 39: with it, 16 + 4 cores are 32 ranges.
  const auto asked = put(text::cat(node, "pod p cores=18"));
  EXPECT_EQ(asked.opinion.outcome, Outcome::kFits);
  EXPECT_FALSE(asked.opinion.ids_compared);
  EXPECT_EQ(best(text::cat(node, "pod p cores=16 mem=1Gi")).substr(0, 5), "cpus=");
  EXPECT_EQ(put(text::cat(node, "pod p cores=20 mem=1Gi")).opinion.outcome, Outcome::kRefused);
}

TEST(Oracle, CountsRangesByRuns) {
  const auto ranges = [](const std::vector<domain::Core>& cores) { return ranges_of(cores); };
  EXPECT_EQ(ranges({{{0}}, {{1}}, {{3}}}), 2);
  EXPECT_EQ(ranges({{{0, 8}}, {{1, 9}}}), 2);
  EXPECT_EQ(ranges({{{0, 8}}, {{2, 10}}}), 4);
  EXPECT_EQ(ranges({{{0, 1}}, {{2, 3}}, {{6, 7}}}), 2);
  EXPECT_EQ(ranges({{{0, 1}}, {{2}}}), 1);
  EXPECT_EQ(ranges({{{0, 1, 5}}}), 3);
  EXPECT_EQ(ranges({}), 0);
}

// Devices on the node itself: nobody knows how far they are.
TEST(Oracle, GrantsNoWishOnAGuess) {
  constexpr const char* kNode = "node a1\n  gpu0\n  gpu1\n  nic0\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=1 nic=1 pair<=SYS")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=2 gpus<=SYS")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=1 numa=single")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=1 nic=1")), "gpu0 nic0");
}

TEST(Oracle, PutsDrivesNearAGpu) {
  constexpr const char* kNode =
      "node a1\n  numa0 cpus=0-3 { sw0 { gpu0 } sw1 { gpu1 nvme0 } nvme1 }\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=1 nvme=1 nvme<=PIX")), "gpu1 nvme0");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=1 nvme=2 nvme<=PIX")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=1 nvme=2 nvme<=NODE")), "gpu1 nvme0 nvme1");
  EXPECT_EQ(best(text::cat(kNode, "pod p nvme=1 nvme<=PIX")), "badly asked");
}

// One card is broken already; new functions go there, to the smallest numbers.
TEST(Oracle, NumbersFunctionsFromTheSmallest) {
  constexpr const char* kNode =
      "node a1\n  numa0 cpus=0-3 { nic0 vfs=4 nic1 vfs=4 }\nheld x on a1: nic1=vf@1\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p vf=2")), "nic1=vf@0 nic1=vf@2");
  EXPECT_EQ(best(text::cat(kNode, "pod p vf=2 vf.cards=apart")), "nic0=vf@0 nic1=vf@0");
  EXPECT_EQ(best(text::cat(kNode, "pod p vf=4")), "nic0=vf@0 nic0=vf@1 nic0=vf@2 nic0=vf@3");
  EXPECT_EQ(best(text::cat(kNode, "pod p vf=4 vf.cards=one nic.role=any")),
            "nic0=vf@0 nic0=vf@1 nic0=vf@2 nic0=vf@3");
  EXPECT_EQ(best(text::cat(kNode, "pod p nic=2")), "refused");
}

TEST(Oracle, GivesOnlyTheNicsThatAreAllowed) {
  constexpr const char* kNode =
      "node a1\n  numa0 cpus=0-3 { nic0 bond=yes nic1 role=storage nic2 rdma=no nic3 rate=100G }\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p nic=1")), "nic3");
  EXPECT_EQ(best(text::cat(kNode, "pod p nic=2")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p nic=2 nic.role=any")), "nic1 nic3");
  EXPECT_EQ(best(text::cat(kNode, "pod p nic=3 nic.allow=bond,non-rdma")), "nic0 nic2 nic3");
  EXPECT_EQ(best(text::cat(kNode, "pod p nic=1 nic.role=storage")), "nic1");
  EXPECT_EQ(best(text::cat(kNode, "pod p nic=1 nic.rate>=200G")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p nic=1 nic.bw=40G")), "nic3=40G");
  EXPECT_EQ(best(text::cat(kNode, "pod p nic=1 nic.bw=101G")), "refused");
}

TEST(Oracle, CountsCpuBesideCores) {
  constexpr const char* kNode = "node a1\n  numa0 cpus=0-3\nheld x on a1: cpu=2500m cpus=3\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p cpu=500m")), "cpu=0.5");
  EXPECT_EQ(best(text::cat(kNode, "pod p cpu=501m")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p cores=1")), "refused");
}

// gpu0 is far from both NICs, gpu1 near one: two GPUs for one NIC, and the spare NIC counts.
TEST(Oracle, PairsTwoGpusWithOneNic) {
  constexpr const char* kNode =
      "node a1\n  numa0 cpus=0-3 { bridge0 { sw0 { gpu0 gpu1 nic0 } nic1 } }\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=2 nic=1 pair=2:1<=PIX")), "gpu0 gpu1 nic0");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=2 nic=2 pair<=PIX")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=2 nic=1 pair=1:1<=PIX")), "badly asked");
  // K is 2 in the clause, so both GPUs may use nic0; nic1 is spare and PHB (3) away.
  EXPECT_EQ(levels(text::cat(kNode, "pod p gpu=2 nic=2 pair=2:1<=PIX")).substr(0, 10),
            "pair 1,2,4");
  // Without a clause each unit has one GPU.
  EXPECT_EQ(levels(text::cat(kNode, "pod p gpu=2 nic=2")).substr(0, 10), "pair 3,4,4");
}

// By default the pair counts before the NUMA node of the cores.
TEST(Oracle, ReadsWishesInTheirOrder) {
  constexpr const char* kNode =
      "node a1\n  numa0 cpus=0-3 { gpu0 }\n  numa1 cpus=4 { sw0 { gpu1 nic0 } }\n"
      "held x on a1: cpus=4\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=1 nic=1 cores=1")), "gpu1 nic0 cpus=0");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=1 nic=1 cores=1 prefer=numa")), "gpu0 nic0 cpus=0");
}

TEST(Oracle, ObeysCordons) {
  EXPECT_EQ(best("node a1\n  numa0 cpus=0-3 { gpu0 cordoned=\"x\" gpu1 }\npod p gpu=1"), "gpu1");
  constexpr const char* kNode = "node a1 cordoned=\"x\"\n  numa0 cpus=0-3 { gpu0 }\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p cores=1")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=0")), "");
}

TEST(Oracle, MatchesModelMemoryAndArchitecture) {
  constexpr const char* kNode =
      "node a1 arch=arm64\n  numa0 cpus=0-3 { gpu0 gpu1 model=H100 mem=80Gi }\n";
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=1 gpu.model=h100")), "gpu1");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=1 gpu.mem>=80Gi")), "gpu1");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=2 gpu.mem>=1")), "refused");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=1 arch=arm64")), "gpu0");
  EXPECT_EQ(best(text::cat(kNode, "pod p gpu=1 arch=amd64")), "refused");
}

TEST(Oracle, RefusesWhatContradictsItself) {
  constexpr const char* kNode = "node a1\n  numa0 cpus=0-3 { gpu0 nic0 }\n";
  for (const char* request :
       {"gpu=65", "pair<=PIX gpu=1", "gpus<=PIX", "nvlink=all", "cores=1 cpu=1",
        "gpu=1 gpu.cards=one", "vf.cards=one nic=1", "numa=single cores=2 cores.plan=spread",
        "gpu=3 nic=1 pair=2:1<=PIX"}) {
    EXPECT_EQ(best(text::cat(kNode, "pod p ", request)), "badly asked") << request;
  }
}

}  // namespace
}  // namespace tenon::oracle
