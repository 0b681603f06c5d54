// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/state/node_state.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/prng.hpp"
#include "base/text.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::state {
namespace {

// Every way to give a device away on one small machine.
//
//   numa0 { sw0 { gpu0 gpu1 nic0 nic1 nvme0 } }   gpu0 plain, gpu1 with two slots, nic0 with VFs
//   numa1 { sw1 { gpu2 gpu3 nic2 } }              gpu2 in fixed MIG partitions, gpu3 in dynamic ones
const std::string kMachine = R"(
node a1 arch=amd64
  numa0 cpus=0-7,16-23 smt=split mem=64Gi {
    sw0 { gpu0 mem=80Gi gpu1 mem=40Gi slots=2 nic0 rate=400G vfs=4 nic1 nvme0 } }
  numa1 cpus=8-15 { sw1 { gpu2 mem=80Gi mig=1g.10gb*2,3g.40gb gpu3 mem=80Gi mig=dynamic nic2 } }
)";

struct Machine {
  domain::Cluster cluster;
  explicit Machine(const std::string& holders = "") {
    auto document = notation::parse(kMachine + holders, "machine");
    EXPECT_TRUE(document.has_value()) << to_text(document.error());
    if (document) cluster = std::move(document->cluster);
  }
  [[nodiscard]] const domain::Node& node() const { return cluster.nodes.at(0); }
  [[nodiscard]] Result<NodeState> state() const { return state_of(node(), cluster.holders); }
};

domain::Allocation grants(const std::string& text) {
  Machine machine("held x on a1: " + text + "\n");
  return machine.cluster.holders.at(0).allocation;
}

// A grant that the notation would not write.
domain::Allocation in_slot(const std::string& text, int slot) {
  auto allocation = grants(text);
  allocation.grants.at(0).slot = slot;
  return allocation;
}

// "" where it was taken, else what stood in the way.
std::string take(const std::string& held, const domain::Allocation& allocation) {
  auto state = Machine(held.empty() ? "" : "held h on a1: " + held + "\n").state();
  if (!state) return to_text(state.error());
  const NodeState before = *state;
  const auto taken = apply(*state, allocation);
  if (!taken) {
    EXPECT_EQ(*state, before);
    return taken.error().what;
  }
  EXPECT_NE(*state, before);
  release(*state, allocation);
  EXPECT_EQ(*state, before);
  return "";
}

std::string take(const std::string& held, const std::string& asked) {
  return take(held, grants(asked));
}

TEST(NodeState, TakesWhatIsFreeAndGivesItBack) {
  for (const auto* asked :
       {"gpu0", "gpu0=0.5@0", "gpu0=0.5/12Gi@3", "gpu1=0.1@1", "gpu2=mig:1g.10gb@1",
        "gpu3=mig:3g.40gb@4", "gpu3=mig:1g.20gb@6", "nic0", "nic0=vf@3", "nic0=400G", "nvme0",
        "cpus=0,16", "cpus=0-7,16-23", "cpu=24", "cpu=0.5", "mem=0:64Gi",
        "gpu0 nic1 nvme0 cpus=1-2,17-18 mem=0:1Gi"}) {
    EXPECT_EQ(take("", asked), "") << asked;
  }
}

TEST(NodeState, GivesADeviceOneWayAtATime) {
  EXPECT_EQ(take("gpu0", "gpu0"), "gpu0 is not wholly free");
  EXPECT_EQ(take("gpu0=0.1", "gpu0"), "gpu0 is not wholly free");
  EXPECT_EQ(take("gpu0", "gpu0=0.1"), "gpu0 is held whole");
  EXPECT_EQ(take("", "gpu2"), "gpu2 is in MIG mode: it is given by partitions");
  EXPECT_EQ(take("", "gpu3=0.5"), "gpu3 is in MIG mode: it is given by partitions");
  EXPECT_EQ(take("nic0=vf", "nic0"), "nic0 is not wholly free");
  EXPECT_EQ(take("nic0=vf", "nic0=40G"), "nic0 is held whole or by functions");
  EXPECT_EQ(take("nic0=40G", "nic0=vf"), "nic0 is held whole or by bandwidth");
  EXPECT_EQ(take("nvme0", "nvme0"), "nvme0 is held");
}

TEST(NodeState, CountsSharesToTheirLimits) {
  EXPECT_EQ(take("gpu0=0.6/1Gi", "gpu0=0.4/1Gi@1"), "");
  EXPECT_EQ(take("gpu0=0.6/1Gi", "gpu0=0.401/1Gi@1"), "gpu0 has 400 of 401 thousandths free");
  EXPECT_EQ(take("gpu0=0.1/79Gi", "gpu0=0.1/2Gi@1"),
            text::cat("gpu0 has ", 1LL << 30, " of ", 2LL << 30, " bytes free"));
  EXPECT_EQ(take("gpu0=0.1@0", "gpu0=0.1@0"), "gpu0 slot 0 is held");
  EXPECT_EQ(take("gpu1=0.1 gpu1=0.1", "gpu1=0.1@2"), "gpu1 has no slot 2");
}

