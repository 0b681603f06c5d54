// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Runs a fuzz target over kept inputs, without libFuzzer: the corpus as an ordinary test.
//
// Arguments are files and folders (read recursively, in sorted order). Every input must come back; a crash
// names the input that was running. No input at all is a failure, so that a lost corpus is seen.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> inputs_below(const fs::path& path) {
  std::vector<fs::path> inputs;
  if (!fs::is_directory(path)) return {path};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) inputs.push_back(entry.path());
  }
  std::ranges::sort(inputs);
  return inputs;
}

/// The input in a block of exactly its size, so that a read past its end is seen by the sanitizer.
bool run_one(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    return false;
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::vector<std::uint8_t> bytes(text.begin(), text.end());
  std::fprintf(stderr, "%s\n", path.c_str());
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  int ran = 0;
  for (int i = 1; i < count; ++i) {
    for (const fs::path& path : inputs_below(arguments[i])) {
      if (!run_one(path)) return 1;
      ++ran;
    }
  }
  std::fprintf(stderr, "%d inputs\n", ran);
  return ran > 0 ? 0 : 1;
}
