// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "render/device_words.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "domain/quantity.hpp"

namespace tenon::render {

std::string or_else(const std::string& text, const char* otherwise) {
  return text.empty() ? otherwise : text;
}

std::string joined_numbers(const std::vector<int>& numbers) {
  std::vector<std::string> parts;
  for (const int number : numbers) parts.push_back(text::cat(number));
  return text::join(parts, ",");
}

std::string detail_of(const views::DeviceView& device) {
  std::vector<std::string> parts;
  const auto add = [&](std::string part) {
    if (!part.empty()) parts.push_back(std::move(part));
  };
  add(device.model);
  if (device.memory_bytes) add(shown_bytes(device.memory_bytes));
  if (device.capacity_bytes) add(shown_bytes(device.capacity_bytes));
  if (!device.mig.empty()) add(text::cat("MIG ", device.mig));
  if (device.rate_bits) add(domain::rate_to_text(*device.rate_bits));
  add(device.role);
  if (device.bond) add("bond");
  if (device.rdma.has_value()) add(*device.rdma ? "RDMA" : "no RDMA");
  if (device.vfs > 0) add(text::cat(device.vfs, " VFs"));
  return text::join(parts, ", ");
}

std::string detail_of(const views::NumaView& numa, const views::TopologyView& view) {
  std::string out = !numa.cpus.empty()   ? text::cat("cpus ", numa.cpus)
                    : view.cpu_count > 0 ? "no CPUs"
                                         : "CPUs not known";
  if (numa.cores && numa.cpu_count > 0) {
    const bool all_free = numa.cores_free == numa.cores;
    out += all_free
               ? text::cat(", ", *numa.cores, " cores")
               : text::cat(", ", numa.cores_free.value_or(0), " of ", *numa.cores, " cores free");
  }
  if (numa.memory_bytes) {
    out += numa.memory_bytes == numa.memory_bytes_free
               ? text::cat(", ", shown_bytes(numa.memory_bytes))
               : text::cat(", ", shown_bytes(numa.memory_bytes_free), " of ",
                           shown_bytes(numa.memory_bytes), " free");
  }
  return out;
}

std::string detail_of(const views::TopologyView& view) {
  std::vector<std::string> parts;
  if (!view.arch.empty()) parts.push_back(view.arch);
  if (view.cpu_count > 0) {
    parts.push_back(text::cat(view.cpu_count, view.cpu_count == 1 ? " CPU" : " CPUs"));
  }
  if (view.memory_bytes) parts.push_back(shown_bytes(view.memory_bytes));
  constexpr std::array<std::string_view, 3> kWords{"GPU", "NIC", "NVMe"};
  std::array<int, 3> counts{};
  for (const auto& device : view.devices) ++counts.at(static_cast<std::size_t>(device.kind));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts.at(i) > 0) {
      parts.push_back(text::cat(counts.at(i), " ", kWords.at(i), counts.at(i) == 1 ? "" : "s"));
    }
  }
  return text::join(parts, ", ");
}

std::string state_of(const views::DeviceView& device) {
  return device.left.empty() ? device.state : text::cat(device.state, ", ", device.left, " left");
}

std::string shown_bytes(std::optional<std::int64_t> bytes) {
  if (!bytes) return kUnknown;
  std::string exact = domain::bytes_to_text(*bytes);
  constexpr std::size_t kShort = 6;  // "1536Gi"
  if (exact.size() <= kShort) return exact;
  constexpr std::array<std::string_view, 6> kUnits{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  std::size_t unit = 0;
  std::int64_t size = 1024;
  while (unit + 1 < kUnits.size() && *bytes / size >= 1024) {
    size *= 1024;
    ++unit;
  }
  const std::int64_t whole = *bytes / size;
  const std::int64_t tenths =
      (*bytes % size) / (size / 10);  // cut, not rounded: never more than is there
  const std::string rest =
      tenths == 0 ? std::string{} : text::cat(".", std::min<std::int64_t>(tenths, 9));
  return text::cat(whole, rest, kUnits.at(unit));
}

}  // namespace tenon::render
