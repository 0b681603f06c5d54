// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A set of logical CPUs in the kernel's list form: "0-15,96-111".
//
// Invariants: ranges are sorted, disjoint and never adjacent, so equal sets are equal values.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tenon::domain {

using CpuId = std::uint16_t;  // the kernel's number of a logical CPU

struct CpuRange {
  CpuId first;
  CpuId last;  // inclusive
  friend auto operator<=>(const CpuRange&, const CpuRange&) = default;
};

class CpuSet {
 public:
  CpuSet() = default;

  /// "0-3,8,10-11"; "" is the empty set. Overlaps are merged; "3-1" and ids above 65535 refused.
  [[nodiscard]] static Result<CpuSet> from_text(std::string_view list);
  /// The kernel's mask form, as in NCCL files: "000000ff,ffff0000"; bit 0 is CPU 0.
  [[nodiscard]] static Result<CpuSet> from_mask(std::string_view mask);
  [[nodiscard]] static CpuSet of_range(CpuId first, CpuId last);

  void insert(CpuId cpu);
  void insert(const CpuSet& other);
  void erase(const CpuSet& other);

  [[nodiscard]] bool contains(CpuId cpu) const;
  [[nodiscard]] bool intersects(const CpuSet& other) const;
  [[nodiscard]] bool contains_all(const CpuSet& other) const;
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] int count() const;
  [[nodiscard]] const std::vector<CpuRange>& ranges() const { return ranges_; }
  [[nodiscard]] std::vector<CpuId> ids() const;  // ascending
  [[nodiscard]] std::string to_text() const;

  friend bool operator==(const CpuSet&, const CpuSet&) = default;

 private:
  std::vector<CpuRange> ranges_;
};

}  // namespace tenon::domain
