// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// One spelling of GPU models over all sources: "NVIDIA A100-SXM4-40GB" is "A100-SXM4-40GB".
#pragma once

#include <string>
#include <string_view>

namespace tenon::formats::topology {

/// Without the maker's name in front.
[[nodiscard]] inline std::string gpu_model(std::string_view product) {
  for (const std::string_view maker : {"NVIDIA ", "AMD "}) {
    if (product.size() > maker.size() && product.starts_with(maker)) {
      product.remove_prefix(maker.size());
    }
  }
  return std::string{product};
}

}  // namespace tenon::formats::topology
