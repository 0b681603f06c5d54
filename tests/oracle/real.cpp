// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "oracle/real.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.hpp"
#include "formats/topology/reader.hpp"
#include "shell/host/host.hpp"
#include "support/shared_data.hpp"

namespace tenon::oracle {

namespace {

namespace fs = std::filesystem;
using domain::Node;

/// How the files of a source become machines.
enum class Reading : std::uint8_t {
  kEach,      // a file, a machine; a file in .tar.gz is a captured tree
  kTogether,  // all files at once: several may tell of one machine
};
struct SourceFolder {
  std::string_view name;
  Reading reading;
};
constexpr std::array<SourceFolder, 5> kSources{{{"nvidia-smi-topo", Reading::kEach},
                                                {"nccl-xml", Reading::kEach},
                                                {"hwloc", Reading::kEach},
                                                {"hwloc-sysfs", Reading::kEach},
                                                {"dra-resourceslices", Reading::kTogether}}};

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

formats::topology::Source text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {path.filename().string(), {std::istreambuf_iterator<char>(in), {}}};
}

// Which files are refused, and why, is the readers' own test: here they give no machine.

std::vector<Node> machines_in(const std::vector<formats::topology::Source>& texts) {
  auto machines = formats::topology::read(texts, "auto");
  return machines ? std::move(machines->cluster.nodes) : std::vector<Node>{};
}

std::vector<Node> machines_in(const fs::path& path) {
  if (path.extension() != ".gz") return machines_in(std::vector{text_of(path)});
  auto captured = host::read_archive(path.string());
  return captured ? std::vector{std::move(captured->node)} : std::vector<Node>{};
}

}  // namespace

std::vector<RealNode> real_nodes() {
  std::vector<RealNode> nodes;
  for (const auto& source : kSources) {
    const auto folder = support::shared_data_path(text::cat("topo/", source.name));
    if (!fs::exists(folder)) return {};
    const auto add = [&](const std::string& file, const std::vector<Node>& machines) {
      for (const auto& node : machines) {
        if (!node.devices.empty()) nodes.push_back({source.name, file, node});
      }
    };
    std::vector<formats::topology::Source> together;
    for (const auto& path : files_below(folder)) {
      if (source.reading == Reading::kTogether) {
        together.push_back(text_of(path));
      } else {
        add(path.lexically_relative(folder).string(), machines_in(path));
      }
    }
    if (source.reading == Reading::kTogether) add("", machines_in(together));
  }
  return nodes;
}

std::string to_text(const std::vector<RealNode>& nodes) {
  std::string list;
  for (const auto& source : kSources) {
    const auto count = std::ranges::count(nodes, source.name, &RealNode::source);
    list += text::cat(list.empty() ? "" : ", ", source.name, " ", count);
  }
  return text::cat(nodes.size(), " captured machines (", list, ")");
}

std::vector<Node> nodes_of(const std::vector<RealNode>& nodes) {
  std::vector<Node> alone;
  for (const auto& real : nodes) alone.push_back(real.node);
  return alone;
}

}  // namespace tenon::oracle
