// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Amounts in the text form of Kubernetes: "128Gi", "1500m", "129e6", ".5Gi".
//
// Source of the grammar: k8s.io/apimachinery resource.Quantity. Suffixes are case-sensitive:
// n u m (none) k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent e±N / E±N. All arithmetic is on
// integers; a value that needs more than 63 bits is refused, never wrapped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tenon::domain {

/// Bytes (or any whole count), rounded up: "400m" is 1. Negative values are refused.
[[nodiscard]] Result<std::int64_t> whole_from_text(std::string_view text);

/// Thousandths, rounded up: "1.5" is 1500, "100u" is 1. Negative values are refused.
[[nodiscard]] Result<std::int64_t> milli_from_text(std::string_view text);

/// A whole number with the largest binary suffix that is exact: 137438953472 is "128Gi", 1000 is "1000".
[[nodiscard]] std::string bytes_to_text(std::int64_t bytes);

/// The shortest exact decimal form: 1500 is "1.5", 250 is "0.25", 2000 is "2".
[[nodiscard]] std::string milli_to_text(std::int64_t milli);

/// Bits per second with a decimal suffix: 400000000000 is "400G". Read with whole_from_text.
[[nodiscard]] std::string rate_to_text(std::int64_t bits_per_second);

}  // namespace tenon::domain
