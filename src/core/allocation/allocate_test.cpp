// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/allocate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::allocation {
namespace {

// The answer in the words of the notation: "gpu0 nic0 cpus=0-3", or "refused: pair nearest …".
std::string place(const std::string& machine, const std::string& request) {
  const auto document = notation::parse(machine, "machine");
  if (!document) return to_text(document.error());
  const auto asked = notation::parse_request(request, "request");
  if (!asked) return to_text(asked.error());
  const auto& node = document->cluster.nodes.at(0);
  auto state = state::state_of(node, document->cluster.holders);
  if (!state) return to_text(state.error());
  const Answer answer = allocate(*state, *asked);
  EXPECT_TRUE(answer.proven_best);
  if (!answer.result) {
    return text::cat("refused: ", domain::to_text(answer.result.error().code), " ",
                     answer.result.error().evidence);
  }
  EXPECT_TRUE(state::apply(*state, *answer.result).has_value());
  return notation::write(*answer.result, node);
}

// Two sockets, each with two switches of two GPUs and one NIC.
const std::string kMixed = R"(
node a1 arch=amd64 cpu=96 mem=768Gi
  numa0 cpus=0-47   { sw0 { gpu0 gpu1 nic0 } sw1 { gpu2 gpu3 nic1 } }
  numa1 cpus=48-95  { sw2 { gpu4 gpu5 nic2 } sw3 { gpu6 gpu7 nic3 } }
)";

TEST(Allocate, TakesOneSwitchForAPairOfGpusAndItsNic) {
  EXPECT_EQ(place(kMixed, "gpu=2 nic=1 pair<=PIX numa=single cores=16 mem=128Gi"),
            "gpu0 gpu1 nic0 cpus=0-15 mem=0:128Gi");
}

TEST(Allocate, GoesWhereTheSwitchIsStillWhole) {
  EXPECT_EQ(place(kMixed + "held x on a1: gpu0\n", "gpu=2 nic=1 pair<=PIX"), "gpu2 gpu3 nic1");
}

TEST(Allocate, LeavesWholeSwitchesAndPairsWhole) {
  EXPECT_EQ(place(kMixed + "held x on a1: gpu4\n", "gpu=1"), "gpu5");
  EXPECT_EQ(place(kMixed + "held x on a1: gpu2 nic2\n", "gpu=1"), "gpu3");
}

TEST(Allocate, RefusesWithWhatIsMissing) {
  EXPECT_EQ(place(kMixed, "gpu=8 nic=8 pair<=PIX"), "refused: nic-count nic needs 8 has 4");
  EXPECT_EQ(place(kMixed, "gpu=4 numa=single cores=64"),
            "refused: numa numa0 has 48 free cores of 64 asked");
  EXPECT_EQ(place(kMixed + "held x on a1: nic1\n", "gpu=8 nic=3 pair=3:1<=PIX"),
            "refused: pair nearest usable NIC of gpu2 is nic0, NODE away");
  EXPECT_EQ(place(kMixed, "gpu=3 gpus<=PIX"),
            "refused: gpu-distance largest group of usable GPUs within PIX is 2 (gpu0 gpu1), "
            "needs 3");
}

// ---- GPUs and NICs --------------------------------------------------------------------------

// The near NIC of gpu0 is held (*): the whole request moves to the other switch.
//   numa0 { sw0 { gpu0 nic0* } sw1 { gpu1 nic1 } }
TEST(Allocate, PairsWithTheFreeNicUnderTheSameSwitch) {
  const std::string machine =
      "node a1\n numa0 cpus=0-7 { sw0 { gpu0 nic0 } sw1 { gpu1 nic1 } }\nheld x on a1: nic0\n";
  EXPECT_EQ(place(machine, "gpu=1 nic=1 pair<=PIX"), "gpu1 nic1");
  EXPECT_EQ(place(machine, "gpu=1 nic=1"), "gpu1 nic1");
  EXPECT_EQ(place(machine, "gpu=2 nic=1 pair=2:1<=PIX"),
            "refused: pair nearest usable NIC of gpu0 is nic1, NODE away");
}

