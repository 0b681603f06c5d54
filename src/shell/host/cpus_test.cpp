// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/cpus.hpp"

#include <gtest/gtest.h>

#include <string>

#include "shell/host/machine_test.hpp"

namespace tenon::host {
namespace {

// One NUMA node a line, then the warnings.
std::string read(std::string_view report, std::string_view tree = "") {
  const auto cpus = cpus_from_report(report, tree_of(tree));
  if (!cpus) return to_text(cpus.error());
  std::string lines;
  for (const auto& numa : cpus->numa) {
    lines += text::cat("numa", numa.os_index, " ", numa.cpus.to_text(), " cores=");
    if (!numa.cores) lines += "?";
    for (std::size_t i = 0; numa.cores && i < numa.cores->size(); ++i) {
      const auto& threads = (*numa.cores)[i].threads;
      for (const auto cpu : threads) {
        lines += text::cat(cpu == threads.front() ? (i == 0 ? "" : ",") : "+", cpu);
      }
    }
    lines += text::cat(" mem=", numa.memory_bytes ? text::cat(*numa.memory_bytes) : "?");
    lines += text::cat(" socket=", numa.socket ? text::cat(*numa.socket) : "?", "\n");
  }
  for (const auto& warning : cpus->warnings) lines += warning + "\n";
  return lines;
}

TEST(Cpus, JoinsCoresSocketsAndMemory) {
  EXPECT_EQ(read("pus 0-7\nnot-allowed -\n"
                 "numa 0 1000 allowed 0-1,4-5\nnuma 1 2000 allowed 2-3,6-7\n"
                 "package 0 0-1,4-5\npackage 1 2-3,6-7\n"
                 "core 1,5\ncore 0,4\ncore 2,6\ncore 3,7\n"),
            "numa0 0-1,4-5 cores=0+4,1+5 mem=1000 socket=0\n"
            "numa1 2-3,6-7 cores=2+6,3+7 mem=2000 socket=1\n");
}

// High-bandwidth memory beside all CPUs, or beside the same ones: the CPUs go where the ordinary
// memory of the smallest node is.
TEST(Cpus, GivesEachCpuToTheSmallestNodeThatHasIt) {
  EXPECT_EQ(read("pus 0-3\nnuma 0 1 allowed 0-1\nnuma 1 1 allowed 2-3\n"
                 "numa 2 5 allowed 0-3\nnuma 3 6 allowed 0-1\n"),
            "numa0 0-1 cores=? mem=1 socket=?\n"
            "numa1 2-3 cores=? mem=1 socket=?\n"
            "numa2  cores= mem=5 socket=?\n"
            "numa3  cores= mem=6 socket=?\n"
            "NUMA node 3 has memory but no CPUs\n"
            "NUMA node 2 has memory but no CPUs\n"
            "NUMA node 0: which CPUs are siblings is not known\n"
            "NUMA node 1: which CPUs are siblings is not known\n");
  EXPECT_EQ(read("pus 0-1\ncore 0,1\nnuma 0 0 forbidden 0-1\nnuma 5 7 allowed 0-1\n"),
            "numa5 0-1 cores=0+1 mem=7 socket=?\n"
            "NUMA node 0 has neither CPUs nor memory and was left out\n");
}

TEST(Cpus, LeavesOutWhatACpusetForbids) {
  EXPECT_EQ(read("pus 0-1\nnot-allowed 2-3\ncore 0\ncore 1\ncore 2\ncore 3\n"
                 "numa 0 9 forbidden 0-3\nnuma 1 8 allowed -\n"),
            "numa0 0-1 cores=0,1 mem=0 socket=?\n"
            "numa1  cores= mem=8 socket=?\n"
            "CPUs 2-3 are forbidden by a cpuset and were left out\n"
            "NUMA node 1 has memory but no CPUs\n");
}

TEST(Cpus, LeavesOutTheMemoryOfGpus) {
  EXPECT_EQ(read("pus 0\ncore 0\nnuma 0 9 allowed 0\nnuma 8 5 allowed -\nnuma 9 6 allowed -\n",
                 "/proc/driver/nvidia/gpus/0000:01:00.0/numa_status=Node:_8"),
            "numa0 0 cores=0 mem=9 socket=?\n"
            "numa9  cores= mem=6 socket=?\n"
            "NUMA nodes 8 are the memory of GPUs and were left out\n"
            "NUMA node 9 has memory but no CPUs\n");
}

// The kernel's own link from a CPU to its node, where the node is off line.
TEST(Cpus, KeepsCpusWhoseNodeIsOffLine) {
  EXPECT_EQ(read("pus 0-2\ncore 0\ncore 1\ncore 2\nnuma 1 9 allowed 1\n",
                 "/sys/devices/system/cpu/cpu0/node0/x=1"),
            "numa0 0 cores=0 mem=0 socket=?\n"
            "numa1 1 cores=1 mem=9 socket=?\n"
            "NUMA node 0 has CPUs but is off line: no memory\n"
            "CPUs 2 belong to no NUMA node and were left out\n");
}

TEST(Cpus, TellsNoMemoryFromMemoryNotSeen) {
  EXPECT_EQ(read("pus 0\ncore 0\nnuma 0 0 allowed 0\n"), "numa0 0 cores=0 mem=? socket=?\n");
  EXPECT_EQ(read("pus 0\ncore 0\nnuma 0 0 allowed 0\n",
                 "/sys/devices/system/node/node0/meminfo=Node_0_MemTotal:_0_kB"),
            "numa0 0 cores=0 mem=0 socket=?\n");
}

// A node over two sockets has none; a core over two nodes makes siblings unknown in both.
TEST(Cpus, DoesNotGuessSocketsAndSiblings) {
  EXPECT_EQ(read("pus 0-1\nnuma 0 1 allowed 0-1\npackage 0 0\npackage 1 1\ncore 0\ncore 1\n"),
            "numa0 0-1 cores=0,1 mem=1 socket=?\n");
  EXPECT_EQ(read("pus 0-1\nnuma 0 1 allowed 0\nnuma 1 1 allowed 1\npackage 4294967295 0-1\n"
                 "core 0-1\n"),
            "numa0 0 cores=? mem=1 socket=?\n"
            "numa1 1 cores=? mem=1 socket=?\n"
            "NUMA node 0: which CPUs are siblings is not known\n"
            "NUMA node 1: which CPUs are siblings is not known\n");
}

TEST(Cpus, KeepsTheBoundsOfANode) {
  EXPECT_EQ(read("pus 0-8\nnuma 0 1 allowed 0-8\ncore 0-8\n"),
            "a core has 9 threads, at most 8; is the tree whole? its core numbers may be missing");
  std::string many = "pus 0-64\n";
  for (int i = 0; i < 65; ++i) many += text::cat("numa ", i, " 1 allowed ", i, "\ncore ", i, "\n");
  EXPECT_EQ(read(many), "65 NUMA nodes, at most 64");
  EXPECT_EQ(read("pus 0-65536\n"),
            "the CPUs cannot be used: 'pus 0-65536'; CPU and NUMA numbers are at most 65535");
  EXPECT_EQ(read("numa 0 -1 allowed 0\n"),
            "the CPUs cannot be used: 'numa 0 -1 allowed 0'; CPU and NUMA numbers are at most "
            "65535");
}

TEST(Cpus, RefusesTwoNumaNodesOfOneNumber) {
  EXPECT_EQ(read("pus 0-1\nnuma 0 1 allowed 0\nnuma 0 1 allowed 1\n"),
            "the CPUs cannot be used: two NUMA nodes have number 0; "
            "read the machine again; if it stays, report it");
}

TEST(Cpus, NamesArchitecturesAsKubernetesDoes) {
  const auto arch = [](std::string_view report) {
    return cpus_from_report(report, FileTree{})->arch;
  };
  EXPECT_EQ(arch("arch x86_64\n"), "amd64");
  EXPECT_EQ(arch("arch aarch64\n"), "arm64");
  EXPECT_EQ(arch("arch ppc64le\n"), "ppc64le");
  EXPECT_EQ(arch("arch \"evil\n"), "");
  EXPECT_EQ(arch(""), "");
}

}  // namespace
}  // namespace tenon::host
