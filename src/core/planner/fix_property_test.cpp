// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The nearest fix against trying everything, on small random clusters: the same kind, the same
// change. What "fits" means is place()'s to say; the ways to change a request are written here once
// more, on its text.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/prng.hpp"
#include "base/text.hpp"
#include "core/planner/fix.hpp"
#include "core/planner/hardware.hpp"
#include "core/planner/place.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::planner {
namespace {

using domain::Cluster;
using domain::DeviceIndex;
using domain::DeviceKind;
using domain::Request;

using Clauses = std::map<std::string, std::string>;  // "pair" -> "<=PIX"

std::string text_of(const Clauses& clauses) {
  std::vector<std::string> words;
  for (const auto& [name, value] : clauses) words.push_back(name + value);
  return text::join(words, " ");
}

std::optional<Request> request_of(const Clauses& clauses) {
  const auto request = notation::parse_request(text_of(clauses), "random");
  if (!request || allocation::badly_asked(*request)) return std::nullopt;
  return *request;
}

bool fits(const Cluster& cluster, const Request& request) {
  return place(cluster, request, {}, FixWanted::kNo).value().chosen.has_value();
}

bool helps(const Cluster& cluster, const Request& request, const Fix& fix) {
  const Applied applied = apply_fix(cluster, request, fix);
  return fits(applied.cluster, applied.request);
}

// ---- the random case ----------------------------------------------------------------------------

template <std::size_t N>
std::string one_of(Prng& prng, const std::array<std::string_view, N>& words) {
  return std::string(words[prng.below(N)]);
}

std::string random_node(Prng& prng, std::string_view name) {
  std::string text = text::cat("node ", name, " arch=amd64\n");
  int gpus = 0;
  int nics = 0;
  for (int numa = 0; numa < 2; ++numa) {
    text += text::cat(" numa", numa, " cpus=", numa * 4, "-", numa * 4 + 3, " mem=8Gi {");
    for (int at = 0; at < 2; ++at) {
      text += text::cat(" sw", numa * 2 + at, " {");
      for (std::uint64_t i = 0, n = prng.below(3); i < n && gpus < 3; ++i) {
        text += text::cat(" gpu", gpus++, " mem=8Gi model=", prng.below(3) == 0 ? "B" : "A",
                          prng.below(8) == 0 ? " cordoned=no" : "");
      }
      for (std::uint64_t i = 0, n = prng.below(2); i < n && nics < 2; ++i) {
        text += text::cat(" nic", nics++, " rate=100G vfs=2",
                          prng.below(6) == 0 ? " role=storage" : "");
      }
      text += " }";
    }
    text += " }\n";
  }
  if (gpus >= 2 && prng.below(2) == 0) text += " nvlink NV4 gpu0 gpu1\n";
  return text;
}

/// Holders that take what place() gives them, so that the cluster never contradicts itself.
Cluster random_cluster(Prng& prng) {
  std::string text = random_node(prng, "a");
  if (prng.below(2) == 0) text += random_node(prng, "b");
  Cluster cluster = notation::parse(text, "random").value().cluster;
  if (prng.below(2) == 0) return cluster;  // nobody to end: another kind has to help
  const std::array<std::string_view, 6> kinds{"gpu=1",           "nic=1",         "gpu=0.5",
                                              "cores=2 mem=2Gi", "gpu=1 cores=1", "vf=1"};
  for (int i = 0, n = static_cast<int>(prng.below(5)); i < n; ++i) {
    const Request request = notation::parse_request(one_of(prng, kinds), "random").value();
    const auto placement = place(cluster, request, {}, FixWanted::kNo).value();
    if (!placement.chosen) continue;
    const NodeAnswer& said = placement.nodes[*placement.chosen];
    cluster.holders.push_back(
        {domain::HolderKind::kPod, text::cat("h", 9 - i), said.node, *said.answer.result});
  }
  return cluster;
}

Clauses random_clauses(Prng& prng) {
  Clauses clauses;
  const bool gpu = prng.below(5) != 0;
  const bool nic = prng.below(2) == 0;
  if (gpu) clauses["gpu"] = text::cat("=", 1 + prng.below(3));
  if (nic) clauses["nic"] = text::cat("=", 1 + prng.below(2));
  constexpr std::array<std::string_view, 5> kBounds{"<=PIX", "<=PXB", "<=PHB", "<=NODE", "<=SYS"};
  if (gpu && nic && prng.below(2) == 0) clauses["pair"] = one_of(prng, kBounds);
  if (gpu && prng.below(4) == 0) clauses["gpus"] = one_of(prng, kBounds);
  if (gpu && prng.below(6) == 0) clauses["nvlink"] = prng.below(2) == 0 ? "=all" : "=connected";
  if (gpu && prng.below(6) == 0) clauses["gpu.model"] = "=B";
  if (nic && prng.below(6) == 0) clauses["nic.rate"] = ">=200G";
  if (prng.below(4) == 0) clauses["cores"] = text::cat("=", 1 + prng.below(9));
  if (prng.below(5) == 0) clauses["mem"] = text::cat("=", 1 + prng.below(20), "Gi");
  if (prng.below(4) == 0) clauses["numa"] = prng.below(2) == 0 ? "=single" : "=near-devices";
  if (prng.below(12) == 0) clauses["arch"] = "=arm64";
  return clauses;
}

// ---- trying everything --------------------------------------------------------------------------

/// Subsets of 0 … n - 1 with `size` members, smallest sequence first, until one will do.
std::optional<std::vector<int>> first_subset(
    int n, int size, const std::function<bool(const std::vector<int>&)>& will_do) {
  std::vector<int> set;
  const std::function<bool(int)> extend = [&](int from) {
    if (std::ssize(set) == size) return will_do(set);
    for (int i = from; i < n; ++i) {
      set.push_back(i);
      if (extend(i + 1)) return true;
      set.pop_back();
    }
    return false;
  };
  return extend(0) ? std::optional(set) : std::nullopt;
}

/// Devices of which somebody has something, or that are cordoned.
std::vector<DeviceIndex> not_free(const Cluster& cluster, const domain::Node& node) {
  std::vector<DeviceIndex> devices;
  for (std::size_t i = 0; i < node.devices.size(); ++i) {
    const DeviceIndex device{static_cast<unsigned>(i)};
    bool taken = node.devices[i].cordoned.has_value();
    for (const domain::Holder& holder : cluster.holders) {
      if (holder.node != node.name) continue;
      for (const domain::Grant& grant : holder.allocation.grants) taken |= grant.device == device;
    }
    if (taken) devices.push_back(device);
  }
  return devices;
}

std::string try_free_devices(const Cluster& cluster, const Request& request) {
  for (int size = 1; size <= kFreeDevicesMax; ++size) {
    for (const domain::Node& node : cluster.nodes) {
      const auto devices = not_free(cluster, node);
      const auto named = [&](const std::vector<int>& set) {
        FreeDevices change;
        for (const int i : set) change.devices.push_back(devices[static_cast<std::size_t>(i)]);
        return change;
      };
      const auto set = first_subset(static_cast<int>(devices.size()), size, [&](const auto& one) {
        return helps(cluster, request, {node.name, named(one), ""});
      });
      if (!set) continue;
      std::string text = text::cat("free on ", node.name, ":");
      for (const DeviceIndex device : named(*set).devices) {
        text += text::cat(" ", to_text(node.devices[static_cast<std::size_t>(device)]));
      }
      return text;
    }
  }
  return "";
}

std::optional<std::string> next_bound(const std::string& bound) {
  constexpr std::array<std::string_view, 5> kBounds{"<=PIX", "<=PXB", "<=PHB", "<=NODE", "<=SYS"};
  const auto at = std::ranges::find(kBounds, bound) - kBounds.begin();
  if (at + 1 >= std::ssize(kBounds)) return std::nullopt;
  return std::string(kBounds[static_cast<std::size_t>(at + 1)]);
}

/// Each clause one step weaker, in the order of I66.
std::vector<Clauses> weaker(const Clauses& clauses) {
  std::vector<Clauses> all;
  const auto change =
      [&](std::string_view name,
          const std::function<std::optional<std::string>(const std::string&)>& step) {
        const auto found = clauses.find(std::string(name));
        if (found == clauses.end()) return;
        Clauses next = clauses;
        next.erase(found->first);
        if (const auto value = step(found->second)) next[found->first] = *value;
        all.push_back(std::move(next));
      };
  const auto gone = [](const std::string&) { return std::optional<std::string>(); };
  change("pair", next_bound);
  change("gpus", next_bound);
  change("nvlink", [](const std::string& value) {
    return value == "=all" ? std::optional<std::string>("=connected") : std::nullopt;
  });
  change("numa", [](const std::string& value) {
    return value == "=single" ? std::optional<std::string>("=near-devices") : std::nullopt;
  });
  change("pair", [&](const std::string& value) -> std::optional<std::string> {
    const int gpus = clauses.at("gpu")[1] - '0';
    const int nics = clauses.at("nic")[1] - '0';
    return text::cat("=", (gpus + nics - 1) / nics + 1, ":1", value);
  });
  change("gpu.model", gone);
  if (clauses.contains("nic")) {
    all.push_back(clauses);
    all.back()["nic.role"] = "=any";
  }
  change("nic.rate", gone);
  change("arch", gone);
  return all;
}

std::string try_relax(const Cluster& cluster, const Clauses& clauses) {
  for (const Clauses& next : weaker(clauses)) {
    const auto request = request_of(next);
    if (request && fits(cluster, *request)) return text::cat("ask for ", notation::write(*request));
  }
  return "";
}

std::string try_end_holders(const Cluster& cluster, const Request& request) {
  for (int size = 1; size <= std::ssize(cluster.holders); ++size) {
    for (const domain::Node& node : cluster.nodes) {
      std::vector<std::string> names;
      for (const domain::Holder& holder : cluster.holders) {
        if (holder.node == node.name) names.push_back(holder.name);
      }
      std::ranges::sort(names);
      const auto named = [&](const std::vector<int>& set) {
        std::vector<std::string> some;
        for (const int i : set) some.push_back(names[static_cast<std::size_t>(i)]);
        return some;
      };
      const auto set = first_subset(static_cast<int>(names.size()), size, [&](const auto& one) {
        return helps(cluster, request, {node.name, EndHolders{named(one)}, ""});
      });
      if (set) return text::cat("end on ", node.name, ": ", text::join(named(*set), " "));
    }
  }
  return "";
}

std::string try_less(const Cluster& cluster, const Clauses& clauses) {
  for (const std::string name : {"gpu", "nic", "cores"}) {
    if (!clauses.contains(name)) continue;
    for (int amount = clauses.at(name)[1] - '1'; amount >= 1; --amount) {
      Clauses next = clauses;
      next[name] = text::cat("=", amount);
      const auto request = request_of(next);
      if (request && fits(cluster, *request)) {
        return text::cat("ask for ", notation::write(*request));
      }
    }
  }
  if (!clauses.contains("mem")) return "";
  // All memory comes in whole GiB here, so the largest that fits does, too.
  const auto unit = clauses.at("mem").find("Gi");
  for (auto amount = *text::to_u64(clauses.at("mem").substr(1, unit - 1)) - 1; amount >= 1;
       --amount) {
    Clauses next = clauses;
    next["mem"] = text::cat("=", amount, "Gi");
    const auto request = request_of(next);
    if (request && fits(cluster, *request)) return text::cat("ask for ", notation::write(*request));
  }
  return "";
}

/// Up to four more devices; each site as often as wished, which is a subset with repeats.
std::string try_hardware(const Cluster& cluster, const Request& request) {
  constexpr int kTried = 4;
  for (const DeviceKind kind : {DeviceKind::kNic, DeviceKind::kGpu}) {
    for (int size = 1; size <= kTried; ++size) {
      for (const domain::Node& node : cluster.nodes) {
        std::vector<NewDevice> sites;
        for (std::size_t i = 0; i < node.devices.size(); ++i) {
          const auto& device = node.devices[i];
          const DeviceIndex beside{static_cast<unsigned>(i)};
          if (device.kind() == kind) sites.push_back({beside, device.facts});
          if (kind == DeviceKind::kNic && device.kind() == DeviceKind::kGpu) {
            domain::NicFacts facts;
            if (request.nic.rate_bits_min > 0) facts.rate_bits = request.nic.rate_bits_min;
            sites.push_back({beside, facts});
          }
        }
        const auto added = [&](const std::vector<int>& set) {
          std::vector<NewDevice> some;
          for (const int i : set) some.push_back(sites[static_cast<std::size_t>(i / size)]);
          return some;
        };
        const auto set =
            first_subset(static_cast<int>(sites.size()) * size, size, [&](const auto& one) {
              for (const int i : one) {  // the second of a site only with the first
                if (i % size > 0 && std::ranges::find(one, i - 1) == one.end()) return false;
              }
              const domain::Node grown = with_devices(node, added(one));
              return helps(cluster, request, {node.name, AddHardware{"", grown}, ""});
            });
        if (!set) continue;
        return text::cat("add\n", notation::write(with_devices(node, added(*set))));
      }
    }
  }
  return "";
}

std::string try_all(const Cluster& cluster, const Clauses& clauses, const Request& request) {
  std::string text = try_free_devices(cluster, request);
  if (text.empty()) text = try_relax(cluster, clauses);
  if (text.empty()) text = try_end_holders(cluster, request);
  if (text.empty()) text = try_less(cluster, clauses);
  if (text.empty()) text = try_hardware(cluster, request);
  return text.empty() ? "nothing" : text;
}

// ---- the comparison -----------------------------------------------------------------------------

struct Said {
  const Cluster& cluster;
  const std::string& name;

