// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/tenon.hpp"

#include <gtest/gtest.h>

namespace tenon::formats::topology {
namespace {

TEST(TenonReader, RecognisesTheFirstStatement) {
  EXPECT_TRUE(tenon_recognises("node a1\n"));
  EXPECT_TRUE(tenon_recognises("\xEF\xBB\xBF# a comment\r\n\r\n  held x on a1: gpu0\n"));
  EXPECT_FALSE(tenon_recognises(""));
  EXPECT_FALSE(tenon_recognises("# nothing else"));
  EXPECT_FALSE(tenon_recognises("nodes:\n"));
  EXPECT_FALSE(tenon_recognises("<node/>"));
}

TEST(TenonReader, ReadsMachinesAndHoldersOfAllTexts) {
  const std::vector<Source> sources{
      {"a.tn", "node a1\n  numa0 cpus=0-3 { gpu0 }\nheld x on a1: gpu0\n"},
      {"b.tn", "node b1\n  numa0 cpus=0-3\npod p gpu=1\n"}};
  const auto machines = tenon_read(sources);
  ASSERT_TRUE(machines.has_value()) << to_text(machines.error());
  ASSERT_EQ(machines->cluster.nodes.size(), 2U);
  EXPECT_EQ(machines->cluster.nodes[1].name, "b1");
  ASSERT_EQ(machines->cluster.holders.size(), 1U);
  EXPECT_EQ(machines->warnings, std::vector<std::string>{
                                    "b.tn: requests and expected plans are no machines: left out"});
}

TEST(TenonReader, NamesTheTextThatIsWrong) {
  const std::vector<Source> sources{{"a.tn", "node a1\n  numa0 cpus=0-3 { gpu0 }\n"},
                                    {"b.tn", "node\n"}};
  const auto machines = tenon_read(sources);
  ASSERT_FALSE(machines.has_value());
  EXPECT_TRUE(machines.error().where.starts_with("b.tn:1:")) << machines.error().where;
}

}  // namespace
}  // namespace tenon::formats::topology
