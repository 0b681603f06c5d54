// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "render/layout.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace tenon::render {
namespace {

using domain::Distance;
using Rows = std::vector<std::size_t>;

/// The cells of a view by row of TopologyView::devices.
class Cells {
 public:
  explicit Cells(const views::TopologyView& view) : view_(view), at_(view.devices.size()) {
    for (std::size_t i = 0; i < view.distances.devices.size(); ++i) {
      at_[static_cast<std::size_t>(view.distances.devices[i])] = i;
    }
  }

  /// "" where nobody saw it, or where a device stands in no square (an NVMe).
  [[nodiscard]] std::string_view word(std::size_t a, std::size_t b) const {
    if (!at_[a] || !at_[b]) return {};
    return view_.distances.at(*at_[a], *at_[b]);
  }

  /// Of two directions the weaker; one that nobody saw takes its mirror.
  [[nodiscard]] std::optional<Distance> distance(std::size_t a, std::size_t b) const {
    const auto there = domain::distance_from_text(word(a, b));
    const auto back = domain::distance_from_text(word(b, a));
    if (!there || !back) return there ? there : back;
    return std::max(*there, *back);
  }

 private:
  const views::TopologyView& view_;
  std::vector<std::optional<std::size_t>> at_;
};

/// Connected parts of `rows` by "at most `bound` apart", each ascending, in order of their first row.
std::vector<Rows> parts(const Rows& rows, const Cells& cells, Distance bound) {
  std::vector<Rows> found;
  std::vector<bool> taken(rows.size(), false);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (taken[i]) continue;
    std::vector<std::size_t> part{i};
    taken[i] = true;
    for (std::size_t next = 0; next < part.size(); ++next) {
      for (std::size_t k = 0; k < rows.size(); ++k) {
        if (taken[k] || !domain::within(cells.distance(rows[part[next]], rows[k]), bound)) continue;
        taken[k] = true;
        part.push_back(k);
      }
    }
    std::ranges::sort(part);
    Rows members;
    for (const std::size_t k : part) members.push_back(rows[k]);
    found.push_back(std::move(members));
  }
  return found;
}

Box device_box(const views::TopologyView& view, std::size_t row) {
  return {.kind = Box::Kind::kDevice,
          .name = view.devices[row].name,
          .pci = {},
          .row = row,
          .children = {}};
}

/// Boxes for devices without a place: one for each part that is nearer together than `bound`.
std::vector<Box> boxes_of(const views::TopologyView& view, const Rows& rows, const Cells& cells,
                          Distance bound) {
  std::vector<Box> boxes;
  if (bound < Distance::kPix) {
    for (const std::size_t row : rows) boxes.push_back(device_box(view, row));
    return boxes;
  }
  const auto nearer = static_cast<Distance>(static_cast<int>(bound) - 1);
  const auto found = parts(rows, cells, bound);
  for (const Rows& part : found) {
    if (part.size() == 1) {
      boxes.push_back(device_box(view, part.front()));
      continue;
    }
    std::vector<Box> inner = boxes_of(view, part, cells, nearer);
    if (inner.size() == 1 && inner.front().kind == Box::Kind::kNear) {  // they are nearer still
      boxes.push_back(std::move(inner.front()));
      continue;
    }
    boxes.push_back({.kind = Box::Kind::kNear,
                     .name = std::string{domain::to_text(bound)},
                     .pci = {},
                     .row = {},
                     .children = std::move(inner)});
  }
  return boxes;
}

Box copy_of(const views::TreeItem& item) {
  Box box{.kind = item.kind == views::TreeItem::Kind::kDevice  ? Box::Kind::kDevice
                  : item.kind == views::TreeItem::Kind::kPlace ? Box::Kind::kPlace
                                                               : Box::Kind::kNuma,
          .name = item.name,
          .pci = item.pci,
          .row = item.row,
          .children = {}};
  for (const auto& child : item.children) box.children.push_back(copy_of(child));
  return box;
}

/// A place whose only child is a place is one box with it: a chain of ports tells nothing that its ends do not.
void merge_chains(Box& box) {
  for (Box& child : box.children) merge_chains(child);
  const bool chain = box.kind == Box::Kind::kPlace && box.children.size() == 1 &&
                     box.children.front().kind == Box::Kind::kPlace;
  if (!chain) return;
  Box inner = std::move(box.children.front());
  inner.name = text::cat(box.name, "/", inner.name);
  if (inner.pci.empty()) inner.pci = box.pci;
  box = std::move(inner);
}

void collect_rows(const Box& box, Rows& rows) {
  if (box.kind == Box::Kind::kDevice) rows.push_back(*box.row);
  for (const Box& child : box.children) collect_rows(child, rows);
}

struct Numa {
  Box box;     // with what has a place
  Rows loose;  // devices without one
};

