// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "views/pairs.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "core/state/node_state.hpp"

namespace tenon::views {
namespace {

using topology::Rank;

/// Dearer than any map within a bound.
constexpr std::int64_t kForbidden = 1'000'000;

struct Places {
  std::vector<int> gpus;   // distinct, ascending
  std::vector<int> units;  // NICs, one entry for each GPU that a unit may serve
};

Places places_of(const topology::Shape& shape, const domain::Allocation& allocation,
                 std::optional<int> gpus_per_nic) {
  Places places;
  for (const domain::Grant& grant : allocation.grants) {
    const auto [kind, ordinal] = state::kind_and_ordinal(shape, grant.device);
    if (kind == domain::DeviceKind::kGpu) places.gpus.push_back(ordinal);
    if (kind == domain::DeviceKind::kNic) places.units.push_back(ordinal);
  }
  std::ranges::sort(places.gpus);
  places.gpus.erase(std::ranges::unique(places.gpus).begin(), places.gpus.end());
  if (places.gpus.empty() || places.units.empty()) return {};
  const auto gpus = static_cast<int>(places.gpus.size());
  const auto nics = static_cast<int>(places.units.size());
  const int each = std::clamp(gpus_per_nic.value_or(1), (gpus + nics - 1) / nics, gpus);
  const std::vector<int> once = places.units;
  for (int i = 1; i < each; ++i) {
    places.units.insert(places.units.end(), once.begin(), once.end());
  }
  std::ranges::sort(places.units);
  return places;
}

/// The cheapest map from each row to a column of its own (the Hungarian method with potentials).
/// REQUIRES: no fewer columns than rows.
class CheapestMap {
 public:
  CheapestMap(std::size_t rows, std::size_t columns, std::vector<std::int64_t> costs)
      : rows_(rows),
        columns_(columns),
        costs_(std::move(costs)),
        row_price_(rows + 1),
        column_price_(columns + 1),
        row_of_(columns + 1),
        before_(columns + 1) {
    for (std::size_t row = 1; row <= rows_; ++row) add(row);
  }

  [[nodiscard]] std::vector<std::size_t> column_of_each_row() const {
    std::vector<std::size_t> columns(rows_);
    for (std::size_t column = 1; column <= columns_; ++column) {
      if (row_of_[column] != 0) columns[row_of_[column] - 1] = column - 1;
    }
    return columns;
  }

 private:
  // Rows and columns count from 1; column 0 stands for "the row that looks for a column".
  void add(std::size_t row) {
    std::vector<std::int64_t> slack(columns_ + 1, std::numeric_limits<std::int64_t>::max());
    std::vector<bool> reached(columns_ + 1, false);
    row_of_[0] = row;
    std::size_t at = 0;
    while (row_of_[at] != 0) at = reach_next(at, slack, reached);
    while (at != 0) {  // along the path, each row moves on to the column behind it
      row_of_[at] = row_of_[before_[at]];
      at = before_[at];
    }
  }

  std::size_t reach_next(std::size_t at, std::vector<std::int64_t>& slack,
                         std::vector<bool>& reached) {
    reached[at] = true;
    const std::size_t row = row_of_[at];
    std::size_t next = 0;
    std::int64_t step = std::numeric_limits<std::int64_t>::max();
    for (std::size_t column = 1; column <= columns_; ++column) {
      if (reached[column]) continue;
      const std::int64_t price =
          costs_[(row - 1) * columns_ + column - 1] - row_price_[row] - column_price_[column];
      if (price < slack[column]) {
        slack[column] = price;
        before_[column] = at;
      }
      if (slack[column] < step) {
        step = slack[column];
        next = column;
      }
    }
    for (std::size_t column = 0; column <= columns_; ++column) {
      if (reached[column]) {
        row_price_[row_of_[column]] += step;
        column_price_[column] -= step;
      } else {
        slack[column] -= step;
      }
    }
    return next;
  }

  std::size_t rows_;
  std::size_t columns_;
  std::vector<std::int64_t> costs_;
  std::vector<std::int64_t> row_price_;
  std::vector<std::int64_t> column_price_;
  std::vector<std::size_t> row_of_;  // by column; 0: free
  std::vector<std::size_t> before_;  // by column: where the path came from
};

}  // namespace

std::vector<Pair> pairs_of(const topology::Shape& shape, const domain::Allocation& allocation,
                           std::optional<int> gpus_per_nic) {
  const Places places = places_of(shape, allocation, gpus_per_nic);
  std::vector<Pair> pairs;
  if (places.gpus.empty()) return pairs;
  const auto rank = [&](int gpu, int nic) {
    return shape
        .gpu_nic[static_cast<std::size_t>(gpu) * shape.nics.size() + static_cast<std::size_t>(nic)];
  };
  // The smallest worst distance first, then the smallest sum within it.
  for (Rank worst = 0; worst <= topology::kRankUnknown; ++worst) {
    std::vector<std::int64_t> costs;
    for (const int gpu : places.gpus) {
      for (const int nic : places.units) {
        costs.push_back(rank(gpu, nic) <= worst ? std::int64_t{rank(gpu, nic)} : kForbidden);
      }
    }
    const CheapestMap map(places.gpus.size(), places.units.size(), std::move(costs));
    const auto columns = map.column_of_each_row();
    pairs.clear();
    for (std::size_t row = 0; row < columns.size(); ++row) {
      const int nic = places.units[columns[row]];
      pairs.push_back({places.gpus[row], nic, rank(places.gpus[row], nic)});
    }
    const bool within =
        std::ranges::all_of(pairs, [&](const Pair& pair) { return pair.rank <= worst; });
    if (within) break;
  }
  return pairs;
}

}  // namespace tenon::views
