// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/planner/fix.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text.hpp"
#include "core/planner/place.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::planner {
namespace {

domain::Cluster cluster_of(std::string_view text) {
  const auto document = notation::parse(text, "test");
  EXPECT_TRUE(document) << (document ? "" : to_text(document.error()));
  return document ? document->cluster : domain::Cluster{};
}

domain::Request request_of(std::string_view clauses) {
  const auto request = notation::parse_request(clauses, "test");
  EXPECT_TRUE(request) << (request ? "" : to_text(request.error()));
  return request.value_or(domain::Request{});
}

/// The sentence of the nearest fix, or "nothing". What is offered also has to help.
std::string fixed(std::string_view text, std::string_view clauses) {
  const domain::Cluster cluster = cluster_of(text);
  const domain::Request request = request_of(clauses);
  const FixSearch search = nearest_fix(cluster, request, {});
  EXPECT_TRUE(search.complete);
  if (!search.fix) return "nothing";
  const Applied applied = apply_fix(cluster, request, *search.fix);
  const auto placement = place(applied.cluster, applied.request, {}, FixWanted::kNo);
  EXPECT_TRUE(placement && placement->chosen) << search.fix->text << " does not help";
  if (placement && placement->chosen) {
    EXPECT_EQ(placement->nodes.at(*placement->chosen).node, search.fix->node);
  }
  return search.fix->text;
}

// One step for each question is not enough to find what would help, nor to know that nothing does.
TEST(Fix, IsNotCompleteWhereAQuestionWasCut) {
  const domain::Cluster cluster = cluster_of("node a1\n numa0 cpus=0-7 { gpu0 nic0 }\n");
  const domain::Request request = request_of("gpu=1 nic=1 pair<=PIX");
  EXPECT_TRUE(nearest_fix(cluster, request, {}).complete);
  const FixSearch cut = nearest_fix(cluster, request, {.steps_max = 1});
  EXPECT_FALSE(cut.fix);
  EXPECT_FALSE(cut.complete);
}

// ---- free devices -------------------------------------------------------------------------------

// Two switches; the near NIC of gpu0 is taken (*).
//   numa0 { sw0 { gpu0 nic0* } sw1 { gpu1 nic1 } }
constexpr std::string_view kNicTaken = R"(
node a1
  numa0 cpus=0-7 mem=64Gi { sw0 { gpu0 nic0 } sw1 { gpu1 nic1 } }
held train on a1: nic0
)";

TEST(Fix, FreesTheOneDeviceThatIsInTheWay) {
  EXPECT_EQ(fixed(kNicTaken, "gpu=2 nic=2 pair<=PIX"), "free nic0 (held by train) on a1");
}

// The fewest devices win over the smaller node: a1 lacks two, a2 one.
TEST(Fix, FreesTheFewestDevicesOfAnyNode) {
  EXPECT_EQ(fixed(R"(
node a1
  numa0 cpus=0-7 { gpu0 gpu1 gpu2 }
node a2
  numa0 cpus=0-7 { gpu0 gpu1 gpu2 }
held x on a1: gpu0 gpu2
held y on a2: gpu1
)",
                  "gpu=3"),
            "free gpu1 (held by y) on a2");
}

TEST(Fix, FreesTheSmallestOfEqualDevices) {
  EXPECT_EQ(fixed(R"(
node a1
  numa0 cpus=0-7 { gpu0 gpu1 gpu2 }
held x on a1: gpu0 gpu1 gpu2
)",
                  "gpu=1"),
            "free gpu0 (held by x) on a1");
}

// gpu1 is cordoned and gpu0 shared: both must become whole.
TEST(Fix, FreesACordonedDeviceAndASharedOne) {
  EXPECT_EQ(fixed(R"(
node a1
  numa0 cpus=0-7 { gpu0 gpu1 cordoned="xid 79" }
held x on a1: gpu0=0.5
held y on a1: gpu0=0.25
)",
                  "gpu=2"),
            "free gpu0 (held by x, held by y) and gpu1 (cordoned: xid 79) on a1");
}

// Freeing a device leaves its holder the rest: the cores of x are in the way, so x has to end.
TEST(Fix, DoesNotFreeDevicesWhereCoresAreMissing) {
  EXPECT_EQ(fixed(R"(
node a1
  numa0 cpus=0-7 { gpu0 }
held x on a1: gpu0 cpus=0-3
)",
                  "gpu=1 cores=8"),
            "end x on a1");
}

