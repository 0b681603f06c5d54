// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// One number for many answers: what one compiler for one architecture decides, all must.
//
//   answers CASES FILE...    random cases of a fixed seed, and every request of the files on every
//                            node of theirs
//
// Each answer counts as a whole: what is granted, in words; every level of its cost; the refusal's
// code and evidence; the work that was counted. The random cases and the files have a number each, so
// that a difference has a place.

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "core/allocation/allocate.hpp"
#include "core/state/node_state.hpp"
#include "core/topology/shape.hpp"
#include "domain/notation/notation.hpp"
#include "oracle/generate.hpp"

namespace {

using namespace std::string_view_literals;
using tenon::text::cat;

constexpr std::uint64_t kSeed = 20261201;

/// FNV-1a, 64 bits.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    }
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325ULL;
};

std::string text_of(const tenon::allocation::Answer& answer, const tenon::domain::Node& node) {
  std::string text;
  if (answer.result) {
    text = tenon::notation::write(*answer.result, node);
  } else {
    const auto& refusal = answer.result.error();
    text = cat("refused ", to_text(refusal.verdict), ' ', to_text(refusal.code), ' ',
               refusal.evidence);
  }
  for (const auto& level : answer.cost.levels) {
    text += cat(' ', level.name);
    for (const auto value : level.values) text += cat(' ', value);
  }
  return cat(text, answer.proven_best ? " best "sv : " cut "sv, answer.steps, '\n');
}

/// What allocate() says to one request on one node with these holders.
std::string answer_to(const tenon::domain::Request& request, const tenon::domain::Node& node,
                      const std::vector<tenon::domain::Holder>& holders) {
  const auto state = tenon::state::state_of(node, holders);
  if (!state) return cat("no state: ", state.error().what, '\n');
  return text_of(tenon::allocation::allocate(*state, request), node);
}

Hash of_random_cases(int count) {
  Hash hash;
  tenon::oracle::Dice dice(kSeed);
  for (int i = 0; i < count; ++i) {
    const auto one = tenon::oracle::random_case(dice, {});
    hash.add(tenon::notation::write(one.node));
    hash.add(tenon::notation::write(one.request));
    hash.add(answer_to(one.request, one.node, one.holders));
  }
  return hash;
}

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool answer_document(const std::string& text, const char* path, Hash& hash) {
  const auto document = tenon::notation::parse(text, path);
  if (!document) {
    std::fprintf(stderr, "%s: %s\n", document.error().where.c_str(), document.error().what.c_str());
    return false;
  }
  for (const auto& node : document->cluster.nodes) {
    for (const auto& [name, request] : document->requests) {
      hash.add(cat(name, ' ', node.name, ' ', answer_to(request, node, document->cluster.holders)));
    }
  }
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  int cases = 0;
  const std::string_view number = count > 1 ? arguments[1] : "";
  if (std::from_chars(number.data(), number.data() + number.size(), cases).ec != std::errc{}) {
    std::fputs("answers CASES FILE...\n", stderr);
    return 64;
  }
  const Hash random = of_random_cases(cases);
  std::printf("random %016llx\n", static_cast<unsigned long long>(random.value()));

  // The files are read as one text: machines in one, requests in another.
  std::string text;
  for (int i = 2; i < count; ++i) text += read_file(arguments[i]) + '\n';
  Hash files;
  if (!answer_document(text, "examples", files)) return 1;
  std::printf("examples %016llx\n", static_cast<unsigned long long>(files.value()));
  return 0;
}
