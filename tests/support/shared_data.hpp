// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The folder of captured machines and traces that stands beside the repository (`../shared/data`).
//
// It is data, not code, and not part of a clone. A test that reads it says which file it wants:
//
//   TEST(Reader, ReadsACapturedMatrix) {
//     TENON_SHARED_DATA_OR_SKIP(path, "topo/nvidia-smi-topo/a100-8gpu.txt");
//     EXPECT_TRUE(read(path));
//   }
//
// Where the whole folder is absent the test is skipped and counted, naming the file; with CI=true in the
// environment it fails instead. A folder that is there without the file is a failure everywhere.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string_view>
#include <vector>

namespace tenon::support {

/// What to do with a test that asks for a file or a folder below the shared data.
enum class SharedData { kHere, kSkip, kFail };

/// What `find` answers for these surroundings; separate so that each case can be tested.
[[nodiscard]] SharedData judge_shared_data(const std::filesystem::path& folder,
                                           std::string_view below, std::string_view ci);

/// Whether `below` ("topo/hwloc") can be read here, by this program's folder and environment.
[[nodiscard]] SharedData find_shared_data(std::string_view below);

[[nodiscard]] std::filesystem::path shared_data_path(std::string_view below);

/// All regular files straight in this folder of the shared data, sorted by name. REQUIRES: it is here.
[[nodiscard]] std::vector<std::filesystem::path> shared_data_files(std::string_view below);

/// A file of the repository itself: source_path("examples/mixed.tn").
[[nodiscard]] std::filesystem::path source_path(std::string_view below);

}  // namespace tenon::support

/// Declares `variable`, the path; leaves the test where the data is absent.
#define TENON_SHARED_DATA_OR_SKIP(variable, below)                                           \
  switch (::tenon::support::find_shared_data(below)) {                                       \
    case ::tenon::support::SharedData::kHere:                                                \
      break;                                                                                 \
    case ::tenon::support::SharedData::kSkip:                                                \
      GTEST_SKIP() << "shared data absent: " << (below);                                     \
    case ::tenon::support::SharedData::kFail:                                                \
      FAIL() << "shared data absent: " << ::tenon::support::shared_data_path(below).string() \
             << "; it stands beside the clone, and CI=true or a present folder demands it";  \
  }                                                                                          \
  [[maybe_unused]] const std::filesystem::path variable = ::tenon::support::shared_data_path(below)
