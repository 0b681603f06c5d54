// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "oracle/fix_oracle.hpp"

#include <algorithm>
#include <functional>

namespace tenon::oracle {

using domain::DeviceIndex;
using domain::Request;

bool fits(const Situation& s, const Request& request) {
  switch (ask(s, request, {.steps_max = 20'000}).outcome) {
    case Outcome::kFits:
      return true;
    case Outcome::kTooLarge:
      throw TooLarge{};
    default:
      return false;
  }
}

bool fits(const Case& c) { return fits(Situation(c.node, c.holders), c.request); }

namespace {

Case without_cordons(Case c) {
  c.node.cordoned.reset();
  for (auto& device : c.node.devices) device.cordoned.reset();
  return c;
}

Case on_the_empty_node(Case c) {
  c.holders.clear();
  return c;
}

/// Devices that somebody has or that are cordoned.
std::vector<DeviceIndex> not_free(const Case& c) {
  std::vector<DeviceIndex> found;
  for (std::size_t i = 0; i < c.node.devices.size(); ++i) {
    const auto index = static_cast<DeviceIndex>(i);
    const bool held = std::ranges::any_of(c.holders, [&](const auto& holder) {
      return std::ranges::any_of(holder.allocation.grants,
                                 [&](const auto& grant) { return grant.device == index; });
    });
    if (held || c.node.devices[i].cordoned) found.push_back(index);
  }
  return found;
}

Case with_free(Case c, const std::vector<DeviceIndex>& devices) {
  for (const auto device : devices) {
    c.node.devices[static_cast<std::size_t>(device)].cordoned.reset();
    for (auto& holder : c.holders) {
      std::erase_if(holder.allocation.grants,
                    [&](const auto& grant) { return grant.device == device; });
    }
  }
  return c;
}

/// The first combination, by size and then in lexicographic order, for which `works` holds.
template <class T>
std::optional<std::vector<T>> fewest(const std::vector<T>& from, std::size_t most,
                                     const std::function<bool(const std::vector<T>&)>& works) {
  for (std::size_t size = 1; size <= std::min(most, from.size()); ++size) {
    std::vector<std::size_t> pick(size);
    for (std::size_t i = 0; i < size; ++i) pick[i] = i;
    while (true) {
      std::vector<T> chosen;
      for (const auto i : pick) chosen.push_back(from[i]);
      if (works(chosen)) return chosen;
      std::size_t i = size;
      while (i > 0 && pick[i - 1] == from.size() - size + i - 1) --i;
      if (i == 0) break;
      ++pick[i - 1];
      for (; i < size; ++i) pick[i] = pick[i - 1] + 1;
    }
  }
  return {};
}

/// I65.
std::optional<std::vector<DeviceIndex>> devices_to_free(const Case& c) {
  const auto candidates = not_free(c);
  if (candidates.size() > 14) throw TooLarge{};
  return fewest<DeviceIndex>(candidates, 4,
                             [&](const auto& chosen) { return fits(with_free(c, chosen)); });
}

/// I66: the request one step weaker, in the order of the text.
std::vector<Request> one_step_weaker(const Request& r) {
  std::vector<Request> weaker;
  const auto add = [&](bool has, const std::function<void(Request&)>& change) {
    if (!has) return;
    weaker.push_back(r);
    change(weaker.back());
  };
  const auto step = [](std::optional<domain::Distance>& bound) {
    if (bound == domain::Distance::kSys) {
      bound.reset();
    } else {
      bound = static_cast<domain::Distance>(static_cast<int>(*bound) + 1);
    }
  };
  add(r.pair.has_value(), [&](Request& w) {
    std::optional<domain::Distance> bound = w.pair->bound;
    step(bound);
    if (bound) {
      w.pair->bound = *bound;
    } else {
      w.pair.reset();
    }
  });
  add(r.gpus_within.has_value(), [&](Request& w) { step(w.gpus_within); });
  add(r.nvme_within.has_value(), [&](Request& w) { step(w.nvme_within); });
  add(r.nvlink != domain::NvlinkClause::kNone, [](Request& w) {
    w.nvlink = w.nvlink == domain::NvlinkClause::kAll ? domain::NvlinkClause::kConnected
                                                      : domain::NvlinkClause::kNone;
  });
  add(r.numa == domain::NumaClause::kSingle,
      [](Request& w) { w.numa = domain::NumaClause::kNearDevices; });
  add(r.numa == domain::NumaClause::kNearDevices,
      [](Request& w) { w.numa = domain::NumaClause::kBest; });
  add(r.pair.has_value(), [](Request& w) { ++w.pair->gpus_per_nic; });
  add(r.gpu.cards != domain::Cards::kAny, [](Request& w) { w.gpu.cards = domain::Cards::kAny; });
  add(r.nic.cards != domain::Cards::kAny, [](Request& w) { w.nic.cards = domain::Cards::kAny; });
  add(r.core_plan == domain::CorePlan::kSpread,
      [](Request& w) { w.core_plan = domain::CorePlan::kPacked; });
  add(!r.gpu.model.empty(), [](Request& w) { w.gpu.model.clear(); });
  add(r.gpu.memory_bytes_min > 0, [](Request& w) { w.gpu.memory_bytes_min = 0; });
  add(r.nic.count > 0 && r.nic.role != domain::RoleWanted::kAny,
      [](Request& w) { w.nic.role = domain::RoleWanted::kAny; });
  add(r.nic.rate_bits_min > 0, [](Request& w) { w.nic.rate_bits_min = 0; });
  add(!r.arch.empty(), [](Request& w) { w.arch.clear(); });
  return weaker;
}

std::optional<Request> relaxed(const Case& c) {
  for (const auto& weaker : one_step_weaker(c.request)) {
    Case tried = c;
    tried.request = weaker;
    if (fits(tried)) return weaker;
  }
  return {};
}

/// I67.
std::optional<std::vector<std::string>> holders_to_end(const Case& c) {
  std::vector<std::string> names;
  for (const auto& holder : c.holders) names.push_back(holder.name);
  std::ranges::sort(names);
  return fewest<std::string>(names, names.size(), [&](const auto& chosen) {
    Case tried = c;
    std::erase_if(tried.holders, [&](const auto& holder) {
      return std::ranges::find(chosen, holder.name) != chosen.end();
    });
    return fits(tried);
  });
}

/// I68: the first amount of the text's order that fits when lowered, each as much as fits. Amounts in
/// thousandths and bytes are halved towards the largest: less of them never fits worse.
std::optional<Request> asking_less(const Case& c) {
  const Request& r = c.request;
  const auto units = static_cast<int>(r.gpu.units.size());
  const auto implied = [](const Request& w) {
    const int gpus = static_cast<int>(w.gpu.units.size());
    return w.nic.count == 0 ? 1 : std::max(1, (gpus + w.nic.count - 1) / w.nic.count);
  };
  const bool follows = r.pair && r.pair->gpus_per_nic == implied(r);
  const auto works = [&](Request& w) {
    if (follows) w.pair->gpus_per_nic = implied(w);
    Case tried = c;
    tried.request = w;
    return fits(tried);
  };
  using Set = std::function<void(Request&, std::int64_t)>;
  const auto largest = [&](std::int64_t asked, const Set& set) -> std::optional<Request> {
    std::optional<Request> best;
    std::int64_t good = 0;
    std::int64_t bad = asked;
    const bool each = asked <= 64;
    while (bad - good > 1) {
      const std::int64_t value = each ? bad - 1 : good + (bad - good) / 2;
      Request w = r;
      set(w, value);
      if (works(w)) {
        best = w;
        good = value;
        if (each) return best;
      } else {
        bad = value;
      }
    }
    return best;
  };
  const bool share =
      r.gpu.mode == domain::GpuMode::kShareMilli || r.gpu.mode == domain::GpuMode::kShareBytes;
  std::vector<std::pair<std::int64_t, Set>> amounts;
  if (units == 1 && share) {
    amounts.emplace_back(r.gpu.units[0].amount,
                         [](Request& w, std::int64_t v) { w.gpu.units[0].amount = v; });
  } else {
    amounts.emplace_back(
        units, [](Request& w, std::int64_t v) { w.gpu.units.resize(static_cast<std::size_t>(v)); });
  }
  amounts.emplace_back(r.nic.count,
                       [](Request& w, std::int64_t v) { w.nic.count = static_cast<int>(v); });
  amounts.emplace_back(r.nvme_count,
                       [](Request& w, std::int64_t v) { w.nvme_count = static_cast<int>(v); });
  amounts.emplace_back(r.cores, [](Request& w, std::int64_t v) { w.cores = static_cast<int>(v); });
  amounts.emplace_back(r.cpu_milli, [](Request& w, std::int64_t v) { w.cpu_milli = v; });
  amounts.emplace_back(r.memory_bytes, [](Request& w, std::int64_t v) { w.memory_bytes = v; });
  for (const auto& [asked, set] : amounts) {
    if (auto found = largest(asked, set)) return found;
  }
  return {};
}

}  // namespace

Situation at_its_best(const Case& c) {
  Case known = c;
  for (auto& numa : known.node.numa) {
    if (numa.cores) continue;
    numa.cores.emplace();
    for (const auto cpu : numa.cpus.ids()) numa.cores->push_back({{cpu}});
  }
  Situation s(known.node, known.holders);
  const auto nearest = [](std::vector<std::vector<int>>& table) {
    for (auto& row : table) {
      for (int& rank : row) rank = rank == kNotKnownRank ? 1 : rank;
    }
  };
  nearest(s.gpu_gpu);
  nearest(s.gpu_nic);
  nearest(s.gpu_nvme);
  const Bits all = s.numa.empty() ? 0 : bit(static_cast<int>(s.numa.size())) - 1;
  const auto everywhere = [&](auto& devices) {
    for (auto& device : devices) device.numa = device.numa == 0 ? all : device.numa;
  };
  everywhere(s.gpus);
  everywhere(s.nics);
  everywhere(s.nvmes);
  return s;
}

ExpectedFix nearest_of_first_kinds(const Case& c) {
  if (auto devices = devices_to_free(c)) return {.kind = FixKind::kFree, .devices = *devices};
  if (auto request = relaxed(c)) return {.kind = FixKind::kRelax, .request = *request};
  if (auto holders = holders_to_end(c)) return {.kind = FixKind::kEnd, .holders = *holders};
  if (auto request = asking_less(c)) return {.kind = FixKind::kLess, .request = *request};
  return {};
}

std::pair<domain::Verdict, Case> expected_verdict(const Case& c) {
  const Case empty = on_the_empty_node(c);
  if (fits(empty)) return {domain::Verdict::kNotNow, c};
  const Case lifted = without_cordons(empty);
  if (fits(lifted)) return {domain::Verdict::kForbidden, empty};
  return {domain::Verdict::kNeverFits, lifted};
}

}  // namespace tenon::oracle
