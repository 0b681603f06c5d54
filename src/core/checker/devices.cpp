// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// What each device grants: only what it has, only what was asked.

#include <algorithm>

#include "base/text.hpp"
#include "core/checker/audit.hpp"

namespace tenon::checker {

using domain::Cards;
using domain::DeviceKind;
using domain::GpuMode;
using domain::GrantMode;
using domain::MigMode;
using domain::NicMode;
using text::cat;

namespace {

/// Products of amounts do not fit 64 bits.
__extension__ using Wide = __int128;

GrantMode mode_of(GpuMode mode) {
  if (mode == GpuMode::kWhole) return GrantMode::kWhole;
  return mode == GpuMode::kMig ? GrantMode::kMig : GrantMode::kShare;
}

GrantMode mode_of(NicMode mode) {
  if (mode == NicMode::kWhole) return GrantMode::kWhole;
  return mode == NicMode::kVf ? GrantMode::kVf : GrantMode::kBandwidth;
}

/// What a unit asks for, and what a grant answers, in one comparable form.
using Ask = std::pair<std::int64_t, std::string>;

/// I30: the multiset of what was asked is the multiset of what is granted.
void check_gpu_units(Audit& audit) {
  const auto& demand = audit.request.gpu;
  std::vector<Ask> asked;
  std::vector<Ask> given;
  const bool whole = demand.mode == GpuMode::kWhole;
  const bool mig = demand.mode == GpuMode::kMig;
  for (const auto& unit : demand.units) {
    asked.emplace_back(whole || mig ? 0 : unit.amount, mig ? unit.profile : "");
  }
  for (const auto& on : audit.devices) {
    if (on.kind != DeviceKind::kGpu) continue;
    for (const auto& grant : on.grants) {
      if (grant.mode != mode_of(demand.mode)) {
        audit.report("I30", cat(name_of(on.kind, on.ordinal), " is given in a way not asked for"));
      }
      const auto amount = demand.mode == GpuMode::kShareBytes ? grant.bytes : grant.amount;
      given.emplace_back(whole || mig ? 0 : amount, grant.profile);
    }
  }
  std::ranges::sort(asked);
  std::ranges::sort(given);
  if (asked != given) {
    audit.report("I30", cat("gpu: asked ", asked.size(), " units, given ", given.size(),
                            asked.size() == given.size() ? " others" : ""));
  }
}

void check_slots(Audit& audit, const OnDevice& on, std::vector<int> taken,
                 std::string_view invariant) {
  // The smallest numbers not taken, one after the other.
  std::vector<int> granted_slots;
  for (const auto& grant : on.grants) granted_slots.push_back(grant.slot);
  std::ranges::sort(granted_slots);
  for (const int slot : granted_slots) {
    int smallest = 0;
    while (std::ranges::find(taken, smallest) != taken.end()) ++smallest;
    if (slot != smallest) {
      audit.report(invariant,
                   cat(name_of(on.kind, on.ordinal), " slot ", slot, ", free is ", smallest));
      return;
    }
    taken.push_back(slot);
  }
}

void check_shares(Audit& audit, const OnDevice& on) {
  const auto index = static_cast<std::size_t>(on.ordinal);
  const auto& card = audit.shape().gpus[index];
  const auto& was = audit.before.gpus[index];
  const auto name = name_of(on.kind, on.ordinal);
  Wide milli = 0;
  Wide bytes = 0;
  for (const auto& grant : on.grants) {
    milli += grant.amount;
    bytes += grant.bytes;
    if (grant.amount <= 0 || grant.bytes < 0) audit.report("I22", cat(name, " has an empty share"));
    const Wide memory = card.memory_bytes.value_or(0);
    if (audit.request.gpu.mode == GpuMode::kShareBytes) {
      const bool right = memory > 0 && Wide{grant.amount} * memory >= Wide{1000} * grant.bytes &&
                         Wide{grant.amount - 1} * memory < Wide{1000} * grant.bytes;
      if (!right) audit.report("I22", cat(name, " takes ", grant.amount, " thousandths"));
    } else if (Wide{grant.bytes} != Wide{grant.amount} * memory / 1000) {
      audit.report("I22", cat(name, " takes ", grant.bytes, " bytes"));
    }
  }
  if (milli > was.milli_free) audit.report("I22", cat(name, " has ", was.milli_free, " left"));
  if (card.memory_bytes && bytes > was.bytes_free) {
    audit.report("I22", cat(name, " has ", was.bytes_free, " bytes left"));
  }
  if (card.slots &&
      was.slots_taken.size() + on.grants.size() > static_cast<std::size_t>(*card.slots)) {
    audit.report("I22", cat(name, " has ", *card.slots, " slots"));
  }
  check_slots(audit, on, was.slots_taken, "I52");
}

void check_partitions(Audit& audit, const OnDevice& on) {
  const auto index = static_cast<std::size_t>(on.ordinal);
  const auto& card = audit.shape().gpus[index];
  const auto name = name_of(on.kind, on.ordinal);
  std::vector<int> taken = audit.before.gpus[index].slots_taken;
  const auto clash = [&](int slot) { return std::ranges::find(taken, slot) != taken.end(); };
  int compute = audit.before.gpus[index].compute_slices_free;
  for (const auto& grant : on.grants) {
    if (card.mig == MigMode::kFixed) {
      const bool there =
          grant.slot >= 0 && static_cast<std::size_t>(grant.slot) < card.partitions.size() &&
          card.partitions[static_cast<std::size_t>(grant.slot)].profile == grant.profile;
      if (!there || clash(grant.slot)) {
        audit.report("I35", cat(name, " has no free ", grant.profile, " at ", grant.slot));
      }
      taken.push_back(grant.slot);
      continue;
    }
    const Cut cut = cut_of(grant.profile, card);
    compute -= cut.compute;
    bool fits = cut.memory > 0 && compute >= 0 &&
                std::ranges::find(cut.starts, grant.slot) != cut.starts.end();
    for (int slice = grant.slot; slice < grant.slot + cut.memory; ++slice) {
      fits = fits && !clash(slice) && slice < 8;
      taken.push_back(slice);
    }
    if (!fits) audit.report("I35", cat(name, " cannot cut ", grant.profile, " at ", grant.slot));
  }
}

void check_gpu(Audit& audit, const OnDevice& on) {
  const auto index = static_cast<std::size_t>(on.ordinal);
  const auto& card = audit.shape().gpus[index];
  const auto& was = audit.before.gpus[index];
  const auto& demand = audit.request.gpu;
  const auto name = name_of(on.kind, on.ordinal);
  if (was.cordoned) audit.report("I32", cat(name, " is cordoned"));
  if (!demand.model.empty() && text::lower(demand.model) != text::lower(card.model)) {
    audit.report("I32", cat(name, " is a ", card.model.empty() ? "not known model" : card.model));
  }
  if (demand.memory_bytes_min > 0 && card.memory_bytes.value_or(-1) < demand.memory_bytes_min) {
    audit.report("I32", cat(name, " has ", card.memory_bytes.value_or(-1), " bytes"));
  }
  using state::GpuUse;
  switch (on.grants.front().mode) {
    case GrantMode::kWhole:
      if (on.grants.size() > 1) audit.report("I34", cat(name, " is given twice"));
      if (card.mig != MigMode::kOff || was.use != GpuUse::kFree) {
        audit.report("I32", cat(name, " is not wholly free"));
      }
      break;
    case GrantMode::kShare:
      if (card.mig != MigMode::kOff || (was.use != GpuUse::kFree && was.use != GpuUse::kShared)) {
        audit.report("I32", cat(name, " cannot be shared"));
      }
      check_shares(audit, on);
      break;
    case GrantMode::kMig:
      if (card.mig == MigMode::kOff || (was.use != GpuUse::kFree && was.use != GpuUse::kMig)) {
        audit.report("I32", cat(name, " is not in MIG mode"));
      } else {
        check_partitions(audit, on);
      }
      break;
    case GrantMode::kVf:
    case GrantMode::kBandwidth:
      break;  // I30 has said it
  }
}

void check_nic_kind(Audit& audit, const OnDevice& on) {
  const auto& nic = audit.shape().nics[static_cast<std::size_t>(on.ordinal)];
  const auto& demand = audit.request.nic;
  const auto name = name_of(on.kind, on.ordinal);
  if (nic.bond && !demand.bonds) audit.report("I33", cat(name, " is a bond"));
  if (nic.rdma == false && !demand.non_rdma) audit.report("I33", cat(name, " has no RDMA"));
  const bool storage = nic.role == domain::NicRole::kStorage;
  if ((demand.role == domain::RoleWanted::kCompute && storage) ||
      (demand.role == domain::RoleWanted::kStorage && !storage)) {
    audit.report("I33", cat(name, " has another role"));
  }
  if (demand.rate_bits_min > 0 && nic.rate_bits.value_or(-1) < demand.rate_bits_min) {
    audit.report("I33", cat(name, " has a rate of ", nic.rate_bits.value_or(-1)));
  }
}

void check_nic(Audit& audit, const OnDevice& on) {
  const auto index = static_cast<std::size_t>(on.ordinal);
  const auto& nic = audit.shape().nics[index];
  const auto& was = audit.before.nics[index];
  const auto name = name_of(on.kind, on.ordinal);
  if (was.cordoned) audit.report("I32", cat(name, " is cordoned"));
  check_nic_kind(audit, on);
  using state::NicUse;
  const auto mode = on.grants.front().mode;
  const bool vfs = mode == GrantMode::kVf;
  const NicUse beside = vfs                             ? NicUse::kVf
                        : mode == GrantMode::kBandwidth ? NicUse::kBandwidth
                                                        : NicUse::kFree;
  if (was.use != NicUse::kFree && was.use != beside) {
    audit.report("I32", cat(name, " is taken in another way"));
  }
  if (!vfs && on.grants.size() > 1) audit.report("I34", cat(name, " is given twice"));
  for (const auto& grant : on.grants) {
    if (grant.mode != mode_of(audit.request.nic.mode)) {
      audit.report("I30", cat(name, " is given in a way not asked for"));
    }
    if (grant.mode != GrantMode::kBandwidth) continue;
    if (grant.amount != audit.request.nic.bandwidth_bits) {
      audit.report("I30", cat(name, " gives ", grant.amount, " bits"));
    }
    if (!nic.rate_bits || grant.amount > was.bits_free) {
      audit.report("I33", cat(name, " has ", was.bits_free, " bits left"));
    }
  }
  if (vfs) {
    if (was.vfs_taken.size() + on.grants.size() > static_cast<std::size_t>(nic.vfs)) {
      audit.report("I33", cat(name, " has ", nic.vfs, " functions"));
    }
    check_slots(audit, on, was.vfs_taken, "I52");
  }
}

void check_nvme(Audit& audit, const OnDevice& on) {
  const auto& was = audit.before.nvmes[static_cast<std::size_t>(on.ordinal)];
  const auto name = name_of(on.kind, on.ordinal);
  if (was.cordoned) audit.report("I32", cat(name, " is cordoned"));
  if (was.taken) audit.report("I32", cat(name, " is not free"));
  if (on.grants.size() > 1) audit.report("I34", cat(name, " is given twice"));
  if (on.grants.front().mode != GrantMode::kWhole) {
    audit.report("I30", cat(name, " is given in a way not asked for"));
  }
}

void check_cards(Audit& audit, std::string_view kind, Cards cards, std::size_t devices,
                 std::size_t units) {
  if (cards == Cards::kOne && devices > 1) {
    audit.report("I34", cat(kind, ": ", units, " units on ", devices, " cards"));
  }
  if (cards == Cards::kApart && devices != units) {
    audit.report("I34", cat(kind, ": ", units, " units on only ", devices, " cards"));
  }
}

}  // namespace

void check_devices(Audit& audit) {
  check_gpu_units(audit);
  std::size_t nvmes = 0;
  std::size_t gpu_units = 0;
  for (const auto& on : audit.devices) {
    if (on.kind == DeviceKind::kGpu) {
      check_gpu(audit, on);
      gpu_units += on.grants.size();
    }
    if (on.kind == DeviceKind::kNic) check_nic(audit, on);
    if (on.kind == DeviceKind::kNvme) {
      check_nvme(audit, on);
      nvmes += on.grants.size();
    }
  }
  const auto nics = nic_units(audit).size();
  if (nics != static_cast<std::size_t>(std::max(audit.request.nic.count, 0))) {
    audit.report("I30", cat("nic: asked ", audit.request.nic.count, ", given ", nics));
  }
  if (nvmes != static_cast<std::size_t>(std::max(audit.request.nvme_count, 0))) {
    audit.report("I30", cat("nvme: asked ", audit.request.nvme_count, ", given ", nvmes));
  }
  check_cards(audit, "gpu", audit.request.gpu.cards, granted(audit, DeviceKind::kGpu).size(),
              gpu_units);
  check_cards(audit, "vf", audit.request.nic.cards, granted(audit, DeviceKind::kNic).size(), nics);
}

int compute_slices(std::string_view profile) {
  const auto plus = profile.find('+');
  if (plus != std::string_view::npos && plus + 1 == profile.size()) return 0;
  const auto parts = text::split(profile.substr(0, plus), '.');
  if (parts.size() > 2 || parts[0].size() != 2 || parts[0][1] != 'g') return 0;
  if (parts.size() == 2) {
    if (!parts[1].ends_with("gb")) return 0;
    const auto digits = parts[1].substr(0, parts[1].size() - 2);
    const auto number = text::to_u64(digits);
    if (!number || *number == 0 || *number > 9999 || digits[0] == '0') return 0;
  }
  const int compute = parts[0][0] - '0';
  const bool known = compute == 1 || compute == 2 || compute == 3 || compute == 4 || compute == 7;
  return known ? compute : 0;
}

Cut cut_of(std::string_view profile, const domain::GpuFacts& card) {
  Cut cut{.compute = compute_slices(profile)};
  if (cut.compute == 0 || profile.find('+') != std::string_view::npos) return {};
  switch (cut.compute) {
    case 1:
      cut.memory = 1;
      cut.starts = {0, 1, 2, 3, 4, 5, 6};
      break;
    case 2:
      cut.memory = 2;
      cut.starts = {0, 2, 4};
      break;
    case 3:
      cut.memory = 4;
      cut.starts = {0, 4};
      break;
    case 4:
      cut.memory = 4;
      cut.starts = {0};
      break;
    default:
      cut.memory = 8;
      cut.starts = {0};
  }
  const auto dot = profile.find('.');
  if (dot == std::string_view::npos || !card.memory_bytes) return cut;
  if (*card.memory_bytes <= 0) return {};
  const auto gb = text::to_u64(profile.substr(dot + 1, profile.size() - dot - 3)).value_or(0);
  const auto rounds_to = [&](int slices) {
    // slices - 1/2 <= 8 M unit / memory < slices + 1/2
    for (const std::int64_t unit : {std::int64_t{1'000'000'000}, std::int64_t{1} << 30}) {
      const Wide sixteenths = Wide{16} * static_cast<std::int64_t>(gb) * unit;
      const Wide memory = *card.memory_bytes;
      if (sixteenths >= (2 * slices - 1) * memory && sixteenths < (2 * slices + 1) * memory) {
        return true;
      }
    }
    return false;
  };
  if (rounds_to(cut.memory)) return cut;
  if (cut.compute == 1 && rounds_to(2)) {
    return {.compute = 1, .memory = 2, .starts = {0, 2, 4, 6}};
  }
  return {};
}

}  // namespace tenon::checker
