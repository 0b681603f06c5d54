// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/allocate.hpp"

#include <gtest/gtest.h>

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
}

TEST(Allocate, RefusesWithWhatIsMissing) {
  EXPECT_EQ(place(kMixed, "gpu=8 nic=8 pair<=PIX"), "refused: nic-count nic needs 8 has 4");
  EXPECT_EQ(place(kMixed, "gpu=4 numa=single cores=64"),
            "refused: numa numa0 has 48 free cores of 64 asked");
  EXPECT_EQ(place(kMixed + "held x on a1: nic1\n", "gpu=8 nic=3 pair=3:1<=PIX"),
            "refused: pair nearest free NIC of gpu2 is nic0, NODE away");
  EXPECT_EQ(place(kMixed, "gpu=3 gpus<=PIX"),
            "refused: gpu-distance largest group of free GPUs within PIX is 2 (gpu0 gpu1), "
            "needs 3");
}

}  // namespace
}  // namespace tenon::allocation
