// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The cost of one answer, level by level, as I50 reads.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "domain/request.hpp"
#include "oracle/situation.hpp"

namespace tenon::oracle {

/// An answer in plain numbers.
struct Chosen {
  std::vector<int> gpus;  // by unit
  std::vector<int> nics;  // by unit
  std::vector<int> nvmes;
  std::vector<int> cores;            // count by NUMA position
  std::vector<std::int64_t> memory;  // bytes by NUMA position
};

/// All levels, in the order of I50's list; which of them count first is the request's to say.
struct Levels {
  std::array<std::int64_t, 3> pair{};
  std::array<std::int64_t, 4> gpus{};
  std::array<std::int64_t, 1> numa{};
  std::array<std::int64_t, 2> memory{};
  std::array<std::int64_t, 2> nvme{};
  std::array<std::int64_t, 6> left{};  // nvlink-groups … core-nodes
};

/// The same as one list of numbers in the order in which they count.
using Price = std::vector<std::int64_t>;
[[nodiscard]] Price price_of(const Levels& levels, const std::vector<domain::Wish>& order);
[[nodiscard]] std::vector<std::pair<std::string, std::vector<std::int64_t>>> named(
    const Levels& levels, const std::vector<domain::Wish>& order);

/// Which wishes count, in which order.
[[nodiscard]] std::vector<domain::Wish> wishes_in_order(const domain::Request& request);

[[nodiscard]] Bits bits_of(const std::vector<int>& ordinals);
/// A distinct granted device's NUMA nodes, each device once; 0 where not known.
[[nodiscard]] std::vector<Bits> numa_of_devices(const Situation& s, const Chosen& chosen);
/// R of I50.
[[nodiscard]] Bits memory_home(const Situation& s, const Chosen& chosen);

/// The smallest (worst, sum) over all maps from `gpus` to `nics` with at most `most` to a unit, or
/// nothing if none exists; {worst, sum, spare}.
[[nodiscard]] std::optional<std::array<std::int64_t, 3>> pair_level(const Situation& s,
                                                                    const std::vector<int>& gpus,
                                                                    const std::vector<int>& nics,
                                                                    int most);
/// K of I50.1, for these.
[[nodiscard]] int pair_most(const domain::Request& request, std::size_t gpus, std::size_t nics);
/// No answer with these devices has less: each GPU its nearest unit.
[[nodiscard]] std::array<std::int64_t, 3> pair_at_best(const Situation& s,
                                                       const std::vector<int>& gpus,
                                                       const std::vector<int>& nics);

[[nodiscard]] std::array<std::int64_t, 4> gpus_level(const Situation& s,
                                                     const std::vector<int>& gpus);
[[nodiscard]] std::array<std::int64_t, 2> nvme_level(const Situation& s,
                                                     const std::vector<int>& gpus,
                                                     const std::vector<int>& nvmes);
/// Levels 6 … 10; the last number, core-nodes, stays 0.
[[nodiscard]] std::array<std::int64_t, 6> left_level(const Situation& s, Bits gpus, Bits nics);
void add_cores_and_memory(const Situation& s, const domain::Request& request, const Chosen& chosen,
                          const std::vector<Bits>& devices, Levels& levels);

/// All of it. REQUIRES: the pairs of the request can be made.
[[nodiscard]] Levels levels_of(const Situation& s, const domain::Request& request,
                               const Chosen& chosen);

[[nodiscard]] std::vector<int> distinct(std::vector<int> ordinals);

}  // namespace tenon::oracle
