// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "support/shared_data.hpp"

#include <algorithm>
#include <cstdlib>

namespace tenon::support {

namespace fs = std::filesystem;

SharedData judge_shared_data(const fs::path& folder, std::string_view below, std::string_view ci) {
  std::error_code unreadable;
  if (fs::exists(folder / below, unreadable)) return SharedData::kHere;
  if (ci == "true") return SharedData::kFail;
  return fs::is_directory(folder, unreadable) ? SharedData::kFail : SharedData::kSkip;
}

SharedData find_shared_data(std::string_view below) {
  const char* ci = std::getenv("CI");
  return judge_shared_data(TENON_SHARED_DATA, below, ci == nullptr ? "" : ci);
}

fs::path shared_data_path(std::string_view below) { return fs::path(TENON_SHARED_DATA) / below; }

std::vector<fs::path> shared_data_files(std::string_view below) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(shared_data_path(below))) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

fs::path source_path(std::string_view below) { return fs::path(TENON_SOURCE_DIR) / below; }

}  // namespace tenon::support
