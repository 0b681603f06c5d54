// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A node while it is read: what can only be settled at its end stays with the word that said it.
//
// Private to this module.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/node.hpp"
#include "domain/notation/lexer.hpp"

namespace tenon::notation {

struct NvlinkLine {
  std::string_view word;
  std::uint8_t links = 0;
  bool one_way = false;
  std::vector<std::pair<int, std::string_view>> gpus;
};

struct MatrixDraft {
  std::string_view word;
  std::vector<std::string_view> header;
  std::vector<domain::Link> cells;
};

struct NodeDraft {
  domain::Node node;
  std::string_view name_word;

  std::optional<int> cpu;
  std::string_view cpu_word;
  std::optional<std::int64_t> memory;
  std::string_view memory_word;
  bool numa_memory_said = false;  // "mem=?" on a numa line says something too

  std::set<std::string_view> place_names;
  std::vector<std::string_view> device_words;    // as node.devices
  std::array<std::uint64_t, 3> ordinals_seen{};  // a bit each, by kind
  std::vector<NvlinkLine> nvlinks;
  std::optional<MatrixDraft> matrix;

  [[nodiscard]] const domain::NumaNode* find_numa(int os_index) const {
    for (const auto& numa : node.numa) {
      if (numa.os_index == os_index) return &numa;
    }
    return nullptr;
  }
};

/// Where in the PCI tree something stands.
struct Spot {
  std::optional<domain::PlaceIndex> parent;  // nothing: straight inside numaK, or on the node
  std::optional<int> numa;                   // of the braces around
  int depth = 0;
};

/// `{ … }` of bridges, ports, switches and devices. REQUIRES: the next token is `{`.
bool read_block(Lexer& in, Spot inside, NodeDraft& draft);
/// One of these with its facts and braces. REQUIRES: the next token is a word.
bool read_tree_item(Lexer& in, Spot at, NodeDraft& draft);

/// Orders devices, places and NUMA nodes, resolves names, and checks what the lines say together.
bool finish(Lexer& in, NodeDraft& draft, domain::Node& out);

}  // namespace tenon::notation
