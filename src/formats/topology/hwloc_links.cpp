// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/hwloc_links.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "domain/node.hpp"

namespace tenon::formats::topology {
namespace {

constexpr std::size_t kObjectsMax = 256;

using Handles = std::vector<std::optional<NodeBuilder::Handle>>;

/// The words of all children of that name, at most `most` of them.
std::vector<std::string_view> words_of(pugi::xml_node matrix, const char* name, std::size_t most) {
  std::vector<std::string_view> words;
  for (const auto part : matrix.children(name)) {
    std::string_view rest = part.child_value();
    while (words.size() <= most) {
      constexpr std::string_view kBlanks = " \t\r\n";
      const auto begin = rest.find_first_not_of(kBlanks);
      if (begin == std::string_view::npos) break;
      rest.remove_prefix(begin);
      const auto end = std::min(rest.find_first_of(kBlanks), rest.size());
      words.push_back(rest.substr(0, end));
      rest.remove_prefix(end);
    }
  }
  return words;
}

struct Bandwidths {
  std::vector<std::string> objects;
  std::vector<std::uint64_t> values;  // row by row

  [[nodiscard]] std::uint64_t at(std::size_t row, std::size_t column) const {
    return values[row * objects.size() + column];
  }
};

Result<Bandwidths> parse(const HwlocFile& file, pugi::xml_node matrix) {
  const auto number = text::to_u64(attribute_or_empty(matrix, "nbobjs"));
  if (!number || *number > kObjectsMax) {
    return bad_input(
        file.xml.where(matrix),
        text::cat("a matrix of ", text::quoted(attribute_or_empty(matrix, "nbobjs")), " objects"),
        text::cat("a number up to ", kObjectsMax, " is expected"));
  }
  const auto size = static_cast<std::size_t>(*number);
  const auto names = words_of(matrix, "indexes", size);
  const auto numbers = words_of(matrix, "u64values", size * size);
  if (names.size() != size || numbers.size() != size * size) {
    return bad_input(file.xml.where(matrix),
                     text::cat("a matrix of ", size, " objects has ", names.size(), " names and ",
                               numbers.size(), " values"),
                     "give the whole file; it may have been cut");
  }
  Bandwidths bandwidths;
  // A matrix of one type writes bare numbers; of a mixed one each has its type in front.
  const std::string_view type = attribute_or_empty(matrix, "type");
  for (const std::string_view name : names) {
    bandwidths.objects.push_back(type.empty() ? std::string{name} : text::cat(type, ":", name));
  }
  for (const std::string_view value : numbers) {
    bandwidths.values.push_back(text::to_u64(value).value_or(0));
  }
  return bandwidths;
}

/// Bandwidth of one link in MB/s, by which all are whole numbers of links; 0 where there is none.
std::uint64_t link_bandwidth(const Bandwidths& bandwidths) {
  for (const std::uint64_t link : {std::uint64_t{25'000}, std::uint64_t{20'000}}) {
    bool all = true;
    for (std::size_t row = 0; row < bandwidths.objects.size(); ++row) {
      for (std::size_t column = 0; column < bandwidths.objects.size(); ++column) {
        all = all && (row == column || bandwidths.at(row, column) % link == 0);
      }
    }
    if (all) return link;
  }
  return 0;
}

void add_links(const Bandwidths& bandwidths, std::uint64_t link, const Handles& gpus,
               const std::vector<bool>& is_switch, NodeBuilder& builder) {
  const std::size_t size = gpus.size();
  const auto links = [&](std::size_t row, std::size_t column) {
    constexpr std::uint64_t kLinksMax = domain::kNvlinksMax;
    return static_cast<unsigned>(std::min(kLinksMax, bandwidths.at(row, column) / link));
  };
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) {
      if (!gpus[a] || !gpus[b] || gpus[a] == gpus[b]) continue;
      unsigned sum = links(a, b);
      for (std::size_t s = 0; s < size; ++s) {
        if (is_switch[s]) sum += std::min(links(a, s), links(b, s));
      }
      if (sum > 0) builder.add_nvlinks(*gpus[a], *gpus[b], sum);
    }
  }
}

}  // namespace

Result<void> hwloc_read_links(const HwlocFile& file,
                              const std::map<std::string, NodeBuilder::Handle>& gpus,
                              NodeBuilder& builder) {
  bool read = false;
  for (const auto matrix : file.xml.root().children()) {
    const std::string_view kind = matrix.name();
    if (kind != "distances2" && kind != "distances2hetero") continue;
    if (attribute_or_empty(matrix, "name") != "NVLinkBandwidth") continue;
    if (read) {
      file.warn(matrix, "a second matrix of NVLinks is left out");
      continue;
    }
    read = true;
    const auto bandwidths = parse(file, matrix);
    if (!bandwidths) return std::unexpected(bandwidths.error());
    const std::uint64_t link = link_bandwidth(*bandwidths);
    if (link == 0) {
      file.warn(matrix, "NVLinks of a bandwidth that is not known: how many they are is not known");
      continue;
    }
    Handles handles;
    std::vector<bool> is_switch;
    for (const std::string& object : bandwidths->objects) {
      const auto gpu = gpus.find(object);
      std::optional<NodeBuilder::Handle> handle;
      if (gpu != gpus.end()) handle = gpu->second;
      const bool known = std::ranges::find(handles, handle) != handles.end();
      handles.push_back(known ? std::nullopt : handle);  // one GPU may have several names
      is_switch.push_back(gpu == gpus.end() && object.starts_with("PCIDev:"));
    }
    add_links(*bandwidths, link, handles, is_switch, builder);
  }
  return {};
}

}  // namespace tenon::formats::topology
