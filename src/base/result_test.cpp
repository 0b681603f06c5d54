// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "base/result.hpp"

#include <gtest/gtest.h>

namespace tenon {
namespace {

TEST(Error, SaysWhereWhatAndWhatToDo) {
  EXPECT_EQ(to_text({.where = "a.tn:3:7", .what = "unknown key \"cpuz\"", .advice = "try cpus"}),
            "a.tn:3:7: unknown key \"cpuz\"; try cpus");
}

TEST(Error, LeavesOutWhatIsEmpty) {
  EXPECT_EQ(to_text({.what = "no node"}), "no node");
  EXPECT_EQ(to_text({.where = "a.tn", .what = "no node"}), "a.tn: no node");
}

}  // namespace
}  // namespace tenon
