// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What the parts of the hwloc reader share: the file, its version, words of its objects.
#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "domain/cpu_set.hpp"
#include "formats/topology/xml.hpp"

namespace tenon::formats::topology {

struct HwlocFile {
  const XmlText& xml;
  std::string_view name;
  int major;  // 1, 2 or 3
  std::vector<std::string>& warnings;

  void warn(pugi::xml_node at, std::string_view what) const;
};

enum class HwlocType {
  kMachine,
  kPackage,
  kNuma,
  kCore,
  kPu,
  kBridge,
  kPciDevice,
  kOsDevice,
  kOther
};

/// Of an <object>; names of all versions ("Socket" is what version 1 called a package).
[[nodiscard]] HwlocType hwloc_type(pugi::xml_node object);

/// True of a device, or a bridge above one: no CPUs are below.
[[nodiscard]] bool is_io(HwlocType type);

/// The value of an <info> of this object; "" where there is none.
[[nodiscard]] std::string_view hwloc_info(pugi::xml_node object, std::string_view name);

/// A bit mask: "0x00000303,,0x3". Nothing where it is absent or infinite ("0xf...f").
[[nodiscard]] Result<std::optional<domain::CpuSet>> hwloc_set(const HwlocFile& file,
                                                              pugi::xml_node object,
                                                              const char* attribute);

/// "16671616KiB", or without unit, as version 2 writes KiB: bytes. Nothing where it is no number.
[[nodiscard]] std::optional<std::int64_t> hwloc_kibibytes(std::string_view text);

}  // namespace tenon::formats::topology