// Taking the nearest NIC for gpu0 first leaves gpu1 without one.
//   bridge0 { sw0 { gpu0 nic0 } }   matrix: gpu0 is near nic0 and nic1, gpu1 near nic0 alone
TEST(Allocate, GivesTheSharedNicToTheGpuThatHasNoOther) {
  EXPECT_EQ(place(R"(
node a1
  numa0 cpus=0-3
  gpu0
  gpu1
  nic0
  nic1
  matrix {
          gpu0 gpu1 nic0 nic1
    gpu0  X    PIX  PIX  PXB
    gpu1  PIX  X    PIX  SYS
    nic0  PIX  PIX  X    SYS
    nic1  PXB  SYS  SYS  X
  }
)",
                  "gpu=2 nic=2 pair<=PXB"),
            "gpu0 gpu1 nic0 nic1");
}

// Two GPUs that share a NIC better than two that each have one farther away.
TEST(Allocate, LetsGpusShareANicUpToTheRatio) {
  EXPECT_EQ(place(kMixed, "gpu=4 nic=2 pair=2:1<=PIX"), "gpu0 gpu1 gpu2 gpu3 nic0 nic1");
  EXPECT_EQ(place(kMixed, "gpu=4 nic=4 pair<=PIX"), "gpu0 gpu2 gpu4 gpu6 nic0 nic1 nic2 nic3");
  EXPECT_EQ(place(kMixed + "held x on a1: gpu6 gpu7\n", "gpu=4 nic=4 pair<=PIX"),
            "refused: pair 6 usable GPUs have a NIC within PIX, but not 4 NICs for 4 GPUs at 1 to "
            "one");
}

// An unknown distance satisfies no bound, not even SYS, and the refusal says so.
TEST(Allocate, GrantsNoNearnessOnAGuess) {
  const std::string machine = "node a1\n numa0 cpus=0-3 { gpu0 }\n nic0\n";
  EXPECT_EQ(place(machine, "gpu=1 nic=1 pair<=SYS"),
            "refused: not-known a distance that the request needs is not known (gpu0 to nic0)");
  EXPECT_EQ(place(machine, "gpu=1 nic=1"), "gpu0 nic0");
}

// The example is of the fact that is missing, not the first unknown thing of the machine.
TEST(Allocate, GivesAnExampleOfTheFactThatIsMissing) {
  const std::string machine =
      "node a1\n numa0 cpus=0-3 smt=? { gpu0 }\n numa1 cpus=4-7 smt=?\n gpu1\n nic0\n nvme0\n";
  EXPECT_EQ(place(machine, "gpu=2 nic=1 cores=2"),
            "refused: not-known nobody saw which CPUs share a core (numa0)");
  EXPECT_EQ(place(machine, "gpu=2 nic=1 gpus<=PIX"),
            "refused: not-known a distance that the request needs is not known (gpu0 to gpu1)");
  EXPECT_EQ(place(machine, "gpu=1 nvme=1 nvme<=PIX"),
            "refused: not-known a distance that the request needs is not known (gpu0 to nvme0)");
  EXPECT_EQ(place(machine, "gpu=2 numa=single"),
            "refused: not-known the NUMA node of a device that the request needs is not known "
            "(gpu1)");
  EXPECT_EQ(place(machine, "gpu=1 nic=1 pair<=PIX numa=single"),
            "refused: not-known distances, NUMA nodes or cores that the request needs are not "
            "known (gpu0 to nic0)");
}

// NVLink: gpu0-gpu1 and gpu2-gpu3 joined, gpu1-gpu2 by fewer links.
const std::string kLinked = R"(
node a1
  numa0 cpus=0-7 { gpu0 gpu1 gpu2 gpu3 gpu4 }
  nvlink NV4 gpu0 gpu1
  nvlink NV4 gpu2 gpu3
  nvlink NV1 gpu1 gpu2
)";

