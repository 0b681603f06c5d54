// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "base/check.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace tenon {

void check_failed(std::string_view what, const std::source_location& where) {
  std::string line = where.file_name();
  line += ':';
  line += std::to_string(where.line());
  line += ": check failed: ";
  line += what;
  line += '\n';
  // The program ends here; there is nobody left to tell that the write failed.
  [[maybe_unused]] const auto written = ::write(2, line.data(), line.size());
  std::abort();
}

}  // namespace tenon
