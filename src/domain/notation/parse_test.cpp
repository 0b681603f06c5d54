// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Text in, text out: what is read, and what is written back. docs/notation.md has the words.
#include <gtest/gtest.h>

#include <string>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::notation {
namespace {

/// The canonical form of a text, or what is wrong with it.
std::string canonical(std::string_view text) {
  const auto document = parse(text, "t");
  return document ? write(*document) : to_text(document.error());
}
domain::Node node_of(std::string_view text) {
  const auto document = parse(text, "t");
  EXPECT_TRUE(document) << (document ? "" : to_text(document.error()));
  return document ? document->cluster.nodes.at(0) : domain::Node{};
}
std::string request(std::string_view clauses) {
  const auto parsed = parse_request(clauses, "r");
  return parsed ? write(*parsed) : to_text(parsed.error());
}

TEST(Notation, ReadsTheExampleOfTheDocs) {
  EXPECT_EQ(canonical(R"(node a1 arch=amd64 cpu=96 mem=768Gi
  numa0 cpus=0-47   { sw0 { gpu0 gpu1 nic0 } sw1 { gpu2 gpu3 nic1 } }
  numa1 cpus=48-95  { sw2 { gpu4 gpu5 nic2 } sw3 { gpu6 gpu7 nic3 } }
pod train  gpu=2 nic=1 pair<=PIX numa=single cores=16 mem=128Gi
-> train on a1: gpu0 gpu1 nic0 cpus=0-15 mem=0:128Gi
pod big    gpu=8 nic=8 pair<=PIX
-> big refused: nic-count nic needs 8 has 4
)"),
            R"(node a1 arch=amd64
  numa0 cpus=0-47 mem=384Gi { sw0 { gpu0 gpu1 nic0 } sw1 { gpu2 gpu3 nic1 } }
  numa1 cpus=48-95 mem=384Gi { sw2 { gpu4 gpu5 nic2 } sw3 { gpu6 gpu7 nic3 } }
pod train gpu=2 nic=1 pair<=PIX cores=16 mem=128Gi numa=single
pod big gpu=8 nic=8 pair<=PIX
-> train on a1: gpu0 gpu1 nic0 cpus=0-15 mem=0:128Gi
-> big refused: nic-count nic needs 8 has 4
)");
}

TEST(Notation, TakesWindowsLineEndsCommentsAndAByteOrderMark) {
  EXPECT_EQ(canonical("\xEF\xBB\xBFnode a # the first\r\n\r\n  numa0 {\r\n gpu0 # near\r\n}\r\n"),
            "node a\n  numa0 { gpu0 }\n");
}

TEST(Notation, KeepsEachFactOfADevice) {
  const std::string text = R"(node "a 1" arch=arm64 cordoned="fan \"2\" \\ loud"
  numa0 cpus=0-1 mem=1 socket=3 {
    sw0 pci=0000:c0:00.0 {
      gpu0 label=GPU0 id=GPU-1 pci=10000:c1:00.0 numa=0,1 model="H200 x" mem=141Gi slots=4 cordoned=""
      gpu1 mem=80Gi mig=1g.10gb*2,2g.20gb:20Gi,1g.10gb+me
      gpu2 mig=none
      nic0 label=mlx5_0 model=CX7 rate=400G role=storage rdma=no bond=yes vfs=8
      nic1 role=compute rdma=yes
      nvme0 model=PM9A3 capacity=3840G
    }
  }
  gpu3 label="?" mig=dynamic
)";
  EXPECT_EQ(canonical(text), text);
}

TEST(Notation, TakesWhatNobodySawAsNotKnown) {
  EXPECT_EQ(canonical("node a arch=?\n numa0 mem=? socket=? smt=? {gpu0 label=? id=? pci=? numa=? "
                      "model=? mem=? "
                      "nic0 rate=? role=? rdma=? bond=no vfs=0 nvme0 capacity=?}"),
            "node a\n  numa0 smt=? { gpu0 nic0 nvme0 }\n");
}