TEST(NodeState, CutsPartitionsWhereTheHardwareCan) {
  EXPECT_EQ(take("gpu2=mig:1g.10gb@0", "gpu2=mig:1g.10gb@0"), "gpu2 partition 0 is held");
  EXPECT_EQ(take("", in_slot("gpu2=mig:1g.10gb", 2)),
            "gpu2 partition 2 is a 3g.40gb, not a 1g.10gb");
  EXPECT_EQ(take("gpu3=mig:3g.40gb@0", "gpu3=mig:4g.40gb@0"), "gpu3 slice 0 is held");
  EXPECT_EQ(take("", "gpu3=mig:3g.40gb@2"), "gpu3 a 3g.40gb cannot begin at slice 2");
  // 4 + 3 compute slices are all seven, though memory slices are exactly full as well.
  EXPECT_EQ(take("gpu3=mig:4g.40gb@0 gpu3=mig:2g.20gb@4", "gpu3=mig:2g.20gb@6"),
            "gpu3 a 2g.20gb cannot begin at slice 6");
  EXPECT_EQ(take("gpu3=mig:4g.40gb@0 gpu3=mig:2g.20gb@4", "gpu3=mig:1g.10gb@6"), "");
  EXPECT_EQ(take("gpu3=mig:4g.40gb@0 gpu3=mig:3g.40gb@4", "gpu3=mig:1g.10gb@6"),
            "gpu3 has 0 of 1 compute slices free");
}

TEST(NodeState, CountsFunctionsAndBandwidth) {
  EXPECT_EQ(take("nic0=vf@0", "nic0=vf@0"), "nic0 function 0 is held");
  EXPECT_EQ(take("", in_slot("nic0=vf", 4)), "nic0 has no function 4");
  EXPECT_EQ(take("nic0=300G", "nic0=200G"),
            "nic0 has 100000000000 of 200000000000 bits per second free");
  EXPECT_EQ(take("", "nic1=10G"), "nic1 has a rate that nobody saw");
}

TEST(NodeState, CountsCpusAndMemory) {
  EXPECT_EQ(take("cpus=0,16", "cpus=0-1,16-17"), "cpus 0-1,16-17 are not all free");
  domain::Allocation foreign;
  foreign.cpus = domain::CpuSet::of_range(23, 24);
  EXPECT_EQ(take("", foreign), "cpus 23-24 are not all of this node");
  // 24 CPUs: 2 pinned and 22 counted are all of them.
  EXPECT_EQ(take("cpus=0,16", "cpu=22"), "");
  EXPECT_EQ(take("cpus=0,16", "cpu=22.001"), "cpu needs 22001 and 0 pinned thousandths, has 22000");
  EXPECT_EQ(take("cpu=23", "cpus=1,17"), "cpu needs 0 and 2000 pinned thousandths, has 1000");
  EXPECT_EQ(take("mem=0:60Gi", "mem=0:4Gi"), "");
  EXPECT_EQ(take("mem=0:60Gi", "mem=0:5Gi"),
            text::cat("numa0 has ", 4LL << 30, " of ", 5LL << 30, " bytes free"));
  EXPECT_EQ(take("", "mem=1:1Gi"), text::cat("numa1 has 0 of ", 1LL << 30, " bytes free"));
}

TEST(NodeState, RefusesGrantsThatNameNothing) {
  domain::Allocation nothing;
  nothing.grants.push_back({.device = domain::DeviceIndex{99}});
  EXPECT_EQ(take("", nothing), "device number 99 is not there");
  domain::Allocation wrong;
  wrong.grants.push_back({.device = domain::DeviceIndex{0}, .mode = domain::GrantMode::kVf});
  EXPECT_EQ(take("", wrong), "gpu0 is no NIC");
  domain::Allocation far;
  far.memory.push_back({.numa = 7, .bytes = 1});
  EXPECT_EQ(take("", far), "numa7 is not there");
}

TEST(NodeState, KeepsCordonsWithTheirDevices) {
  const auto document = notation::parse(
      "node a1\n  gpu0\n  gpu1 cordoned=\"x\"\n  nic0 cordoned=\"x\"\n  nic1\n  nvme0\n"
      "  nvme1 cordoned=\"x\"\n",
      "machine");
  ASSERT_TRUE(document.has_value()) << to_text(document.error());
  const auto state = state_of(document->cluster.nodes.at(0), {});
  ASSERT_TRUE(state.has_value());
  EXPECT_FALSE(state->cordoned);
  EXPECT_FALSE(state->gpus.at(0).cordoned);
  EXPECT_TRUE(state->gpus.at(1).cordoned);
  EXPECT_TRUE(state->nics.at(0).cordoned);
  EXPECT_FALSE(state->nics.at(1).cordoned);
  EXPECT_FALSE(state->nvmes.at(0).cordoned);
  EXPECT_TRUE(state->nvmes.at(1).cordoned);
}

