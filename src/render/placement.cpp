// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "render/placement.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "render/device_words.hpp"
#include "render/layout.hpp"

namespace tenon::render {
namespace {

std::string numbers(const std::vector<std::int64_t>& values) {
  std::vector<std::string> parts;
  for (const std::int64_t value : values) parts.push_back(text::cat(value));
  return text::join(parts, ",");
}

std::string_view sentence_of(domain::Verdict verdict, std::string_view code) {
  if (verdict == domain::Verdict::kNeverFits &&
      code == domain::to_text(domain::RefusalCode::kNotKnown)) {
    return "As far as is known it never fits: what would decide it was not seen.";
  }
  switch (verdict) {
    case domain::Verdict::kNotNow:
      return "Not now: it fits once holders have gone.";
    case domain::Verdict::kForbidden:
      return "Forbidden: it would fit, but an administrator has cordoned what it needs.";
    case domain::Verdict::kNeverFits:
      return "It never fits: not even if nobody held anything.";
    case domain::Verdict::kBadlyAsked:
      return "Badly asked: the request contradicts itself, on any machine.";
  }
  return {};
}

/// The first level at which `other` is worse than the chosen node's, in words of both.
std::string compared(const views::NodeView& other, const std::vector<views::LevelView>& chosen) {
  const std::size_t count = std::min(other.levels.size(), chosen.size());
  for (std::size_t i = 0; i < count; ++i) {
    const auto& there = other.levels[i];
    if (there.values == chosen[i].values) continue;
    return text::cat(there.name, ": ", there.words.empty() ? numbers(there.values) : there.words,
                     "; here ",
                     chosen[i].words.empty() ? numbers(chosen[i].values) : chosen[i].words);
  }
  return "equally good, but later in the cluster";
}

std::string why_of(const views::NodeView& node, const views::PlacementView& view) {
  if (!node.code.empty()) return text::cat(node.code, ": ", node.evidence);
  if (!node.evidence.empty()) return node.evidence;
  if (node.answer == "fits") return compared(node, view.levels);
  return node.allocation;
}

Ink ink_of(std::string_view answer) {
  if (answer == "chosen" || answer == "placed") return Ink::kGood;
  if (answer == "fits") return Ink::kPlain;
  return answer == "not now" || answer == views::kNotDecided ? Ink::kWarning : Ink::kBad;
}

Table grants_table(const views::PlacementView& view) {
  const bool labelled = std::ranges::any_of(
      view.grants, [](const views::GrantView& grant) { return !grant.label.empty(); });
  Table table{.columns = {{"NAME"},
                          {"LABEL", labelled ? Shown::kAlways : Shown::kWide},
                          {"PART"},
                          {"MODEL"},
                          {"NUMA"},
                          {"PCI", Shown::kWide},
                          {"ID", Shown::kWide}},
              .rows = {}};
  for (const auto& grant : view.grants) {
    table.rows.push_back({{grant.device},
                          {or_else(grant.label, kNone)},
                          {grant.part},
                          {or_else(grant.model, kUnknown)},
                          {or_else(joined_numbers(grant.numa), kUnknown)},
                          {or_else(grant.pci, kUnknown)},
                          {or_else(grant.id, kUnknown)}});
  }
  return table;
}

Table pairs_table(const views::PlacementView& view) {
  Table table{.columns = {{"GPU"}, {"NIC"}, {"DISTANCE"}, {"MEANING"}}, .rows = {}};
  for (const auto& pair : view.pairs) {
    table.rows.push_back({{pair.gpu},
                          {pair.nic},
                          {or_else(pair.distance, kUnknown)},
                          {std::string{meaning_of(pair.distance)}}});
  }
  return table;
}

/// Levels that say something: one that is all zeros and has no words is about what nobody asked for.
Table levels_table(const views::PlacementView& view) {
  Table table{.columns = {{"LEVEL"}, {"COST"}, {"MEANING"}}, .rows = {}};
  for (const auto& level : view.levels) {
    const bool zero =
        std::ranges::all_of(level.values, [](std::int64_t value) { return value == 0; });
    if (zero && level.words.empty()) continue;
    table.rows.push_back({{level.name}, {numbers(level.values)}, {level.words}});
  }
  return table;
}

std::string section(std::string_view title, const Table& table, const TextStyle& style) {
  if (table.rows.empty()) return {};
  return text::cat("\n", inked(title, Ink::kBold, style), "\n", to_text(table, style));
}

/// What the wishes say of the devices that were chosen; nothing where no wish is about them.
std::string because(const views::PlacementView& view) {
  std::vector<std::string> reasons;
  for (const auto& level : view.levels) {
    const bool counts = level.name == "numa" ? !view.cpus.empty() && !view.grants.empty()
                                             : level.name == "pair" || level.name == "gpus" ||
                                                   level.name == "memory" || level.name == "nvme";
    if (counts && !level.words.empty()) reasons.push_back(level.words);
  }
  if (reasons.empty()) return {};
  return text::cat(view.proven_best
                       ? text::cat("Because nothing on ", printable(view.node), " is nearer: ")
                       : std::string{"How near it is: "},
                   text::join(reasons, "; "), "\n");
}

std::string nodes_section(const views::PlacementView& view, const TextStyle& style) {
  Table table{.columns = {{"NAME"}, {"ANSWER"}, {"WHY"}, {"STEPS", Shown::kWide, Align::kRight}},
              .rows = {}};
  for (const auto& node : view.nodes) {
    table.rows.push_back({{node.node},
                          {node.answer, ink_of(node.answer)},
                          {why_of(node, view)},
                          {text::cat(node.steps)}});
  }
  return section("Each node", table, style);
}

std::string placed_text(const views::PlacementView& view, Explained explained,
                        const TextStyle& style) {
  const std::string allocation = view.allocation.empty() ? "nothing is asked for" : view.allocation;
  std::string out = text::cat(printable(view.request), " ", inked("fits", Ink::kGood, style), " ",
                              printable(view.node), ": ", printable(allocation), "\n");
  if (!view.proven_best) {
    out += "It may not be the best: the search was cut off (see --steps-max).\n";
  }
  out += because(view);
  if (explained == Explained::kNo) return out;
  out += text::cat("It asked for: ", printable(view.clauses), "\n");
  out += section("What it gets", grants_table(view), style);
  out += section("Each GPU and its NIC", pairs_table(view), style);
  out += section(
      view.proven_best
          ? "Why these: no other choice on this node costs less, compared from the first level down"
          : "What these cost, compared from the first level down",
      levels_table(view), style);
  return out + nodes_section(view, style);
}

std::string what_to_do(const views::PlacementView& view, std::string_view fix_command,
                       const TextStyle& style) {
  std::string out;
  if (view.fix) {
    out = text::cat(inked("Nearest fix", Ink::kBold, style), ": ", printable(view.fix->text), "\n");
    if (!fix_command.empty()) out += text::cat("  ", printable(fix_command), "\n");
    if (!view.fix_search_complete) {
      out += "A nearer fix may exist: the search for it was cut off.\n";
    }
  } else if (view.fix_searched && !view.fix_search_complete) {
    out = "No nearest fix: the search was cut off before it found one.\n";
  } else if (view.fix_searched && view.verdict != domain::Verdict::kForbidden) {
    out = "No nearest fix: no single change makes it fit.\n";
  }
  if (view.next_step.empty()) return out;
  return text::cat(out, inked("Next step", Ink::kBold, style), ": ", view.next_step, "\n");
}

std::string refused_text(const views::PlacementView& view, Explained explained,
                         std::string_view fix_command, const TextStyle& style) {
  const std::string where =
      view.refused_by.empty() ? std::string{} : text::cat(" on ", view.refused_by);
  std::string out;
  if (view.proven_best) {
    out = text::cat(printable(view.request), " ", inked("does not fit", Ink::kBad, style),
                    printable(where), ": ", printable(view.evidence), " (", view.code, ")\n",
                    sentence_of(view.verdict.value(), view.code), "\n");
  } else {
    out = text::cat(printable(view.request), " ", inked("is not decided", Ink::kWarning, style),
                    printable(where), ": ", printable(view.evidence), "; it may fit after all\n");
  }
  out += what_to_do(view, fix_command, style);
  if (explained == Explained::kNo) return out;
  out += text::cat("It asked for: ", printable(view.clauses), "\n");
  return out + nodes_section(view, style);
}

Value levels_value(const std::vector<views::LevelView>& levels) {
  Value list = Value::list();
  for (const auto& level : levels) {
    Value values = Value::list();
    for (const std::int64_t value : level.values) values.push(value);
    Value value = Value::object();
    value.add("name", level.name).add("values", std::move(values)).add_known("words", level.words);
    list.push(std::move(value));
  }
  return list;
}

Value grants_value(const views::PlacementView& view) {
  Value list = Value::list();
  for (const auto& grant : view.grants) {
    Value numa = Value::list();
    for (const int index : grant.numa) numa.push(index);
    Value value = Value::object();
    value.add("device", grant.device)
        .add("part", grant.part)
        .add_known("label", grant.label)
        .add_known("id", grant.id)
        .add_known("pci", grant.pci)
        .add_known("model", grant.model)
        .add_known("numa", std::move(numa));
    list.push(std::move(value));
  }
  return list;
}

Value memory_value(const views::PlacementView& view) {
  Value list = Value::list();
  for (const auto& grant : view.memory) {
    Value value = Value::object();
    value.add("numa", grant.numa).add("bytes", grant.bytes);
    list.push(std::move(value));
  }
  return list;
}

Value pairs_value(const views::PlacementView& view) {
  Value list = Value::list();
  for (const auto& pair : view.pairs) {
    Value value = Value::object();
    value.add("gpu", pair.gpu).add("nic", pair.nic);
    value.add("distance", pair.distance.empty() ? Value{} : Value{pair.distance});
    list.push(std::move(value));
  }
  return list;
}

Value nodes_value(const views::PlacementView& view) {
  Value list = Value::list();
  for (const auto& node : view.nodes) {
    Value value = Value::object();
    value.add("node", node.node)
        .add("answer", node.answer)
        .add_known("code", node.code)
        .add_known("evidence", node.evidence)
        .add_known("allocation", node.allocation)
        .add_known("levels", levels_value(node.levels))
        .add("provenBest", node.proven_best)
        .add("steps", node.steps);
    list.push(std::move(value));
  }
  return list;
}

Value fix_value(const views::FixView& fix, std::string_view command) {
  Value names = Value::list();
  for (const auto& name : fix.names) names.push(name);
  Value value = Value::object();
  value.add("kind", fix.kind)
      .add("node", fix.node)
      .add("text", fix.text)
      .add_known("request", fix.request)
      .add_known("names", std::move(names))
      .add_known("command", command);
  return value;
}

}  // namespace

std::string placement_text(const views::PlacementView& view, Explained explained,
                           std::string_view fix_command, const TextStyle& style) {
  return view.verdict ? refused_text(view, explained, fix_command, style)
                      : placed_text(view, explained, style);
}

Table placement_table(const views::PlacementView& view) {
  Table table{.columns = {{"NAME"}, {"ANSWER"}, {"CODE"}, {"EVIDENCE"}, {"ALLOCATION"}},
              .rows = {}};
  for (const auto& node : view.nodes) {
    table.rows.push_back(
        {{node.node}, {node.answer}, {node.code}, {node.evidence}, {node.allocation}});
  }
  return table;
}

Value placement_value(const views::PlacementView& view, std::string_view fix_command) {
  Value value = Value::object();
  value.add("request", view.request).add("clauses", view.clauses).add("answer", view.answer);
  if (!view.verdict) {
    Value allocation = Value::object();
    allocation.add("notation", view.allocation)
        .add("devices", grants_value(view))
        .add("cpus", view.cpus)
        .add("cpuMilli", view.cpu_milli)
        .add("memory", memory_value(view));
    value.add("node", view.node)
        .add("allocation", std::move(allocation))
        .add("pairs", pairs_value(view))
        .add("levels", levels_value(view.levels))
        .add("provenBest", view.proven_best);
  } else {
    Value refusal = Value::object();
    refusal.add_known("node", view.refused_by)
        .add_known("code", view.code)
        .add("evidence", view.evidence)
        .add_known("nextStep", view.next_step)
        .add("proven", view.proven_best);
    value.add("refusal", std::move(refusal));
    value.add("fix", view.fix ? fix_value(*view.fix, fix_command) : Value{})
        .add("fixSearchComplete", view.fix_search_complete);
  }
  value.add("nodes", nodes_value(view));
  return value;
}

}  // namespace tenon::render
