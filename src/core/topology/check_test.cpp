// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/topology/check.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::topology {
namespace {

domain::Node machine(const std::string& text) {
  const auto document = notation::parse(text, "machine");
  EXPECT_TRUE(document.has_value()) << to_text(document.error());
  return document->cluster.nodes.at(0);
}

// "warning asymmetric-link gpu0 gpu1", a line each.
std::string findings(const domain::Node& node) {
  std::string text;
  for (const Finding& finding : check_node(node)) {
    const char* const severity = finding.severity == Severity::kError     ? "error "
                                 : finding.severity == Severity::kWarning ? "warning "
                                                                          : "note ";
    EXPECT_FALSE(finding.text.empty());
    text += text::cat(severity, finding.code, " ", finding.subject, "\n");
  }
  return text;
}

TEST(CheckNode, FindsNothingOnAMachineThatAgreesWithItself) {
  EXPECT_EQ(findings(machine(R"(
node a1 arch=amd64
  numa0 cpus=0-3 mem=1Gi { sw0 { gpu0 nic0 } }
  numa1 cpus=4-7 mem=1Gi { sw1 { gpu1 nic1 } }
  nvlink NV4 gpu0 gpu1
)")),
            "");
}

TEST(CheckNode, ReportsCellsThatContradictEachOther) {
  EXPECT_EQ(findings(machine(R"(
node a1
  numa0 cpus=0-3 mem=1Gi
  gpu0
  gpu1
  gpu2
  nic0
  matrix {
          gpu0 gpu1 gpu2 nic0
    gpu0  X    NV4  PIX  ?
    gpu1  PHB  X    NV2  ?
    gpu2  PXB  NV4  X    PIX
    nic0  ?    PHB  X    X
  }
)")),
            "warning asymmetric-link gpu0 gpu2\n"
            "warning asymmetric-link gpu1 gpu2\n"
            "warning one-way-nvlink gpu0 gpu1\n"
            "warning self-cell gpu2 nic0\n"
            "note distance-unknown gpu0 nic0\n"
            "note unseen-cell gpu0 nic0\n"
            "note unseen-cell gpu1 nic0\n");
}

TEST(CheckNode, ReportsSourcesThatContradictEachOther) {
  EXPECT_EQ(findings(machine(R"(
node a1
  numa0 cpus=0-3 mem=1Gi { sw0 { gpu0 nic0 numa=1 } gpu1 numa=0,9 }
  numa1 cpus=4-7 mem=1Gi
  nvlink NV4 gpu0 -> gpu1
  matrix {
          gpu0 nic0
    gpu0  X    NODE
    nic0  NODE X
  }
)")),
            "warning affinity-against-distance gpu0 nic0\n"
            "warning matrix-tree-disagree gpu0 nic0\n"
            "warning no-such-numa-node gpu1\n"
            "warning numa-against-place nic0\n"
            "warning one-way-nvlink gpu0 gpu1\n");
}

TEST(CheckNode, NotesWhatNobodySaw) {
  EXPECT_EQ(findings(machine(R"(
node a1
  numa0 cpus=0-3 smt=? { gpu0 id=X }
  numa1 cpus=4-7 mem=1Gi
  numa2 mem=1Gi
  nic0 id=X
)")),
            "warning duplicate-id gpu0 nic0\n"
            "note device-numa-unknown nic0\n"
            "note distance-unknown gpu0 nic0\n"
            "note memory-unknown numa0\n"
            "note numa-without-cpus numa2\n"
            "note siblings-unknown numa0\n");
}

TEST(CheckNode, NotesSysInsideOneNumaNode) {
  EXPECT_EQ(findings(machine(R"(
node a1
  numa0 cpus=0-3 mem=1Gi
  gpu0
  gpu1
  matrix {
          gpu0 gpu1
    gpu0  X    SYS
    gpu1  SYS  X
  }
)")),
            "note sys-within-numa-node gpu0 gpu1\n");
}

// Values that no reader gives: each breaks one invariant of domain/node.hpp, and is found alone.
TEST(CheckNode, CallsBrokenInvariantsErrors) {
  const auto good = machine(R"(
node a1
  numa0 cpus=0-3 mem=1Gi { bridge0 { port0 { sw0 { gpu0 pci=0000:01:00.0 gpu1 pci=0000:02:00.0 } } } }
  numa1 cpus=4-7 mem=1Gi { nic0 }
  nvlink NV4 gpu0 gpu1
  matrix {
          gpu0 gpu1
    gpu0  X    NV4
    gpu1  NV4  X
  }
)");
  ASSERT_EQ(findings(good), "");
  const auto broken = [&](auto&& breaking) {
    domain::Node node = good;
    breaking(node);
    return findings(node);
  };
  using domain::DeviceIndex;
  using domain::Node;
  using domain::PlaceIndex;
  EXPECT_EQ(broken([](Node& n) {
              n.numa[1].cpus.insert(2);
              n.numa[1].cores.reset();
            }),
            "error cpu-in-two-numa-nodes numa0 numa1\n");
  EXPECT_EQ(broken([](Node& n) { n.numa[1].os_index = 0; }), "error numa-order numa0\n");
  EXPECT_EQ(broken([](Node& n) { n.numa[0].cores->pop_back(); }), "error cores-disagree numa0\n");
  EXPECT_EQ(broken([](Node& n) { n.numa[0].memory_bytes = -1; }), "error negative-amount numa0\n");
  EXPECT_EQ(broken([](Node& n) { n.places[1].parent = PlaceIndex{2}; }),
            "error place-order port0\n");
  EXPECT_EQ(broken([](Node& n) { n.places[0].kind = domain::PlaceKind::kPort; }),
            "error place-kind bridge0\nerror place-kind port0\n");
  EXPECT_EQ(broken([](Node& n) { n.devices[1].ordinal = 5; }), "error device-order gpu5\n");
  EXPECT_EQ(broken([](Node& n) { n.devices[0].place = PlaceIndex{9}; }),
            "error no-such-place gpu0\n");
  EXPECT_EQ(broken([](Node& n) { n.devices[1].pci = n.devices[0].pci; }),
            "error duplicate-pci-address gpu0 gpu1\n");
  EXPECT_EQ(broken([](Node& n) { n.matrix->cells.pop_back(); }), "error matrix-shape a1\n");
  EXPECT_EQ(broken([](Node& n) { n.matrix->header[1] = DeviceIndex{0}; }),
            "error matrix-header a1\n");
  EXPECT_EQ(broken([](Node& n) { n.nvlinks[0].to = DeviceIndex{2}; }), "error nvlink-end a1\n");
  EXPECT_EQ(broken([](Node& n) { std::swap(n.nvlinks[0], n.nvlinks[1]); }),
            "error nvlink-order a1\n");
  EXPECT_EQ(broken([](Node& n) { std::get<domain::NicFacts>(n.devices[2].facts).vfs = 513; }),
            "error too-many nic0\n");
}

}  // namespace
}  // namespace tenon::topology
