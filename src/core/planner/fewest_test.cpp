// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/planner/fewest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/prng.hpp"
#include "base/text.hpp"

namespace tenon::planner {
namespace {

using Set = std::vector<int>;

bool contains(const Set& set, int element) { return std::ranges::find(set, element) != set.end(); }

std::string to_text(const std::optional<Set>& set) {
  if (!set) return "none";
  std::vector<std::string> words;
  for (const int element : *set) words.push_back(text::cat(element));
  return text::join(words, " ");
}

struct Fewest : testing::Test {
  FewestProblem problem{.elements = 6, .most = 6};
  Work work{allocation::Limits{}, 1'000'000};
  int asked = 0;

  template <class Fits>
  std::string search(Fits fits) {
    problem.fits = [this, fits](const Set& set) {
      ++asked;
      return fits(set);
    };
    return to_text(fewest(problem, work));
  }
};

TEST_F(Fewest, FindsTheOneThatIsMissing) {
  EXPECT_EQ(search([](const Set& set) { return contains(set, 4); }), "4");
}

// {3} would do, and so would {0, 1}: fewer wins over smaller.
TEST_F(Fewest, PrefersFewerToSmaller) {
  EXPECT_EQ(search([](const Set& set) {
              return contains(set, 3) || (contains(set, 0) && contains(set, 1));
            }),
            "3");
}

TEST_F(Fewest, PrefersTheSmallestSequenceAmongEquals) {
  EXPECT_EQ(search([](const Set& set) {
              return (contains(set, 1) && contains(set, 4)) ||
                     (contains(set, 2) && contains(set, 3)) ||
                     (contains(set, 1) && contains(set, 5));
            }),
            "1 4");
}

TEST_F(Fewest, SaysNothingWhereEvenAllDoNotFit) {
  EXPECT_EQ(search([](const Set&) { return false; }), "none");
  EXPECT_EQ(asked, 1) << "one question is enough to know";
}

TEST_F(Fewest, SaysNothingAboveTheMost) {
  problem.most = 2;
  EXPECT_EQ(search([](const Set& set) { return set.size() >= 3; }), "none");
}

// Three of six are needed, and counting says so: the first candidate is the answer.
TEST_F(Fewest, StartsFromWhatCountingSays) {
  problem.needs.push_back({std::vector<std::int64_t>(6, 1), 3});
  EXPECT_EQ(search([](const Set& set) { return set.size() >= 3; }), "0 1 2");
  EXPECT_EQ(asked, 2) << "all of them, then the answer";
}

// Sizes 1 GiB, 1 GiB, 5 GiB …: five are missing.
TEST_F(Fewest, WeighsWhatEachGives) {
  const std::vector<std::int64_t> sizes{1, 1, 5, 2, 3, 2};
  problem.needs.push_back({sizes, 5});
  EXPECT_EQ(search([&](const Set& set) {
              std::int64_t sum = 0;
              for (const int element : set) sum += sizes[static_cast<std::size_t>(element)];
              return sum >= 5;
            }),
            "2");
}

// Elements 0 1 2 are three copies of one thing, 3 4 5 of another: copies join in their order.
TEST_F(Fewest, TakesCopiesInOrder) {
  problem.follows = {false, true, true, false, true, true};
  EXPECT_EQ(search([](const Set& set) {
              for (const int element : set) {
                const bool alone = element % 3 > 0 && !contains(set, element - 1);
                EXPECT_FALSE(alone) << to_text(set);
              }
              return std::ranges::count_if(set, [](int element) { return element >= 3; }) >= 2;
            }),
            "3 4");
}

TEST_F(Fewest, StopsWhenWorkRunsOut) {
  Work little(allocation::Limits{}, 3);
  problem.fits = [](const Set& set) { return set.size() >= 5; };
  EXPECT_EQ(to_text(fewest(problem, little)), "none");
  EXPECT_FALSE(little.complete());
}

// Random monotone questions ("contains one of these sets") against trying all subsets.
TEST(FewestProperty, EqualsTryingAllSubsets) {
  Prng prng(7);
  for (int round = 0; round < 400; ++round) {
    const int elements = 1 + static_cast<int>(prng.below(8));
    std::vector<Set> enough;
    for (std::uint64_t i = 0, n = 1 + prng.below(4); i < n; ++i) {
      Set set;
      for (int element = 0; element < elements; ++element) {
        if (prng.below(3) == 0) set.push_back(element);
      }
      if (!set.empty()) enough.push_back(set);
    }
    const auto fits = [&](const Set& set) {
      return std::ranges::any_of(enough,
                                 [&](const Set& one) { return std::ranges::includes(set, one); });
    };
    const int most = 1 + static_cast<int>(prng.below(4));

    std::optional<Set> expected;
    for (unsigned mask = 1; mask < 1U << elements; ++mask) {
      Set set;
      for (int element = 0; element < elements; ++element) {
        if ((mask >> element & 1U) != 0) set.push_back(element);
      }
      if (std::ssize(set) > most || !fits(set)) continue;
      if (!expected || std::pair(set.size(), set) < std::pair(expected->size(), *expected)) {
        expected = set;
      }
    }
    Work work(allocation::Limits{}, 1'000'000);
    const FewestProblem problem{.elements = elements, .most = most, .fits = fits};
    EXPECT_EQ(to_text(fewest(problem, work)), to_text(expected)) << "round " << round;
  }
}

}  // namespace
}  // namespace tenon::planner
