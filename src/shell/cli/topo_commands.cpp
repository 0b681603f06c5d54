// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// topo show, distances, convert, check.

#include <algorithm>

#include "base/text.hpp"
#include "core/topology/check.hpp"
#include "domain/notation/notation.hpp"
#include "render/envelope.hpp"
#include "render/layout.hpp"
#include "render/topology.hpp"
#include "render/topology_svg.hpp"
#include "shell/cli/commands.hpp"
#include "shell/cli/input.hpp"
#include "shell/cli/losses.hpp"
#include "shell/cli/output.hpp"
#include "views/distances_view.hpp"
#include "views/topology_view.hpp"

namespace tenon::cli {
namespace {

/// Leaves the machines that --node names, all without it; an error names the one that is not there.
Result<void> keep_named(const std::vector<std::string>& names, domain::Cluster& cluster) {
  if (names.empty()) return {};
  for (const std::string& name : names) {
    if (std::ranges::find(cluster.nodes, name, &domain::Node::name) != cluster.nodes.end())
      continue;
    std::vector<std::string> all;
    for (const domain::Node& node : cluster.nodes) all.push_back(node.name);
    return bad_input({}, text::cat("no machine is called '", name, "'"),
                     text::cat("there are: ", text::join(all, ", ")));
  }
  const auto is_wanted = [&](const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  std::erase_if(cluster.nodes, [&](const domain::Node& node) { return !is_wanted(node.name); });
  std::erase_if(cluster.holders,
                [&](const domain::Holder& holder) { return !is_wanted(holder.node); });
  return {};
}

std::optional<Inputs> read_operands(const Invocation& invocation, Desk& desk) {
  if (auto once = check_stdin_once(invocation.operands); !once) {
    desk.fail(once.error(), ExitCode::kBadlyAsked);
    return std::nullopt;
  }
  auto inputs = read_machines(invocation.operands, invocation.value("format"), SameName::kKeep);
  if (!inputs) {
    desk.fail(inputs.error());
    return std::nullopt;
  }
  for (const std::string& warning : inputs->warnings) desk.warn(warning);
  if (inputs->cluster.nodes.empty()) {
    desk.fail({.where = invocation.operands.front(),
               .what = "describes no machine",
               .advice = "give a topology"});
    return std::nullopt;
  }
  if (auto kept = keep_named(invocation.values("node"), inputs->cluster); !kept) {
    desk.fail(kept.error());
    return std::nullopt;
  }
  return std::move(*inputs);
}

/// One value for one machine, a list of them for several: `distances` of one stands at the top.
template <class Range, class MakeValue>
render::Value one_or_list(std::string_view kind, const Range& range, MakeValue add_to) {
  if (range.size() == 1) {
    render::Value value = render::envelope(kind);
    add_to(value, *range.begin());
    return value;
  }
  render::Value items = render::Value::list();
  for (const auto& element : range) {
    render::Value value = render::Value::object();
    add_to(value, element);
    items.push(std::move(value));
  }
  render::Value list = render::envelope(text::cat(kind, "List"));
  list.add("items", std::move(items));
  return list;
}

void show_as_text(const std::vector<views::TopologyView>& views, Form form, Desk& desk) {
  render::TextStyle style = desk.style;
  style.detail = form == Form::kWide ? render::Detail::kWide : render::Detail::kNormal;
  for (const auto& view : views) {
    if (&view != views.data()) desk.outcome.out += '\n';
    desk.outcome.out += render::to_text(render::topology_tree(view, style.charset), style);
    const auto links = render::nvlink_lines(view);
    if (!links.empty()) desk.outcome.out += '\n';
    for (const std::string& line : links) desk.outcome.out += text::cat("NVLink: ", line, "\n");
    if (form == Form::kWide && !view.distances.names.empty()) {
      desk.outcome.out += '\n';
      desk.outcome.out +=
          render::to_text(render::distances_table(render::square_by_device(view)), style);
    }
  }
}

/// One line for each machine that contradicts itself: `topo check` has the rest.
void warn_of_findings(const std::vector<views::TopologyView>& views, Desk& desk) {
  for (const auto& view : views) {
    const auto count = std::ranges::count_if(view.findings, [](const topology::Finding& finding) {
      return finding.severity != topology::Severity::kNote;
    });
    if (count == 0) continue;
    desk.warn(text::cat(view.node, ": ", count, count == 1 ? " contradiction" : " contradictions",
                        " in its topology; see 'tenon topo check'"));
  }
}

/// What contradicts itself in a machine: its topology, then who holds it.
std::vector<topology::Finding> findings_of(const domain::Node& node,
                                           const std::vector<domain::Holder>& holders) {
  auto view = views::topology_view(node, holders);
  if (view) return std::move(view->findings);
  std::vector<topology::Finding> findings = topology::check_node(node);
  findings.insert(findings.begin(),
                  {.severity = topology::Severity::kError,
                   .code = "holders",
                   .subject = {},
                   .text = text::cat(view.error().what, "; ", view.error().advice)});
  return findings;
}

}  // namespace

void run_topo_show(const Invocation& invocation, Desk& desk) {
  const auto inputs = read_operands(invocation, desk);
  if (!inputs) return;
  std::vector<views::TopologyView> all;
  for (const domain::Node& node : inputs->cluster.nodes) {
    auto view = views::topology_view(node, inputs->cluster.holders);
    if (!view) return desk.fail(view.error());
    all.push_back(std::move(*view));
  }
  warn_of_findings(all, desk);
  const Form form = form_of(invocation);
  if (form == Form::kSvg) {
    desk.outcome.out = render::topology_svg(all);
    return;
  }
  if (form == Form::kTable || form == Form::kWide) return show_as_text(all, form, desk);
  write_table(render::device_table(all), "device", form, desk, [&] {
    return one_or_list("Topology", all, [](render::Value& value, const views::TopologyView& view) {
      value.add_all(render::topology_value(view));
    });
  });
}

void run_topo_distances(const Invocation& invocation, Desk& desk) {
  const auto inputs = read_operands(invocation, desk);
  if (!inputs) return;
  const auto& nodes = inputs->cluster.nodes;
  const Form form = form_of(invocation);
  if (form == Form::kJson || form == Form::kYaml) {
    const render::Value value =
        one_or_list("Distances", nodes, [](render::Value& out, const domain::Node& node) {
          out.add("node", node.name)
              .add("distances", render::distances_value(views::distances_view(node)));
        });
    desk.outcome.out = form == Form::kJson ? value.to_json() : value.to_yaml();
    return;
  }
  std::vector<render::NodeDistances> all;
  for (const domain::Node& node : nodes) {
    all.push_back({node.name, views::distances_view(node)});
    if (all.back().distances.names.empty()) {
      desk.warn(text::cat(node.name, ": has neither GPU nor NIC"));
    }
  }
  if (form == Form::kCsv && all.size() > 1) {
    desk.outcome.out = render::to_csv(render::distances_list(all));
    return;
  }
  for (const auto& [node, distances] : all) {
    if (all.size() > 1 && form != Form::kName) {
      desk.outcome.out += text::cat(desk.outcome.out.empty() ? "" : "\n", node, "\n");
    }
    const auto table = render::distances_table(distances);
    write_table(table, "device", form, desk, [] { return render::Value{}; });
  }
}

void run_topo_convert(const Invocation& invocation, Desk& desk) {
  const auto inputs = read_operands(invocation, desk);
  if (!inputs) return;
  for (const domain::Node& node : inputs->cluster.nodes) {
    const auto view = views::topology_view(node, inputs->cluster.holders);
    if (!view) return desk.fail(view.error());
  }
  const notation::Document document{.cluster = inputs->cluster, .requests = {}, .expected = {}};
  desk.outcome.out = notation::write(document);
  std::vector<std::string> losses = losses_of(document, desk.outcome.out);
  const auto left_out = std::ranges::count_if(inputs->warnings, tells_of_loss);
  if (left_out > 0)
    losses.push_back(text::cat("what ", left_out, " of the warnings call left out"));
  for (const std::string& loss : losses) {
    desk.fail({.what = text::cat("lost: ", loss), .advice = "keep the source beside the notation"});
  }
}

void run_topo_check(const Invocation& invocation, Desk& desk) {
  const auto inputs = read_operands(invocation, desk);
  if (!inputs) return;
  std::vector<render::NodeFindings> all;
  std::size_t count = 0;
  for (const domain::Node& node : inputs->cluster.nodes) {
    all.push_back({node.name, findings_of(node, inputs->cluster.holders)});
    count += all.back().findings.size();
    const bool broken =
        std::ranges::any_of(all.back().findings, [](const topology::Finding& finding) {
          return finding.severity == topology::Severity::kError;
        });
    if (broken) desk.outcome.code = ExitCode::kError;
  }
  const Form form = form_of(invocation);
  write_table(render::findings_table(all), "node", form, desk, [&] {
    return one_or_list("Findings", all,
                       [](render::Value& value, const render::NodeFindings& findings) {
                         value.add_all(render::findings_value(findings));
                       });
  });
  if (count == 0 && (form == Form::kTable || form == Form::kWide)) {
    desk.outcome.out = "Nothing contradicts itself.\n";
  }
}

}  // namespace tenon::cli
