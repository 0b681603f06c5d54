// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/cli/losses.hpp"

#include <algorithm>
#include <tuple>

#include "base/text.hpp"

namespace tenon::cli {
namespace {

/// A place by its path of names: the order in which a source lists places says nothing.
struct NamedPlace {
  std::string path;
  std::vector<std::string> devices;
  domain::Place place;  // without its parent's index
  friend bool operator==(const NamedPlace&, const NamedPlace&) = default;
};

std::vector<NamedPlace> named_places(const domain::Node& node) {
  std::vector<NamedPlace> places;
  for (const domain::Place& place : node.places) {
    NamedPlace named{.path = place.name, .devices = {}, .place = place};
    for (auto above = place.parent; above;
         above = node.places[static_cast<std::size_t>(*above)].parent) {
      named.path = text::cat(node.places[static_cast<std::size_t>(*above)].name, "/", named.path);
    }
    named.place.parent.reset();
    places.push_back(std::move(named));
  }
  for (const domain::Device& device : node.devices) {
    if (!device.place) continue;
    places[static_cast<std::size_t>(*device.place)].devices.push_back(domain::to_text(device));
  }
  std::ranges::sort(places, {}, [](const NamedPlace& named) {
    return std::tie(named.path, named.place.numa, named.devices);
  });
  return places;
}

class Comparison {
 public:
  void nodes(const domain::Node& was, const domain::Node& is) {
    about_ = was.name;
    same(was.name, is.name, "its name");
    same(was.arch, is.arch, "its architecture");
    same(was.cordoned, is.cordoned, "why it is cordoned");
    same(was.numa, is.numa, "NUMA nodes: CPUs, cores or memory");
    same(named_places(was), named_places(is), "the PCI tree");
    same(was.matrix, is.matrix, "the matrix");
    same(was.nvlinks, is.nvlinks, "NVLinks");
    if (was.devices.size() != is.devices.size()) {
      losses_.push_back(text::cat(about_, ": devices"));
      return;
    }
    for (std::size_t i = 0; i < was.devices.size(); ++i) devices(was.devices[i], is.devices[i]);
  }

  [[nodiscard]] std::vector<std::string> take() { return std::move(losses_); }

 private:
  void devices(const domain::Device& was, const domain::Device& is) {
    const std::string name = domain::to_text(was);
    same(was.label, is.label, text::cat("label of ", name));
    same(was.id, is.id, text::cat("id of ", name));
    same(was.pci, is.pci, text::cat("PCI address of ", name));
    same(was.numa, is.numa, text::cat("NUMA nodes of ", name));
    same(was.cordoned, is.cordoned, text::cat("why ", name, " is cordoned"));
    same(was.facts, is.facts, text::cat("facts of ", name));
  }

  template <class T>
  void same(const T& was, const T& is, std::string_view what) {
    if (!(was == is)) losses_.push_back(text::cat(about_, ": ", what));
  }

  std::string about_;
  std::vector<std::string> losses_;
};

}  // namespace

bool tells_of_loss(std::string_view warning) {
  return warning.find("left out") != std::string_view::npos;
}

std::vector<std::string> losses_of(const notation::Document& document, std::string_view text) {
  const auto again = notation::parse(text, "notation");
  if (!again) return {text::cat("all of it, for it cannot be read back: ", to_text(again.error()))};
  const auto& was = document.cluster;
  const auto& is = again->cluster;
  if (was.nodes.size() != is.nodes.size()) return {"nodes"};
  Comparison comparison;
  for (std::size_t i = 0; i < was.nodes.size(); ++i) comparison.nodes(was.nodes[i], is.nodes[i]);
  std::vector<std::string> losses = comparison.take();
  if (was.holders != is.holders) losses.emplace_back("holders");
  return losses;
}

}  // namespace tenon::cli
