// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/host.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "shell/host/machine_test.hpp"
#include "shell/host/temp_folder.hpp"
#include "support/shared_data.hpp"

namespace tenon::host {
namespace {

using domain::Node;

std::string cpus_of(const Node& node) {
  std::string lines;
  for (const auto& numa : node.numa) {
    lines += text::cat("numa", numa.os_index, " cpus=", numa.cpus.to_text());
    lines += text::cat(" cores=", numa.cores ? text::cat(numa.cores->size()) : "?");
    lines += text::cat(" mem=", numa.memory_bytes ? text::cat(*numa.memory_bytes >> 20) : "?");
    lines += text::cat(" socket=", numa.socket ? text::cat(*numa.socket) : "?", "\n");
  }
  return lines;
}

std::size_t count(std::string_view text, std::string_view word) {
  std::size_t times = 0;
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    ++times;
  }
  return times;
}

std::string content(const std::filesystem::path& path) {
  const std::ifstream file{path, std::ios::binary};
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return std::move(bytes).str();
}

// What hwloc itself prints for a tree: its drawing or its XML.
struct Oracle {
  std::size_t pus = 0;
  std::size_t cores = 0;
  std::size_t numa = 0;
};

Oracle oracle_of(std::filesystem::path archive) {
  const auto console = archive.replace_extension().replace_extension(".console");
  if (std::filesystem::exists(console)) {
    const std::string drawing = content(console);
    constexpr std::string_view kNumaLine = "Special depth -3:";
    const auto words = text::words(std::string_view{drawing}.substr(drawing.find(kNumaLine)));
    return {count(drawing, " PU L#"), count(drawing, " Core L#"), *text::to_u64(words[3])};
  }
  const std::string xml = content(archive.replace_extension(".xml"));
  return {count(xml, "<object type=\"PU\""), count(xml, "<object type=\"Core\""),
          count(xml, "<object type=\"NUMANode\"")};
}

struct Captured {
  std::string_view file;
  std::string_view arch;
  std::string_view cpus;
  std::string_view devices;
};

void PrintTo(const Captured& machine, std::ostream* out) { *out << machine.file; }

// cores= counts them; memory in MiB. The comments say what is odd about each machine.
constexpr Captured kCaptured[] = {
    // A cpuset forbids 12 CPUs and the memory beside the four others.
    {"16amd64-4n4c-cgroup-distance-merge", "",
     "numa0 cpus=0-3 cores=4 mem=0 socket=0\n"
     "numa2 cpus= cores=0 mem=8192 socket=?\n"
     "numa3 cpus= cores=0 mem=8192 socket=?\n",
     ""},
    // Two sockets in one NUMA node; a PCI domain of 32 bits.
    {"2pa-pcidomain32bits", "amd64", "numa0 cpus=0-1 cores=2 mem=2004 socket=?\n",
     "nic0 bridge0 numa=?\n"},
    // An NVMe as kernels before 4.0 showed it; InfiniBand of class 0280.
    {"32em64t-2n8c+dax+nvme+mic+dimms", "",
     "numa0 cpus=0-7 cores=8 mem=16354 socket=0\n"
     "numa1 cpus=8-15 cores=8 mem=16384 socket=1\n",
     "nic0 bridge0/port0 numa=0\n"
     "nic1 bridge0/port0 numa=0\n"
     "nic2 bridge1/port1 numa=1\n"
     "nvme0 bridge0 numa=0\n"},
    // Eight NUMA nodes that all claim all CPUs.
    {"8em64t-2s2ca2c-buggynuma", "", "numa0 cpus=0-7 cores=8 mem=2047 socket=?\n", ""},
    // NUMA nodes are either CPUs or memory; two are persistent memory.
    {"fakememinitiators-1np2c+1npp+gi", "",
     "numa5 cpus=0-1 cores=2 mem=95163 socket=0\n"
     "numa6 cpus=4-5 cores=2 mem=96767 socket=0\n"
     "numa7 cpus= cores=0 mem=759808 socket=?\n"
     "numa8 cpus=2-3 cores=2 mem=95255 socket=1\n"
     "numa9 cpus=6-7 cores=2 mem=96729 socket=1\n"
     "numa10 cpus= cores=0 mem=761856 socket=?\n",
     ""},
    // CPU numbers go round the sockets.
    {"fakepcilocalities", "",
     "numa0 cpus=0,4,8,12,16,20,24,28,32,36 cores=10 mem=131058 socket=0\n"
     "numa1 cpus=1,5,9,13,17,21,25,29,33,37 cores=10 mem=131072 socket=1\n"
     "numa2 cpus=2,6,10,14,18,22,26,30,34,38 cores=10 mem=131072 socket=2\n"
     "numa3 cpus=3,7,11,15,19,23,27,31,35,39 cores=10 mem=131072 socket=3\n",
     "nic0 bridge0/port0 numa=0\n"
     "nic1 bridge0/port0 numa=0\n"
     "nic2 bridge0/port1 numa=0\n"
     "nic3 bridge0/port1 numa=0\n"
     "nic4 bridge1/port2 numa=1\n"},
    {"nvidia-dgx-gb10", "arm64", "numa0 cpus=0-19 cores=20 mem=122566 socket=36\n", ""},
    // Memory of GPUs as NUMA nodes 250 to 255; no way to the GPUs and no vendor, but the driver's.
    {"nvidiagpunumanodes", "ppc64le",
     "numa0 cpus=0-15 cores=4 mem=126796 socket=0\n"
     "numa8 cpus=88-103 cores=4 mem=130812 socket=8\n",
     "gpu0 - numa=0\ngpu1 - numa=0\ngpu2 - numa=0\ngpu3 - numa=8\ngpu4 - numa=8\ngpu5 - numa=8\n"},
    // CPUs 0 to 3 and 21 to 23 off line, and NUMA node 0 with the memory of the even CPUs.
    {"offline-cpu0-node0", "amd64",
     "numa0 cpus=4,6,8,10,12,14,16,18,20 cores=9 mem=0 socket=0\n"
     "numa1 cpus=5,7,9,11,13,15,17,19 cores=8 mem=65536 socket=1\n",
     ""},
};

class CapturedTree : public testing::TestWithParam<Captured> {};

TEST_P(CapturedTree, IsReadAsHwlocDrawsIt) {
  const Captured& expected = GetParam();
  TENON_SHARED_DATA_OR_SKIP(path, text::cat("topo/hwloc-sysfs/", expected.file, ".tar.gz"));
  const auto got = read_archive(path.string());
  ASSERT_TRUE(got) << to_text(got.error());
  EXPECT_EQ(got->node.arch, expected.arch);
  EXPECT_EQ(cpus_of(got->node), expected.cpus);
  EXPECT_EQ(lines_of(got->node), expected.devices);

  const Oracle oracle = oracle_of(path);
  std::size_t pus = 0;
  std::size_t cores = 0;
  std::size_t with_memory = 0;
  for (const auto& numa : got->node.numa) {
    pus += static_cast<std::size_t>(numa.cpus.count());
    cores += numa.cores ? numa.cores->size() : 0;
    with_memory += numa.memory_bytes.value_or(0) > 0 ? 1 : 0;
  }
  EXPECT_EQ(pus, oracle.pus);
  EXPECT_EQ(with_memory, oracle.numa);
  if (oracle.cores > 0) {  // one drawing leaves them out
    EXPECT_EQ(cores, oracle.cores);
  }

  const bool has_gpu = expected.devices.starts_with("gpu");
  EXPECT_EQ(std::ranges::count(got->warnings, "no GPU was found"), has_gpu ? 0 : 1);
}

INSTANTIATE_TEST_SUITE_P(All, CapturedTree, testing::ValuesIn(kCaptured),
                         [](const auto& machine) { return text::cat("n", machine.index); });

TEST(CapturedTrees, AreAllInTheTable) {
  TENON_SHARED_DATA_OR_SKIP(folder, "topo/hwloc-sysfs");
  std::size_t archives = 0;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    archives += entry.path().extension() == ".gz" ? 1 : 0;
  }
  EXPECT_EQ(archives, std::size(kCaptured));
}

