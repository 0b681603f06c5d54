// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <cstddef>
#include <cstdint>

#include "formats/topology/reader_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tenon::formats::topology::fuzzing::read_any("hwloc", data, size);
  return 0;
}
