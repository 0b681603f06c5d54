// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "domain/notation/node_draft.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "domain/notation/values.hpp"

namespace tenon::notation {
namespace {

using domain::DeviceIndex;
using domain::PlaceIndex;

void sort_numa(domain::Node& node) {
  std::sort(node.numa.begin(), node.numa.end(),
            [](const auto& a, const auto& b) { return a.os_index < b.os_index; });
}

/// cpu= and mem= of the node line: what the numa lines must add up to, or are made from.
bool settle_totals(Lexer& in, NodeDraft& draft) {
  auto& numa = draft.node.numa;
  if (numa.empty() && (draft.cpu || draft.memory)) {
    auto& only = numa.emplace_back();
    auto& cores = only.cores.emplace();
    const int cpus = draft.cpu.value_or(0);
    if (!in.charge(draft.name_word, static_cast<std::size_t>(cpus) * 2 * sizeof(domain::Core))) {
      return false;
    }
    if (cpus > 0) only.cpus = domain::CpuSet::of_range(0, static_cast<domain::CpuId>(cpus - 1));
    for (const auto id : only.cpus.ids()) cores.push_back({{id}});
  }
  if (draft.cpu) {
    int named = 0;
    for (const auto& node : numa) named += node.cpus.count();
    if (named != *draft.cpu) {
      return in.fail(draft.cpu_word, text::cat(draft.cpu_word, ", but the numa lines name ", named),
                     "mend one of them, or leave cpu= out");
    }
  }
  if (!draft.memory) return true;
  if (draft.numa_memory_said) {
    std::int64_t left = *draft.memory;
    for (const auto& node : numa) left -= std::min(left + 1, node.memory_bytes.value_or(0));
    return left == 0 || in.fail(draft.memory_word,
                                text::cat(draft.memory_word, " is not the sum of the numa lines"),
                                "mend one of them, or leave mem= on the node out");
  }
  std::vector<domain::NumaNode*> having;
  for (auto& node : numa) {
    if (!node.cpus.empty()) having.push_back(&node);
  }
  if (having.empty()) having.push_back(&numa.front());
  const auto parts = static_cast<std::int64_t>(having.size());
  for (auto* node : having) node->memory_bytes = *draft.memory / parts;
  *having.front()->memory_bytes += *draft.memory % parts;
  return true;
}

bool settle_devices(Lexer& in, NodeDraft& draft) {
  for (std::size_t i = 0; i < draft.node.devices.size(); ++i) {
    const auto& device = draft.node.devices[i];
    const auto seen = draft.ordinals_seen[static_cast<std::size_t>(device.kind())];
    for (int below = 0; below < device.ordinal; ++below) {
      if ((seen >> static_cast<unsigned>(below) & 1U) == 0) {
        const auto kind = to_text(device.kind());
        return in.fail(draft.device_words[i],
                       text::cat(to_text(device), ", but there is no ", kind, below),
                       "number the devices of a kind from 0 without a gap");
      }
    }
  }
  std::sort(draft.node.devices.begin(), draft.node.devices.end(), [](const auto& a, const auto& b) {
    return std::tuple{a.kind(), a.ordinal} < std::tuple{b.kind(), b.ordinal};
  });
  return true;
}

/// Trees in the order of their NUMA nodes, those without one last; parents before what hangs under
/// them. It is the order in which they are written, so that reading that gives the same value.
void order_places(domain::Node& node) {
  const auto rank = [&](std::size_t place) {
    const auto numa = node.places[place].numa;
    const auto at = std::find_if(node.numa.begin(), node.numa.end(),
                                 [&](const auto& known) { return known.os_index == numa; });
    return at - node.numa.begin();
  };
  const std::size_t size = node.places.size();
  // As they were read, a tree is one run of places, its top first: sorting the tops is enough.
  std::vector<std::pair<std::ptrdiff_t, std::size_t>> order(size);
  for (std::size_t i = 0; i < size; ++i) {
    const auto& parent = node.places[i].parent;
    order[i] = {parent ? order[static_cast<std::size_t>(*parent)].first : rank(i), i};
  }
  std::sort(order.begin(), order.end());

  std::vector<PlaceIndex> moved(size);
  std::vector<domain::Place> places;
  for (const auto& [_, from] : order) {
    moved[from] = static_cast<PlaceIndex>(places.size());
    places.push_back(std::move(node.places[from]));
    auto& parent = places.back().parent;
    if (parent) parent = moved[static_cast<std::size_t>(*parent)];
  }
  node.places = std::move(places);
  for (auto& device : node.devices) {
    if (device.place) device.place = moved[static_cast<std::size_t>(*device.place)];
  }
}

bool settle_nvlinks(Lexer& in, NodeDraft& draft) {
  auto& facts = draft.node.nvlinks;
  std::set<std::pair<DeviceIndex, DeviceIndex>> said;
  for (const auto& line : draft.nvlinks) {
    std::vector<DeviceIndex> gpus;
    for (const auto& [ordinal, word] : line.gpus) {
      const auto gpu = find_device(draft.node, domain::DeviceKind::kGpu, ordinal);
      if (!gpu) return in.fail(word, text::cat("there is no ", word, " on this node"));
      if (std::find(gpus.begin(), gpus.end(), *gpu) != gpus.end()) {
        return in.fail(word, text::cat(word, " stands twice"));
      }
      gpus.push_back(*gpu);
    }
    for (const auto from : gpus) {
      for (const auto to : gpus) {
        if (from == to || (line.one_way && from != gpus.front())) continue;
        if (!said.emplace(from, to).second) {
          return in.fail(line.word, "these links were stated before", "state each pair once");
        }
        facts.push_back({from, to, line.links});
      }
    }
  }
  std::sort(facts.begin(), facts.end(), [](const auto& a, const auto& b) {
    return std::pair{a.from, a.to} < std::pair{b.from, b.to};
  });
  return in.charge(draft.name_word, facts.size() * sizeof(domain::NvlinkFact));
}

bool settle_matrix(Lexer& in, NodeDraft& draft) {
  if (!draft.matrix) return true;
  auto& matrix = draft.node.matrix.emplace();
  for (const auto word : draft.matrix->header) {
    const auto name = device_name(word);
    const auto device = name ? find_device(draft.node, name->kind, name->ordinal) : std::nullopt;
    if (!device) {
      return in.fail(word, text::cat("there is no ", text::quoted(word), " on this node"),
                     "name the devices of the matrix on the node, above or below");
    }
    if (std::find(matrix.header.begin(), matrix.header.end(), *device) != matrix.header.end()) {
      return in.fail(word, text::cat(word, " stands twice"));
    }
    matrix.header.push_back(*device);
  }
  matrix.cells = std::move(draft.matrix->cells);
  return true;
}

}  // namespace

bool finish(Lexer& in, NodeDraft& draft, domain::Node& out) {
  sort_numa(draft.node);
  if (!settle_totals(in, draft) || !settle_devices(in, draft)) return false;
  order_places(draft.node);
  if (!settle_nvlinks(in, draft) || !settle_matrix(in, draft)) return false;
  out = std::move(draft.node);
  return true;
}

}  // namespace tenon::notation