// A small machine on disk: one CPU, one GPU.
constexpr std::string_view kSmall = R"(
    pci0000:00/0000:00:01.0/0000:01:00.0 class=0302 vendor=10de numa_node=0
    /sys/devices/system/cpu/online=0
    /sys/devices/system/cpu/possible=0
    /sys/devices/system/cpu/present=0
    /sys/devices/system/cpu/cpu0/topology/core_id=0
    /sys/devices/system/cpu/cpu0/topology/physical_package_id=0
    /sys/devices/system/cpu/cpu0/topology/core_cpus=1
    /sys/devices/system/cpu/cpu0/topology/thread_siblings=1
    /sys/devices/system/cpu/cpu0/topology/core_siblings=1
    /sys/devices/system/cpu/cpu0/topology/package_cpus=1
    /sys/devices/system/node/online=0
    /sys/devices/system/node/node0/cpumap=1
    /sys/devices/system/node/node0/meminfo=Node_0_MemTotal:_1048576_kB
    )";

constexpr std::string_view kAll[] = {"sys", "proc"};

TEST(ReadRoot, ReadsADirectory) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(folder->write(tree_of(kSmall), kAll));
  const auto got = read_root(folder->path());
  ASSERT_TRUE(got) << to_text(got.error());
  EXPECT_EQ(cpus_of(got->node), "numa0 cpus=0 cores=1 mem=1024 socket=0\n");
  EXPECT_EQ(lines_of(got->node), "gpu0 bridge0/port0 numa=0\n");
  EXPECT_EQ(got->warnings, std::vector<std::string>{});
}