// Five devices are too many to name; ending one holder does it.
TEST(Fix, NamesAtMostFourDevices) {
  EXPECT_EQ(
      fixed(R"(
node a1
  numa0 cpus=0-7 { gpu0 gpu1 gpu2 gpu3 gpu4 }
held big on a1: gpu0 gpu1 gpu2 gpu3
)",
            "gpu=5"),
      "free gpu0 (held by big), gpu1 (held by big), gpu2 (held by big) and gpu3 (held by big) "
      "on a1");
  EXPECT_EQ(fixed(R"(
node a1
  numa0 cpus=0-7 { gpu0 gpu1 gpu2 gpu3 gpu4 }
held big on a1: gpu0 gpu1 gpu2 gpu3 gpu4
)",
                  "gpu=5"),
            "end big on a1");
}

// ---- relax a clause -----------------------------------------------------------------------------

// One bridge, two switches: gpu0's only NIC is a host bridge away.
//   numa0 { bridge0 { sw0 { gpu0 } sw1 { nic0 } } }
constexpr std::string_view kNicAway = R"(
node a1
  numa0 cpus=0-7 { bridge0 { sw0 { gpu0 } sw1 { nic0 } } }
)";

TEST(Fix, RelaxesABoundByOneStep) {
  EXPECT_EQ(fixed(kNicAway, "gpu=1 nic=1 pair<=PXB"),
            "ask for pair<=PHB instead of pair<=PXB: fits a1");
}

// Two steps away is not one step: the NIC has to come nearer.
TEST(Fix, RelaxesByNoMoreThanOneStep) {
  EXPECT_EQ(fixed(kNicAway, "gpu=1 nic=1 pair<=PIX"), "add 1 NIC beside gpu0 on a1");
}

// gpu0 and nic0 have no known place: only without a bound they pair.
TEST(Fix, LeavesOutABoundThatNothingMeets) {
  EXPECT_EQ(fixed("node a1\n numa0 cpus=0-7\n gpu0\n nic0", "gpu=1 nic=1 pair<=SYS"),
            "leave out pair<=SYS: fits a1");
}

// Either clause alone is in the way: pair is tried first.
TEST(Fix, RelaxesTheFirstClauseThatHelps) {
  EXPECT_EQ(fixed(R"(
node a1
  numa0 cpus=0-7 { bridge0 { sw0 { gpu0 nic0 } sw1 { gpu1 } } }
)",
                  "gpu=2 gpus<=PXB"),
            "ask for gpus<=PHB instead of gpus<=PXB: fits a1");
}

TEST(Fix, RelaxesNvlinkNumaModelMemoryRoleRateAndArch) {
  constexpr std::string_view kFour = R"(
node a1 arch=amd64
  numa0 cpus=0-3 { sw0 { gpu0 model=A100 mem=40Gi gpu1 model=A100 mem=40Gi nic0 rate=200G role=storage } }
  numa1 cpus=4-7 { sw1 { gpu2 model=A100 mem=40Gi nic1 rate=200G role=storage } }
  nvlink NV4 gpu0 gpu1
  nvlink NV4 gpu1 gpu2
)";
  EXPECT_EQ(fixed(kFour, "gpu=3 nvlink=all"),
            "ask for nvlink=connected instead of nvlink=all: fits a1");
  EXPECT_EQ(fixed(kFour, "gpu=3 cores=3 numa=single"),
            "ask for numa=near-devices instead of numa=single: fits a1");
  EXPECT_EQ(fixed(kFour, "gpu=1 gpu.model=H100"), "leave out gpu.model=H100: fits a1");
  EXPECT_EQ(fixed(kFour, "gpu=1 gpu.mem>=80Gi"), "leave out gpu.mem>=80Gi: fits a1");
  EXPECT_EQ(fixed(kFour, "nic=1"), "ask for nic.role=any: fits a1");
  EXPECT_EQ(fixed(kFour, "nic=1 nic.role=storage nic.rate>=400G"),
            "leave out nic.rate>=400G: fits a1");
  EXPECT_EQ(fixed(kFour, "arch=arm64 gpu=1"), "leave out arch=arm64: fits a1");
}

// Two GPUs, one NIC near both of them: two GPUs to one NIC would do.
TEST(Fix, LetsMoreGpusShareANic) {
  EXPECT_EQ(fixed(R"(
node a1
  numa0 cpus=0-7 { bridge0 { sw0 { gpu0 gpu1 nic0 } sw1 { sw2 { nic1 } } } }
)",
                  "gpu=2 nic=2 pair<=PIX"),
            "ask for pair=2:1<=PIX instead of pair<=PIX: fits a1");
}