TEST(Allocate, KeepsNvlinkClauses) {
  EXPECT_EQ(place(kLinked, "gpu=2 nvlink=all"), "gpu0 gpu1");
  EXPECT_EQ(place(kLinked + "held x on a1: gpu0\n", "gpu=2 nvlink=all"), "gpu2 gpu3");
  EXPECT_EQ(place(kLinked, "gpu=4 nvlink=connected"), "gpu0 gpu1 gpu2 gpu3");
  EXPECT_EQ(place(kLinked, "gpu=3 nvlink=all"),
            "refused: nvlink largest group of usable GPUs all joined by NVLink is 2 (gpu0 gpu1), "
            "needs 3");
  EXPECT_EQ(place(kLinked + "held x on a1: gpu1\n", "gpu=3 nvlink=connected"),
            "refused: nvlink largest group of usable GPUs connected by NVLink is 2 (gpu2 gpu3), "
            "needs 3");
}

// Connected means through granted GPUs alone: gpu0 and gpu2 only meet at gpu1, which is held.
TEST(Allocate, ConnectsThroughGrantedGpusAlone) {
  EXPECT_EQ(place(kLinked + "held x on a1: gpu4\n", "gpu=2 nvlink=connected"), "gpu0 gpu1");
  EXPECT_EQ(place(kLinked, "gpu=1"), "gpu4");  // the one that leaves the group whole
}

// gpu0 and gpu2 have the NICs, but only gpu1 would connect them.
TEST(Allocate, DoesNotConnectThroughAGpuThatIsNotGranted) {
  EXPECT_EQ(place(R"(
node a1
  numa0 cpus=0-3 { sw0 { gpu0 nic0 } sw1 { gpu1 } sw2 { gpu2 nic1 } }
  nvlink NV4 gpu0 gpu1
  nvlink NV4 gpu1 gpu2
)",
                  "gpu=2 nic=2 nvlink=connected"),
            "gpu0 gpu1 nic0 nic1");
}

// Both GPUs look alike but for the NUMA node, and the cores of numa0 are held.
TEST(Allocate, TellsGpusApartByTheirNumaNodes) {
  EXPECT_EQ(place(R"(
node a1
  numa0 cpus=0-3
  numa1 cpus=4-7
  gpu0 numa=0
  gpu1 numa=1
  nic0 numa=0
  nic1 numa=1
held x on a1: nic0 nic1 cpus=0-3
)",
                  "gpu=1 cores=2"),
            "gpu1 cpus=4-5");
}

// A device whose NUMA node nobody saw is near none.
TEST(Allocate, PutsNothingUnknownOnASingleNode) {
  const std::string machine = "node a1\n numa0 cpus=0-3 { gpu0 }\n numa1 cpus=4-7\n nic0\n";
  EXPECT_EQ(place(machine, "gpu=1 nic=1 numa=single"),
            "refused: not-known the NUMA node of a device that the request needs is not known "
            "(nic0)");
  EXPECT_EQ(place(machine, "gpu=1 cores=4 numa=single"), "gpu0 cpus=0-3");
}

// Which NICs may be given at all.
const std::string kNics = R"(
node a1
  numa0 cpus=0-7 {
    sw0 { gpu0 nic0 role=storage rate=400G nic1 rdma=no rate=100G nic2 bond=yes nic3 rate=100G nic4 rate=400G } }
)";

TEST(Allocate, GivesOnlyTheKindOfNicThatIsAsked) {
  EXPECT_EQ(place(kNics, "nic=1"), "nic3");
  EXPECT_EQ(place(kNics, "nic=1 nic.role=storage"), "nic0");
  EXPECT_EQ(place(kNics, "nic=3 nic.role=any"), "nic0 nic3 nic4");
  EXPECT_EQ(place(kNics, "nic=4 nic.allow=bond,non-rdma"), "nic1 nic2 nic3 nic4");
  EXPECT_EQ(place(kNics, "nic=1 nic.rate>=200G"), "nic4");
  EXPECT_EQ(place(kNics, "nic=3"),
            "refused: nic-role nic of role compute needs 3 has 2; bonds and NICs without RDMA "
            "count only where nic.allow says so");
  EXPECT_EQ(place(kNics, "nic=2 nic.rate>=200G"), "refused: nic-rate nic with 200G needs 2 has 1");
}

