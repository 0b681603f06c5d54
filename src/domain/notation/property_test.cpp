// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Whatever obeys the invariants of the nouns comes back from its text as it was.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::notation {
namespace {

using namespace tenon::domain;

// Each draw is rapidcheck's, so that a failing value shrinks; of full size from the first case on.
template <class T>
T draw(T least, T end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, end));
}
int pick(int least, int most) { return draw(least, most + 1); }
bool maybe() { return pick(0, 1) == 1; }
template <class T>
T one_of(const std::vector<T>& values) {
  return values[static_cast<std::size_t>(pick(0, static_cast<int>(values.size()) - 1))];
}
template <class Make>
auto optional_of(Make make) -> std::optional<decltype(make())> {
  if (!maybe()) return std::nullopt;
  return make();
}

std::string any_text() {
  static const std::vector<std::string> kParts = {"a",
                                                  "Z",
                                                  "0",
                                                  " ",
                                                  "\t",
                                                  "\"",
                                                  "\\",
                                                  "#",
                                                  "{",
                                                  "}",
                                                  "?",
                                                  "=",
                                                  "<",
                                                  ">",
                                                  ":",
                                                  ",",
                                                  "*",
                                                  "+",
                                                  "@",
                                                  "/",
                                                  "-",
                                                  ".",
                                                  "_",
                                                  "->",
                                                  "on",
                                                  "node",
                                                  "\xC3\xA9",
                                                  "\xE2\x82\xAC",
                                                  "\xF0\x9F\x94\xA9"};
  std::string out;
  for (int left = pick(0, 6); left > 0; --left) out += one_of(kParts);
  return out;
}
std::string any_name(std::set<std::string>& taken) {
  std::string name = any_text();
  while (name.empty() || !taken.insert(name).second) name += text::cat(taken.size());
  return name;
}
std::int64_t any_amount() {
  const auto amount = draw<std::int64_t>(0, 5000);
  // Round ones too, and large ones.
  return amount << one_of<int>({0, 10, 30, 50});
}
std::optional<PciAddress> any_pci() {
  return optional_of([] {
    return PciAddress{*rc::gen::arbitrary<std::uint32_t>(), *rc::gen::arbitrary<std::uint8_t>(),
                      static_cast<std::uint8_t>(pick(0, 31)),
                      static_cast<std::uint8_t>(pick(0, 7))};
  });
}
std::string any_profile() {
  return one_of<std::string>({"1g", "2g.20gb", "1g.10gb+me", "7g.80gb", "9x-y_z", "1g+gfx.all+me"});
}

std::vector<NumaNode> any_numa() {
  std::vector<NumaNode> nodes;
  int os_index = 0;
  int cpu = 0;
  for (int left = pick(0, 3); left > 0; --left) {
    NumaNode numa{.os_index = os_index += pick(0, 2)};
    ++os_index;
    std::vector<CpuId> ids;
    for (int cpus = pick(0, 8); cpus > 0; --cpus) {
      cpu += pick(1, 2);
      numa.cpus.insert(static_cast<CpuId>(cpu));
      ids.push_back(static_cast<CpuId>(cpu));
    }
    if (maybe()) {
      auto& cores = numa.cores.emplace();
      const int threads = pick(1, 3);
      if (pick(0, 2) > 0 && threads == 2 && ids.size() % 2 == 0) {
        const std::size_t half = ids.size() / 2;
        for (std::size_t i = 0; i < half; ++i) cores.push_back({{ids[i], ids[half + i]}});
      } else {
        for (const auto id : ids) {
          if (cores.empty() || cores.back().threads.size() == static_cast<std::size_t>(threads)) {
            cores.emplace_back();
          }
          cores.back().threads.push_back(id);
        }
      }
    }
    numa.memory_bytes = optional_of(any_amount);
    numa.socket = optional_of([] { return pick(0, 3); });
    nodes.push_back(std::move(numa));
  }
  return nodes;
}

/// Builds places in the order in which they are written, and devices at random spots of them.
class TreeMaker {
 public:
  explicit TreeMaker(Node& node) : node_(node) {}

