// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "domain/node.hpp"

#include <array>

#include "base/check.hpp"
#include "base/text.hpp"

namespace tenon::domain {

std::string_view to_text(DeviceKind kind) {
  constexpr std::array<std::string_view, 3> kNames = {"gpu", "nic", "nvme"};
  const auto at = static_cast<std::size_t>(kind);
  check(at < kNames.size(), "a kind of device has a name");
  return kNames[at];
}

std::string to_text(const Device& device) {
  return text::cat(to_text(device.kind()), device.ordinal);
}

std::string to_text(const Link& link) {
  switch (link.seen) {
    case Link::Seen::kNothing:
      return "?";
    case Link::Seen::kSelf:
      return "X";
    case Link::Seen::kDistance:
      return std::string{to_text(link.distance)};
    case Link::Seen::kNvlink:
      return text::cat("NV", static_cast<int>(link.nvlinks));
  }
  check(false, "a link was seen in one of four ways");
  return {};
}

std::optional<Link> link_from_text(std::string_view cell) {
  if (cell == "?") return Link{};
  if (cell == "X") return Link{.seen = Link::Seen::kSelf};
  if (const auto distance = distance_from_text(cell)) {
    return Link{.seen = Link::Seen::kDistance, .distance = *distance};
  }
  if (!cell.starts_with("NV")) return std::nullopt;
  const auto links = text::to_u64(cell.substr(2));
  if (!links || *links < 1 || *links > kNvlinksMax) return std::nullopt;
  return Link{.seen = Link::Seen::kNvlink, .nvlinks = static_cast<std::uint8_t>(*links)};
}

std::optional<DeviceIndex> find_device(const Node& node, DeviceKind kind, int ordinal) {
  for (std::size_t i = 0; i < node.devices.size(); ++i) {
    if (node.devices[i].kind() == kind && node.devices[i].ordinal == ordinal) {
      return static_cast<DeviceIndex>(i);
    }
  }
  return std::nullopt;
}

}  // namespace tenon::domain