TEST(Allocate, SharesNicsByBandwidthAndByFunction) {
  const std::string machine =
      "node a1\n numa0 cpus=0-3 { sw0 { gpu0 nic0 rate=100G vfs=2 nic1 rate=100G vfs=4 } }\n";
  EXPECT_EQ(place(machine, "nic=2 nic.bw=40G"), "nic0=40G nic1=40G");
  EXPECT_EQ(place(machine + "held x on a1: nic0=70G\n", "nic=1 nic.bw=30G"), "nic0=30G");
  EXPECT_EQ(place(machine + "held x on a1: nic0=70G\n", "nic=2 nic.bw=40G"),
            "refused: nic-bandwidth nic with 40G free needs 2 has 1");
  EXPECT_EQ(place(machine, "vf=3"), "nic1=vf@0 nic1=vf@1 nic1=vf@2");  // one NIC stays whole
  EXPECT_EQ(place(machine, "vf=5"), "nic0=vf@0 nic0=vf@1 nic1=vf@0 nic1=vf@1 nic1=vf@2");
  EXPECT_EQ(place(machine, "vf=2 vf.cards=apart"), "nic0=vf@0 nic1=vf@0");
  EXPECT_EQ(place(machine + "held x on a1: nic1=vf@1\n", "vf=3 vf.cards=one"),
            "nic1=vf@0 nic1=vf@2 nic1=vf@3");
  EXPECT_EQ(place(machine, "vf=5 vf.cards=one"),
            "refused: nic-function no one NIC has 5 functions free");
  EXPECT_EQ(place(machine, "vf=7"), "refused: nic-function vf needs 7 has 6");
}

// ---- shares and partitions ------------------------------------------------------------------

const std::string kShares = R"(
node a1
  numa0 cpus=0-7 { gpu0 mem=24Gi gpu1 mem=24Gi slots=2 gpu2 mem=48Gi gpu3 }
)";

TEST(Allocate, SharesOneGpuByThousandthsOrBytes) {
  EXPECT_EQ(place(kShares, "gpu=0.5"), "gpu0=0.5/12Gi@0");
  EXPECT_EQ(place(kShares, "gpu.bytes=20Gi"), "gpu0=0.834/20Gi@0");
  EXPECT_EQ(place(kShares, "gpu.bytes=25Gi"), "gpu2=0.521/25Gi@0");
  EXPECT_EQ(place(kShares, "gpu=0.6*2"), "gpu0=0.6/15461882265@0 gpu1=0.6/15461882265@0");
  EXPECT_EQ(place(kShares, "gpu=0.5+0.25 gpu.cards=one"), "gpu0=0.5/12Gi@0 gpu0=0.25/6Gi@1");
  EXPECT_EQ(place(kShares + "held x on a1: gpu0=0.5\n", "gpu=0.5"), "gpu0=0.5/12Gi@1");
  EXPECT_EQ(place(kShares, "gpu=0.1*3 gpu.cards=apart"),
            "gpu0=0.1/2576980377@0 gpu1=0.1/2576980377@0 gpu2=0.1/5153960755@0");
  EXPECT_EQ(place(kShares, "gpu.bytes=49Gi"),
            "refused: gpu-share gpu with such a share free needs 1 has 0; the largest free share "
            "is 48Gi");
  EXPECT_EQ(place(kShares, "gpu=0.6*5"),
            "refused: gpu-share the shares that are free do not hold all that are asked");
  EXPECT_EQ(place(kShares, "gpu=0.6*2 gpu.cards=one"),
            "refused: gpu-cards no one GPU holds all 2 units");
}

// What is said of devices is said of those that the request could use.
TEST(Allocate, NamesTheLargestShareOfTheModelThatIsAsked) {
  const std::string machine =
      "node a1\n numa0 cpus=0-7 { gpu0 model=A100 mem=40Gi gpu1 model=H100 }\n"
      "held x on a1: gpu0=0.75\n";
  EXPECT_EQ(
      place(machine, "gpu=0.5 gpu.model=A100"),
      "refused: gpu-share gpu with such a share free needs 1 has 0; the largest free share is "
      "0.25");
  EXPECT_EQ(
      place(machine, "gpu.bytes=20Gi"),
      "refused: gpu-share gpu with such a share free needs 1 has 0; the largest free share is "
      "10Gi");
}