// The bridge that nobody names: one for each thing straight inside numaK.
TEST(Notation, HangsWhatStandsStraightInNumaUnderABridgeOfItsOwn) {
  const auto node = node_of("node a\n numa0 { gpu0 gpu1 sw0 { nic0 } bridge0 { gpu2 } }");
  ASSERT_EQ(node.places.size(), 5U);
  EXPECT_EQ(node.places[0], (domain::Place{.numa = 0, .implied = true}));
  EXPECT_EQ(node.places[1], (domain::Place{.numa = 0, .implied = true}));
  EXPECT_EQ(node.places[2], (domain::Place{.numa = 0, .implied = true}));
  EXPECT_EQ(node.places[3], (domain::Place{.kind = domain::PlaceKind::kSwitch,
                                           .name = "sw0",
                                           .parent = domain::PlaceIndex{2}}));
  EXPECT_EQ(node.places[4], (domain::Place{.name = "bridge0", .numa = 0}));
  EXPECT_EQ(node.devices[1].place, domain::PlaceIndex{1});
  EXPECT_EQ(node.devices[3].place, domain::PlaceIndex{3});
  EXPECT_EQ(write(node), "node a\n  numa0 { gpu0 gpu1 sw0 { nic0 } bridge0 { gpu2 } }\n");
}

TEST(Notation, PutsTreesInTheOrderOfTheirNumaNodes) {
  EXPECT_EQ(canonical(R"(node a
  nic0
  bridge9 { port0 { sw5 { gpu0 } } }
  bridge3 numa=7 implied=yes { gpu3 nvme0 }
  sw0 { nic1 }
  numa1 { sw2 { gpu1 } }
  numa0 { sw3 { gpu2 } })"),
            R"(node a
  numa0 { sw3 { gpu2 } }
  numa1 { sw2 { gpu1 } }
  bridge9 { port0 { sw5 { gpu0 } } }
  bridge3 numa=7 implied=yes { gpu3 nvme0 }
  sw0 { nic1 }
  nic0
)");
}

TEST(Notation, ReadsWhichCpusAreSiblings) {
  const auto cores = [](std::string_view facts) {
    const auto node = node_of(text::cat("node a\n numa0 ", facts));
    std::string out;
    if (!node.numa[0].cores) return std::string{"?"};
    for (const auto& core : *node.numa[0].cores) {
      for (const auto thread : core.threads) out += text::cat(thread, ' ');
      out += '|';
    }
    return out;
  };
  EXPECT_EQ(cores("cpus=0-3"), "0 |1 |2 |3 |");
  EXPECT_EQ(cores("cpus=0-3 smt=1"), "0 |1 |2 |3 |");
  EXPECT_EQ(cores("cpus=0-3 smt=split"), "0 2 |1 3 |");
  EXPECT_EQ(cores("cpus=0-1,8-9 smt=split"), "0 8 |1 9 |");
  EXPECT_EQ(cores("smt=adjacent cpus=0-3"), "0 1 |2 3 |");
  EXPECT_EQ(cores("cpus=0-3 smt=?"), "?");
  EXPECT_EQ(cores("cpus=0-3 cores=3+1,2,0"), "0 |1 3 |2 |");
  EXPECT_EQ(canonical("node a\n numa0 cpus=0-3 cores=0+1,2+3"),
            "node a\n  numa0 cpus=0-3 smt=adjacent\n");
  EXPECT_EQ(canonical("node a\n numa0 cpus=0-3 cores=0+2,1+3"),
            "node a\n  numa0 cpus=0-3 smt=split\n");
  EXPECT_EQ(canonical("node a\n numa0 cpus=0-3 cores=0+3,1+2"),
            "node a\n  numa0 cpus=0-3 cores=0+3,1+2\n");
}

TEST(Notation, DividesMemoryOverNumaNodesWithCpus) {
  EXPECT_EQ(canonical("node a cpu=4 mem=10"), "node a\n  numa0 cpus=0-3 mem=10\n");
  EXPECT_EQ(canonical("node a mem=10"), "node a\n  numa0 mem=10\n");
  EXPECT_EQ(canonical("node a mem=10\n numa0\n numa1 cpus=0\n numa2 cpus=1\n numa3 cpus=2"),
            "node a\n  numa0\n  numa1 cpus=0 mem=4\n  numa2 cpus=1 mem=3\n  numa3 cpus=2 mem=3\n");
  EXPECT_EQ(canonical("node a mem=10\n numa0 mem=4\n numa1 mem=6"),
            "node a\n  numa0 mem=4\n  numa1 mem=6\n");
  EXPECT_EQ(
      canonical("node a mem=10\n numa0 mem=4\n numa1 mem=7"),
      "t:1:8: mem=10 is not the sum of the numa lines; mend one of them, or leave mem= on the "
      "node out");
  EXPECT_EQ(canonical("node a cpu=3\n numa0 cpus=0-3"),
            "t:1:8: cpu=3, but the numa lines name 4; mend one of them, or leave cpu= out");
}

