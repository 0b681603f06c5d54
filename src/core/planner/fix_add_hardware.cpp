// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// I69: the fewest more devices of one kind on one node.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "core/planner/fix_kinds.hpp"
#include "core/planner/hardware.hpp"
#include "core/planner/usable.hpp"

namespace tenon::planner {
namespace {

using domain::DeviceIndex;
using domain::DeviceKind;
using domain::Node;

/// `change`: what is to be otherwise in the shape of the grown node.
bool fits_grown(const NodeCase& node, const Node& grown, const domain::Request& request, Work& work,
                const std::function<void(topology::Shape&)>& change = {}) {
  // A new shape has to know the distance of every two devices.
  const auto devices = static_cast<std::int64_t>(grown.devices.size());
  if (!work.spend(devices * devices / 4)) return false;
  auto shape = topology::shape_of(grown);
  if (change) change(shape);
  auto state = state::empty_state(grown, std::make_shared<const topology::Shape>(std::move(shape)));
  for (const domain::Holder& holder : moved(node.holders, *node.node, grown)) {
    if (!state::apply(state, holder.allocation)) return false;
  }
  return fits(state, request, work);
}

/// A NIC or NVMe as the request asks for: no fact that it does not ask for is made up.
NewDevice as_asked(const domain::Request& request, DeviceKind kind, DeviceIndex beside) {
  if (kind == DeviceKind::kNvme) return {beside, domain::NvmeFacts{}};
  const domain::NicDemand& demand = request.nic;
  domain::NicFacts nic;
  const std::int64_t bandwidth =
      demand.mode == domain::NicMode::kBandwidth ? demand.bandwidth_bits : 0;
  if (const auto rate = std::max(demand.rate_bits_min, bandwidth); rate > 0) nic.rate_bits = rate;
  if (demand.role == domain::RoleWanted::kStorage) nic.role = domain::NicRole::kStorage;
  if (demand.mode == domain::NicMode::kVf) nic.vfs = std::min(demand.count, domain::kVfsOfANicMax);
  return {beside, std::move(nic)};
}

/// What may be added once, and beside whom; nothing that the request could not use.
std::vector<NewDevice> sites_of(const NodeCase& node, const domain::Request& request,
                                DeviceKind kind) {
  std::vector<NewDevice> sites;
  for (std::size_t i = 0; i < node.node->devices.size(); ++i) {
    const DeviceIndex beside{static_cast<std::uint32_t>(i)};
    const domain::Device& device = node.node->devices[i];
    if (device.kind() == kind) {
      if (!qualifies(*node.now.shape, request, kind, device.ordinal)) continue;
      sites.push_back({beside, device.facts});
    } else if (device.kind() == DeviceKind::kGpu) {
      sites.push_back(as_asked(request, kind, beside));
    }
  }
  return sites;
}

/// Two sites are one where place, NUMA nodes and facts are equal and nothing else says what is near.
void drop_repeated(const Node& node, DeviceKind kind, std::vector<NewDevice>& sites) {
  if (node.matrix || (kind == DeviceKind::kGpu && !node.nvlinks.empty())) return;
  std::vector<NewDevice> kept;
  for (NewDevice& site : sites) {
    const auto& device = node.devices[static_cast<std::size_t>(site.beside)];
    const bool seen =
        device.place && std::ranges::any_of(kept, [&](const NewDevice& other) {
          const auto& its = node.devices[static_cast<std::size_t>(other.beside)];
          return its.place == device.place && its.numa == device.numa && other.facts == site.facts;
        });
    if (!seen) kept.push_back(std::move(site));
  }
  sites = std::move(kept);
}

struct Thing {
  DeviceKind kind;
  std::string_view one;
  std::string_view many;
};
constexpr std::array<Thing, 3> kThings{{{DeviceKind::kNic, "NIC", "NICs"},
                                        {DeviceKind::kGpu, "GPU", "GPUs"},
                                        {DeviceKind::kNvme, "NVMe", "NVMes"}}};

int units_of(const domain::Request& request, DeviceKind kind) {
  if (kind == DeviceKind::kGpu) return static_cast<int>(request.gpu.units.size());
  return kind == DeviceKind::kNic ? request.nic.count : request.nvme_count;
}

std::string what_of(const Node& node, const Thing& thing, const std::vector<NewDevice>& added) {
  std::vector<std::string> places;
  for (std::size_t i = 0; i < added.size();) {
    std::size_t last = i;
    while (last < added.size() && added[last].beside == added[i].beside) ++last;
    const auto& beside = node.devices[static_cast<std::size_t>(added[i].beside)];
    places.push_back(text::cat(last - i, " ", last - i == 1 ? thing.one : thing.many, " beside ",
                               domain::to_text(beside)));
    i = last;
  }
  return and_list(places);
}

Fix fix_of(const NodeCase& node, std::string what, Node grown) {
  std::string text = text::cat("add ", what, " on ", node.node->name);
  return {node.node->name, AddHardware{std::move(what), std::move(grown)}, std::move(text)};
}

/// The devices of a kind from the ordinal `first` on: as near as can be to all GPUs, NICs and NVMes, and
/// near every NUMA node.
void put_near_everything(topology::Shape& shape, DeviceKind kind, std::size_t first) {
  const std::size_t gpus = shape.gpus.size();
  const auto fill = [&](std::vector<std::uint8_t>& table, DeviceKind column_kind,
                        std::uint8_t value) {
    for (std::size_t cell = 0; cell < table.size(); ++cell) {
      const std::size_t columns = table.size() / gpus;
      const std::size_t row = cell / columns;
      const std::size_t column = cell % columns;
      const bool itself = column_kind == DeviceKind::kGpu && row == column;
      const bool is_new =
          (kind == DeviceKind::kGpu && row >= first) || (kind == column_kind && column >= first);
      if (is_new && !itself) table[cell] = value;
    }
  };
  constexpr auto kNearest = static_cast<topology::Rank>(domain::Distance::kPix);
  fill(shape.gpu_gpu, DeviceKind::kGpu, kNearest);
  fill(shape.gpu_nic, DeviceKind::kNic, kNearest);
  fill(shape.gpu_nvme, DeviceKind::kNvme, kNearest);
  fill(shape.gpu_gpu_nvlinks, DeviceKind::kGpu, std::numeric_limits<std::uint8_t>::max());
  topology::Mask everywhere = 0;
  for (std::size_t n = 0; n < shape.numa.size(); ++n) everywhere |= topology::Mask{1} << n;
  auto& near = kind == DeviceKind::kGpu   ? shape.gpu_numa
               : kind == DeviceKind::kNic ? shape.nic_numa
                                          : shape.nvme_numa;
  std::fill(near.begin() + static_cast<std::ptrdiff_t>(first), near.end(), everywhere);
}

/// Additions of one kind to one node.
class Additions {
 public:
  Additions(const NodeCase& node, const domain::Request& request, DeviceKind kind, Work& work)
      : node_(node), request_(request), kind_(kind), work_(work) {
    sites_ = sites_of(node, request, kind);
    drop_repeated(*node.node, kind, sites_);
    present_ = static_cast<std::size_t>(std::ranges::count(
        node.node->devices, kind, [](const auto& device) { return device.kind(); }));
  }