  void make() {
    for (const auto& numa : node_.numa) make_tops(numa.os_index);
    if (maybe()) {
      int unknown = 0;
      while (std::any_of(node_.numa.begin(), node_.numa.end(),
                         [&](const auto& numa) { return numa.os_index == unknown; })) {
        ++unknown;
      }
      add_bridge(unknown);
    }
    make_tops(std::nullopt);
    for (int left = pick(0, 3); left > 0; --left) add_device(std::nullopt);
    std::sort(node_.devices.begin(), node_.devices.end(), [](const auto& a, const auto& b) {
      return std::pair{a.kind(), a.ordinal} < std::pair{b.kind(), b.ordinal};
    });
  }

 private:
  void make_tops(std::optional<int> numa) {
    for (int left = pick(0, 3); left > 0; --left) {
      const int what = pick(0, 3);
      if (what == 0) {
        add_bridge(numa);
      } else if (what == 1) {  // a bridge that nobody names, over a switch or port
        const auto top = add({.numa = numa, .implied = true});
        fill(add_named(maybe() ? PlaceKind::kSwitch : PlaceKind::kPort, top), 0);
      } else if (what == 2 && numa) {  // over a device
        add_device(add({.numa = numa, .implied = true}));
      }
    }
  }
  void add_bridge(std::optional<int> numa) {
    const auto bridge = add({.name = text::cat("bridge", number_++),
                             .numa = numa,
                             .pci = any_pci(),
                             .implied = maybe()});
    fill(bridge, 0);
  }
  void fill(PlaceIndex place, int depth) {
    for (int left = pick(0, 2); left > 0; --left) add_device(place);
    if (depth > 3) return;
    const auto kind = node_.places[static_cast<std::size_t>(place)].kind;
    for (int left = pick(0, 2); left > 0; --left) {
      const bool port = kind == PlaceKind::kBridge && maybe();
      fill(add_named(port ? PlaceKind::kPort : PlaceKind::kSwitch, place), depth + 1);
    }
  }
  PlaceIndex add_named(PlaceKind kind, PlaceIndex parent) {
    return add({.kind = kind,
                .name = text::cat(kind == PlaceKind::kPort ? "port" : "sw", number_++),
                .parent = parent,
                .pci = any_pci()});
  }
  PlaceIndex add(Place place) {
    node_.places.push_back(std::move(place));
    return static_cast<PlaceIndex>(node_.places.size() - 1);
  }

  void add_device(std::optional<PlaceIndex> place) {
    const auto kind = static_cast<std::size_t>(pick(0, 2));
    Device device{.ordinal = ordinals_[kind]++, .label = any_text(), .id = any_text()};
    device.pci = any_pci();
    device.place = place;
    std::set<int> numa;
    for (int left = pick(0, 2); left > 0; --left) numa.insert(pick(0, 9));
    device.numa.assign(numa.begin(), numa.end());
    device.cordoned = optional_of(any_text);
    if (kind == 0) device.facts = any_gpu();
    if (kind == 1) device.facts = any_nic();
    if (kind == 2) device.facts = NvmeFacts{any_text(), optional_of(any_amount)};
    node_.devices.push_back(std::move(device));
  }
  static GpuFacts any_gpu() {
    GpuFacts gpu{.model = any_text(), .memory_bytes = optional_of(any_amount)};
    gpu.mig = one_of<MigMode>({MigMode::kOff, MigMode::kFixed, MigMode::kDynamic});
    if (gpu.mig == MigMode::kFixed) {
      for (int left = pick(0, 4); left > 0; --left) {
        gpu.partitions.push_back({any_profile(), optional_of(any_amount)});
      }
    }
    gpu.slots = optional_of([] { return pick(1, 9); });
    return gpu;
  }
  static NicFacts any_nic() {
    return {.model = any_text(),
            .rate_bits = optional_of(any_amount),
            .role = optional_of([] { return maybe() ? NicRole::kCompute : NicRole::kStorage; }),
            .rdma = optional_of(maybe),
            .bond = maybe(),
            .vfs = pick(0, 4)};
  }

  Node& node_;
  int number_ = 0;
  int ordinals_[3] = {};
};

Link any_link() {
  switch (pick(0, 3)) {
    case 0:
      return {};
    case 1:
      return {.seen = Link::Seen::kSelf};
    case 2:
      return {.seen = Link::Seen::kDistance, .distance = static_cast<Distance>(pick(1, 5))};
    default:
      return {.seen = Link::Seen::kNvlink, .nvlinks = static_cast<std::uint8_t>(pick(1, 255))};
  }
}

