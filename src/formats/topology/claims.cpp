// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/claims.hpp"

#include <iterator>

#include "base/text.hpp"

namespace tenon::formats::topology {
namespace {

domain::CpuSet common(const domain::CpuSet& a, const domain::CpuSet& b) {
  domain::CpuSet only_a = a;
  only_a.erase(b);
  domain::CpuSet both = a;
  both.erase(only_a);
  return both;
}

}  // namespace

std::vector<std::string> drop_contested(CpuClaims& claims) {
  std::vector<std::string> sentences;
  domain::CpuSet contested;
  for (auto a = claims.begin(); a != claims.end(); ++a) {
    for (auto b = std::next(a); b != claims.end(); ++b) {
      const domain::CpuSet both = common(a->second, b->second);
      if (both.empty()) continue;
      contested.insert(both);
      sentences.push_back(text::cat("NUMA nodes ", a->first, " and ", b->first, " both claim CPUs ",
                                    both.to_text(), ": they count for neither"));
    }
  }
  for (auto& [id, cpus] : claims) cpus.erase(contested);
  return sentences;
}

}  // namespace tenon::formats::topology