TEST(Fix, LetsSharesLieOnSeveralCards) {
  EXPECT_EQ(fixed("node a1\n numa0 cpus=0-7 { gpu0 gpu1 }", "gpu=0.6*2 gpu.cards=one"),
            "leave out gpu.cards=one: fits a1");
  EXPECT_EQ(fixed("node a1\n numa0 cpus=0-7 { nic0 vfs=2 nic1 vfs=2 }", "vf=3 vf.cards=one"),
            "leave out vf.cards=one: fits a1");
}

TEST(Fix, PacksCoresThatCannotBeSpread) {
  EXPECT_EQ(fixed("node a1\n numa0 cpus=0-7 socket=0\n numa1 cpus=8-9 socket=1",
                  "cores=6 cores.plan=spread"),
            "leave out cores.plan=spread: fits a1");
}

// ---- end holders --------------------------------------------------------------------------------

// Cores are in the way, so no device helps. b alone has enough; a and c together would, too.
TEST(Fix, EndsTheFewestHolders) {
  EXPECT_EQ(fixed(R"(
node a1
  numa0 cpus=0-7
held a on a1: cpus=0-1
held b on a1: cpus=2-5
held c on a1: cpus=6-7
)",
                  "cores=4"),
            "end b on a1");
}

TEST(Fix, EndsHoldersWithTheSmallestNames) {
  EXPECT_EQ(fixed(R"(
node a1
  numa0 cpus=0-7
held z on a1: cpus=0-3
held b on a1: cpus=4-5
reserved a on a1: cpus=6-7
)",
                  "cores=6"),
            "end a and z on a1");
}

// 6Gi and no CPU are free. 40Gi need 34Gi more: 20 + 8 are too few, 20 + 30 do.
TEST(Fix, CountsMemoryAndCpuOfHolders) {
  constexpr std::string_view kBusy = R"(
node a1
  numa0 cpus=0-7 mem=64Gi
held a on a1: cpu=2 mem=0:20Gi
held b on a1: cpu=2 mem=0:8Gi
held c on a1: cpu=4 mem=0:30Gi
)";
  EXPECT_EQ(fixed(kBusy, "mem=40Gi"), "end a and c on a1");
  EXPECT_EQ(fixed(kBusy, "mem=30Gi"), "end c on a1");
  EXPECT_EQ(fixed(kBusy, "cpu=3"), "end c on a1");
}

// Either x ends or the cores come from both NUMA nodes: nobody ends where a clause can give way.
TEST(Fix, EndsNobodyWhereAClauseCanGiveWay) {
  EXPECT_EQ(fixed(R"(
node a1
  numa0 cpus=0-3
  numa1 cpus=4-7
held x on a1: cpus=0
held y on a1: cpus=4
)",
                  "cores=4 numa=single"),
            "ask for numa=near-devices instead of numa=single: fits a1");
}

// ---- ask for less -------------------------------------------------------------------------------

TEST(Fix, AsksForFewerUnits) {
  constexpr std::string_view kFew = R"(
node a1
  numa0 cpus=0-7 mem=64Gi { sw0 { gpu0 gpu1 nic0 nvme0 } }
)";
  EXPECT_EQ(fixed(kFew, "gpu=4"), "ask for gpu=2 instead of gpu=4: fits a1");
  EXPECT_EQ(fixed(kFew, "nic=3"), "ask for nic=1 instead of nic=3: fits a1");
  EXPECT_EQ(fixed(kFew, "nvme=2"), "ask for nvme=1 instead of nvme=2: fits a1");
  EXPECT_EQ(fixed(kFew, "cores=9"), "ask for cores=8 instead of cores=9: fits a1");
  EXPECT_EQ(fixed(kFew, "cpu=12"), "ask for cpu=8 instead of cpu=12: fits a1");
  EXPECT_EQ(fixed(kFew, "mem=100Gi"), "ask for mem=64Gi instead of mem=100Gi: fits a1");
}

// With fewer NICs `pair<=PIX` means that two GPUs share one.
TEST(Fix, LetsTheGpusPerNicFollowTheNumbers) {
  EXPECT_EQ(fixed(R"(
node a1
  numa0 cpus=0-7 { sw0 { gpu0 gpu1 nic0 } sw1 { gpu2 gpu3 nic1 } }
)",
                  "gpu=4 nic=4 pair<=PIX"),
            "ask for nic=2 instead of nic=4: fits a1");
}

