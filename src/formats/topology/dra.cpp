// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/dra.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "formats/topology/dra_node.hpp"
#include "formats/topology/dra_slice.hpp"
#include "formats/topology/structured.hpp"

namespace tenon::formats::topology {
namespace {

using Pool = std::tuple<std::string, std::string, std::string>;  // node, driver, pool

Pool pool_of(const DraSlice& slice) { return {slice.node, slice.driver, slice.pool}; }

/// A driver writes all slices of a pool anew with the next generation; what is older is on its way
/// out.
void drop_old_generations(std::vector<DraSlice>& slices, std::vector<std::string>& warnings) {
  std::map<Pool, std::uint64_t> newest;
  for (const DraSlice& slice : slices) {
    std::uint64_t& generation = newest[pool_of(slice)];
    generation = std::max(generation, slice.generation);
  }
  std::erase_if(slices, [&](const DraSlice& slice) {
    const std::uint64_t generation = newest.at(pool_of(slice));
    if (slice.generation == generation) return false;
    warnings.push_back(text::cat(slice.where, ": of generation ", slice.generation,
                                 ", while the pool has ", generation, ": left out"));
    return true;
  });
}

void warn_of_incomplete_pools(const std::vector<DraSlice>& slices,
                              std::vector<std::string>& warnings) {
  std::map<Pool, std::pair<std::uint64_t, std::uint64_t>> counts;  // seen, said
  for (const DraSlice& slice : slices) {
    auto& [seen, said] = counts[pool_of(slice)];
    ++seen;
    said = std::max(said, slice.slices_of_pool);
  }
  for (const auto& [pool, count] : counts) {
    if (count.first >= count.second) continue;
    warnings.push_back(text::cat("node ", std::get<0>(pool), ": of pool ", std::get<2>(pool),
                                 " of ", std::get<1>(pool), " only ", count.first, " of ",
                                 count.second, " slices are here"));
  }
}

}  // namespace

bool dra_recognises(std::string_view bytes) {
  constexpr std::string_view kKind = "kind";
  for (auto at = bytes.find(kKind); at != std::string_view::npos; at = bytes.find(kKind, at + 1)) {
    const auto value = bytes.find_first_not_of("\"': \t", at + kKind.size());
    if (value != std::string_view::npos && bytes.substr(value).starts_with("ResourceSlice")) {
      return true;
    }
  }
  return false;
}

Result<Machines> dra_read(std::span<const Source> sources) {
  Machines machines;
  std::vector<DraSlice> slices;
  for (const Source& source : sources) {
    const auto documents = parse_structured(source);
    if (!documents) return std::unexpected(documents.error());
    auto done = collect_slices(*documents, source.name, slices, machines.warnings);
    if (!done) return std::unexpected(done.error());
  }
  if (slices.empty()) {
    return std::unexpected(Error{ErrorKind::kUnsupported, sources.empty() ? "" : sources[0].name,
                                 "holds no ResourceSlice of a node",
                                 "give what kubectl get resourceslices -o yaml prints"});
  }
  drop_old_generations(slices, machines.warnings);
  warn_of_incomplete_pools(slices, machines.warnings);
  std::ranges::stable_sort(slices, {}, pool_of);
  std::map<std::string, std::vector<const DraSlice*>> by_node;
  for (const DraSlice& slice : slices) by_node[slice.node].push_back(&slice);
  for (const auto& [name, of_node] : by_node) {
    auto node = node_of_slices(name, of_node, machines.warnings);
    if (!node) return std::unexpected(node.error());
    machines.cluster.nodes.push_back(std::move(*node));
  }
  return machines;
}

}  // namespace tenon::formats::topology
