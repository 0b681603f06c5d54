// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "formats/topology/hwloc_file.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "formats/topology/input.hpp"

namespace tenon::formats::topology {

void HwlocFile::warn(pugi::xml_node at, std::string_view what) const {
  warnings.push_back(text::cat(xml.where(at), ": ", what));
}

HwlocType hwloc_type(pugi::xml_node object) {
  constexpr std::array<std::pair<std::string_view, HwlocType>, 11> kTypes{{
      {"Bridge", HwlocType::kBridge},
      {"Core", HwlocType::kCore},
      {"Machine", HwlocType::kMachine},
      {"NUMANode", HwlocType::kNuma},
      {"Node", HwlocType::kNuma},
      {"OSDev", HwlocType::kOsDevice},
      {"PCIDev", HwlocType::kPciDevice},
      {"PU", HwlocType::kPu},
      {"Package", HwlocType::kPackage},
      {"Socket", HwlocType::kPackage},
      {"System", HwlocType::kMachine},
  }};
  const std::string_view type = attribute_or_empty(object, "type");
  const auto found = std::ranges::find(kTypes, type, [](const auto& it) { return it.first; });
  return found == kTypes.end() ? HwlocType::kOther : found->second;
}

bool is_io(HwlocType type) {
  return type == HwlocType::kBridge || type == HwlocType::kPciDevice ||
         type == HwlocType::kOsDevice;
}

std::string_view hwloc_info(pugi::xml_node object, std::string_view name) {
  for (const auto info : object.children("info")) {
    if (attribute_or_empty(info, "name") == name) return attribute_or_empty(info, "value");
  }
  return {};
}

Result<std::optional<domain::CpuSet>> hwloc_set(const HwlocFile& file, pugi::xml_node object,
                                                const char* attribute_name) {
  const auto text = attribute(object, attribute_name);
  if (!text || text->empty() || text->find("...") != std::string_view::npos) return std::nullopt;
  // From "0x303,,0x3" to the words of eight digits that domain::CpuSet reads.
  std::string mask;
  std::string_view rest = *text;
  while (true) {
    constexpr std::size_t kDigits = 8;
    const auto cut = rest.find(',');
    std::string_view word = rest.substr(0, cut);
    if (word.starts_with("0x")) word.remove_prefix(2);
    if (word.size() < kDigits) mask.append(kDigits - word.size(), '0');
    mask += word;
    if (cut == std::string_view::npos) break;
    mask += ',';
    rest.remove_prefix(cut + 1);
  }
  auto set = cpus_of_mask(mask);
  if (!set) {
    return bad_input(file.xml.where(object), text::cat(attribute_name, ": ", set.error().what),
                     "a mask like 0x000000ff,0xffff0000 is expected");
  }
  return std::optional{std::move(*set)};
}

std::optional<std::int64_t> hwloc_kibibytes(std::string_view text) {
  for (const std::string_view unit : {"KiB", "kB", "KB"}) {
    if (text.ends_with(unit)) text.remove_suffix(unit.size());
  }
  constexpr std::uint64_t kMost = 1ULL << 50U;
  constexpr std::int64_t kKibi = 1024;
  const auto number = text::to_u64(text::trim(text));
  if (!number || *number == 0 || *number > kMost) return std::nullopt;
  return static_cast<std::int64_t>(*number) * kKibi;
}

}  // namespace tenon::formats::topology