TEST(Fix, AsksForASmallerShare) {
  EXPECT_EQ(fixed(R"(
node a1
  numa0 cpus=0-7 { gpu0 cordoned="no" gpu1 mem=1000 }
node a2
  numa0 cpus=0-7 { gpu0 mem=1000 }
)",
                  "gpu.bytes=2000"),
            "ask for gpu.bytes=1000 instead of gpu.bytes=2000: fits a1");
}

// ---- add hardware -------------------------------------------------------------------------------

TEST(Fix, AddsWhatIsMissingBesideWhatIsThere) {
  EXPECT_EQ(fixed("node a1\n numa0 cpus=0-7 { sw0 { gpu0 } }", "gpu=1 nic=1 pair<=PIX"),
            "add 1 NIC beside gpu0 on a1");
  EXPECT_EQ(fixed("node a1\n numa0 cpus=0-7 { sw0 { nic0 } }", "gpu=1"), "nothing")
      << "there is no GPU to stand beside";
  EXPECT_EQ(
      fixed("node a1\n numa0 cpus=0-7 { sw0 { gpu0 } sw1 { nvme0 } }", "gpu=1 nvme=1 nvme<=PIX"),
      "add 1 NVMe beside gpu0 on a1");
}

// Two switches lack a NIC each.
TEST(Fix, AddsOneDeviceWhereEachIsMissing) {
  EXPECT_EQ(fixed(R"(
node a1
  numa0 cpus=0-7 { bridge0 { sw0 { gpu0 } sw1 { gpu1 } sw2 { nic0 nic1 } } }
)",
                  "gpu=2 nic=2 pair<=PIX"),
            "add 1 NIC beside gpu0 and 1 NIC beside gpu1 on a1");
}

// Only gpu0 stands where the NICs must: five of them. As many beside each GPU would be more than a node has.
constexpr std::string_view kManySites = R"(
node a1
  numa0 cpus=0-7 { gpu0 model=H100 }
  numa1 cpus=8-15 {
    sw0 { gpu1 gpu2 } sw1 { gpu3 gpu4 } sw2 { gpu5 } sw3 { gpu6 } sw4 { gpu7 } sw5 { gpu8 }
    sw6 { gpu9 } sw7 { gpu10 } sw8 { gpu11 } sw9 { gpu12 } sw10 { gpu13 } sw11 { gpu14 }
    sw12 { gpu15 }
  }
)";

TEST(Fix, AddsAsManyBesideOneDeviceAsItTakes) {
  EXPECT_EQ(fixed(kManySites, "gpu=1 gpu.model=H100 nic=5 numa=single"),
            "add 5 NICs beside gpu0 on a1");
  EXPECT_EQ(fixed(kManySites, "nic=5"), "add 5 NICs beside gpu0 on a1");
  EXPECT_EQ(fixed(kManySites, "gpu=1 gpu.model=H100 nic=5 cores=9 numa=single"), "nothing");
}

// Two shares that no card holds together, and NICs of many kinds: no number of NICs helps.
TEST(Fix, SeesThatNoneOfManySitesHelps) {
  EXPECT_EQ(fixed(R"(
node a1
  numa0 cpus=0-7 {
    bridge0 {
      gpu0 nic0 rate=400G nic1 rate=400G role=compute nic2 rate=200G nic3 rate=100G vfs=4
      sw0 { gpu1 nic4 rate=400G nic5 rate=200G role=compute }
      sw1 { gpu2 nic6 rate=400G rdma=yes nic7 rate=200G nic8 rate=100G }
    }
  }
held h0 on a1: nic0
)",
                  "gpu=0.999+1 gpu.cards=one nic=9 nic.bw=100G mem=1Gi"),
            "nothing");
}

TEST(Fix, OffersNothingWhereNothingHelps) {
  EXPECT_EQ(fixed("node a1 cordoned=\"moved\"\n numa0 cpus=0-7 { gpu0 }", "gpu=1"), "nothing");
  EXPECT_EQ(fixed("", "gpu=1"), "nothing");
}

TEST(Fix, IsTheSameTwice) {
  const domain::Cluster cluster = cluster_of(kNicTaken);
  const domain::Request request = request_of("gpu=2 nic=2 pair<=PIX");
  const auto first = nearest_fix(cluster, request, {}).fix;
  const auto second = nearest_fix(cluster, request, {}).fix;
  EXPECT_EQ(first->change, second->change);
  EXPECT_EQ(first->text, second->text);
}

}  // namespace
}  // namespace tenon::planner
