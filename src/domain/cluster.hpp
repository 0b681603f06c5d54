// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Nodes and who holds what on them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/allocation.hpp"
#include "domain/node.hpp"
#include "domain/refusal.hpp"
#include "domain/request.hpp"

namespace tenon::domain {

struct Cluster {
  std::vector<Node> nodes;  // names are unique
  std::vector<Holder> holders;
  friend bool operator==(const Cluster&, const Cluster&) = default;
};

struct NamedRequest {
  std::string name;
  Request request;
  friend bool operator==(const NamedRequest&, const NamedRequest&) = default;
};

}  // namespace tenon::domain
