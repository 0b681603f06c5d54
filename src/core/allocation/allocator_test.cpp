// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/allocator.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/prng.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::allocation {
namespace {

// Two sockets; shares, partitions, functions and drives on the first, NVLink on the second.
const std::string kMachine = R"(
node a1 arch=amd64
  numa0 cpus=0-7,16-23 smt=split mem=64Gi {
    sw0 { gpu0 mem=80Gi gpu1 mem=80Gi mig=dynamic nic0 rate=400G vfs=4 }
    sw1 { gpu2 mem=40Gi slots=2 nic1 rate=200G nvme0 } }
  numa1 cpus=8-15,24-31 smt=split mem=32Gi {
    sw2 { gpu3 mem=80Gi gpu4 mem=80Gi nic2 rate=400G } sw3 { gpu5 mem=80Gi nic3 nvme1 } }
  nvlink NV4 gpu3 gpu4 gpu5
)";

constexpr const char* kRequests[] = {"gpu=1 nic=1 pair<=PIX cores=2 mem=4Gi",
                                     "gpu=2 nvlink=all cores=4 numa=single",
                                     "gpu=0.5",
                                     "gpu=0.25*3 gpu.cards=apart cpu=2",
                                     "mig=1g.10gb*2+2g.20gb gpu.cards=one",
                                     "vf=3 vf.cards=one",
                                     "nic=2 nic.bw=50G",
                                     "nvme=1 gpu=1 nvme<=PIX",
                                     "cores=5 cores.plan=spread mem=40Gi",
                                     "gpu=3 nic=2 pair=2:1<=SYS numa=near-devices cores=3",
                                     "gpu=2 gpus<=PIX nic=1 prefer=mem,gpus",
                                     "cores=6 mem=20Gi numa=none",
                                     "gpu=4 nic=4 pair<=PIX",
                                     "gpu=0"};

state::NodeState machine(const std::string& text) {
  const auto document = notation::parse(text, "machine");
  EXPECT_TRUE(document.has_value()) << to_text(document.error());
  return *state::state_of(document->cluster.nodes.at(0), {});
}

domain::Request request_of(const std::string& text) {
  const auto request = notation::parse_request(text, "request");
  EXPECT_TRUE(request.has_value()) << to_text(request.error());
  return request.value_or(domain::Request{});
}

bool same(const Answer& a, const Answer& b) {
  return a.result == b.result && a.cost == b.cost && a.proven_best == b.proven_best &&
         a.steps == b.steps;
}

// Pods come and go on two machines of one build and one of another; a small memory has to forget.
TEST(Allocator, AnswersWhatTheFunctionAnswers) {
  std::vector<domain::Request> requests;
  for (const auto* text : kRequests) requests.push_back(request_of(text));
  std::string other = kMachine;
  other.replace(other.find("NV4"), 3, "NV2");
  for (const std::size_t answers_max : {std::size_t{7}, std::size_t{512}}) {
    Allocator allocator(answers_max);
    Prng prng(answers_max);
    std::vector<state::NodeState> nodes{machine(kMachine), machine(kMachine), machine(other)};
    struct Held {
      std::size_t node;
      domain::Allocation allocation;
    };
    std::vector<Held> held;
    for (int step = 0; step < 600; ++step) {
      const auto node = static_cast<std::size_t>(prng.below(nodes.size()));
      const auto& request = requests[prng.below(requests.size())];
      const Answer fresh = allocate(nodes[node], request);
      ASSERT_TRUE(same(allocator.allocate(nodes[node], request), fresh)) << step;
      ASSERT_TRUE(same(allocator.allocate(nodes[node], request), fresh)) << step;
      ASSERT_TRUE(fresh.proven_best);
      if (fresh.result) {
        ASSERT_TRUE(state::apply(nodes[node], *fresh.result)) << step;
        held.push_back({node, *fresh.result});
      }
      while (!held.empty() && (!fresh.result || prng.below(2) == 0)) {
        const auto gone = static_cast<std::size_t>(prng.below(held.size()));
        state::release(nodes[held[gone].node], held[gone].allocation);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(gone));
        if (prng.below(2) == 0) break;
      }
    }
    EXPECT_EQ(allocator.counts().asked, 1200);
    EXPECT_GE(allocator.counts().remembered, 600);
  }
}

// Nodes alike share answers, and a changed fact of the hardware does not.
TEST(Allocator, KnowsNodesAlike) {
  Allocator allocator;
  const auto request = request_of("gpu=2 nvlink=all");
  std::string other = kMachine;
  other.replace(other.find("gpu3 gpu4 gpu5\n"), 15, "gpu4 gpu5\n");
  const auto first = allocator.allocate(machine(kMachine), request);
  const auto alike = allocator.allocate(machine(kMachine), request);
  const auto changed = allocator.allocate(machine(other), request);
  EXPECT_EQ(allocator.counts(), (Allocator::Counts{.asked = 3, .remembered = 1}));
  EXPECT_TRUE(same(first, alike));
  EXPECT_NE(first.result->grants, changed.result->grants);
}

TEST(Allocator, SeesWhatAnAdministratorCordons) {
  Allocator allocator;
  auto state = machine(kMachine);
  const auto request = request_of("gpu=1 nic=1 nvme=1");
  const Answer before = allocator.allocate(state, request);
  state.gpus[2].cordoned = true;
  EXPECT_TRUE(same(allocator.allocate(state, request), allocate(state, request)));
  state.nics[1].cordoned = true;
  EXPECT_TRUE(same(allocator.allocate(state, request), allocate(state, request)));
  state.nvmes[0].cordoned = true;
  EXPECT_TRUE(same(allocator.allocate(state, request), allocate(state, request)));
  EXPECT_FALSE(same(before, allocator.allocate(state, request)));
}

// The same question with less work allowed is another question.
TEST(Allocator, KeepsAnswersOfDifferentLimitsApart) {
  Allocator allocator;
  const auto state = machine(kMachine);
  const auto request = request_of("gpu=3 nic=2 cores=3");
  const Answer full = allocator.allocate(state, request);
  const Answer cut = allocator.allocate(state, request, {.steps_max = 3});
  EXPECT_TRUE(full.proven_best);
  EXPECT_FALSE(cut.proven_best);
  EXPECT_TRUE(same(full, allocator.allocate(state, request)));
}

TEST(Allocator, TellsANodeThatIsCordonedFromOneThatIsNot) {
  Allocator allocator;
  auto state = machine(kMachine);
  const auto request = request_of("gpu=1");
  EXPECT_TRUE(allocator.allocate(state, request).result);
  state.cordoned = true;
  EXPECT_EQ(allocator.allocate(state, request).result.error().code,
            domain::RefusalCode::kNodeCordoned);
}

}  // namespace
}  // namespace tenon::allocation