// A link out of a directory must not make this machine's files part of the captured one.
TEST(ReadRoot, FollowsNoLinkOutOfTheRoot) {
  const auto outside = TempFolder::make();
  const auto folder = TempFolder::make();
  ASSERT_TRUE(outside && folder);
  ASSERT_TRUE(outside->write(tree_of(kSmall), kAll));
  ASSERT_TRUE(folder->write(tree_of("/sys/devices/x=1\n/proc/x=1"), kAll));
  const std::string from = folder->path() + "/sys/devices/system";
  ASSERT_EQ(symlink((outside->path() + "/sys/devices/system").c_str(), from.c_str()), 0);
  ASSERT_EQ(symlink("../../../../../../../etc", (folder->path() + "/sys/bus").c_str()), 0);
  const auto got = read_root(folder->path());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().what, "shows neither CPUs nor PCI devices");
}

// "/sys/devices/…" of a capture means the capture's own, as after chroot.
TEST(ReadRoot, TakesAnAbsoluteLinkFromTheRoot) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(folder->write(tree_of("/sys/devices/pci0000:00/0000:00:01.0/class=0x010802"), kAll));
  const std::string devices = folder->path() + "/sys/bus/pci/devices";
  std::filesystem::create_directories(devices);
  ASSERT_EQ(symlink("/sys/devices/pci0000:00/0000:00:01.0", (devices + "/0000:00:01.0").c_str()),
            0);
  const auto got = read_root(folder->path());
  ASSERT_TRUE(got) << to_text(got.error());
  EXPECT_EQ(lines_of(got->node), "nvme0 bridge0 numa=?\n");
  EXPECT_EQ(got->node.numa.size(), 0U);
}

// Neither waits for a writer that never comes.
TEST(ReadRoot, OpensNoPipe) {
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  ASSERT_TRUE(folder->write(tree_of(kSmall), kAll));
  const std::string online = folder->path() + "/sys/devices/system/cpu/online";
  std::filesystem::remove(online);
  ASSERT_EQ(mkfifo(online.c_str(), 0600), 0);
  EXPECT_TRUE(read_root(folder->path()));
}

TEST(ReadRoot, SaysWhatIsNotARoot) {
  const auto absent = read_root("/no/such/folder");
  ASSERT_FALSE(absent);
  EXPECT_EQ(to_text(absent.error()),
            "/no/such/folder: cannot open: No such file or directory; name a directory that holds "
            "sys/");
  const auto folder = TempFolder::make();
  ASSERT_TRUE(folder);
  const auto empty = read_root(folder->path());
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(empty.error().what, "shows neither CPUs nor PCI devices");
}

// The user's environment must not replace the machine that is read.
TEST(ReadRoot, ReadsThisMachine) {
  setenv("HWLOC_SYNTHETIC", "numa:7 pu:3", 1);
  const auto got = read_root("/");
  unsetenv("HWLOC_SYNTHETIC");
  if (!got) {
    EXPECT_NE(got.error().what, "");  // a container without sys/
    return;
  }
  int cpus = 0;
  for (const auto& numa : got->node.numa) cpus += numa.cpus.count();
  EXPECT_GT(cpus, 0);
  EXPECT_LE(cpus, sysconf(_SC_NPROCESSORS_CONF));
  EXPECT_NE(got->node.arch, "");
}

}  // namespace
}  // namespace tenon::host
