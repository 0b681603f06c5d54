// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "views/level_words.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.hpp"
#include "core/topology/shape.hpp"
#include "domain/distance.hpp"
#include "domain/node.hpp"
#include "domain/quantity.hpp"

namespace tenon::views {
namespace {

using allocation::Level;
using Values = std::vector<std::int64_t>;

std::int64_t value(const Values& values, std::size_t at) {
  return at < values.size() ? values[at] : 0;
}

std::string rank_word(std::int64_t rank) {
  if (rank < 0 || rank >= topology::kRankUnknown) return "not known";
  return std::string(to_text(static_cast<domain::Distance>(rank)));
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return count == 0 ? text::cat("no ", one) : text::cat(count, " ", count == 1 ? one : many);
}

std::string pair_words(const Values& v) {
  if (value(v, 0) == 0) return "";
  return text::cat("worst GPU-NIC distance ", rank_word(value(v, 0)));
}

std::string gpus_words(const Values& v) {
  if (value(v, 2) == 0) return "";  // fewer than two GPUs
  const std::int64_t links = domain::kNvlinksMax - value(v, 0);
  const std::string farthest = text::cat("farthest two GPUs ", rank_word(value(v, 2)));
  if (links <= 0) return text::cat("not every two GPUs have NVLink, ", farthest);
  return text::cat("every two GPUs have ", counted(links, "NVLink", "NVLinks"), " or more",
                   value(v, 2) >= topology::kRankUnknown ? "" : text::cat(", ", farthest));
}

std::string numa_words(const Values& v) {
  if (value(v, 0) == 0) return "no core is on another NUMA node than a device";
  return text::cat(value(v, 0), " times a core is on another NUMA node than a device");
}

std::string memory_words(const Values& v) {
  if (value(v, 1) == 0) return "";
  std::string nodes = text::cat("memory from ", counted(value(v, 1), "NUMA node", "NUMA nodes"));
  if (value(v, 0) == 0) return nodes;
  return text::cat(nodes, ", ", domain::bytes_to_text(value(v, 0)),
                   " of it away from cores or devices");
}

std::string nvme_words(const Values& v) {
  if (value(v, 0) == 0) return "";
  return text::cat("worst NVMe-GPU distance ", rank_word(value(v, 0)));
}

struct Words {
  std::string_view level;
  std::string (*say)(const Values&);
};
constexpr std::array<Words, 11> kWords{{
    {"core-nodes",
     [](const Values& v) {
       return value(v, 0) == 0
                  ? std::string()
                  : text::cat("cores on ", counted(value(v, 0), "NUMA node", "NUMA nodes"));
     }},
    {"gpus", gpus_words},
    {"gpus-broken",
     [](const Values& v) {
       return text::cat("takes from ", counted(value(v, 0), "free GPU", "free GPUs"));
     }},
    {"memory", memory_words},
    {"nics-broken",
     [](const Values& v) {
       return text::cat("takes from ", counted(value(v, 0), "free NIC", "free NICs"));
     }},
    {"numa", numa_words},
    {"numa-nodes",
     [](const Values& v) {
       return text::cat("breaks ", counted(value(v, 0), "intact NUMA node", "intact NUMA nodes"));
     }},
    {"nvlink-groups",
     [](const Values& v) {
       return text::cat("breaks ",
                        counted(value(v, 0), "intact NVLink group", "intact NVLink groups"));
     }},
    {"nvme", nvme_words},
    {"pair", pair_words},
    {"switches",
     [](const Values& v) {
       return text::cat("breaks ", counted(value(v, 0), "intact switch", "intact switches"));
     }},
}};

}  // namespace

std::string level_words(const Level& level) {
  const auto found = std::ranges::find(kWords, level.name, &Words::level);
  return found == kWords.end() ? "" : found->say(level.values);
}

}  // namespace tenon::views
