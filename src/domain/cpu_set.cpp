// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "domain/cpu_set.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/check.hpp"
#include "base/text.hpp"

namespace tenon::domain {
namespace {

constexpr std::uint64_t kIdMax = std::numeric_limits<CpuId>::max();

/// Sorted, disjoint, not adjacent.
void normalise(std::vector<CpuRange>& ranges) {
  std::sort(ranges.begin(), ranges.end());
  std::size_t kept = 0;
  for (const CpuRange& range : ranges) {
    if (kept > 0 && range.first <= static_cast<int>(ranges[kept - 1].last) + 1) {
      ranges[kept - 1].last = std::max(ranges[kept - 1].last, range.last);
    } else {
      ranges[kept++] = range;
    }
  }
  ranges.resize(kept);
}

std::optional<CpuId> id_from_text(std::string_view digits) {
  const auto id = text::to_u64(digits);
  if (!id || *id > kIdMax) return std::nullopt;
  return static_cast<CpuId>(*id);
}

}  // namespace

Result<CpuSet> CpuSet::from_text(std::string_view list) {
  CpuSet set;
  if (list.empty()) return set;
  // A list that says the same CPUs over and over must not need memory in proportion.
  constexpr std::size_t kPendingMax = 2 * (kIdMax + 1);
  while (true) {
    const auto comma = list.find(',');
    const std::string_view part = list.substr(0, comma);
    const auto dash = part.find('-');
    const auto first = id_from_text(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : id_from_text(part.substr(dash + 1));
    if (!first || !last) {
      return bad_input("", text::cat(text::quoted(part), " is not a CPU or a range of CPUs"),
                       "write a list such as 0-15,32,40-47; ids are at most 65535");
    }
    if (*first > *last) {
      return bad_input("", text::cat("the range ", part, " runs backwards"),
                       text::cat("write ", *last, '-', *first));
    }
    set.ranges_.push_back({*first, *last});
    if (set.ranges_.size() >= kPendingMax) normalise(set.ranges_);
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  normalise(set.ranges_);
  return set;
}

Result<CpuSet> CpuSet::from_mask(std::string_view mask) {
  CpuSet set;
  const auto words = text::split(mask, ',');
  for (std::size_t i = 0; i < words.size(); ++i) {
    constexpr std::size_t kDigits = 8;
    const bool whole = i == 0 ? words[i].size() <= kDigits : words[i].size() == kDigits;
    const auto bits = text::hex_to_u64(words[i]);
    if (!whole || !bits) {
      return bad_input("", text::cat(text::quoted(words[i]), " is not a word of a CPU mask"),
                       "write words of eight hexadecimal digits joined by commas");
    }
    const std::uint64_t base = (words.size() - 1 - i) * 32;
    for (std::uint64_t bit = 0; bit < 32; ++bit) {
      if ((*bits >> bit & 1U) == 0) continue;
      if (base + bit > kIdMax) {
        return bad_input("", "the mask names a CPU above 65535", "CPU ids are at most 65535");
      }
      const auto id = static_cast<CpuId>(base + bit);
      set.ranges_.push_back({id, id});
    }
  }
  normalise(set.ranges_);
  return set;
}

CpuSet CpuSet::of_range(CpuId first, CpuId last) {
  check(first <= last, "a range runs forwards");
  CpuSet set;
  set.ranges_.push_back({first, last});
  return set;
}

void CpuSet::insert(CpuId cpu) {
  if (!ranges_.empty() && ranges_.back().last < cpu) {  // ascending, as most callers come
    if (ranges_.back().last + 1 == cpu) {
      ranges_.back().last = cpu;
    } else {
      ranges_.push_back({cpu, cpu});
    }
    return;
  }
  ranges_.push_back({cpu, cpu});
  normalise(ranges_);
}

void CpuSet::insert(const CpuSet& other) {
  ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end());
  normalise(ranges_);
}

void CpuSet::erase(const CpuSet& other) {
  std::vector<CpuRange> left;
  auto hole = other.ranges_.begin();
  for (CpuRange range : ranges_) {
    bool gone = false;
    while (hole != other.ranges_.end() && hole->last < range.first) ++hole;
    for (auto cut = hole; cut != other.ranges_.end() && cut->first <= range.last; ++cut) {
      if (cut->first > range.first) {
        left.push_back({range.first, static_cast<CpuId>(cut->first - 1)});
      }
      if (cut->last >= range.last) {
        gone = true;
        break;
      }
      range.first = static_cast<CpuId>(cut->last + 1);
    }
    if (!gone) left.push_back(range);
  }
  ranges_ = std::move(left);
}

bool CpuSet::contains(CpuId cpu) const {
  const auto after =
      std::upper_bound(ranges_.begin(), ranges_.end(), cpu,
                       [](CpuId id, const CpuRange& range) { return id < range.first; });
  return after != ranges_.begin() && cpu <= std::prev(after)->last;
}

bool CpuSet::intersects(const CpuSet& other) const {
  auto a = ranges_.begin();
  auto b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    if (a->last < b->first) {
      ++a;
    } else if (b->last < a->first) {
      ++b;
    } else {
      return true;
    }
  }
  return false;
}

bool CpuSet::contains_all(const CpuSet& other) const {
  auto mine = ranges_.begin();
  for (const CpuRange& theirs : other.ranges_) {
    while (mine != ranges_.end() && mine->last < theirs.first) ++mine;
    if (mine == ranges_.end() || mine->first > theirs.first || mine->last < theirs.last) {
      return false;
    }
  }
  return true;
}

int CpuSet::count() const {
  int count = 0;
  for (const CpuRange& range : ranges_) count += range.last - range.first + 1;
  return count;
}

std::vector<CpuId> CpuSet::ids() const {
  std::vector<CpuId> ids;
  ids.reserve(static_cast<std::size_t>(count()));
  for (const CpuRange& range : ranges_) {
    for (int id = range.first; id <= range.last; ++id) ids.push_back(static_cast<CpuId>(id));
  }
  return ids;
}

std::string CpuSet::to_text() const {
  std::string out;
  for (const CpuRange& range : ranges_) {
    if (!out.empty()) out += ',';
    out += range.first == range.last ? text::cat(range.first)
                                     : text::cat(range.first, '-', range.last);
  }
  return out;
}

}  // namespace tenon::domain
