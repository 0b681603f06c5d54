// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "domain/cpu_set.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>
#include <string>

namespace tenon::domain {
namespace {

CpuSet of(std::string_view list) { return CpuSet::from_text(list).value(); }

std::string mask(std::string_view text) {
  const auto set = CpuSet::from_mask(text);
  return set ? set->to_text() : set.error().what;
}
std::string list(std::string_view text) {
  const auto set = CpuSet::from_text(text);
  return set ? set->to_text() : set.error().what;
}

TEST(CpuSet, ReadsTheKernelsList) {
  EXPECT_EQ(list(""), "");
  EXPECT_EQ(list("0-3,8,10-11"), "0-3,8,10-11");
  EXPECT_EQ(list("10,8,0-3,11,2"), "0-3,8,10-11");
  EXPECT_EQ(list("0-1,2-3"), "0-3");
  EXPECT_EQ(list("65535"), "65535");
  EXPECT_EQ(list("0-65535,7"), "0-65535");
}

TEST(CpuSet, RefusesWhatIsNoList) {
  EXPECT_EQ(list("3-1"), "the range 3-1 runs backwards");
  for (const std::string_view text : {"65536", "1-65536", ",", "1,", "-", "-1", "1-", "1 ,2", "a",
                                      "0-3:2", "99999999999999999999"}) {
    EXPECT_FALSE(CpuSet::from_text(text)) << text;
  }
}

TEST(CpuSet, ReadsTheKernelsMask) {
  EXPECT_EQ(mask("0"), "");
  EXPECT_EQ(mask("3"), "0-1");
  EXPECT_EQ(mask("000000ff,ffff0000"), "16-39");
  EXPECT_EQ(mask("0003ff,f0003fff"), "0-13,28-41");
  EXPECT_EQ(mask("FF"), "0-7");
  EXPECT_EQ(mask(""), "'' is not a word of a CPU mask");
  EXPECT_EQ(mask("1,2"), "'2' is not a word of a CPU mask");
  EXPECT_EQ(mask("0x1"), "'0x1' is not a word of a CPU mask");
  EXPECT_EQ(mask("1ffffffff"), "'1ffffffff' is not a word of a CPU mask");
  std::string wide = "1";
  for (int i = 0; i < 2048; ++i) wide += ",00000000";
  EXPECT_EQ(mask(wide), "the mask names a CPU above 65535");
}

TEST(CpuSet, IsAlgebra) {
  CpuSet set = of("0-9");
  set.erase(of("0,3-4,9"));
  EXPECT_EQ(set.to_text(), "1-2,5-8");
  set.insert(of("3-4,20"));
  EXPECT_EQ(set.to_text(), "1-8,20");
  set.insert(9);
  EXPECT_EQ(set.to_text(), "1-9,20");
  EXPECT_TRUE(set.contains(9));
  EXPECT_FALSE(set.contains(10));
  EXPECT_TRUE(set.intersects(of("0-1")));
  EXPECT_FALSE(set.intersects(of("0,10-19")));
  EXPECT_TRUE(set.contains_all(of("2-3,20")));
  EXPECT_FALSE(set.contains_all(of("2-3,20-21")));
  EXPECT_TRUE(set.contains_all(CpuSet{}));
  EXPECT_EQ(set.count(), 10);
}

// Against std::set, the slow and obvious one.
RC_GTEST_PROP(CpuSetProperty, EqualsASetOfNumbers, ()) {
  CpuSet set;
  std::set<CpuId> model;
  for (int step = 0; step < 20; ++step) {
    const auto first = *rc::gen::inRange<int>(0, 40);
    const auto last = *rc::gen::inRange<int>(first, 41);
    const auto range = CpuSet::of_range(static_cast<CpuId>(first), static_cast<CpuId>(last));
    const auto what = *rc::gen::inRange(0, 3);
    if (what == 0) set.insert(range);
    if (what == 1) set.erase(range);
    if (what == 2) set.insert(static_cast<CpuId>(first));
    for (int id = first; id <= (what == 2 ? first : last); ++id) {
      if (what == 1) {
        model.erase(static_cast<CpuId>(id));
      } else {
        model.insert(static_cast<CpuId>(id));
      }
    }
    const auto ids = set.ids();
    RC_ASSERT(std::set<CpuId>(ids.begin(), ids.end()) == model);
    RC_ASSERT(static_cast<std::size_t>(set.count()) == model.size());
    RC_ASSERT(of(set.to_text()) == set);
    for (int id = 0; id < 42; ++id) {
      const auto cpu = static_cast<CpuId>(id);
      RC_ASSERT(set.contains(cpu) == model.contains(cpu));
    }
    const bool meets =
        model.lower_bound(static_cast<CpuId>(first)) != model.upper_bound(static_cast<CpuId>(last));
    RC_ASSERT(set.intersects(range) == meets);
    RC_ASSERT(range.intersects(set) == meets);
  }
}

}  // namespace
}  // namespace tenon::domain