Node any_node(std::set<std::string>& names) {
  Node node{.name = any_name(names), .arch = any_text(), .cordoned = optional_of(any_text)};
  node.numa = any_numa();
  TreeMaker{node}.make();
  const auto devices = static_cast<int>(node.devices.size());
  if (maybe()) {
    auto& matrix = node.matrix.emplace();
    for (int i = 0; i < devices; ++i) {
      if (maybe()) matrix.header.push_back(static_cast<DeviceIndex>(i));
    }
    if (maybe()) std::reverse(matrix.header.begin(), matrix.header.end());
    for (std::size_t i = 0; i < matrix.header.size() * matrix.header.size(); ++i) {
      matrix.cells.push_back(any_link());
    }
  }
  for (int from = 0; from < devices; ++from) {
    for (int to = 0; to < devices; ++to) {
      const bool gpus = node.devices[static_cast<std::size_t>(from)].kind() == DeviceKind::kGpu &&
                        node.devices[static_cast<std::size_t>(to)].kind() == DeviceKind::kGpu;
      if (from == to || !gpus || maybe()) continue;
      node.nvlinks.push_back({static_cast<DeviceIndex>(from), static_cast<DeviceIndex>(to),
                              static_cast<std::uint8_t>(pick(1, 2))});
    }
  }
  return node;
}

GpuDemand any_gpu_demand() {
  GpuDemand gpu;
  const auto mode =
      one_of<GpuMode>({GpuMode::kWhole, GpuMode::kShareMilli, GpuMode::kShareBytes, GpuMode::kMig});
  for (int left = pick(0, 4); left > 0; --left) {
    GpuUnit unit;
    if (mode == GpuMode::kShareMilli) unit.amount = std::int64_t{500} * pick(0, 3);
    if (mode == GpuMode::kShareBytes) unit.amount = maybe() ? 0 : any_amount();
    if (mode == GpuMode::kMig) unit.profile = any_profile();
    gpu.units.push_back(unit);
  }
  if (!gpu.units.empty()) gpu.mode = mode;
  gpu.cards = one_of<Cards>({Cards::kAny, Cards::kOne, Cards::kApart});
  gpu.model = any_text();
  gpu.memory_bytes_min = any_amount();
  return gpu;
}

Request any_request() {
  Request request{.gpu = any_gpu_demand()};
  request.nic = {
      .mode = one_of<NicMode>({NicMode::kWhole, NicMode::kBandwidth, NicMode::kVf}),
      .count = pick(0, 9),
      .cards = one_of<Cards>({Cards::kAny, Cards::kOne, Cards::kApart}),
      .role = one_of<RoleWanted>({RoleWanted::kCompute, RoleWanted::kStorage, RoleWanted::kAny}),
      .rate_bits_min = any_amount(),
      .bonds = maybe(),
      .non_rdma = maybe()};
  if (request.nic.mode == NicMode::kBandwidth) request.nic.bandwidth_bits = any_amount();
  const auto any_distance = [] { return static_cast<Distance>(pick(1, 5)); };
  request.nvme_count = pick(0, 9);
  request.cores = pick(0, 9);
  request.core_plan = maybe() ? CorePlan::kPacked : CorePlan::kSpread;
  request.cpu_milli = any_amount();
  request.memory_bytes = any_amount();
  request.pair = optional_of([&] { return PairClause{pick(0, 4), any_distance()}; });
  request.gpus_within = optional_of(any_distance);
  request.nvlink = static_cast<NvlinkClause>(pick(0, 2));
  request.nvme_within = optional_of(any_distance);
  request.numa = static_cast<NumaClause>(pick(0, 3));
  request.arch = any_text();
  for (int left = pick(0, kWishCount); left > 0; --left) {
    const auto wish = static_cast<Wish>(pick(0, kWishCount - 1));
    if (std::ranges::find(request.wishes, wish) == request.wishes.end()) {
      request.wishes.push_back(wish);
    }
  }
  return request;
}