// Devices stand as GPUs, NICs, NVMes; a kind and an ordinal name each of them once.
TEST(NodeState, FindsEachDeviceByKindAndOrdinal) {
  const Machine machine;
  const auto state = machine.state();
  ASSERT_TRUE(state.has_value());
  for (std::uint32_t i = 0; i < machine.node().devices.size(); ++i) {
    const auto& device = machine.node().devices[i];
    EXPECT_EQ(index_of(*state->shape, device.kind(), device.ordinal), domain::DeviceIndex{i});
    const std::pair expected{device.kind(), device.ordinal};
    EXPECT_EQ(kind_and_ordinal(*state->shape, domain::DeviceIndex{i}), expected);
  }
}

// A core is free while none of its threads is pinned.
TEST(NodeState, TakesACoreWithAnyOfItsThreads) {
  auto state = Machine("held h on a1: cpus=16\n").state();
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->numa[0].cores_free, (std::vector<int>{1, 2, 3, 4, 5, 6, 7}));
}

TEST(NodeState, NamesTheHolderThatTakesWhatIsHeld) {
  const auto state = Machine("held a on a1: gpu0\nheld b on a1: gpu0\n").state();
  ASSERT_FALSE(state.has_value());
  EXPECT_EQ(state.error().what, "b on a1: gpu0 is not wholly free");
}

// What is found by its key is the state that was meant: the keys of different states differ.
TEST(NodeState, HasAKeyOfItsOwn) {
  std::map<std::string, NodeState> by_key;
  const auto enter = [&](const NodeState& state) {
    std::string key;
    append_key(key, state);
    const auto [known, added] = by_key.emplace(key, state);
    EXPECT_EQ(known->second, state);
    return added;
  };
  const NodeState empty = *Machine().state();
  EXPECT_TRUE(enter(empty));
  EXPECT_FALSE(enter(*Machine().state()));
  for (const auto* held : {"gpu0",
                           "gpu0=0.5",
                           "gpu0=0.5@1",
                           "gpu0=0.5/1Gi",
                           "gpu2=mig:1g.10gb@0",
                           "gpu2=mig:1g.10gb@1",
                           "gpu3=mig:1g.10gb@0",
                           "gpu3=mig:2g@0",
                           "gpu3=mig:1g.20gb@0",
                           "nic0",
                           "nic0=vf@0",
                           "nic0=vf@1",
                           "nic0=100G",
                           "nic0=200G",
                           "nvme0",
                           "cpus=0",
                           "cpus=16",
                           "cpus=1,17",
                           "cpu=2",
                           "mem=0:1Gi"}) {
    EXPECT_TRUE(enter(*Machine(text::cat("held h on a1: ", held, '\n')).state())) << held;
  }
  for (int cordon = 0; cordon < 4; ++cordon) {
    NodeState state = empty;
    if (cordon == 0) state.cordoned = true;
    if (cordon == 1) state.gpus[0].cordoned = true;
    if (cordon == 2) state.nics[0].cordoned = true;
    if (cordon == 3) state.nvmes[0].cordoned = true;
    EXPECT_TRUE(enter(state)) << cordon;
  }
}

// Any order of taking and giving back ends where it began (I25).
TEST(NodeState, ComesBackFromAnyOrderOfHolders) {
  const char* const kPieces[] = {"gpu0",
                                 "gpu0=0.3",
                                 "gpu0=0.7/1Gi",
                                 "gpu1=0.5@0",
                                 "gpu1=0.5@1",
                                 "gpu2=mig:1g.10gb@0",
                                 "gpu2=mig:3g.40gb@2",
                                 "gpu3=mig:1g.10gb@0",
                                 "gpu3=mig:2g@2",
                                 "gpu3=mig:3g.40gb@4",
                                 "nic0=vf@0",
                                 "nic0=vf@2",
                                 "nic0=100G",
                                 "nic0",
                                 "nvme0",
                                 "cpus=0-3,16-19",
                                 "cpus=3-4,19-20",
                                 "cpu=7.5",
                                 "cpu=0.25 mem=0:3Gi",
                                 "mem=0:40Gi cpus=8-11"};
  std::vector<domain::Allocation> pieces;
  for (const auto* piece : kPieces) pieces.push_back(grants(piece));
  const NodeState empty = *Machine().state();
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Prng prng(seed);
    NodeState state = empty;
    std::vector<std::size_t> held;
    for (int step = 0; step < 40; ++step) {
      if (!held.empty() && prng.below(3) == 0) {  // anyone of them, not the last alone
        const auto gone = static_cast<std::size_t>(prng.below(held.size()));
        release(state, pieces[held[gone]]);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(gone));
        continue;
      }
      const auto piece = static_cast<std::size_t>(prng.below(pieces.size()));
      const NodeState unchanged = state;
      if (apply(state, pieces[piece])) {
        held.push_back(piece);
        NodeState undone = state;
        release(undone, pieces[piece]);
        ASSERT_EQ(undone, unchanged) << "seed " << seed << " piece " << kPieces[piece];
      } else {
        ASSERT_EQ(state, unchanged) << "seed " << seed << " piece " << kPieces[piece];
      }
    }
    while (!held.empty()) {
      release(state, pieces[held.back()]);
      held.pop_back();
    }
    ASSERT_EQ(state, empty) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tenon::state
