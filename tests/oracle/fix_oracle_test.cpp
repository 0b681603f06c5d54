// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The planner's oracle itself, on cases worked out by hand.

#include "oracle/fix_oracle.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::oracle {
namespace {

using domain::DeviceIndex;
using domain::DeviceKind;

Case case_of(std::string_view text) {
  const auto document = notation::parse(text, "case");
  if (!document) {
    ADD_FAILURE() << to_text(document.error());
    return {};
  }
  return {document->cluster.nodes.at(0), document->cluster.holders,
          document->requests.at(0).request};
}

/// "nic beside gpu0 gpu1"
std::string added(std::string_view text) {
  const Case c = case_of(text);
  const auto addition = fewest_additions(c);
  if (!addition) return "nothing";
  std::string out = text::cat(domain::to_text(addition->kind), " beside");
  for (const auto beside : addition->beside) {
    out += text::cat(" ", domain::to_text(c.node.devices.at(static_cast<std::size_t>(beside))));
  }
  return out;
}

TEST(FewestAdditions, StandWhereTheyAreNeeded) {
  EXPECT_EQ(added("node a1\n numa0 cpus=0-7 { sw0 { gpu0 } }\npod p gpu=1 nic=1 pair<=PIX"),
            "nic beside gpu0");
  EXPECT_EQ(added("node a1\n numa0 cpus=0-7 { bridge0 { sw0 { gpu0 } sw1 { gpu1 nic0 } } }\n"
                  "pod p gpu=2 nic=2 pair<=PIX"),
            "nic beside gpu0");
  EXPECT_EQ(added("node a1\n numa0 cpus=0-7 { sw0 { gpu0 } sw1 { nvme0 } }\n"
                  "pod p gpu=1 nvme=2 nvme<=PIX"),
            "nvme beside gpu0 gpu0");
  EXPECT_EQ(added("node a1\n numa0 cpus=0-7 { sw0 { gpu0 nic0 } }\npod p gpu=2 nic=1"),
            "gpu beside gpu0");
}

TEST(FewestAdditions, AreNoneWhereNothingHelps) {
  EXPECT_EQ(added("node a1\n numa0 cpus=0-7 { nic0 }\npod p gpu=1"), "nothing");
  EXPECT_EQ(added("node a1\n numa0 cpus=0-7 { gpu0 nic0 }\npod p gpu=2 cores=9"), "nothing");
  EXPECT_EQ(added("node a1\n numa0 cpus=0-7 { gpu0 }\npod p nic=9"), "nothing")
      << "more than eight";
}

// A GPU beside one on an NVLink switch has its links; beside one on a bridge to a single other, none.
//   gpu0 ═18═ gpu1 ═18═ gpu2 ═18═ gpu0        gpu0 ═4═ gpu1   gpu2
TEST(Grown, HasTheNvlinksOfASwitchOnly) {
  const Addition beside_the_first{.kind = DeviceKind::kGpu,
                                  .beside = {DeviceIndex{0}, DeviceIndex{0}}};
  const Case on_a_switch =
      case_of("node a1\n numa0 cpus=0-7 { gpu0 gpu1 gpu2 }\n nvlink NV18 gpu0 gpu1 gpu2\npod p");
  const std::vector<std::vector<int>> all_joined{{0, 18, 18, 18, 18},
                                                 {18, 0, 18, 18, 18},
                                                 {18, 18, 0, 18, 18},
                                                 {18, 18, 18, 0, 18},
                                                 {18, 18, 18, 18, 0}};
  EXPECT_EQ(grown(on_a_switch, beside_the_first).nvlinks, all_joined);
  const Case on_a_bridge =
      case_of("node a1\n numa0 cpus=0-7 { gpu0 gpu1 gpu2 }\n nvlink NV4 gpu0 gpu1\npod p");
  const std::vector<std::vector<int>> one_pair{
      {0, 4, 0, 0, 0}, {4, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}};
  EXPECT_EQ(grown(on_a_bridge, beside_the_first).nvlinks, one_pair);
}

// gpu0 hangs under a switch, gpu1 straight under the bridge.
TEST(Grown, IsAsNearAsTheOneBesideIt) {
  const Case c = case_of(
      "node a1\n numa0 cpus=0-7 { bridge0 { port0 { sw0 { gpu0 } } gpu1 nic0 } }\npod p nic=1");
  const auto s = grown(c, {.kind = DeviceKind::kNic, .beside = {DeviceIndex{0}, DeviceIndex{1}}});
  const auto pix = static_cast<int>(domain::Distance::kPix);
  const auto phb = static_cast<int>(domain::Distance::kPhb);
  const std::vector<std::vector<int>> expected{{phb, pix, phb}, {phb, phb, phb}};
  EXPECT_EQ(s.gpu_nic, expected);
}

}  // namespace
}  // namespace tenon::oracle
