// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Random machines, holders and requests, small enough for the oracle: the same seed gives the same
// cases.
//
// A case is drawn as a whole: what the request asks leans towards what the machine has, so that
// answers are few but not always none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/prng.hpp"
#include "domain/cluster.hpp"

namespace tenon::oracle {

struct Case {
  domain::Node node;
  std::vector<domain::Holder> holders;
  domain::Request request;
  std::optional<std::size_t> real;  // the node is a part of this one of the real machines
};

/// One throw to an expression: the order in which operands and arguments are evaluated is the
/// compiler's choice, and every compiler must draw the same cases.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : prng_(seed) {}
  [[nodiscard]] bool chance(int percent) { return static_cast<int>(prng_.below(100)) < percent; }
  /// One of low … high.
  [[nodiscard]] int between(int low, int high) {
    return low + static_cast<int>(prng_.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  template <class T>
  [[nodiscard]] const T& one_of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(prng_.below(choices.size()))];
  }
  [[nodiscard]] std::size_t index(std::size_t size) {
    return static_cast<std::size_t>(prng_.below(size));
  }

 private:
  Prng prng_;
};

/// `real`: machines that were read; may be empty.
[[nodiscard]] Case random_case(Dice& dice, const std::vector<domain::Node>& real);

[[nodiscard]] domain::Node random_node(Dice& dice);
/// A part of a real machine, with the facts that its source does not know drawn by chance.
[[nodiscard]] domain::Node part_of(Dice& dice, const domain::Node& real);
[[nodiscard]] std::vector<domain::Holder> random_holders(Dice& dice, const domain::Node& node);
[[nodiscard]] domain::Request random_request(Dice& dice, const domain::Node& node);
void random_facts(Dice& dice, domain::Node& node);

/// The node with only these devices, renumbered; `keep` by index.
[[nodiscard]] domain::Node with_devices(const domain::Node& node, const std::vector<bool>& keep);

/// The clauses that a request has, by the names of the list: for the printed shares.
[[nodiscard]] std::vector<std::string> clauses_of(const domain::Request& request);
/// All names that clauses_of can give.
[[nodiscard]] const std::vector<std::string>& clause_names();

}  // namespace tenon::oracle
