// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <algorithm>

#include "base/check.hpp"
#include "core/planner/fix.hpp"
#include "core/planner/hardware.hpp"

namespace tenon::planner {
namespace {

using domain::Holder;

/// Makes a change on the node that the fix names.
class Change {
 public:
  Change(Applied& applied, const std::string& node) : applied_(applied), name_(node) {}

  void operator()(const FreeDevices& change) {
    const auto freed = [&](domain::DeviceIndex device) {
      return std::ranges::find(change.devices, device) != change.devices.end();
    };
    for (Holder& holder : applied_.cluster.holders) {
      if (holder.node != name_) continue;
      std::erase_if(holder.allocation.grants,
                    [&](const domain::Grant& grant) { return freed(grant.device); });
    }
    for (const domain::DeviceIndex device : change.devices) {
      node().devices.at(static_cast<std::size_t>(device)).cordoned.reset();
    }
  }

  void operator()(const RelaxClause& change) { applied_.request = change.request; }

  void operator()(const EndHolders& change) {
    std::erase_if(applied_.cluster.holders, [&](const Holder& holder) {
      return holder.node == name_ &&
             std::ranges::find(change.holders, holder.name) != change.holders.end();
    });
  }

  void operator()(const AskLess& change) { applied_.request = change.request; }

  void operator()(const AddHardware& change) {
    for (Holder& holder : applied_.cluster.holders) {
      if (holder.node == name_) holder = moved({holder}, node(), change.node).front();
    }
    node() = change.node;
  }

 private:
  domain::Node& node() {
    const auto found = std::ranges::find(applied_.cluster.nodes, name_, &domain::Node::name);
    check(found != applied_.cluster.nodes.end(), "a fix names a node of its cluster");
    return *found;
  }

  Applied& applied_;
  const std::string& name_;
};

}  // namespace

Applied apply_fix(const domain::Cluster& cluster, const domain::Request& request, const Fix& fix) {
  Applied applied{cluster, request};
  std::visit(Change(applied, fix.node), fix.change);
  return applied;
}

}  // namespace tenon::planner