/// Any part of a device, slots included; no check that it is free, which is not the notation's.
std::optional<Grant> any_grant(const Node& node, std::size_t index) {
  Grant grant{.device = static_cast<DeviceIndex>(index)};
  if (!maybe()) return grant;
  if (const auto* gpu = std::get_if<GpuFacts>(&node.devices[index].facts)) {
    if (gpu->mig == MigMode::kOff || maybe()) {
      grant.mode = GrantMode::kShare;
      grant.amount = pick(1, 1000);
      grant.bytes = any_amount();
      grant.slot = pick(0, 999);
      return grant;
    }
    grant.mode = GrantMode::kMig;
    if (gpu->mig == MigMode::kDynamic) {
      grant.profile = any_profile();
      grant.slot = pick(0, 7);
    } else {
      if (gpu->partitions.empty()) return std::nullopt;
      grant.slot = pick(0, static_cast<int>(gpu->partitions.size()) - 1);
      grant.profile = gpu->partitions[static_cast<std::size_t>(grant.slot)].profile;
    }
  } else if (const auto* nic = std::get_if<NicFacts>(&node.devices[index].facts)) {
    if (nic->vfs > 0 && maybe()) {
      grant.mode = GrantMode::kVf;
      grant.slot = pick(0, nic->vfs - 1);
    } else {
      grant.mode = GrantMode::kBandwidth;
      grant.amount = any_amount();
    }
  }
  return grant;
}

Allocation any_allocation(const Node& node) {
  Allocation allocation;
  for (std::size_t i = 0; i < node.devices.size(); ++i) {
    std::set<int> slots;
    for (int left = pick(0, 2); left > 0; --left) {
      auto grant = any_grant(node, i);
      if (grant && slots.insert(grant->slot).second) allocation.grants.push_back(*grant);
    }
  }
  std::sort(allocation.grants.begin(), allocation.grants.end(), [](const auto& a, const auto& b) {
    return std::pair{a.device, a.slot} < std::pair{b.device, b.slot};
  });
  for (const auto& numa : node.numa) {
    for (const auto cpu : numa.cpus.ids()) {
      if (maybe()) allocation.cpus.insert(cpu);
    }
    if (maybe()) allocation.memory.push_back({numa.os_index, 1 + any_amount() / 2});
  }
  allocation.cpu_milli = any_amount();
  return allocation;
}

Document any_document() {
  Document document;
  std::set<std::string> nodes;
  std::set<std::string> holders;
  std::set<std::string> pods;
  for (int left = pick(0, 2); left > 0; --left) document.cluster.nodes.push_back(any_node(nodes));
  for (int left = pick(0, 2); left > 0 && !document.cluster.nodes.empty(); --left) {
    const auto& node = one_of(document.cluster.nodes);
    document.cluster.holders.push_back({maybe() ? HolderKind::kPod : HolderKind::kReservation,
                                        any_name(holders), node.name, any_allocation(node)});
  }
  for (int left = pick(0, 2); left > 0; --left) {
    document.requests.push_back({any_name(pods), any_request()});
  }
  for (int left = pick(0, 2); left > 0; --left) {
    Expected expected{.request = any_name(pods)};
    if (document.cluster.nodes.empty() || maybe()) {
      expected.refusal = one_of<std::string>({"", "pair", "nic \"needs\" 8 { has 4 }", "a: b"});
    } else {
      const auto& node = one_of(document.cluster.nodes);
      expected.node = node.name;
      expected.allocation = any_allocation(node);
    }
    document.expected.push_back(std::move(expected));
  }
  return document;
}

RC_GTEST_PROP(NotationProperty, ReadsBackWhatItWrites, ()) {
  const auto document = any_document();
  const auto text = write(document);
  const auto again = parse(text, "text");
  if (!again) RC_FAIL(to_text(again.error()) + "\n" + text);
  if (*again != document) RC_FAIL("another value comes back from\n" + text + "\n" + write(*again));
  RC_ASSERT(write(*again) == text);
}

RC_GTEST_PROP(NotationProperty, ReadsBackARequestAlone, ()) {
  const auto request = any_request();
  const auto again = parse_request(write(request), "text");
  if (!again) RC_FAIL(to_text(again.error()) + "\n" + write(request));
  if (*again != request) RC_FAIL(write(request));
}

// A line end as on Windows, blanks and comments change nothing.
RC_GTEST_PROP(NotationProperty, IgnoresWhatIsNoWord, ()) {
  auto document = any_document();
  document.expected.clear();  // what follows "refused:" is no words
  const auto text = write(document);
  std::string other;
  for (const char c : text) other += c == '\n' ? std::string{" \t# \"x\r\n\r\n"} : std::string{c};
  const auto one = parse(text, "text");
  const auto two = parse(other, "text");
  RC_ASSERT(one.has_value() && two.has_value());
  RC_ASSERT(*one == *two);
}

}  // namespace
}  // namespace tenon::notation
