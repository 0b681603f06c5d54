// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "oracle/real.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "formats/topology/reader.hpp"
#include "support/shared_data.hpp"

namespace tenon::oracle {

namespace {

std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::vector<RealNode> real_nodes() {
  std::vector<RealNode> nodes;
  for (const auto* kind : {"nvidia-smi-topo", "nccl-xml", "hwloc", "dra-resourceslices"}) {
    const auto folder = support::shared_data_path(std::string{"topo/"} + kind);
    if (!std::filesystem::exists(folder)) return {};
    for (const auto& path : files_below(folder)) {
      std::ifstream in(path, std::ios::binary);
      const formats::topology::Source source{
          path.filename().string(),
          std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>())};
      const auto machines = formats::topology::read({&source, 1}, "auto");
      if (!machines) continue;  // which files are refused, and why, is the readers' own test
      for (const auto& node : machines->cluster.nodes) {
        if (!node.devices.empty()) nodes.push_back({std::string{kind} + "/" + source.name, node});
      }
    }
  }
  return nodes;
}

}  // namespace tenon::oracle