  std::string operator()(const FreeDevices& change) const {
    std::string text = text::cat("free on ", name, ":");
    for (const domain::Node& node : cluster.nodes) {
      if (node.name != name) continue;
      for (const DeviceIndex device : change.devices) {
        text += text::cat(" ", to_text(node.devices[static_cast<std::size_t>(device)]));
      }
    }
    return text;
  }
  std::string operator()(const RelaxClause& change) const {
    return text::cat("ask for ", notation::write(change.request));
  }
  std::string operator()(const EndHolders& change) const {
    return text::cat("end on ", name, ": ", text::join(change.holders, " "));
  }
  std::string operator()(const AskLess& change) const {
    return text::cat("ask for ", notation::write(change.request));
  }
  std::string operator()(const AddHardware& change) const {
    return text::cat("add\n", notation::write(change.node));
  }
};

void compare(std::uint64_t seed, int rounds, int least_of_a_kind) {
  Prng prng(seed);
  std::array<int, 5> of_kind{};
  int nothing = 0;
  for (int round = 0; round < rounds; ++round) {
    const Cluster cluster = random_cluster(prng);
    const Clauses clauses = random_clauses(prng);
    const auto request = request_of(clauses);
    if (!request || fits(cluster, *request)) continue;
    const std::string expected = try_all(cluster, clauses, *request);
    const FixSearch search = nearest_fix(cluster, *request, {});
    ASSERT_TRUE(search.complete);
    const std::string said =
        search.fix ? std::visit(Said{cluster, search.fix->node}, search.fix->change) : "nothing";
    ASSERT_EQ(said, expected) << "round " << round << "\n"
                              << notation::write({cluster, {{"p", *request}}, {}});
    if (!search.fix) {
      ++nothing;
      continue;
    }
    ++of_kind[search.fix->change.index()];
    ASSERT_TRUE(helps(cluster, *request, *search.fix)) << search.fix->text;
  }
  for (std::size_t kind = 0; kind < of_kind.size(); ++kind) {
    EXPECT_GE(of_kind[kind], least_of_a_kind) << "kind " << kind << " was not seen";
  }
  EXPECT_GE(nothing, least_of_a_kind);
}

TEST(FixProperty, IsTheNearestOfAllAndHelps) { compare(20, 60, 0); }

TEST(FixPropertyLong, IsTheNearestOfAllAndHelps) { compare(20, 400, 3); }

}  // namespace
}  // namespace tenon::planner
