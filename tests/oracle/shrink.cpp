// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// From a case that shows something to a small one that still does.

#include <algorithm>

#include "core/state/node_state.hpp"
#include "oracle/compare.hpp"

namespace tenon::oracle {

namespace {

using Change = std::function<void(Case&)>;

/// Without one device, if no holder has it.
bool drop_device(Case& c, std::size_t device) {
  std::vector<bool> keep(c.node.devices.size(), true);
  keep[device] = false;
  for (auto& holder : c.holders) {
    for (auto& grant : holder.allocation.grants) {
      const auto index = static_cast<std::size_t>(grant.device);
      if (index == device) return false;
      if (index > device) grant.device = static_cast<domain::DeviceIndex>(index - 1);
    }
  }
  c.node = with_devices(c.node, keep);
  return true;
}

std::vector<Change> clause_changes() {
  return {
      [](Case& c) { c.request.nic = {}; },
      [](Case& c) { c.request.pair.reset(); },
      [](Case& c) { c.request.gpus_within.reset(); },
      [](Case& c) { c.request.nvlink = {}; },
      [](Case& c) { c.request.nvme_within.reset(); },
      [](Case& c) { c.request.nvme_count = 0; },
      [](Case& c) { c.request.cores = 0; },
      [](Case& c) { c.request.core_plan = {}; },
      [](Case& c) { c.request.cpu_milli = 0; },
      [](Case& c) { c.request.memory_bytes = 0; },
      [](Case& c) { c.request.numa = {}; },
      [](Case& c) { c.request.wishes.clear(); },
      [](Case& c) { c.request.arch.clear(); },
      [](Case& c) { c.request.gpu = {}; },
      [](Case& c) { c.request.gpu.cards = {}; },
      [](Case& c) { c.request.nic.cards = {}; },
      [](Case& c) { c.request.gpu.model.clear(); },
      [](Case& c) { c.request.gpu.memory_bytes_min = 0; },
      [](Case& c) { c.request.nic.rate_bits_min = 0; },
      [](Case& c) { c.request.nic.role = {}; },
      [](Case& c) { c.request.nic.bonds = false; },
      [](Case& c) { c.request.nic.non_rdma = false; },
      [](Case& c) { c.node.matrix.reset(); },
      [](Case& c) { c.node.nvlinks.clear(); },
      [](Case& c) { c.node.arch.clear(); },
  };
}

std::vector<Change> amount_changes() {
  return {
      [](Case& c) {
        if (!c.request.gpu.units.empty()) c.request.gpu.units.pop_back();
      },
      [](Case& c) { c.request.nic.count = std::max(0, c.request.nic.count - 1); },
      [](Case& c) { c.request.nvme_count = std::max(0, c.request.nvme_count - 1); },
      [](Case& c) { c.request.cores /= 2; },
      [](Case& c) { c.request.cores = std::max(0, c.request.cores - 1); },
      [](Case& c) { c.request.memory_bytes /= 2; },
  };
}

/// One change for each thing that could go; those of the largest things first.
std::vector<Change> changes(const Case& c) {
  std::vector<Change> all;
  for (std::size_t h = 0; h < c.holders.size(); ++h) {
    all.emplace_back(
        [h](Case& d) { d.holders.erase(d.holders.begin() + static_cast<std::ptrdiff_t>(h)); });
    all.emplace_back([h](Case& d) { d.holders[h].allocation.cpus = {}; });
    all.emplace_back([h](Case& d) { d.holders[h].allocation.memory.clear(); });
    all.emplace_back([h](Case& d) { d.holders[h].allocation.cpu_milli = 0; });
    for (std::size_t g = 0; g < c.holders[h].allocation.grants.size(); ++g) {
      all.emplace_back([h, g](Case& d) {
        auto& grants = d.holders[h].allocation.grants;
        grants.erase(grants.begin() + static_cast<std::ptrdiff_t>(g));
      });
    }
  }
  for (auto& change : clause_changes()) all.push_back(change);
  for (auto& change : amount_changes()) all.push_back(change);
  for (std::size_t device = c.node.devices.size(); device-- > 0;) {
    all.emplace_back([device](Case& d) { (void)drop_device(d, device); });
    all.emplace_back([device](Case& d) { d.node.devices[device].numa.clear(); });
    all.emplace_back([device](Case& d) { d.node.devices[device].pci.reset(); });
    all.emplace_back([device](Case& d) { d.node.devices[device].cordoned.reset(); });
  }
  if (!c.node.numa.empty()) {
    all.emplace_back([](Case& d) {
      const int gone = d.node.numa.back().os_index;
      for (auto& place : d.node.places) {
        if (place.numa == gone) place.numa.reset();
      }
      for (auto& device : d.node.devices) std::erase(device.numa, gone);
      d.node.numa.pop_back();
    });
  }
  for (std::size_t n = 0; n < c.node.numa.size(); ++n) {
    all.emplace_back([n](Case& d) { d.node.numa[n].memory_bytes.reset(); });
  }
  return all;
}

}  // namespace

Case shrink(Case c, const std::function<bool(const Case&)>& still) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (const auto& change : changes(c)) {
      Case tried = c;
      change(tried);
      const bool differs =
          tried.node != c.node || tried.holders != c.holders || tried.request != c.request;
      if (differs && state::state_of(tried.node, tried.holders) && still(tried)) {
        c = std::move(tried);
        smaller = true;
        break;
      }
    }
  }
  return c;
}

}  // namespace tenon::oracle
