// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// A node in the making: a reader adds things in the order in which its source shows them, and
// finish() puts them in the order that domain/node.hpp asks for.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "domain/node.hpp"

namespace tenon::formats::topology {

class NodeBuilder {
 public:
  /// A device that was added. Not its index in the node: that is known when all are there.
  enum class Handle : std::uint32_t {};

  explicit NodeBuilder(std::string name) { node_.name = std::move(name); }

  void set_arch(std::string arch) { node_.arch = std::move(arch); }

  /// The NUMA node of that number, made on first use, with nothing known of it.
  domain::NumaNode& numa(int os_index);
  [[nodiscard]] bool has_numa(int os_index) const { return numa_.contains(os_index); }

  /// Named by kind and order: "bridge0", "port2", "sw1".
  /// REQUIRES: what domain/node.hpp (2) allows as parent.
  domain::PlaceIndex add_place(domain::PlaceKind kind, std::optional<domain::PlaceIndex> parent,
                               std::optional<domain::PciAddress> pci = {});
  [[nodiscard]] domain::Place& place(domain::PlaceIndex index);

  /// The ordinal is given by finish(): the order of adding, within a kind.
  Handle add_device(domain::Device device);
  [[nodiscard]] domain::Device& device(Handle handle);

  /// Links add up over calls; above kNvlinksMax they stay there.
  void add_nvlinks(Handle from, Handle to, unsigned links);

  /// Names by row and column, cells row by row.
  void set_matrix(std::vector<Handle> header, std::vector<domain::Link> cells);

  /// `where`: the file, for an Error on what is above the limits of I20.
  [[nodiscard]] Result<domain::Node> finish(const std::string& where);

 private:
  domain::Node node_;
  std::map<int, domain::NumaNode> numa_;
  std::vector<domain::Device> devices_;
  std::map<std::pair<Handle, Handle>, unsigned> nvlinks_;
  std::vector<Handle> header_;
  std::vector<domain::Link> cells_;
  int places_of_kind_[3] = {0, 0, 0};
};

}  // namespace tenon::formats::topology
