// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "support/shared_data.hpp"

#include <gtest/gtest.h>

namespace tenon::support {
namespace {

// The repository's own tests/ folder stands in for the shared one.
TEST(SharedData, AFileThatIsThereIsUsed) {
  EXPECT_EQ(judge_shared_data(source_path("tests"), "support/shared_data.hpp", ""),
            SharedData::kHere);
}

TEST(SharedData, WithoutTheFolderATestIsSkipped) {
  EXPECT_EQ(judge_shared_data(source_path("no-such-folder"), "topo", ""), SharedData::kSkip);
}

TEST(SharedData, WithoutTheFolderATestFailsInCi) {
  EXPECT_EQ(judge_shared_data(source_path("no-such-folder"), "topo", "true"), SharedData::kFail);
}

TEST(SharedData, AFolderWithoutTheFileIsAFailureEverywhere) {
  EXPECT_EQ(judge_shared_data(source_path("tests"), "no-such-file", ""), SharedData::kFail);
}

TEST(SharedData, TheFolderBesideTheCloneIsRead) {
  TENON_SHARED_DATA_OR_SKIP(path, "topo");
  EXPECT_TRUE(std::filesystem::is_directory(path));
}

}  // namespace
}  // namespace tenon::support