TEST(Allocate, TakesTheSmallestSlotThatNoShareHas) {
  EXPECT_EQ(place(kShares + "held x on a1: gpu0=0.25@1\n", "gpu=0.25*2 gpu.cards=one"),
            "gpu0=0.25/6Gi@0 gpu0=0.25/6Gi@2");
}

// Three shares on one card: gpu1 has two slots only.
TEST(Allocate, CountsSlotsOfShares) {
  EXPECT_EQ(place(kShares + "held x on a1: gpu0 gpu2 gpu3\n", "gpu=0.1*3"),
            "refused: gpu-share the shares that are free do not hold all that are asked");
  EXPECT_EQ(place(kShares + "held x on a1: gpu1=0.1 gpu1=0.1@1 gpu2 gpu3\n", "gpu=0.1"),
            "gpu0=0.1/2576980377@0");
}

std::string eight_cards(const std::string& facts) {
  std::string node = "node a1\n";
  for (int i = 0; i < 8; ++i) node += text::cat("  gpu", i, facts, '\n');
  return node;
}

// Said "refused: gpu-share": all ways to divide 64 units among 7 cards were tried, until the limit.
TEST(Allocate, FillsEightCardsWithEqualUnitsToTheLast) {
  const std::string cut = eight_cards(" mem=40Gi mig=dynamic");
  EXPECT_TRUE(place(cut, "mig=1g.5gb*56").ends_with("gpu7=mig:1g.5gb@6"));
  EXPECT_EQ(place(cut, "mig=1g.5gb*57"),
            "refused: gpu-partition the partitions that are free do not hold all that are asked");
  EXPECT_TRUE(place(eight_cards(""), "gpu=0.125*64").ends_with("gpu7=0.125@7"));
  EXPECT_EQ(place(eight_cards(""), "gpu=0.3*20+0.35*8"),
            "refused: gpu-share the shares that are free do not hold all that are asked");
}

// Was cut by the limit. Every slice is needed: each card has an odd number of 1g, so that the first
// four cannot all be filled with them. Of the ways to put units on cards alike most are alike.
TEST(Allocate, FillsEightCardsWithUnitsOfSeveralKindsToTheLast) {
  const std::string cut = eight_cards(" mem=40Gi mig=dynamic");
  const auto placed = place(cut, "mig=1g.5gb*30+2g.10gb*13");
  EXPECT_NE(
      placed.find("gpu2=mig:1g.5gb@6 gpu3=mig:1g.5gb@0 gpu3=mig:1g.5gb@1 gpu3=mig:1g.5gb@2 "
                  "gpu3=mig:1g.5gb@3 gpu3=mig:2g.10gb@4 gpu3=mig:1g.5gb@6 gpu4=mig:2g.10gb@0"),
      std::string::npos)
      << placed;
  EXPECT_EQ(place(cut, "mig=1g.5gb*29+2g.10gb*14"),
            "refused: gpu-partition the partitions that are free do not hold all that are asked");
  EXPECT_EQ(place(eight_cards(""), "gpu=0.21*10+0.27*10+0.31*10"),
            "refused: gpu-share the shares that are free do not hold all that are asked");
}

const std::string kMig = R"(
node a1
  numa0 cpus=0-7 { gpu0 mem=80Gi mig=1g.10gb*2,3g.40gb gpu1 mem=80Gi mig=dynamic gpu2 mem=80Gi }
)";

