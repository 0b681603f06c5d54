// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "render/topology_svg.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "render/device_words.hpp"
#include "render/distances_svg.hpp"
#include "render/layout.hpp"
#include "render/svg.hpp"
#include "render/text_style.hpp"

namespace tenon::render {
namespace {

using svg::Area;

constexpr int kMargin = 24;
constexpr int kGap = 12;
constexpr int kPad = 12;
constexpr int kTitle = 26;  // the line of text at the top of a box
constexpr int kCardWidth = 168;
constexpr int kCardHeight = 62;
constexpr int kRowWidthMax = 1320;  // NUMA boxes beside each other
constexpr int kNumaWidthMax = 660;  // boxes beside each other within one
constexpr std::size_t kCardsInARow = 4;
constexpr int kNarrowestBox = 190;

constexpr std::string_view kStyle = R"(<style>
text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;font-size:12px;fill:#1c2733}
.paper{fill:#ffffff}
.head{font-size:20px;font-weight:700}
.bold{font-weight:700;font-size:13px}
.faint{fill:#566474;font-size:11px}
.tiny{fill:#566474;font-size:9px;font-weight:700}
.cell{font-size:10px}
.warn{fill:#8a4b00;font-weight:700}
.numa{fill:#f2f5f9;stroke:#9fb0c3;stroke-width:1.5}
.place{fill:#ffffff;stroke:#5d7a99;stroke-width:1.5}
.near{fill:#ffffff;stroke:#5d7a99;stroke-width:1.5;stroke-dasharray:5 3}
.card{fill:#ffffff;stroke:#b4c0cc}
.gpu{stroke:#33475b;stroke-width:1.5}
.free{fill:#2e8b57}.taken{fill:#3b6fc4}.part{fill:#c98a00}.cordoned{fill:#b3261e}
.d0{fill:#d9dee4}.dv{fill:#6f4bb8}.d1{fill:#0b5d8f}.d2{fill:#2f76a5}.d3{fill:#86b6d6}.d4{fill:#c3dcec}.d5{fill:#edf3f8}.dq{fill:none;stroke:#9fb0c3;stroke-dasharray:2 2}
.on{fill:#ffffff}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}.paper{fill:#12181f}.faint,.tiny{fill:#9fb0c3}.warn{fill:#f0b35e}
.numa{fill:#1a232d;stroke:#4a5c70}.place,.near{fill:#12181f;stroke:#6f8cab}.card{fill:#1f2a36;stroke:#4a5c70}.gpu{stroke:#a9bccf}
.free{fill:#4cbf83}.taken{fill:#6f9cf0}.part{fill:#e0aa3a}.cordoned{fill:#ef6a62}
.d0{fill:#39434e}.dv{fill:#7d5bc7}.d1{fill:#1b74ad}.d2{fill:#246690}.d3{fill:#244f6b}.d4{fill:#213c50}.d5{fill:#1b2a36}
}
</style>
)";

/// A box with its size and where it stands, relative to the box around it.
struct Placed {
  const Box* box = nullptr;
  Area area;
  std::vector<Placed> children;
};

int rows_needed(const std::vector<Placed>& items, int width_max) {
  int rows = 1;
  int used = 0;
  for (const Placed& item : items) {
    const bool fits = used == 0 || used + kGap + item.area.width <= width_max;
    rows += fits ? 0 : 1;
    used = fits && used > 0 ? used + kGap + item.area.width : item.area.width;
  }
  return rows;
}

/// The least width that needs no more rows: four boxes stand two by two, not three and one.
int balanced(const std::vector<Placed>& items, int width_max) {
  constexpr int kStep = 8;
  const int rows = rows_needed(items, width_max);
  int width = width_max;
  while (width > kStep && rows_needed(items, width - kStep) == rows) width -= kStep;
  return width;
}

/// Sets boxes beside each other, as many as fit; those of a row become equally high.
Area flow(std::vector<Placed>& items, int x, int y, int width_max) {
  Area used{x, y, 0, 0};
  int row_x = x;
  int row_y = y;
  int row_height = 0;
  std::size_t row_start = 0;
  width_max = balanced(items, width_max);
  const auto close_row = [&](std::size_t end) {
    for (std::size_t i = row_start; i < end; ++i) items[i].area.height = row_height;
    row_start = end;
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    Area& area = items[i].area;
    if (row_x > x && row_x + area.width > x + width_max) {
      close_row(i);
      row_y += row_height + kGap;
      row_x = x;
      row_height = 0;
    }
    area.x = row_x;
    area.y = row_y;
    row_x += area.width + kGap;
    row_height = std::max(row_height, area.height);
    used.width = std::max(used.width, row_x - kGap - x);
    used.height = row_y + row_height - y;
  }
  close_row(items.size());
  return used;
}

/// Cards of a kind in rows of at most kCardsInARow, one kind below the other.
Area lay_cards(std::vector<Placed>& cards, const views::TopologyView& view, int x, int y) {
  Area used{x, y, 0, 0};
  std::size_t column = 0;
  int row_y = y;
  std::optional<domain::DeviceKind> kind;
  for (Placed& card : cards) {
    const auto own = view.devices[*card.box->row].kind;
    if (kind && (own != *kind || column == kCardsInARow)) {
      row_y += kCardHeight + kGap;
      column = 0;
    }
    kind = own;
    card.area = {x + static_cast<int>(column) * (kCardWidth + kGap), row_y, kCardWidth,
                 kCardHeight};
    ++column;
    used.width = std::max(used.width, card.area.x + kCardWidth - x);
    used.height = row_y + kCardHeight - y;
  }
  return used;
}

Placed measured(const Box& box, const views::TopologyView& view, int width_max) {
  Placed placed{.box = &box, .area = {}, .children = {}};
  std::vector<Placed> cards;
  std::vector<Placed> boxes;
  for (const Box& child : box.children) {
    if (child.kind == Box::Kind::kDevice) {
      cards.push_back({.box = &child, .area = {}, .children = {}});
    } else {
      boxes.push_back(measured(child, view, width_max - 2 * kPad));
    }
  }
  std::ranges::sort(cards, {}, [](const Placed& card) { return *card.box->row; });
  int bottom = kTitle + kPad / 2;
  const Area by_cards = lay_cards(cards, view, kPad, bottom);
  if (!cards.empty()) bottom += by_cards.height + kGap;
  const Area by_boxes = flow(boxes, kPad, bottom, width_max - 2 * kPad);
  if (!boxes.empty()) bottom += by_boxes.height + kGap;
  const int inner = std::max({by_cards.width, by_boxes.width, kNarrowestBox - 2 * kPad});
  placed.area = {0, 0, inner + 2 * kPad, bottom};
  std::ranges::move(cards, std::back_inserter(placed.children));
  std::ranges::move(boxes, std::back_inserter(placed.children));
  return placed;
}

std::string_view class_of(std::string_view state) {
  if (state == "free" || state == "taken" || state == "cordoned") return state;
  return "part";
}

/// A shape for each state, so that it is seen without colour.
std::string state_mark(std::string_view state, int x, int y) {
  const std::string_view name = class_of(state);
  if (name == "free") {
    return text::cat(R"(<circle class="free" cx=")", x + 5, "\" cy=\"", y - 4, "\" r=\"4\"/>\n");
  }
  std::string path;
  if (name == "taken") path = text::cat("M", x + 1, " ", y - 8, "h8v8h-8z");
  if (name == "part") path = text::cat("M", x + 5, " ", y - 9, "l5 9h-10z");
  if (name == "cordoned") {
    path = text::cat("M", x + 1, " ", y - 7, "l2-2 3 3 3-3 2 2-3 3 3 3-2 2-3-3-3 3-2-2 3-3z");
  }
  return text::cat("<path class=\"", name, "\" d=\"", path, "\"/>\n");
}

std::string cut(std::string_view words, int width, int font_size) {
  return cut_to(printable(words), svg::characters_in(width, font_size), Charset::kUnicode);
}

std::string who_of(const views::DeviceView& device) {
  if (device.state == "cordoned") return text::cat("cordoned: ", device.cordoned);
  if (device.holders.empty()) return state_of(device);
  const std::string who = text::join(device.holders, ", ");
  return device.left.empty() ? who : text::cat(device.left, " left: ", who);
}

/// What it is; where nobody saw that, what is near it.
std::string second_line(const views::DeviceView& device) {
  std::string detail = detail_of(device);
  if (!detail.empty() || device.near.device.empty()) return detail;
  return text::cat("nearest ", device.near.device, " ", device.near.distance);
}

std::string card(const views::DeviceView& device, const Area& area) {
  constexpr std::array<std::string_view, 3> kKinds{"GPU", "NIC", "NVMe"};
  const auto kind = static_cast<std::size_t>(device.kind);
  const std::string holders = text::join(device.holders, ", ");
  std::string out = svg::open_group(text::cat(
      device.name, device.label.empty() ? "" : " ", device.label, ": ",
      or_else(detail_of(device), "details not known"), "; ", state_of(device),
      holders.empty() ? "" : "; held by ", holders, device.pci.empty() ? "" : "; PCI ", device.pci,
      device.near.device.empty() ? ""
                                 : text::cat("; nearest ", device.near.device, " at ",
                                             or_else(device.near.distance, "unknown distance"))));
  out += svg::rect(area, 5, kind == 0 ? "card gpu" : "card");
  out += svg::rect({area.x, area.y, 5, area.height}, 2, class_of(device.state));
  const int x = area.x + 13;
  const int tag_width = 34;
  out += svg::label(x, area.y + 18, "bold", device.name);
  const int name_width = static_cast<int>(device.name.size()) * 9;
  out += svg::label(x + name_width + 4, area.y + 18, "faint",
                    cut(device.label, area.width - 13 - name_width - 4 - tag_width, 11));
  out += svg::label(area.x + area.width - 7, area.y + 14, "tiny", kKinds.at(kind), "end");
  out += svg::label(x, area.y + 35, "faint", cut(second_line(device), area.width - 18, 11));
  out += state_mark(device.state, x, area.y + 53);
  out += svg::label(x + 16, area.y + 53, "text", cut(who_of(device), area.width - 34, 12));
  return out + svg::close_group();
}

std::string title_of(const Box& box) {
  if (box.kind == Box::Kind::kNear) return box.name;
  if (box.kind == Box::Kind::kNuma && !box.row) return "NUMA node not known";
  return box.name;
}

std::string subtitle_of(const Box& box, const views::TopologyView& view) {
  if (box.kind == Box::Kind::kNuma) return box.row ? detail_of(view.numa[*box.row], view) : "";
  if (box.kind == Box::Kind::kNear) return std::string{meaning_of(box.name)};
  return box.pci;
}

std::string drawn(const Placed& placed, const views::TopologyView& view, int x, int y) {
  const Area area{x + placed.area.x, y + placed.area.y, placed.area.width, placed.area.height};
  const Box& box = *placed.box;
  if (box.kind == Box::Kind::kDevice) return card(view.devices[*box.row], area);
  const std::string_view classes = box.kind == Box::Kind::kNuma    ? "numa"
                                   : box.kind == Box::Kind::kPlace ? "place"
                                                                   : "near";
  const std::string title = title_of(box);
  const std::string subtitle = subtitle_of(box, view);
  std::string out = svg::open_group(subtitle.empty() ? title : text::cat(title, ": ", subtitle));
  out += svg::rect(area, box.kind == Box::Kind::kNuma ? 10 : 7, classes);
  const int title_width = static_cast<int>(title.size()) * 9 + 8;
  out += svg::label(area.x + kPad, area.y + 19, "bold", title);
  out += svg::label(area.x + kPad + title_width, area.y + 19, "faint",
                    cut(subtitle, area.width - 2 * kPad - title_width, 11));
  for (const Placed& child : placed.children) out += drawn(child, view, area.x, area.y);
  return out + svg::close_group();
}

/// Who stands where, in sentences, for those who do not see the picture.
void describe(const Box& box, const views::TopologyView& view, std::string& out) {
  std::vector<std::string> names;
  for (const Box& child : box.children) {
    if (child.kind != Box::Kind::kDevice) {
      names.push_back(child.kind == Box::Kind::kNear ? text::cat("a group within ", child.name)
                                                     : child.name);
      continue;
    }
    const auto& device = view.devices[*child.row];
    names.push_back(text::cat(device.name, " (", state_of(device), ")"));
  }
  if (box.kind == Box::Kind::kDevice) return;
  out += text::cat(
      box.kind == Box::Kind::kNear ? text::cat("A group within ", box.name) : title_of(box),
      names.empty() ? " has no device. " : " holds ", text::join(names, ", "),
      names.empty() ? "" : ". ");
  for (const Box& child : box.children) describe(child, view, out);
}

struct Picture {
  std::string body;
  std::string description;
  int width = 0;
  int height = 0;
};

void draw_node(const views::TopologyView& view, Picture& picture) {
  int y = picture.height + kMargin;
  picture.body += svg::label(kMargin, y + 18, "head", view.node);
  const int name_width = static_cast<int>(columns(printable(view.node))) * 14 + 16;
  picture.body += svg::label(kMargin + name_width, y + 18, "faint", detail_of(view));
  picture.width =
      std::max(picture.width, name_width + static_cast<int>(detail_of(view).size()) * 7);
  y += 26;
  const auto line = [&](std::string_view classes, const std::string& words) {
    picture.body += svg::label(kMargin, y + 14, classes, words);
    y += 18;
  };
  if (!view.cordoned.empty()) line("warn", text::cat("Cordoned: ", view.cordoned));
  const auto odd = std::ranges::count_if(view.findings, [](const topology::Finding& finding) {
    return finding.severity != topology::Severity::kNote;
  });
  if (odd > 0) {
    line("warn",
         text::cat(odd, odd == 1 ? " contradiction" : " contradictions", ": see tenon topo check"));
  }
  for (const std::string& links : nvlink_lines(view)) line("faint", text::cat("NVLink  ", links));
  y += kGap;

  const std::vector<Box> boxes = layout_of(view);
  std::vector<Placed> placed;
  for (const Box& box : boxes) placed.push_back(measured(box, view, kNumaWidthMax));
  const Area used = flow(placed, kMargin, y, kRowWidthMax);
  for (const Placed& numa : placed) picture.body += drawn(numa, view, 0, 0);
  picture.width = std::max(picture.width, used.width);
  y += used.height + 2 * kGap;

  picture.description += text::cat(view.node, ": ", detail_of(view), ". ");
  for (const Box& box : boxes) describe(box, view, picture.description);

  const Square square = distances_square(square_by_device(view), kMargin, y);
  picture.body += square.body;
  picture.width = std::max(picture.width, square.width);
  picture.height = y + square.height;
}

void draw_legend(Picture& picture) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kStates{
      {{"free", "free"},
       {"taken", "taken, by the holder named"},
       {"shared", "partly taken"},
       {"cordoned", "cordoned"}}};
  const int y = picture.height + kMargin + 12;
  int x = kMargin;
  for (const auto& [state, words] : kStates) {
    picture.body += state_mark(state, x, y);
    picture.body += svg::label(x + 16, y, "faint", words);
    x += 16 + static_cast<int>(words.size()) * 7 + 2 * kGap;
  }
  picture.width = std::max(picture.width, x);
  picture.height = y + kMargin;
}

}  // namespace

std::string topology_svg(const std::vector<views::TopologyView>& views) {
  Picture picture;
  std::vector<std::string> names;
  for (const auto& view : views) {
    draw_node(view, picture);
    names.push_back(view.node);
  }
  draw_legend(picture);
  const int width = picture.width + 2 * kMargin;
  const int height = picture.height;
  return text::cat(R"(<svg xmlns="http://www.w3.org/2000/svg" width=")", width, "\" height=\"",
                   height, "\" viewBox=\"0 0 ", width, " ", height,
                   "\" role=\"img\" aria-labelledby=\"title description\">\n",
                   "<title id=\"title\">Topology of ", svg::escaped(text::join(names, ", ")),
                   "</title>\n", "<desc id=\"description\">", svg::escaped(picture.description),
                   "</desc>\n", kStyle, svg::rect({0, 0, width, height}, 0, "paper"), picture.body,
                   "</svg>\n");
}

}  // namespace tenon::render
