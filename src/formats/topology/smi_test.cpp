// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/smi.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "base/text.hpp"
#include "support/shared_data.hpp"

namespace tenon::formats::topology {
namespace {

Result<Machines> read_text(std::string text, std::string name = "m.txt") {
  const Source source{std::move(name), std::move(text)};
  return smi_read({&source, 1});
}

/// One line for each NUMA node and device: "numa0 0-15", "gpu0 GPU0 on 0", "nic0 NIC0=mlx5_3 on ?".
std::string facts_of(const domain::Node& node) {
  std::string out;
  for (const auto& numa : node.numa) {
    out += text::cat("numa", numa.os_index, " ", numa.cpus.to_text(), "\n");
  }
  for (const auto& device : node.devices) {
    out += text::cat(to_text(device), " ", device.label);
    if (!device.id.empty()) out += text::cat("=", device.id);
    out += " on ";
    if (device.numa.empty()) out += "?";
    for (const int id : device.numa) out += text::cat(id == device.numa.front() ? "" : ",", id);
    const auto* nic = std::get_if<domain::NicFacts>(&device.facts);
    if (nic != nullptr && nic->bond) out += " bond";
    out += "\n";
  }
  return out;
}

/// The matrix, row by row, as "GPU0: X NV4 PXB".
std::string matrix_of(const domain::Node& node) {
  std::string out;
  const auto& matrix = *node.matrix;
  for (std::size_t row = 0; row < matrix.header.size(); ++row) {
    out += node.devices[static_cast<std::size_t>(matrix.header[row])].label + ":";
    for (std::size_t column = 0; column < matrix.header.size(); ++column) {
      out += " " + to_text(matrix.cells[row * matrix.header.size() + column]);
    }
    out += "\n";
  }
  return out;
}

std::string facts(const std::string& text) {
  const auto machines = read_text(text);
  return machines ? facts_of(machines->cluster.nodes.at(0)) : to_text(machines.error());
}
std::string matrix(const std::string& text) {
  const auto machines = read_text(text);
  return machines ? matrix_of(machines->cluster.nodes.at(0)) : to_text(machines.error());
}
std::string warnings(const std::string& text) {
  const auto machines = read_text(text);
  return machines ? text::join(machines->warnings, "\n") : to_text(machines.error());
}

constexpr auto kPlain =
    "\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
    "GPU0\t X \tNV4\tPXB\tSYS\t0-15\t0\t\tN/A\n"
    "GPU1\tNV4\t X \tSYS\tPXB\t16-31\t1\t\tN/A\n"
    "NIC0\tPXB\tSYS\t X \tSYS\t\t\t\n"
    "NIC1\tSYS\tPXB\tSYS\t X \t\t\t\n"
    "\n"
    "Legend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n"
    "\n"
    "NIC Legend:\n\n  NIC0: mlx5_3\n  NIC1: mlx5_0\n";

// Numbers of the legend are not numbers of devices: NIC0 is mlx5_3. A NIC is on the NUMA node of what
// it is near to.
TEST(Smi, ReadsWhatTheToolPrints) {
  EXPECT_EQ(facts(kPlain),
            "numa0 0-15\n"
            "numa1 16-31\n"
            "gpu0 GPU0 on 0\n"
            "gpu1 GPU1 on 1\n"
            "nic0 NIC0=mlx5_3 on 0\n"
            "nic1 NIC1=mlx5_0 on 1\n");
  EXPECT_EQ(matrix(kPlain),
            "GPU0: X NV4 PXB SYS\n"
            "GPU1: NV4 X SYS PXB\n"
            "NIC0: PXB SYS X SYS\n"
            "NIC1: SYS PXB SYS X\n");
  EXPECT_EQ(warnings(kPlain), "");
}

TEST(Smi, ReadsThroughColoursCrlfCommentsAndProse) {
  EXPECT_EQ(matrix("\xEF\xBB\xBF$ nvidia-smi topo -m\r\n"
                   "# from a ticket\r\n"
                   "\x1B[4m\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\x1B[0m\r\n"
                   "GPU0\t X \tSYS\t0-3\t0\r\n"
                   "GPU1\tSYS\t X \t4-7\t1\r\n"
                   "GPU0 is the one that fails.\r\n"),
            "GPU0: X SYS\nGPU1: SYS X\n");
}

// Copied from a terminal: ESC is lost, tabs have become blanks.
TEST(Smi, ReadsBlanksForTabs) {
  const std::string text =
      "[4m        GPU0    GPU1    mlx5_0  CPU Affinity    NUMA Affinity   GPU NUMA ID[0m\n"
      "GPU0     X      PIX     NODE                    1               N/A\n"
      "GPU1    PIX      X      SYS     0-7,16-23       0               N/A\n"
      "mlx5_0  NODE    SYS      X\n";
  EXPECT_EQ(matrix(text), "GPU0: X PIX NODE\nGPU1: PIX X SYS\nmlx5_0: NODE SYS X\n");
  EXPECT_EQ(facts(text),
            "numa0 0-7,16-23\nnuma1 \n"
            "gpu0 GPU0 on 1\ngpu1 GPU1 on 0\nnic0 mlx5_0 on ?\n");
}

// A value that stands under no title cannot be told from its neighbour.
TEST(Smi, LeavesOutValuesThatStandUnderNoTitle) {
  EXPECT_EQ(warnings("GPU0 CPU Affinity NUMA Affinity\nGPU0 X 1\n"),
            "m.txt:2: row GPU0 has fewer values than the header has titles, and they do not stand "
            "under any: its affinities count as not known");
}

// GPU indices run against NUMA nodes.
TEST(Smi, TakesNumaFromTheRowAndNotFromTheIndex) {
  EXPECT_EQ(facts("\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
                  "GPU0\t X \tNV4\t24-31,56-63\t3\n"
                  "GPU1\tNV4\t X \t0-7,32-39\t0\n"),
            "numa0 0-7,32-39\nnuma3 24-31,56-63\ngpu0 GPU0 on 3\ngpu1 GPU1 on 0\n");
}

// Order of the header is the order of everything, whatever the numbers say; GPUs come first.
TEST(Smi, CountsDevicesByHeaderOrder) {
  EXPECT_EQ(facts("\tmlx5_7\tGPU5\tGPU2\tCPU Affinity\n"
                  "mlx5_7\t X \tPIX\tPIX\n"
                  "GPU5\tPIX\t X \tPIX\t0-3\n"
                  "GPU2\tPIX\tPIX\t X \t0-3\n"),
            "numa0 0-3\ngpu0 GPU5 on 0\ngpu1 GPU2 on 0\nnic0 mlx5_7 on 0\n");
}

TEST(Smi, ShortAndMissingRowsAreNotSeen) {
  const std::string text =
      "\tGPU0\tGPU1\tGPU2\tCPU Affinity\tNUMA Affinity\n"
      "GPU0\t X \tNV4\n"
      "GPU1\tNV4\t X \t0-3\t0\n";
  EXPECT_EQ(matrix(text), "GPU0: X NV4 ?\nGPU1: NV4 X ?\nGPU2: ? ? X\n");
  EXPECT_EQ(facts(text), "numa0 0-3\ngpu0 GPU0 on ?\ngpu1 GPU1 on 0\ngpu2 GPU2 on ?\n");
  EXPECT_EQ(warnings(text),
            "m.txt:2: row GPU0 is short: 1 cells count as not seen\n"
            "m.txt:3: row GPU1 is short: 1 cells count as not seen\n"
            "m.txt:1: no row for GPU2: its cells count as not seen\n"
            "m.txt: 4 of 9 cells were not seen");
}

TEST(Smi, ARowWithoutAColumnIsADeviceToo) {
  EXPECT_EQ(matrix("\tGPU0\tCPU Affinity\nGPU0\t X \t0-3\nmlx5_0\tPHB\t X \n"),
            "GPU0: X ?\nmlx5_0: PHB X\n");
}

TEST(Smi, AColumnWithoutTitleBehindTheCpusIsNuma) {
  EXPECT_EQ(facts("\tGPU0\tCPU Affinity\nGPU0\t X \t0-3\t1\n"), "numa1 0-3\ngpu0 GPU0 on 1\n");
}

// NVLinks in one direction only, and cells that contradict their mirror, stay as they were read.
TEST(Smi, KeepsBothDirections) {
  EXPECT_EQ(matrix("\tGPU0\tGPU1\nGPU0\t X \tNV4\nGPU1\tSYS\t X \n"), "GPU0: X NV4\nGPU1: SYS X\n");
}

TEST(Smi, OldDriversSaySoc) {
  EXPECT_EQ(matrix("\tGPU0\tGPU1\nGPU0\t X \tSOC\nGPU1\tSOC\t X \n"), "GPU0: X SYS\nGPU1: SYS X\n");
}

// Inside a cpuset the tool names every NUMA node. That is no statement about GPU0.
TEST(Smi, AnAffinityThatNamesEveryNodeSaysNothing) {
  const std::string text =
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
      "GPU0\t X \tNV4\t0-14\t0-1\n"
      "GPU1\tNV4\t X \t16-30\t1\n";
  EXPECT_EQ(facts(text), "numa0 \nnuma1 16-30\ngpu0 GPU0 on ?\ngpu1 GPU1 on 1\n");
}

// A device of a socket with several NUMA nodes is near all of these.
TEST(Smi, ADeviceMayBeNearSeveralNodes) {
  EXPECT_EQ(facts("\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
                  "GPU0\t X \tNV4\t0-15\t0-1\n"
                  "GPU1\tNV4\t X \t16-31\t2-3\n"),
            "numa0 \nnuma1 \nnuma2 \nnuma3 \ngpu0 GPU0 on 0,1\ngpu1 GPU1 on 2,3\n");
}

TEST(Smi, CpusThatTwoNodesClaimCountForNeither) {
  const std::string text =
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
      "GPU0\t X \tSYS\t0-9\t0\n"
      "GPU1\tSYS\t X \t8-15\t1\n";
  EXPECT_EQ(facts(text), "numa0 0-7\nnuma1 10-15\ngpu0 GPU0 on 0\ngpu1 GPU1 on 1\n");
  EXPECT_EQ(warnings(text),
            "m.txt: NUMA nodes 0 and 1 both claim CPUs 8-9: they count for neither");
}

TEST(Smi, WithoutNumaNumbersListsOfCpusAreNodes) {
  EXPECT_EQ(facts("\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
                  "GPU0\t X \tNV2\t20-39,60-79\t\n"
                  "GPU1\tNV2\t X \t0-19,40-59\t\n"),
            "numa0 0-19,40-59\nnuma1 20-39,60-79\ngpu0 GPU0 on 1\ngpu1 GPU1 on 0\n");
}

// The GPU's own memory is NUMA node 2: no CPUs, and no memory for pods.
TEST(Smi, GpuMemoryIsNoNumaNodeOfTheHost) {
  EXPECT_EQ(facts("\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
                  "GPU0\t X \t0-71\t0,2\t\t2\n"),
            "numa0 0-71\ngpu0 GPU0 on 0\n");
}

// All GPUs on node 0 and the NIC SYS away: the machine has another node, whatever its name.
TEST(Smi, WhatIsSysAwayFromTheOnlyNodeIsNotOnIt) {
  EXPECT_EQ(facts("\tGPU0\tmlx5_0\tCPU Affinity\tNUMA Affinity\n"
                  "GPU0\t X \tSYS\t0-17,36-53\t0\n"
                  "mlx5_0\tSYS\t X \t\t\n"),
            "numa0 0-17,36-53\nnuma1 \ngpu0 GPU0 on 0\nnic0 mlx5_0 on ?\n");
}

TEST(Smi, CellsThatPutTwoNodesTogetherSayNothingOfOthers) {
  EXPECT_EQ(facts("\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\n"
                  "GPU0\t X \tSYS\tPHB\t0-3\t0\n"
                  "GPU1\tSYS\t X \tNODE\t4-7\t1\n"
                  "NIC0\tPHB\tNODE\t X \t\t\n"),
            "numa0 0-3\nnuma1 4-7\ngpu0 GPU0 on 0\ngpu1 GPU1 on 1\nnic0 NIC0 on ?\n");
}

TEST(Smi, ABondIsSeenByEitherName) {
  EXPECT_EQ(facts("\tGPU0\tNIC0\tmlx5_bond_1\nGPU0\t X \tPIX\tPIX\nNIC0\tPIX\t X \tPIX\n"
                  "mlx5_bond_1\tPIX\tPIX\t X \nNIC Legend:\n  NIC0: mlx5_bond_0\n"),
            "gpu0 GPU0 on ?\nnic0 NIC0=mlx5_bond_0 on ? bond\nnic1 mlx5_bond_1 on ? bond\n");
}

// Every root complex apart, all on one socket: the words say SYS, the rows say node 0; both stay.
TEST(Smi, AllMayBeSysInsideOneSocket) {
  const std::string text =
      "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
      "GPU0\t X \tSYS\t0-3,8-11\t0\n"
      "GPU1\tSYS\t X \t0-3,8-11\t0\n";
  EXPECT_EQ(matrix(text), "GPU0: X SYS\nGPU1: SYS X\n");
  EXPECT_EQ(facts(text), "numa0 0-3,8-11\ngpu0 GPU0 on 0\ngpu1 GPU1 on 0\n");
}

// Two GPUs to one NIC, and a NIC near no GPU (storage, perhaps; nothing says so): it stays where
// nobody knows.
TEST(Smi, ANicNearNoGpuIsOnNoKnownNode) {
  EXPECT_EQ(facts("\tGPU0\tGPU1\tGPU2\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\n"
                  "GPU0\t X \tNV4\tNV4\tPXB\tSYS\t0-6,8\t0\n"
                  "GPU1\tNV4\t X \tNV4\tPXB\tSYS\t0-6,8\t0\n"
                  "GPU2\tNV4\tNV4\t X \tSYS\tSYS\t9-15\t1\n"
                  "NIC0\tPXB\tPXB\tSYS\t X \tSYS\n"
                  "NIC1\tSYS\tSYS\tSYS\tSYS\t X \n"),
            "numa0 0-6,8\nnuma1 9-15\n"
            "gpu0 GPU0 on 0\ngpu1 GPU1 on 0\ngpu2 GPU2 on 1\nnic0 NIC0 on 0\nnic1 NIC1 on ?\n");
}

TEST(Smi, NoGpuIsAWarning) {
  EXPECT_EQ(warnings("\tmlx5_0\tCPU Affinity\nmlx5_0\t X \t\n"), "m.txt: names no GPU");
}

TEST(Smi, RefusesWithFileLineAndWhat) {
  EXPECT_EQ(
      facts("no matrix here\n"),
      "m.txt: has no matrix: no line names devices with a row under it; give the whole output "
      "of nvidia-smi topo -m");
  EXPECT_EQ(facts("\tGPU0\tGPU0\nGPU0\t X \t X \n"),
            "m.txt:1: column GPU0 stands twice; give the matrix as it was printed");
  EXPECT_EQ(facts("\tGPU0\tGPU1\nGPU0\t X \tSYS\nGPU0\t X \tSYS\n"),
            "m.txt:3: row GPU0 stands twice; give the matrix as it was printed");
  EXPECT_EQ(
      facts("\tGPU0\tGPU1\nGPU0\tSYS\t X \n"),
      "m.txt:2: row GPU0 has SYS under GPU0, its own name, where X must stand; the cells have "
      "slipped: give the matrix as it was printed");
  EXPECT_EQ(facts("\tGPU0\tGPU1\nGPU0\t X \t X \n"),
            "m.txt:2: row GPU0 has X under GPU1: X stands only under the row's own name; the cells "
            "have slipped: give the matrix as it was printed");
  EXPECT_EQ(
      facts("\tGPU0\tGPU1\nGPU0\t X \tNEAR\n"),
      "m.txt:2: cell 'NEAR' is no distance; known are X PIX PXB PHB NODE SYS NV1 ... and ? for a "
      "cell that nobody saw");
  EXPECT_EQ(facts("\tGPU0\tGPU1\nGPU0\t X \tOK\n"),
            "m.txt:2: cell OK is of a peer-to-peer matrix, which says what works and not what is "
            "near; give nvidia-smi topo -m");
  EXPECT_EQ(facts("\tGPU0\nGPU0\t X \n\tGPU0\nGPU0\t X \n"),
            "m.txt:3: a second matrix begins here; give the matrix of one machine at a time");
}

TEST(Smi, RefusesAffinitiesThatAreNoList) {
  const auto machines = read_text("\tGPU0\tCPU Affinity\nGPU0\t X \t9-1\n");
  ASSERT_FALSE(machines);
  EXPECT_EQ(machines.error().where, "m.txt:2");
  EXPECT_EQ(machines.error().kind, ErrorKind::kBadInput);
}

TEST(Smi, RefusesTwoTexts) {
  const Source sources[] = {{"a.txt", kPlain}, {"b.txt", kPlain}};
  const auto machines = smi_read(sources);
  ASSERT_FALSE(machines);
  EXPECT_EQ(machines.error().where, "b.txt");
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The cells of a captured matrix, read a second time in the simplest way: tabs, no comments.
std::string matrix_by_hand(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  std::size_t columns = 0;
  std::string out;
  while (std::getline(in, line)) {
    if (line.starts_with("#")) continue;
    if (line.empty()) break;
    std::vector<std::string> fields;
    std::istringstream cells(line);
    for (std::string field; std::getline(cells, field, '\t');) {
      std::erase(field, ' ');
      fields.push_back(field);
    }
    if (columns == 0) {
      while (columns + 1 < fields.size() && !fields[columns + 1].ends_with("Affinity")) ++columns;
      continue;
    }
    out += fields[0] + ":";
    for (std::size_t i = 1; i <= columns; ++i) out += " " + fields[i];
    out += "\n";
  }
  return out;
}

TEST(Smi, EveryCapturedMatrixIsReadAsPrinted) {
  TENON_SHARED_DATA_OR_SKIP(folder, "topo/nvidia-smi-topo");
  const auto files = support::shared_data_files("topo/nvidia-smi-topo");
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    const std::string text = file_text(file);
    const auto machines = read_text(text, file.filename().string());
    ASSERT_TRUE(machines) << to_text(machines.error());
    EXPECT_EQ(matrix_of(machines->cluster.nodes.at(0)), matrix_by_hand(text)) << file;
    EXPECT_TRUE(smi_recognises(text)) << file;
  }
}

}  // namespace
}  // namespace tenon::formats::topology