TEST(Allocate, GivesPartitionsThatExistOrCanBeCut) {
  EXPECT_EQ(place(kMig, "mig=1g.10gb*2"), "gpu0=mig:1g.10gb@0 gpu0=mig:1g.10gb@1");
  EXPECT_EQ(place(kMig, "mig=4g.40gb+2g.20gb+1g.10gb gpu.cards=one"),
            "gpu1=mig:4g.40gb@0 gpu1=mig:2g.20gb@4 gpu1=mig:1g.10gb@6");
  EXPECT_EQ(place(kMig, "mig=3g.40gb*2 gpu.cards=one"), "gpu1=mig:3g.40gb@0 gpu1=mig:3g.40gb@4");
  EXPECT_EQ(place(kMig, "mig=3g.40gb*3"),
            "gpu0=mig:3g.40gb@2 gpu1=mig:3g.40gb@0 gpu1=mig:3g.40gb@4");
  EXPECT_EQ(place(kMig + "held x on a1: gpu1=mig:1g.10gb@1\n", "mig=7g.80gb"),
            "refused: gpu-partition gpu with a free partition of 7g.80gb needs 1 has 0");
  EXPECT_EQ(place(kMig, "mig=1g.20gb*4"),
            "gpu1=mig:1g.20gb@0 gpu1=mig:1g.20gb@2 gpu1=mig:1g.20gb@4 gpu1=mig:1g.20gb@6");
  EXPECT_EQ(place(kMig, "mig=4g.40gb*2"),
            "refused: gpu-partition the partitions that are free do not hold all that are asked");
}

// The order of units decides ids, not whether they fit: the 1g must leave room for the 4g at 0.
TEST(Allocate, CutsSoThatAllUnitsFit) {
  EXPECT_EQ(place(kMig, "mig=1g.10gb+4g.40gb+1g.10gb gpu.cards=one"),
            "gpu1=mig:4g.40gb@0 gpu1=mig:1g.10gb@4 gpu1=mig:1g.10gb@5");
}

// ---- cores and memory -----------------------------------------------------------------------

const std::string kCores = R"(
node a1
  numa0 cpus=0-3,16-19 smt=split mem=8Gi socket=0 { gpu0 nvme0 }
  numa1 cpus=4-7,20-23 smt=split mem=8Gi socket=0
  numa2 cpus=8-11,24-27 smt=split mem=8Gi socket=1 { gpu1 nvme1 }
  numa3 cpus=12-15,28-31 smt=split mem=16Gi socket=1
)";

TEST(Allocate, TakesCoresAndMemoryNearTheDevices) {
  EXPECT_EQ(place(kCores, "gpu=1 cores=2 mem=4Gi"), "gpu0 cpus=0-1,16-17 mem=0:4Gi");
  EXPECT_EQ(place(kCores + "held x on a1: gpu0\n", "gpu=1 cores=2 mem=4Gi"),
            "gpu1 cpus=8-9,24-25 mem=2:4Gi");
  EXPECT_EQ(place(kCores, "gpu=1 cores=5"), "gpu0 cpus=0-4,16-20");
  EXPECT_EQ(place(kCores, "gpu=1 mem=9Gi"), "gpu0 mem=0:8Gi,1:1Gi");
  EXPECT_EQ(place(kCores, "gpu=1 mem=9Gi numa=near-devices"),
            "refused: numa the NUMA nodes near the devices that fit have not enough free cores "
            "or memory");
  EXPECT_EQ(place(kCores, "gpu=2 mem=9Gi numa=near-devices"), "gpu0 gpu1 mem=0:8Gi,2:1Gi");
}

TEST(Allocate, TakesAsFewNodesAsCanBeWithoutDevices) {
  EXPECT_EQ(place(kCores, "cores=4"), "cpus=0-3,16-19");
  EXPECT_EQ(place(kCores + "held x on a1: cpus=0,16\n", "cores=4"), "cpus=4-7,20-23");
  EXPECT_EQ(place(kCores, "mem=12Gi"), "mem=3:12Gi");
  EXPECT_EQ(place(kCores, "mem=12Gi numa=none"), "mem=0:8Gi,1:4Gi");
  EXPECT_EQ(place(kCores, "cores=1 mem=12Gi"), "cpus=12,28 mem=3:12Gi");
  EXPECT_EQ(place(kCores, "cores=1 mem=12Gi numa=single"), "cpus=12,28 mem=3:12Gi");
  EXPECT_EQ(place(kCores, "mem=17Gi numa=single"),
            "refused: numa numa0 has 8Gi free memory of 17Gi asked");
}