TEST(Notation, GroupsEqualNvlinks) {
  EXPECT_EQ(
      canonical("node a\n gpu0 gpu1 gpu2 gpu3\n nvlink NV2 gpu3 gpu2 gpu0\n nvlink NV4 gpu0 gpu1\n"
                " nvlink NV1 gpu1 -> gpu2\n nvlink NV2 gpu2 -> gpu1\n"),
      R"(node a
  gpu0
  gpu1
  gpu2
  gpu3
  nvlink NV4 gpu0 gpu1
  nvlink NV2 gpu0 gpu2 gpu3
  nvlink NV1 gpu1 -> gpu2
  nvlink NV2 gpu2 -> gpu1
)");
}

TEST(Notation, KeepsAMatrixAsItWasRead) {
  const std::string text = R"(node a
  gpu0
  gpu1
  nic0
  matrix {
          gpu0  gpu1  nic0
    gpu0  X     NV4   PXB
    gpu1  NV4   X     ?
    nic0  PXB   SYS   X
  }
)";
  EXPECT_EQ(canonical(text), text);
  EXPECT_EQ(canonical("node a\nmatrix {\n gpu0\n gpu0 X\n}\ngpu0\n"),
            "node a\n  gpu0\n  matrix {\n          gpu0\n    gpu0  X\n  }\n");
}

TEST(Notation, ReadsEachClause) {
  for (const std::string_view same : {"",
                                      "gpu=2",
                                      "gpu=0.5",
                                      "gpu=0.5*2",
                                      "gpu=0.5+0.25",
                                      "gpu=1*1",
                                      "gpu=0*1",
                                      "gpu=1+0.5",
                                      "gpu=1.5",
                                      "gpu.bytes=16Gi",
                                      "gpu.bytes=16Gi*2+8Gi",
                                      "gpu.bytes=0*1",
                                      "mig=1g.10gb*2+3g.40gb",
                                      "mig=1g.10gb+me*2+3g.40gb",
                                      "gpu=2 gpu.model=H100 gpu.mem>=40Gi",
                                      "gpu=1 gpu.model=\"A 1\"",
                                      "gpu=0.5*2 gpu.cards=one",
                                      "gpu=0.5*2 gpu.cards=apart",
                                      "nic=2",
                                      "nic=2 nic.bw=40G",
                                      "nic=0 nic.bw=0",
                                      "vf=0",
                                      "vf=4 vf.cards=one",
                                      "vf=4 vf.cards=apart",
                                      "nic=1 nic.role=storage",
                                      "nic=1 nic.role=any",
                                      "nic=1 nic.rate>=200G",
                                      "nic=1 nic.allow=bond",
                                      "nic=1 nic.allow=non-rdma",
                                      "nic=1 nic.allow=bond,non-rdma",
                                      "nvme=1",
                                      "gpu=2 nic=1 pair<=PIX",
                                      "gpu=2 nic=2 pair=2:1<=PXB",
                                      "gpu=1 pair=0:1<=SYS",
                                      "gpu=2 gpus<=PIX",
                                      "gpu=2 nvlink=all",
                                      "gpu=2 nvlink=connected",
                                      "gpu=1 nvme=1 nvme<=PHB",
                                      "cores=16",
                                      "cores=16 cores.plan=spread",
                                      "cpu=4",
                                      "cpu=0.001",
                                      "mem=128Gi",
                                      "numa=single",
                                      "numa=near-devices",
                                      "numa=none",
                                      "prefer=nvme,mem,numa,gpus,pair",
                                      "arch=arm64"}) {
    EXPECT_EQ(request(same), same);
  }
}

