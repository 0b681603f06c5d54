// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "domain/request.hpp"

#include <algorithm>

namespace tenon::domain {

bool asks_nothing(const Request& request) {
  return request.gpu.units.empty() && request.nic.count == 0 && request.nvme_count == 0 &&
         request.cores == 0 && request.cpu_milli == 0 && request.memory_bytes == 0 &&
         request.arch.empty();
}

std::vector<Wish> wish_order(const Request& request) {
  std::vector<Wish> order = request.wishes;
  for (int i = 0; i < kWishCount; ++i) {
    const auto wish = static_cast<Wish>(i);
    if (std::find(order.begin(), order.end(), wish) == order.end()) order.push_back(wish);
  }
  if (request.numa == NumaClause::kNone) {
    std::erase_if(order, [](Wish wish) { return wish == Wish::kNuma || wish == Wish::kMemory; });
  }
  return order;
}

}  // namespace tenon::domain