TEST(Allocate, SpreadsCoresOverSockets) {
  EXPECT_EQ(place(kCores, "cores=4 cores.plan=spread"), "cpus=0-1,8-9,16-17,24-25");
  EXPECT_EQ(place(kCores, "cores=3 cores.plan=spread"), "cpus=0-1,8,16-17,24");
  EXPECT_EQ(place(kCores + "held x on a1: cpus=0-6,16-22\n", "cores=3 cores.plan=spread"),
            "cpus=7-9,23-25");
  EXPECT_EQ(place(kCores + "held x on a1: cpus=0-6,16-22\n", "cores=4 cores.plan=spread"),
            "refused: cores no even spread over the sockets: one has too few free cores");
}

TEST(Allocate, CountsCpuWithoutPinning) {
  EXPECT_EQ(place(kCores, "cpu=31.5"), "cpu=31.5");
  EXPECT_EQ(place(kCores + "held x on a1: cpus=0,16\n", "cpu=31"),
            "refused: cpu cpu needs 31 has 30");
  // Counted CPU leaves less to pin.
  EXPECT_EQ(place(kCores + "held x on a1: cpu=28\n", "cores=2"), "cpus=0-1,16-17");
  EXPECT_EQ(place(kCores + "held x on a1: cpu=29\n", "cores=2"),
            "refused: cores cores needs 2 has 1, counted cpu has the rest");
}

TEST(Allocate, PutsDrivesNearTheGpus) {
  EXPECT_EQ(place(kCores + "held x on a1: gpu0\n", "gpu=1 nvme=1"), "gpu1 nvme1");
  EXPECT_EQ(place(kCores + "held x on a1: nvme0\n", "gpu=1 nvme=1 nvme<=NODE"), "gpu1 nvme1");
  EXPECT_EQ(place(kCores + "held x on a1: gpu0 nvme1\n", "gpu=1 nvme=1 nvme<=NODE"),
            "refused: nvme-distance nearest usable GPU of nvme0 is gpu1, SYS away");
}

// Every other core is held: 33 single cores would be 33 ranges.
TEST(Allocate, KeepsThe32Ranges) {
  std::string held = "held x on a1: cpus=1";
  for (int cpu = 3; cpu < 70; cpu += 2) held += text::cat(",", cpu);
  const std::string machine = "node a1\n numa0 cpus=0-99\n" + held + "\n";
  EXPECT_EQ(place(machine, "cores=31"),
            "cpus=0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,"
            "56,58,60");
  // The smallest 40 would be 36 ranges: some of the free run behind 70 instead.
  const auto answer = place(machine, "cores=40");
  EXPECT_EQ(answer.substr(0, 5), "cpus=");
  EXPECT_LE(std::ranges::count(answer, ','), 31);
  const std::string comb = "node a1\n numa0 cpus=0-69\n" + held + "\n";
  EXPECT_EQ(place(comb, "cores=33"),
            "refused: ranges cores and memory that are free lie in more than 32 ranges");
}

// 31 single cores are 31 ranges: with memory of two nodes they are one too many.
TEST(Allocate, CountsMemoryNodesAmongTheRanges) {
  std::string held = "held x on a1: cpus=1";
  for (int cpu = 3; cpu < 62; cpu += 2) held += text::cat(",", cpu);
  const std::string machine =
      "node a1\n numa0 cpus=0-61 mem=1Gi\n numa1 cpus=62-65 mem=1Gi\n" + held + "\n";
  EXPECT_EQ(place(machine, "cores=31 mem=1Gi").substr(0, 9), "cpus=0,2,");
  // Of four cores in one range on numa1 enough are taken that all keep within 32.
  const auto answer = place(machine, "cores=31 mem=2Gi");
  EXPECT_EQ(answer.substr(0, 5), "cpus=");
  EXPECT_LE(std::ranges::count(answer, ','), 30);
}

// ---- wishes ---------------------------------------------------------------------------------