  /// At most `most`, and no more than the node has room for.
  std::optional<std::vector<NewDevice>> fewest_of(int most) {
    room_ = std::min(most, domain::kDevicesOfAKindMax - static_cast<int>(present_));
    if (sites_.empty() || room_ < 1) return std::nullopt;
    FewestProblem problem;
    problem.elements = static_cast<int>(sites_.size()) * room_;
    problem.most = room_;
    Need need{{}, lacking(node_.now, request_, kind_)};
    for (int element = 0; element < problem.elements; ++element) {
      problem.follows.push_back(element % room_ > 0);
      need.weights.push_back(1);
    }
    problem.needs.push_back(std::move(need));
    problem.fits = [&](const std::vector<int>& chosen) { return fits(chosen); };
    const auto chosen = fewest(problem, work_);
    if (!chosen) return std::nullopt;
    return devices_of(*chosen);
  }

 private:
  [[nodiscard]] std::vector<NewDevice> devices_of(const std::vector<int>& chosen) const {
    std::vector<NewDevice> added;
    for (const int element : chosen) {
      added.push_back(sites_[static_cast<std::size_t>(element / room_)]);
    }
    return added;
  }

  bool fits(const std::vector<int>& chosen) {
    const auto devices = chosen.size() + present_;
    if (devices > static_cast<std::size_t>(domain::kDevicesOfAKindMax)) return large_sets_fit();
    return fits_grown(node_, with_devices(*node_.node, devices_of(chosen)), request_, work_);
  }

  /// Sets that no node has room for only bound the search. They count as fitting unless nothing fits: not
  /// even as many as may be added of devices that are near everything.
  bool large_sets_fit() {
    if (!large_sets_fit_) {
      const NewDevice best = kind_ == DeviceKind::kGpu
                                 ? sites_.front()
                                 : as_asked(request_, kind_, sites_.front().beside);
      const bool none_is_better =
          kind_ != DeviceKind::kGpu || std::ranges::all_of(sites_, [&](const NewDevice& site) {
            return site.facts == best.facts;
          });
      const std::vector<NewDevice> added(static_cast<std::size_t>(room_), best);
      large_sets_fit_ = !none_is_better || fits_grown(node_, with_devices(*node_.node, added),
                                                      request_, work_, [&](auto& shape) {
                                                        put_near_everything(shape, kind_, present_);
                                                      });
    }
    return *large_sets_fit_;
  }

  const NodeCase& node_;
  const domain::Request& request_;
  DeviceKind kind_;
  Work& work_;
  std::vector<NewDevice> sites_;
  std::size_t present_ = 0;  // devices of the kind
  int room_ = 0;             // for so many more, as far as they are of use
  std::optional<bool> large_sets_fit_;
};

std::optional<Fix> add_devices(const FixQuestion& question, const Thing& thing, Work& work) {
  int most = std::min(kAddDevicesMax, units_of(question.request, thing.kind));
  std::optional<Fix> best;
  for (const std::size_t position : question.distinct) {
    if (most < 1) break;
    const NodeCase& node = question.cases[position];
    const auto added = Additions(node, question.request, thing.kind, work).fewest_of(most);
    if (work.exhausted()) return std::nullopt;
    if (!added) continue;
    most = static_cast<int>(added->size()) - 1;
    best = fix_of(node, what_of(*node.node, thing, *added), with_devices(*node.node, *added));
  }
  return best;
}

}  // namespace

std::optional<Fix> find_add_hardware(const FixQuestion& question, Work& work) {
  for (const Thing& thing : kThings) {
    auto fix = add_devices(question, thing, work);
    if (fix || work.exhausted()) return fix;
  }
  return std::nullopt;
}

}  // namespace tenon::planner
