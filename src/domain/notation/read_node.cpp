// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "domain/notation/node_draft.hpp"
#include "domain/notation/read.hpp"
#include "domain/notation/values.hpp"

namespace tenon::notation {
namespace {

enum class Smt : std::uint8_t { kOne, kSplit, kAdjacent, kNotKnown, kListed };

/// What stands on a numa line before it becomes a NumaNode.
struct NumaFacts {
  Smt smt = Smt::kOne;
  std::string_view smt_word;
  std::string_view cores;
};

void sort_cores(std::vector<domain::Core>& cores) {
  std::sort(cores.begin(), cores.end(), [](const domain::Core& a, const domain::Core& b) {
    return a.threads.front() < b.threads.front();
  });
}

/// "0+48,1+49,2": every CPU of the NUMA node exactly once.
bool read_cores(Lexer& in, std::string_view list, const domain::CpuSet& cpus,
                std::vector<domain::Core>& out) {
  std::vector<domain::CpuId> ids;
  for (const auto part : text::split(list, ',')) {
    domain::Core core;
    for (const auto word : text::split(part, '+')) {
      int id = 0;
      if (!read_int(in, word, 0, std::numeric_limits<domain::CpuId>::max(), id)) return false;
      core.threads.push_back(static_cast<domain::CpuId>(id));
      ids.push_back(static_cast<domain::CpuId>(id));
    }
    if (ids.size() > static_cast<std::size_t>(cpus.count())) {
      return in.fail(part, "cores= names more CPUs than cpus=", "name each CPU exactly once");
    }
    if (core.threads.size() > static_cast<std::size_t>(domain::kThreadsOfACoreMax)) {
      return in.too_large(part, text::cat("a core of ", core.threads.size(), " threads"),
                          text::cat("at most ", domain::kThreadsOfACoreMax));
    }
    std::sort(core.threads.begin(), core.threads.end());
    out.push_back(std::move(core));
  }
  std::sort(ids.begin(), ids.end());
  if (ids != cpus.ids()) {
    return in.fail(list, "cores= and cpus= do not name the same CPUs",
                   "name each CPU of cpus= exactly once in cores=");
  }
  sort_cores(out);
  return true;
}

bool arrange_cores(Lexer& in, const NumaFacts& facts, domain::NumaNode& numa) {
  if (facts.smt == Smt::kNotKnown) return true;
  auto& cores = numa.cores.emplace();
  if (facts.smt == Smt::kListed) return read_cores(in, facts.cores, numa.cpus, cores);
  const auto ids = numa.cpus.ids();
  if (facts.smt == Smt::kOne) {
    for (const auto id : ids) cores.push_back({{id}});
    return true;
  }
  if (ids.size() % 2 != 0) {
    return in.fail(facts.smt_word, text::cat(ids.size(), " CPUs are no pairs of threads"),
                   "write the cores one by one: cores=0+1,2");
  }
  const std::size_t half = ids.size() / 2;
  for (std::size_t i = 0; i < half; ++i) {
    if (facts.smt == Smt::kSplit) {
      cores.push_back({{ids[i], ids[half + i]}});
    } else {
      cores.push_back({{ids[2 * i], ids[2 * i + 1]}});
    }
  }
  return true;
}

bool read_numa_fact(Lexer& in, const Attribute& fact, NumaFacts& facts, domain::NumaNode& numa) {
  if (fact.key == "cpus") return read_cpus(in, fact.value, numa.cpus);
  if (fact.key == "mem") return read_known_whole(in, fact.value, numa.memory_bytes);
  if (fact.key == "socket") {
    return fact.value == "?" || read_int(in, fact.value, 0, 65535, numa.socket.emplace());
  }
  if (fact.key == "cores" || fact.key == "smt") {
    if (!facts.smt_word.empty()) {
      return in.fail(fact.word, "smt= and cores= both say which CPUs are siblings",
                     "leave one of them");
    }
    facts.smt_word = fact.word;
  }
  if (fact.key == "cores") {
    facts.smt = Smt::kListed;
    facts.cores = fact.value;
    return true;
  }
  if (fact.key == "smt") {
    return read_choice<Smt>(in, fact.value,
                            {{"1", Smt::kOne},
                             {"split", Smt::kSplit},
                             {"adjacent", Smt::kAdjacent},
                             {"?", Smt::kNotKnown}},
                            facts.smt);
  }
  constexpr std::string_view kKnown[] = {"cpus", "smt", "cores", "mem", "socket"};
  return fail_unknown(in, fact.key, text::cat("a NUMA node has no ", text::quoted(fact.key)),
                      kKnown);
}

bool read_numa(Lexer& in, int os_index, NodeDraft& draft) {
  const Token word = in.take();
  if (draft.find_numa(os_index) != nullptr) {
    return in.fail(word.text, text::cat("numa", os_index, " stands twice"), "leave one of them");
  }
  if (draft.node.numa.size() >= static_cast<std::size_t>(domain::kNumaNodesMax)) {
    return in.too_large(word.text, "too many NUMA nodes",
                        text::cat("at most ", domain::kNumaNodesMax));
  }
  domain::NumaNode numa{.os_index = os_index};
  NumaFacts facts;
  Once once;
  while (in.at_word()) {
    const auto fact = attribute_of(in.peek().text);
    if (fact.relation == Relation::kNone) break;
    in.take();
    if (!once.first(in, fact) || !read_numa_fact(in, fact, facts, numa)) return false;
    if (fact.key == "mem") draft.numa_memory_said = true;
  }
  constexpr std::size_t kCoreBytes = sizeof(domain::Core) + 2 * sizeof(void*);
  const auto cpus = static_cast<std::size_t>(numa.cpus.count());
  if (!in.charge(word.text, sizeof numa + cpus * kCoreBytes)) return false;
  for (const auto& other : draft.node.numa) {
    if (other.cpus.intersects(numa.cpus)) {
      return in.fail(word.text, text::cat("numa", other.os_index, " has some of these CPUs too"),
                     "a CPU belongs to one NUMA node");
    }
  }
  if (!arrange_cores(in, facts, numa)) return false;
  draft.node.numa.push_back(std::move(numa));
  return in.peek().kind != TokenKind::kOpen || read_block(in, {.numa = os_index}, draft);
}

bool read_nvlink(Lexer& in, NodeDraft& draft) {
  const Token word = in.take();
  const Token links_word = in.take();
  const auto links = domain::link_from_text(links_word.text);
  if (links_word.kind != TokenKind::kWord || !links || links->seen != domain::Link::Seen::kNvlink) {
    return in.fail(links_word.text, "nvlink starts with the number of links",
                   "write nvlink NV18 gpu0 gpu1");
  }
  NvlinkLine line{.word = word.text, .links = links->nvlinks};
  while (in.at_word()) {
    const Token gpu = in.take();
    if (gpu.text == "->" && line.gpus.size() == 1 && !line.one_way) {
      line.one_way = true;
      continue;
    }
    const auto ordinal = numbered(gpu.text, "gpu");
    if (!ordinal) return in.fail(gpu.text, "nvlink is between GPUs", "write gpu0 gpu1 …");
    line.gpus.emplace_back(*ordinal, gpu.text);
    if (line.gpus.size() > static_cast<std::size_t>(domain::kDevicesOfAKindMax)) {
      return in.too_large(gpu.text, "too many GPUs in one nvlink line");
    }
  }
  if (line.gpus.size() < 2 || (line.one_way && line.gpus.size() != 2)) {
    return in.fail(word.text, "nvlink needs two GPUs, or more without ->",
                   "write nvlink NV18 gpu0 gpu1, or nvlink NV4 gpu0 -> gpu1 for one way");
  }
  draft.nvlinks.push_back(std::move(line));
  return in.charge(word.text, sizeof(NvlinkLine));
}

/// One line inside `matrix { … }`: its words.
std::vector<std::string_view> read_matrix_line(Lexer& in) {
  std::vector<std::string_view> words;
  while (in.peek().kind == TokenKind::kLineEnd) in.take();
  while (in.at_word()) words.push_back(in.take().text);
  return words;
}

bool read_matrix(Lexer& in, NodeDraft& draft) {
  const Token word = in.take();
  if (draft.matrix) return in.fail(word.text, "the matrix stands twice", "leave one of them");
  if (in.peek().kind != TokenKind::kOpen) {
    return in.fail(in.peek().text, "matrix is followed by { and its lines");
  }
  in.take();
  auto& matrix = draft.matrix.emplace();
  matrix.word = word.text;
  matrix.header = read_matrix_line(in);
  const std::size_t size = matrix.header.size();
  if (size > 3 * static_cast<std::size_t>(domain::kDevicesOfAKindMax)) {
    return in.too_large(word.text, "more columns than a node has devices");
  }
  for (std::size_t row = 0; row < size; ++row) {
    const auto words = read_matrix_line(in);
    if (words.empty() || words[0] != matrix.header[row]) {
      return in.fail(words.empty() ? in.peek().text : words[0],
                     text::cat("here the row of ", text::quoted(matrix.header[row]), " belongs"),
                     "rows are in the order of the columns");
    }
    if (words.size() != size + 1) {
      return in.fail(
          words[0],
          text::cat("the row has ", words.size() - 1, " cells, the matrix ", size, " columns"),
          "write ? for a cell that nobody saw");
    }
    for (std::size_t column = 1; column <= size; ++column) {
      const auto link = domain::link_from_text(words[column]);
      if (!link) {
        return in.fail(words[column], text::cat(text::quoted(words[column]), " is no cell"),
                       "cells are X PIX PXB PHB NODE SYS NVn ?");
      }
      matrix.cells.push_back(*link);
    }
  }
  while (in.peek().kind == TokenKind::kLineEnd) in.take();
  if (in.peek().kind != TokenKind::kClose) {
    return in.fail(in.peek().text, "the matrix has more rows than columns, or no } at its end");
  }
  in.take();
  return in.charge(word.text, size * size * sizeof(domain::Link));
}

bool read_header(Lexer& in, NodeDraft& draft) {
  const Token name = in.take();
  if (name.kind != TokenKind::kWord) return in.fail(name.text, "node needs a name");
  if (!read_name(in, name.text, draft.node.name)) return false;
  draft.name_word = name.text;
  Once once;
  while (in.at_word()) {
    const auto fact = attribute_of(in.peek().text);
    if (fact.relation == Relation::kNone) break;
    in.take();
    if (!once.first(in, fact)) return false;
    bool good = false;
    if (fact.key == "arch") {
      good = read_known_text(in, fact.value, draft.node.arch);
    } else if (fact.key == "cordoned") {
      good = read_text(in, fact.value, draft.node.cordoned.emplace());
    } else if (fact.key == "cpu") {
      good = read_int(in, fact.value, 0, std::numeric_limits<domain::CpuId>::max() + 1,
                      draft.cpu.emplace());
      draft.cpu_word = fact.word;
    } else if (fact.key == "mem") {
      good = read_whole(in, fact.value, draft.memory.emplace());
      draft.memory_word = fact.word;
    } else {
      constexpr std::string_view kKnown[] = {"arch", "cpu", "mem", "cordoned"};
      good =
          fail_unknown(in, fact.key, text::cat("a node has no ", text::quoted(fact.key)), kKnown);
    }
    if (!good) return false;
  }
  return true;
}

bool read_item(Lexer& in, NodeDraft& draft) {
  const auto word = in.peek().text;
  if (const auto numa = numbered(word, "numa")) return read_numa(in, *numa, draft);
  if (word == "nvlink") return read_nvlink(in, draft);
  if (word == "matrix") return read_matrix(in, draft);
  return read_tree_item(in, {}, draft);
}

}  // namespace

bool opens_statement(std::string_view word) {
  constexpr std::array<std::string_view, 5> kOpeners = {"node", "pod", "held", "reserved", "->"};
  return std::find(kOpeners.begin(), kOpeners.end(), word) != kOpeners.end();
}

bool read_node(Lexer& in, domain::Node& out) {
  NodeDraft draft;
  if (!in.charge(in.peek().text, sizeof(domain::Node)) || !read_header(in, draft)) return false;
  while (true) {
    const Token next = in.peek();
    if (next.kind == TokenKind::kLineEnd) {
      in.take();
      continue;
    }
    if (next.kind == TokenKind::kEnd) break;
    if (next.kind != TokenKind::kWord) {
      return in.fail(next.text, text::cat("a ", next.text, " without what it belongs to"),
                     "braces follow numaK, bridgeK, portK, swK or matrix");
    }
    if (in.at_line_start() && opens_statement(next.text)) break;
    if (!read_item(in, draft)) return false;
  }
  return !in.failed() && finish(in, draft, out);
}

}  // namespace tenon::notation
