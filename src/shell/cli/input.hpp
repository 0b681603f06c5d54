// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// From the operands of a command to machines: files, the standard input, captured trees, this host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "domain/cluster.hpp"

namespace tenon::cli {

inline constexpr std::size_t kInputBytesMax = 64U << 20U;

/// The whole of a file or, for "-", of the standard input; more than kInputBytesMax is refused.
[[nodiscard]] Result<std::string> read_text(const std::string& operand);

/// The nodes and holders of one or several operands, in their order.
struct Inputs {
  domain::Cluster cluster;
  std::vector<std::string> warnings;
};

/// How nodes of several files that have the same name are told apart.
enum class SameName : std::uint8_t {
  kKeep,    // they are shown one after the other, unless a holder's node could be either: an Error
  kRefuse,  // they are one cluster: an Error
};

/// Wrong usage, which is found before anything is read: "-" is given more than once.
[[nodiscard]] Result<void> check_stdin_once(const std::vector<std::string>& operands);

/// `format`: "auto", or what the flag --format takes.
[[nodiscard]] Result<Inputs> read_machines(const std::vector<std::string>& operands,
                                           std::string_view format, SameName same_name);

}  // namespace tenon::cli
