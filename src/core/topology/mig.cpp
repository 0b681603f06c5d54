// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/topology/mig.hpp"

#include "base/text.hpp"

namespace tenon::topology {
namespace {

struct Profile {
  int compute_slices = 0;
  std::optional<std::int64_t> gigabytes;
  bool plain = true;  // without "+…"
};

std::optional<Profile> parse(std::string_view text) {
  Profile profile;
  const auto plus = text.find('+');
  if (plus != std::string_view::npos) {
    if (plus + 1 == text.size()) return std::nullopt;
    profile.plain = false;
    text = text.substr(0, plus);
  }
  if (text.size() < 2 || text[1] != 'g') return std::nullopt;
  constexpr std::string_view kComputeSlices = "12347";
  if (kComputeSlices.find(text[0]) == std::string_view::npos) return std::nullopt;
  profile.compute_slices = text[0] - '0';
  text.remove_prefix(2);
  if (text.empty()) return profile;

  if (!text.starts_with('.') || !text.ends_with("gb")) return std::nullopt;
  const auto digits = text.substr(1, text.size() - 3);
  const auto gigabytes = text::to_u64(digits);
  if (digits.starts_with('0') || !gigabytes || *gigabytes < 1 || *gigabytes > 9999) {
    return std::nullopt;
  }
  profile.gigabytes = static_cast<std::int64_t>(*gigabytes);
  return profile;
}

MigCut cut_of(int compute_slices) {
  switch (compute_slices) {
    case 1:
      return {.compute_slices = 1, .memory_slices = 1, .first_slices = 0b0111'1111};
    case 2:
      return {.compute_slices = 2, .memory_slices = 2, .first_slices = 0b0001'0101};
    case 3:
      return {.compute_slices = 3, .memory_slices = 4, .first_slices = 0b0001'0001};
    case 4:
      return {.compute_slices = 4, .memory_slices = 4, .first_slices = 0b0000'0001};
    default:
      return {.compute_slices = kMigComputeSlices,
              .memory_slices = kMigMemorySlices,
              .first_slices = 0b0000'0001};
  }
}

constexpr MigCut kWideMemory{.compute_slices = 1, .memory_slices = 2, .first_slices = 0b0101'0101};

// Is `gigabytes` that many memory slices of the card, read as GB or as GiB?
bool is_slices(std::int64_t gigabytes, std::int64_t card_bytes, int slices) {
  for (const std::int64_t unit : {std::int64_t{1'000'000'000}, std::int64_t{1} << 30}) {
    const std::int64_t eighths =
        std::int64_t{2} * kMigMemorySlices * gigabytes * unit;  // below 2^58
    const std::int64_t rounded = eighths / card_bytes / 2 + (eighths / card_bytes) % 2;
    if (rounded == slices) return true;
  }
  return false;
}

}  // namespace

bool is_mig_profile(std::string_view profile) { return parse(profile).has_value(); }

std::optional<MigCut> mig_cut(std::string_view profile,
                              std::optional<std::int64_t> card_memory_bytes) {
  const auto parsed = parse(profile);
  if (!parsed || !parsed->plain) return std::nullopt;
  const MigCut usual = cut_of(parsed->compute_slices);
  if (!parsed->gigabytes || !card_memory_bytes) return usual;
  if (*card_memory_bytes <= 0) return std::nullopt;
  const auto fits = [&](const MigCut& cut) {
    return is_slices(*parsed->gigabytes, *card_memory_bytes, cut.memory_slices);
  };
  if (fits(usual)) return usual;
  if (parsed->compute_slices == 1 && fits(kWideMemory)) return kWideMemory;
  return std::nullopt;
}

}  // namespace tenon::topology