// Near the NIC or joined by NVLink: the first wish wins.
//   numa0 { sw0 { gpu0 nic0 } sw1 { gpu1 nic1 } }   numa1 { sw2 { gpu2 } sw3 { gpu3 } }, NVLink 2-3
TEST(Allocate, CountsWishesInTheirOrder) {
  const std::string machine = R"(
node a1
  numa0 cpus=0-3 { sw0 { gpu0 nic0 } sw1 { gpu1 nic1 } }
  numa1 cpus=4-7 { sw2 { gpu2 } sw3 { gpu3 } }
  nvlink NV4 gpu2 gpu3
)";
  EXPECT_EQ(place(machine, "gpu=2 nic=2"), "gpu0 gpu1 nic0 nic1");
  EXPECT_EQ(place(machine, "gpu=2 nic=2 prefer=gpus"), "gpu2 gpu3 nic0 nic1");
  EXPECT_EQ(place(machine, "gpu=2 nic=2 nvlink=best"), "gpu2 gpu3 nic0 nic1");
}

// Cores near the GPU, or one of them where the memory is: then no byte lies outside.
TEST(Allocate, WeighsMemoryAgainstCoresAsWished) {
  const std::string machine = R"(
node a1
  numa0 cpus=0-3 mem=8Gi
  numa1 cpus=4-7 mem=1Gi { gpu0 }
)";
  EXPECT_EQ(place(machine, "gpu=1 cores=2 mem=4Gi"), "gpu0 cpus=4-5 mem=0:3Gi,1:1Gi");
  EXPECT_EQ(place(machine, "gpu=1 cores=2 mem=4Gi prefer=mem"), "gpu0 cpus=0,4 mem=0:4Gi");
}

// ---- refusals at sight ----------------------------------------------------------------------

TEST(Allocate, SaysAtSightWhatIsMissing) {
  const std::string machine =
      "node a1 arch=amd64\n numa0 cpus=0-3 mem=4Gi { gpu0 model=A100 mem=80Gi gpu1 model=T4 }\n";
  EXPECT_EQ(place(machine, "gpu=3"), "refused: gpu-count gpu needs 3 has 2");
  EXPECT_EQ(place(machine, "gpu=1 gpu.model=a100"), "gpu0");
  EXPECT_EQ(place(machine, "gpu=2 gpu.model=a100"),
            "refused: gpu-model gpu of model a100 needs 2 has 1");
  EXPECT_EQ(place(machine, "gpu=2 gpu.mem>=40Gi"),
            "refused: gpu-memory gpu with 40Gi needs 2 has 1");
  EXPECT_EQ(place(machine + "held x on a1: gpu0\n", "gpu=2"),
            "refused: gpu-count gpu needs 2 has 1");
  EXPECT_EQ(place(machine, "nvme=1"), "refused: nvme-count nvme needs 1 has 0");
  EXPECT_EQ(place(machine, "cores=5"), "refused: cores cores needs 5 has 4");
  EXPECT_EQ(place(machine, "cpu=5"), "refused: cpu cpu needs 5 has 4");
  EXPECT_EQ(place(machine, "mem=5Gi"), "refused: memory memory needs 5Gi has 4Gi");
  EXPECT_EQ(place(machine, "arch=arm64"), "refused: arch arch needs arm64 is amd64");
  EXPECT_EQ(place("node a1 cordoned=\"broken fan\"\n numa0 cpus=0-3\n", "cpu=1"),
            "refused: node-cordoned the node is cordoned");
}

TEST(Allocate, AsksNothingOfAnyNode) {
  EXPECT_EQ(place("node a1 cordoned=\"broken fan\"\n", "gpu=0"), "");
}

TEST(Allocate, DoesNotGuessWhichCpusShareACore) {
  EXPECT_EQ(place("node a1\n numa0 cpus=0-7 smt=?\n", "cores=2"),
            "refused: not-known nobody saw which CPUs share a core (numa0)");
  EXPECT_EQ(place("node a1\n numa0 cpus=0-7 smt=?\n", "cores=9"),
            "refused: cores cores needs 9 has 8");
}

}  // namespace
}  // namespace tenon::allocation
