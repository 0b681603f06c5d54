// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/planner/fewest.hpp"

#include <algorithm>

namespace tenon::planner {
namespace {

/// A need, and what the elements from each one on can still give.
struct Cover {
  Need need;
  std::vector<std::int64_t> rest_sum;  // of weights[i …]
  std::vector<std::int64_t> rest_max;
};

Cover cover_of(Need need) {
  const std::size_t size = need.weights.size();
  Cover cover{std::move(need), std::vector<std::int64_t>(size + 1),
              std::vector<std::int64_t>(size + 1)};
  for (std::size_t i = size; i-- > 0;) {
    cover.rest_sum[i] = cover.rest_sum[i + 1] + cover.need.weights[i];
    cover.rest_max[i] = std::max(cover.rest_max[i + 1], cover.need.weights[i]);
  }
  return cover;
}

class Search {
 public:
  Search(const FewestProblem& problem, Work& work) : problem_(problem), work_(work) {
    for (const Need& need : problem.needs) {
      if (need.amount > 0) covers_.push_back(cover_of(need));
    }
  }

  std::optional<std::vector<int>> run() {
    if (!everything_may_fit()) return std::nullopt;
    const int most = std::min(problem_.most, problem_.elements);
    for (int size = 1; size <= most; ++size) {
      while (first_candidate(size)) {
        if (problem_.fits(chosen_)) return chosen_;
        if (work_.exhausted()) return std::nullopt;
        learn();
      }
      if (work_.exhausted()) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool follows(int element) const {
    return !problem_.follows.empty() && problem_.follows[static_cast<std::size_t>(element)];
  }

  bool everything_may_fit() {
    for (const Cover& cover : covers_) {
      if (cover.rest_sum[0] < cover.need.amount) return false;
    }
    std::vector<int> all(static_cast<std::size_t>(problem_.elements));
    for (int i = 0; i < problem_.elements; ++i) all[static_cast<std::size_t>(i)] = i;
    return problem_.fits(all);
  }

  /// Sets chosen_ to the smallest sequence of this size that meets all needs.
  bool first_candidate(int size) {
    chosen_.clear();
    missing_.clear();
    for (const Cover& cover : covers_) missing_.push_back(cover.need.amount);
    return extend(0, size);
  }

  bool extend(int from, int left) {
    if (!work_.spend(1)) return false;
    if (!can_be_met(from, left)) return false;
    if (left == 0) return true;
    for (int element = from; element + left <= problem_.elements; ++element) {
      if (follows(element) && (chosen_.empty() || chosen_.back() != element - 1)) continue;
      take(element, 1);
      chosen_.push_back(element);
      if (extend(element + 1, left - 1)) return true;
      if (work_.exhausted()) return false;
      chosen_.pop_back();
      take(element, -1);
      if (!can_be_met(element + 1, left)) return false;
    }
    return false;
  }

  void take(int element, int times) {
    for (std::size_t i = 0; i < covers_.size(); ++i) {
      missing_[i] -= times * covers_[i].need.weights[static_cast<std::size_t>(element)];
    }
  }

  [[nodiscard]] bool can_be_met(int from, int left) const {
    const auto at = static_cast<std::size_t>(from);
    for (std::size_t i = 0; i < covers_.size(); ++i) {
      if (missing_[i] <= 0) continue;
      if (left == 0 || covers_[i].rest_sum[at] < missing_[i]) return false;
      // rest_max * left >= missing, without a product that could wrap
      if ((missing_[i] - 1) / left >= covers_[i].rest_max[at]) return false;
    }
    return true;
  }

  /// chosen_ does not fit: what every answer must have from outside the largest set around it.
  void learn() {
    inside_.assign(static_cast<std::size_t>(problem_.elements), false);
    for (const int element : chosen_) inside_[static_cast<std::size_t>(element)] = true;
    grow(0, problem_.elements);
    Need need{std::vector<std::int64_t>(inside_.size()), 1};
    for (int element = 0; element < problem_.elements; ++element) {
      need.weights[static_cast<std::size_t>(element)] = may_join(element, inside_) ? 1 : 0;
    }
    covers_.push_back(cover_of(std::move(need)));
  }

  [[nodiscard]] bool may_join(int element, const std::vector<bool>& set) const {
    const auto at = static_cast<std::size_t>(element);
    return !set[at] && (!follows(element) || set[at - 1]);
  }

  /// Puts as many of first … last - 1 inside as leave it not fitting, whole halves at a time.
  void grow(int first, int last) {
    std::vector<bool> larger = inside_;
    bool grows = false;
    for (int element = first; element < last; ++element) {
      if (!may_join(element, larger)) continue;
      larger[static_cast<std::size_t>(element)] = true;
      grows = true;
    }
    if (!grows || work_.exhausted()) return;
    std::vector<int> members;
    for (int element = 0; element < problem_.elements; ++element) {
      if (larger[static_cast<std::size_t>(element)]) members.push_back(element);
    }
    if (!problem_.fits(members)) {
      inside_ = std::move(larger);
    } else if (last - first > 1) {
      const int middle = first + (last - first) / 2;
      grow(first, middle);
      grow(middle, last);
    }
  }

  const FewestProblem& problem_;
  Work& work_;
  std::vector<Cover> covers_;
  std::vector<std::int64_t> missing_;  // of each need, less what chosen_ gives
  std::vector<int> chosen_;
  std::vector<bool> inside_;
};

}  // namespace

std::optional<std::vector<int>> fewest(const FewestProblem& problem, Work& work) {
  return Search(problem, work).run();
}

}  // namespace tenon::planner