TEST(Notation, WritesAClauseInItsShortestForm) {
  EXPECT_EQ(request("gpu=0 mem=0 nic=0 nvme=0 cores=0 cpu=0 gpu.mem>=0"), "");
  EXPECT_EQ(request("gpu.bytes=0"), "");
  EXPECT_EQ(request("gpu=2000m"), "gpu=2");
  EXPECT_EQ(request("gpu=500m+.5+0.25"), "gpu=0.5*2+0.25");
  EXPECT_EQ(request("gpu=3 nic=2 pair=2:1<=PIX"), "gpu=3 nic=2 pair<=PIX");
  EXPECT_EQ(request("pair<=PIX nic=2 gpu=3"), "gpu=3 nic=2 pair<=PIX");
  EXPECT_EQ(request("numa=best nic.role=compute cores.plan=packed"), "");
  EXPECT_EQ(request("prefer=numa nvlink=best"), "prefer=numa,gpus");
  EXPECT_EQ(request("nvlink=best prefer=numa"), "prefer=gpus,numa");
  EXPECT_EQ(request("\ngpu=1\n\n"), "gpu=1");
  EXPECT_EQ(parse_request("gpu=7 nic=2 pair<=PIX", "r")->pair->gpus_per_nic, 4);
}

constexpr std::string_view kHolders = R"(node a
  numa0 cpus=0-7 mem=64Gi { gpu0 mem=80Gi gpu1 mig=1g.10gb*2,2g.20gb gpu2 mig=dynamic gpu3 nic0 vfs=4 nic1 nvme0 }
  numa1 mem=64Gi
)";
std::string held(std::string_view grants) {
  const auto document = parse(text::cat(kHolders, "held p on a: ", grants), "t");
  if (!document) return to_text(document.error());
  const auto line = write(document->cluster.holders[0], document->cluster.nodes[0]);
  return line.substr(std::string_view{"held p on a:"}.size());
}

TEST(Notation, ReadsEachGrant) {
  for (const std::string_view same :
       {" gpu0 nic0 nvme0", " gpu0=0.5/12Gi@0", " gpu0=0.5/0@0", " gpu3=0.5@7",
        " gpu1=mig:1g.10gb@1", " gpu2=mig:3g.40gb@4", " nic0=vf@3", " nic1=40G", " cpus=0-1,4",
        " cpu=4", " mem=0:64Gi,1:1", " gpu0 cpus=0-7 cpu=0.5 mem=1:2Gi", ""}) {
    EXPECT_EQ(held(same), text::cat(same, '\n'));
  }
}

TEST(Notation, FillsInSlotsAndBytes) {
  EXPECT_EQ(held("gpu0=0.5"), " gpu0=0.5/40Gi@0\n");
  EXPECT_EQ(held("gpu0=0.001"), " gpu0=0.001/85899345@0\n");  // of 85899345920, rounded down
  EXPECT_EQ(held("gpu3=0.5"), " gpu3=0.5@0\n");
  EXPECT_EQ(held("gpu3=0.1 gpu3=0.2@1 gpu3=0.3"), " gpu3=0.1@0 gpu3=0.2@1 gpu3=0.3@2\n");
  EXPECT_EQ(held("gpu1=mig:2g.20gb gpu1=mig:1g.10gb gpu1=mig:1g.10gb"),
            " gpu1=mig:1g.10gb@0 gpu1=mig:1g.10gb@1 gpu1=mig:2g.20gb@2\n");
  EXPECT_EQ(held("nic0=vf nic0=vf mem=1:1,0:1"), " nic0=vf@0 nic0=vf@1 mem=0:1,1:1\n");
}

TEST(Notation, CountsSlotsFromTheHoldersAbove) {
  EXPECT_EQ(
      canonical("node a\n numa0 { gpu0 nic0 vfs=2 }\nheld x on a: gpu0=0.1 nic0=vf\n"
                "reserved y on a : gpu0=0.1 nic0=vf\n-> z on a: gpu0=0.2\n-> w on a: gpu0=0.2"),
      "node a\n  numa0 { gpu0 nic0 vfs=2 }\nheld x on a: gpu0=0.1@0 nic0=vf@0\n"
      "reserved y on a: gpu0=0.1@1 nic0=vf@1\n-> z on a: gpu0=0.2@2\n-> w on a: gpu0=0.2@2\n");
  const auto cluster = parse("node a\n gpu0\nheld x on a: gpu0=0.1", "t")->cluster;
  const auto expected = parse_expected("\n-> z on a: gpu0=0.2\n", "t", cluster);
  ASSERT_TRUE(expected);
  EXPECT_EQ(expected->allocation->grants[0].slot, 1);
  EXPECT_EQ(to_text(parse_expected("\n\nz on a: gpu0", "t", cluster).error()),
            "t:3:1: an expected plan starts with ->");
}

}  // namespace
}  // namespace tenon::notation
