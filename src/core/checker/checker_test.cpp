// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/checker/checker.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "base/text.hpp"
#include "core/topology/shape.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::checker {
namespace {

struct Scene {
  domain::Node node;
  state::NodeState before;
  domain::Request request;
  domain::Allocation allocation;
};

/// A node, holders and "pod p …"; then what p is given: "gpu0 nic0 cpus=0-3".
Scene scene(std::string_view text, std::string_view given) {
  const auto document = notation::parse(text, "case");
  if (!document) {
    ADD_FAILURE() << to_text(document.error());
    return {};
  }
  Scene made{.node = document->cluster.nodes.at(0), .request = document->requests.at(0).request};
  auto before = state::state_of(made.node, document->cluster.holders);
  EXPECT_TRUE(before.has_value());
  made.before = *before;
  const auto expected =
      notation::parse_expected(text::cat("-> p on a1: ", given), "given", document->cluster);
  if (!expected) {
    ADD_FAILURE() << to_text(expected.error());
    return made;
  }
  made.allocation = expected->allocation.value();
  return made;
}

/// The invariants that are broken, each once: "I34 I36"; "" where it is allowed.
std::string broken(const Scene& scene) {
  std::string numbers;
  for (const auto& violation : check_allocation(scene.before, scene.request, scene.allocation)) {
    if (numbers.find(violation.invariant) != std::string::npos) continue;
    numbers += text::cat(numbers.empty() ? "" : " ", violation.invariant);
  }
  return numbers;
}

std::string broken(std::string_view text, std::string_view given) {
  return broken(scene(text, given));
}

// Two NUMA nodes of four CPUs and 8Gi, each with a switch:
//   numa0 { sw0 { gpu0 gpu1 nic0 nvme0 } }   numa1 { sw1 { gpu2 nic1 nvme1 } }
constexpr const char* kNode =
    "node a1 arch=amd64\n"
    "  numa0 cpus=0-3 mem=8Gi { sw0 { gpu0 model=H100 mem=80Gi gpu1 nic0 rate=400G nvme0 } }\n"
    "  numa1 cpus=4-7 mem=8Gi { sw1 { gpu2 nic1 vfs=4 nvme1 } }\n"
    "  nvlink NV4 gpu0 gpu1\n";

std::string on(std::string_view rest) { return text::cat(kNode, rest, "\n"); }

TEST(Checker, AllowsWhatWasAsked) {
  EXPECT_EQ(broken(on("pod p gpu=1 nic=1 pair<=PIX cores=2 mem=1Gi numa=single"),
                   "gpu0 nic0 cpus=0-1 mem=0:1Gi"),
            "");
  EXPECT_EQ(broken(on("pod p gpu=0.5*2 gpu.cards=one"), "gpu0=0.5@0 gpu0=0.5@1"), "");
  EXPECT_EQ(broken(on("pod p vf=2 nvme=1 cpu=2"), "nic1=vf@0 nic1=vf@1 nvme0 cpu=2"), "");
  EXPECT_EQ(broken(on("pod p gpu=2 nvlink=all gpus<=PIX"), "gpu0 gpu1"), "");
  EXPECT_EQ(broken(on("pod p cores=4 cores.plan=spread"), "cpus=0-1,4-5"), "");
}

TEST(Checker, I30CountsEachUnitOnce) {
  EXPECT_EQ(broken(on("pod p gpu=2"), "gpu0"), "I30");
  EXPECT_EQ(broken(on("pod p gpu=1"), "gpu0 gpu1"), "I30");
  EXPECT_EQ(broken(on("pod p gpu=1"), "gpu0 nic0"), "I30");
  EXPECT_EQ(broken(on("pod p gpu=1"), "gpu0=0.5"), "I30");
  EXPECT_EQ(broken(on("pod p gpu=0.5+0.25"), "gpu0=0.5@0 gpu0=0.3@1"), "I30");
  EXPECT_EQ(broken(on("pod p mem=2Gi"), "mem=0:1Gi"), "I30");
  EXPECT_EQ(broken(on("pod p nic=1 nic.bw=40G"), "nic0=50G"), "I30");
  EXPECT_EQ(broken(on("pod p nvme=1"), "nvme0 nvme1"), "I30");
}

TEST(Checker, I30RefusesADeviceThatIsNotThere) {
  Scene made = scene(on("pod p gpu=1"), "gpu0");
  made.allocation.grants[0].device = domain::DeviceIndex{99};
  EXPECT_EQ(broken(made), "I30");
}

TEST(Checker, I32GivesOnlyUsableDevices) {
  EXPECT_EQ(broken(on("held x on a1: gpu0\npod p gpu=1"), "gpu0"), "I32");
  EXPECT_EQ(broken(on("held x on a1: gpu0=0.5\npod p gpu=1"), "gpu0"), "I32");
  EXPECT_EQ(broken(on("held x on a1: nic0\npod p nic=1"), "nic0"), "I32");
  EXPECT_EQ(broken(on("held x on a1: nvme0\npod p nvme=1"), "nvme0"), "I32");
  EXPECT_EQ(broken(on("pod p gpu=1 gpu.model=a100"), "gpu0"), "I32");
  EXPECT_EQ(broken(on("pod p gpu=1 gpu.mem>=1Gi"), "gpu1"), "I32");
  EXPECT_EQ(broken(on("pod p gpu=1 gpu.model=h100"), "gpu0"), "");
  EXPECT_EQ(broken("node a1\n  gpu0 cordoned=\"x\"\npod p gpu=1", "gpu0"), "I32");
  EXPECT_EQ(broken("node a1 cordoned=\"x\"\n  numa0 cpus=0-3\npod p cores=1", "cpus=0"), "I32");
  EXPECT_EQ(broken("node a1\n  gpu0 mig=dynamic\npod p gpu=1", "gpu0"), "I32");
}

TEST(Checker, I22SharesStayWithinTheCard) {
  EXPECT_EQ(broken(on("held x on a1: gpu0=0.6\npod p gpu=0.5"), "gpu0=0.5@1"), "I22");
  EXPECT_EQ(broken("node a1\n  gpu0 slots=1\nheld x on a1: gpu0=0.1\npod p gpu=0.5", "gpu0=0.5@1"),
            "I22");
  Scene made = scene(on("pod p gpu=0.5"), "gpu0=0.5");
  made.allocation.grants[0].bytes -= 1;
  EXPECT_EQ(broken(made), "I22");
}

TEST(Checker, I52TakesTheSmallestSlot) {
  EXPECT_EQ(broken(on("pod p gpu=0.5"), "gpu0=0.5@1"), "I52");
  EXPECT_EQ(broken(on("pod p vf=1"), "nic1=vf@2"), "I52");
}

TEST(Checker, I33GivesOnlyAllowedNics) {
  constexpr const char* kNics =
      "node a1\n  nic0 bond=yes\n  nic1 role=storage\n  nic2 rdma=no\n  nic3 rate=100G vfs=1\n";
  const auto nic = [&](std::string_view request, std::string_view given) {
    return broken(text::cat(kNics, "pod p ", request), given);
  };
  EXPECT_EQ(nic("nic=1", "nic0"), "I33");
  EXPECT_EQ(nic("nic=1", "nic1"), "I33");
  EXPECT_EQ(nic("nic=1", "nic2"), "I33");
  EXPECT_EQ(nic("nic=1 nic.role=storage", "nic3"), "I33");
  EXPECT_EQ(nic("nic=1 nic.rate>=200G", "nic3"), "I33");
  EXPECT_EQ(nic("nic=3 nic.role=any nic.allow=bond,non-rdma", "nic0 nic1 nic2"), "");
  EXPECT_EQ(nic("nic=1 nic.bw=40G", "nic1=40G").substr(0, 3), "I33");
}

TEST(Checker, I34KeepsCardsApartOrTogether) {
  EXPECT_EQ(broken(on("pod p gpu=0.5*2 gpu.cards=apart"), "gpu0=0.5@0 gpu0=0.5@1"), "I34");
  EXPECT_EQ(broken(on("pod p gpu=0.5*2 gpu.cards=one"), "gpu0=0.5 gpu1=0.5"), "I34");
  EXPECT_EQ(broken(on("pod p vf=2 vf.cards=apart"), "nic1=vf@0 nic1=vf@1"), "I34");
  Scene made = scene(on("pod p gpu=2"), "gpu0 gpu1");
  made.allocation.grants[1] = made.allocation.grants[0];
  EXPECT_EQ(broken(made), "I34");
}

TEST(Checker, I35CutsOnlyWhatTheCardAllows) {
  constexpr const char* kDynamic = "node a1\n  gpu0 mem=80Gi mig=dynamic\n";
  EXPECT_EQ(broken(text::cat(kDynamic, "pod p mig=3g.40gb+1g.10gb"),
                   "gpu0=mig:3g.40gb@0 gpu0=mig:1g.10gb@4"),
            "");
  EXPECT_EQ(broken(text::cat(kDynamic, "pod p mig=3g.40gb"), "gpu0=mig:3g.40gb@1"), "I35");
  EXPECT_EQ(broken(text::cat(kDynamic, "pod p mig=3g.40gb+1g.10gb"),
                   "gpu0=mig:3g.40gb@0 gpu0=mig:1g.10gb@2"),
            "I35");
  EXPECT_EQ(broken(text::cat(kDynamic, "held x on a1: gpu0=mig:4g.40gb@0\npod p mig=4g.40gb"),
                   "gpu0=mig:4g.40gb@4"),
            "I35");
  EXPECT_EQ(broken("node a1\n  gpu0 mig=1g.10gb,2g.20gb\npod p mig=1g.10gb", "gpu0=mig:1g.10gb@0"),
            "");
  Scene made =
      scene("node a1\n  gpu0 mig=1g.10gb,2g.20gb\npod p mig=1g.10gb", "gpu0=mig:1g.10gb@0");
  made.allocation.grants[0].slot = 1;
  EXPECT_EQ(broken(made), "I35");
}

TEST(Checker, I36FindsEachGpuANic) {
  EXPECT_EQ(broken(on("pod p gpu=1 nic=1 pair<=NODE"), "gpu0 nic1"), "I36");
  EXPECT_EQ(broken(on("pod p gpu=2 nic=2 pair=1:1<=PIX"), "gpu0 gpu1 nic0 nic1"), "I36");
  EXPECT_EQ(broken(on("pod p gpu=2 nic=2 pair=2:1<=PIX"), "gpu0 gpu1 nic0 nic1"), "");
  EXPECT_EQ(broken(on("pod p gpu=3 nic=2 pair=2:1<=PIX"), "gpu0 gpu1 gpu2 nic0 nic1"), "");
  EXPECT_EQ(broken("node a1\n  gpu0\n  nic0\npod p gpu=1 nic=1 pair<=SYS", "gpu0 nic0"), "I36");
}

TEST(Checker, I37KeepsGpusNear) {
  EXPECT_EQ(broken(on("pod p gpu=2 gpus<=NODE"), "gpu0 gpu2"), "I37");
  EXPECT_EQ(broken(on("pod p gpu=2 nvlink=all"), "gpu0 gpu2"), "I37");
  EXPECT_EQ(broken(on("pod p gpu=2 nvlink=connected"), "gpu1 gpu2"), "I37");
  EXPECT_EQ(broken(on("pod p gpu=1 nvlink=all gpus<=PIX"), "gpu2"), "");
}

TEST(Checker, I38KeepsDrivesNear) {
  EXPECT_EQ(broken(on("pod p gpu=1 nvme=1 nvme<=PIX"), "gpu0 nvme1"), "I38");
  EXPECT_EQ(broken(on("pod p gpu=1 nvme=1 nvme<=PIX"), "gpu0 nvme0"), "");
}

TEST(Checker, I39CountsCores) {
  EXPECT_EQ(broken(on("pod p cores=2"), "cpus=0-2"), "I39");
  EXPECT_EQ(broken(on("pod p cores=3 cores.plan=spread"), "cpus=0-2"), "I39");
  EXPECT_EQ(broken(on("pod p cpu=2"), "cpu=1"), "I39");
}

TEST(Checker, I23PinsWholeFreeCores) {
  EXPECT_EQ(broken("node a1\n  numa0 cpus=0-7 smt=split\npod p cores=1", "cpus=0"), "I23");
  EXPECT_EQ(broken("node a1\n  numa0 cpus=0-7 smt=split\npod p cores=1", "cpus=0,4"), "");
  EXPECT_EQ(broken(on("held x on a1: cpus=0\npod p cores=1"), "cpus=0"), "I23 I39");
  EXPECT_EQ(broken("node a1\n  numa0 cpus=0-3 smt=?\npod p cores=1", "cpus=0"), "I23 I39");
  EXPECT_EQ(broken(on("held x on a1: cpu=7\npod p cpu=2"), "cpu=2"), "I23");
  EXPECT_EQ(broken(on("held x on a1: cpu=7\npod p cores=2"), "cpus=0-1"), "I23");
}

TEST(Checker, I24TakesMemoryThatIsThere) {
  EXPECT_EQ(broken(on("held x on a1: mem=0:7Gi\npod p mem=2Gi"), "mem=0:2Gi"), "I24 I30");
  Scene made = scene(on("pod p mem=1Gi"), "mem=0:1Gi");
  made.allocation.memory[0].numa = 5;
  EXPECT_EQ(broken(made), "I24 I30");
}

TEST(Checker, I53FillsNearMemoryFirst) {
  EXPECT_EQ(broken(on("pod p cores=1 mem=9Gi"), "cpus=4 mem=0:1Gi,1:8Gi"), "");
  EXPECT_EQ(broken(on("pod p cores=1 mem=9Gi"), "cpus=4 mem=0:8Gi,1:1Gi"), "I53");
}

TEST(Checker, I40KeepsOneNumaNode) {
  EXPECT_EQ(broken(on("pod p gpu=1 cores=1 numa=single"), "gpu0 cpus=4"), "I40");
  EXPECT_EQ(broken(on("pod p gpu=1 mem=1Gi numa=single"), "gpu0 mem=1:1Gi"), "I40");
  EXPECT_EQ(broken(on("pod p gpu=2 numa=single"), "gpu0 gpu2"), "I40");
  EXPECT_EQ(broken(on("pod p cpu=1 numa=single"), "cpu=1"), "");
}

TEST(Checker, I41KeepsCoresAndMemoryNearDevices) {
  EXPECT_EQ(broken(on("pod p gpu=1 cores=1 numa=near-devices"), "gpu0 cpus=4"), "I41");
  EXPECT_EQ(broken(on("pod p gpu=2 cores=1 numa=near-devices"), "gpu0 gpu2 cpus=4"), "");
  EXPECT_EQ(broken(on("pod p cores=1 numa=near-devices"), "cpus=4"), "");
}

// Every other core of 40: each costs two ranges, so 16 of them are as many as may be.
TEST(Checker, I42LimitsRanges) {
  std::string sixteen = "cpus=0,40";
  for (int i = 2; i < 32; i += 2) sixteen += text::cat(",", i, ",", i + 40);
  constexpr const char* kWide = "node a1\n  numa0 cpus=0-79 smt=split mem=8Gi\n";
  EXPECT_EQ(broken(text::cat(kWide, "pod p cores=16"), sixteen), "");
  EXPECT_EQ(broken(text::cat(kWide, "pod p cores=17"), sixteen + ",32,72"), "I42");
  EXPECT_EQ(broken(text::cat(kWide, "pod p cores=16 mem=1Gi"), sixteen + " mem=0:1Gi"), "I42");
}

TEST(Checker, I43WantsTheArchitecture) {
  EXPECT_EQ(broken(on("pod p gpu=1 arch=arm64"), "gpu0"), "I43");
  EXPECT_EQ(broken("node a1\n  gpu0\npod p gpu=1 arch=arm64", "gpu0"), "I43");
}

TEST(Checker, I48GivesNothingToWhatIsBadlyAsked) {
  EXPECT_EQ(broken(on("pod p gpu=1 gpu.cards=one"), "gpu0"), "I48");
  EXPECT_EQ(broken(on("pod p cores=1 cores.plan=spread numa=single"), "cpus=0").substr(0, 3),
            "I48");
}

TEST(Checker, SaysWhatIsWrong) {
  const auto made = scene(on("pod p gpu=1 nic=1 pair<=PIX"), "gpu0 nic1");
  EXPECT_EQ(to_text(check_allocation(made.before, made.request, made.allocation)),
            "I36 gpu0 finds no NIC within PIX\n");
}

}  // namespace
}  // namespace tenon::checker
