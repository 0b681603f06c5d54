// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// I68: one amount, lowered to the largest that fits.

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "core/planner/fix_kinds.hpp"

namespace tenon::planner {
namespace {

using domain::Request;

/// One number of a request. A smaller one may be wanted more or less monotonously: fewer cores,
/// CPU or bytes always fit where more did; fewer GPUs may be too far from the other NVMe.
struct Amount {
  std::int64_t (*get)(const Request&);
  void (*set)(Request&, std::int64_t);
  enum class Search : std::uint8_t { kEach, kHalving } search;
};

bool is_one_share(const Request& request) {
  return request.gpu.units.size() == 1 && (request.gpu.mode == domain::GpuMode::kShareMilli ||
                                           request.gpu.mode == domain::GpuMode::kShareBytes);
}

/// K of `pair<=D`, which follows from the numbers of units (I36).
int implied_gpus_per_nic(const Request& request) {
  const auto gpus = static_cast<int>(request.gpu.units.size());
  const int nics = std::max(request.nic.count, 1);
  return std::max((gpus + nics - 1) / nics, 1);
}

/// Changes a number of units; K goes with it where the request does not say another.
template <class Change>
void change_units(Request& request, Change change) {
  const bool implied = request.pair && request.pair->gpus_per_nic == implied_gpus_per_nic(request);
  change();
  if (implied) request.pair->gpus_per_nic = implied_gpus_per_nic(request);
}

constexpr std::array<Amount, 7> kAmounts{{
    {[](const Request& r) {
       return is_one_share(r) ? 0 : static_cast<std::int64_t>(r.gpu.units.size());
     },
     [](Request& r, std::int64_t units) {
       change_units(r, [&] { r.gpu.units.resize(static_cast<std::size_t>(units)); });
     },
     Amount::Search::kEach},
    {[](const Request& r) { return is_one_share(r) ? r.gpu.units.front().amount : 0; },
     [](Request& r, std::int64_t amount) { r.gpu.units.front().amount = amount; },
     Amount::Search::kHalving},
    {[](const Request& r) { return static_cast<std::int64_t>(r.nic.count); },
     [](Request& r, std::int64_t units) {
       change_units(r, [&] { r.nic.count = static_cast<int>(units); });
     },
     Amount::Search::kEach},
    {[](const Request& r) { return static_cast<std::int64_t>(r.nvme_count); },
     [](Request& r, std::int64_t units) { r.nvme_count = static_cast<int>(units); },
     Amount::Search::kEach},
    {[](const Request& r) { return static_cast<std::int64_t>(r.cores); },
     [](Request& r, std::int64_t cores) { r.cores = static_cast<int>(cores); },
     Amount::Search::kHalving},
    {[](const Request& r) { return r.cpu_milli; },
     [](Request& r, std::int64_t milli) { r.cpu_milli = milli; }, Amount::Search::kHalving},
    {[](const Request& r) { return r.memory_bytes; },
     [](Request& r, std::int64_t bytes) { r.memory_bytes = bytes; }, Amount::Search::kHalving},
}};

struct Lowered {
  Request request;
  std::size_t position = 0;
};

std::optional<Lowered> try_amount(const FixQuestion& question, const Amount& amount,
                                  std::int64_t value, Work& work) {
  Lowered lowered{question.request, 0};
  amount.set(lowered.request, value);
  const auto position = best_node(question, lowered.request, work);
  if (!position) return std::nullopt;
  lowered.position = *position;
  return lowered;
}

std::optional<Lowered> largest(const FixQuestion& question, const Amount& amount, Work& work) {
  const std::int64_t asked = amount.get(question.request);
  if (amount.search == Amount::Search::kEach) {
    for (std::int64_t value = asked - 1; value >= 1; --value) {
      if (auto lowered = try_amount(question, amount, value, work)) return lowered;
    }
    return std::nullopt;
  }
  if (asked <= 1) return std::nullopt;
  auto best = try_amount(question, amount, 1, work);
  if (!best) return std::nullopt;
  std::int64_t fitting = 1;
  std::int64_t refused = asked;
  while (refused - fitting > 1) {
    const std::int64_t middle = fitting + (refused - fitting) / 2;
    if (auto lowered = try_amount(question, amount, middle, work)) {
      best = std::move(lowered);
      fitting = middle;
    } else {
      refused = middle;
    }
  }
  return best;
}

}  // namespace

std::optional<Fix> find_ask_less(const FixQuestion& question, Work& work) {
  for (const Amount& amount : kAmounts) {
    auto lowered = largest(question, amount, work);
    if (work.exhausted()) return std::nullopt;
    if (!lowered) continue;
    const std::string& node = question.cases[lowered->position].node->name;
    auto [from, to] = clause_change(question.request, lowered->request);
    std::string text = text::cat("ask for ", to, " instead of ", from, ": fits ", node);
    return Fix{node, AskLess{std::move(from), std::move(to), std::move(lowered->request)},
               std::move(text)};
  }
  return std::nullopt;
}

}  // namespace tenon::planner