Numa split(const views::TreeItem& item) {
  Numa numa{.box = copy_of(item), .loose = {}};
  std::vector<Box> placed;
  for (Box& child : numa.box.children) {
    if (child.kind == Box::Kind::kDevice) {
      numa.loose.push_back(*child.row);
    } else {
      placed.push_back(std::move(child));
    }
  }
  numa.box.children = std::move(placed);
  return numa;
}

/// Gives loose devices of no known NUMA node to the one whose devices they are nearest to.
void adopt(std::vector<Numa>& all, const Cells& cells) {
  const auto homeless =
      std::ranges::find_if(all, [](const Numa& numa) { return !numa.box.row.has_value(); });
  if (homeless == all.end()) return;
  Rows kept;
  for (const std::size_t row : homeless->loose) {
    Numa* best = nullptr;
    Distance nearest = Distance::kSys;  // only what is nearer than this decides
    for (Numa& numa : all) {
      if (!numa.box.row.has_value()) continue;
      Rows members = numa.loose;
      collect_rows(numa.box, members);
      for (const std::size_t member : members) {
        const auto distance = cells.distance(row, member);
        if (!distance || *distance >= nearest) continue;
        nearest = *distance;
        best = &numa;
      }
    }
    if (best == nullptr) {
      kept.push_back(row);
    } else {
      best->loose.push_back(row);
    }
  }
  homeless->loose = std::move(kept);
}

}  // namespace

std::vector<Box> layout_of(const views::TopologyView& view) {
  const Cells cells(view);
  std::vector<Numa> all;
  for (const auto& item : view.tree) all.push_back(split(item));
  adopt(all, cells);
  std::vector<Box> boxes;
  for (Numa& numa : all) {
    merge_chains(numa.box);
    std::ranges::sort(numa.loose);
    const bool known = numa.box.row.has_value();
    // Inside one NUMA node NODE says nothing new; without one it is worth a box.
    const Distance widest = known ? Distance::kPhb : Distance::kNode;
    for (Box& box : boxes_of(view, numa.loose, cells, widest)) {
      numa.box.children.push_back(std::move(box));
    }
    if (known || !numa.box.children.empty()) boxes.push_back(std::move(numa.box));
  }
  return boxes;
}

std::string_view meaning_of(std::string_view distance) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kMeanings{
      {{"SAME", "one device"},
       {"PIX", "one switch"},
       {"PXB", "several switches"},
       {"PHB", "one host bridge"},
       {"NODE", "one NUMA node"},
       {"SYS", "across NUMA nodes"}}};
  for (const auto& [word, meaning] : kMeanings) {
    if (word == distance) return meaning;
  }
  return "not known";
}

views::DistancesView square_by_device(const views::TopologyView& view) {
  const Cells cells(view);
  views::DistancesView square;
  square.devices = view.distances.devices;
  std::ranges::sort(square.devices);
  for (const auto row : square.devices) {
    square.names.push_back(view.devices[static_cast<std::size_t>(row)].name);
    for (const auto column : square.devices) {
      square.cells.emplace_back(
          cells.word(static_cast<std::size_t>(row), static_cast<std::size_t>(column)));
    }
  }
  return square;
}

std::vector<std::string> nvlink_lines(const views::TopologyView& view) {
  const Cells cells(view);
  const auto is_link = [&](std::size_t a, std::size_t b) {
    return cells.word(a, b).starts_with("NV") || cells.word(b, a).starts_with("NV");
  };
  Rows gpus;
  for (std::size_t row = 0; row < view.devices.size(); ++row) {
    if (view.devices[row].kind == domain::DeviceKind::kGpu) gpus.push_back(row);
  }
  std::vector<std::string> lines;
  std::vector<bool> seen(view.devices.size(), false);
  for (const std::size_t start : gpus) {
    if (seen[start]) continue;
    Rows group{start};
    seen[start] = true;
    for (std::size_t next = 0; next < group.size(); ++next) {
      for (const std::size_t gpu : gpus) {
        if (seen[gpu] || !is_link(group[next], gpu)) continue;
        seen[gpu] = true;
        group.push_back(gpu);
      }
    }
    if (group.size() < 2) continue;
    std::ranges::sort(group);
    std::vector<std::string> names;
    const std::string_view word = cells.word(group[0], group[1]);
    bool alike = true;
    for (const std::size_t a : group) {
      names.push_back(view.devices[a].name);
      for (const std::size_t b : group) alike = alike && (a == b || cells.word(a, b) == word);
    }
    const std::string all = names.size() > 4 ? text::cat(names.front(), " ... ", names.back(), " (",
                                                         names.size(), " GPUs)")
                                             : text::join(names, " ");
    lines.push_back(alike ? text::cat(all, ": ", word, names.size() > 2 ? " between every two" : "")
                          : text::cat(all, ": not alike, see the distances"));
  }
  return lines;
}

}  // namespace tenon::render
