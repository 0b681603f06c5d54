// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/allocator.hpp"

#include <optional>
#include <type_traits>

#include "base/check.hpp"

namespace tenon::allocation {
namespace {

constexpr std::size_t kShapesMax = 1024;

// Values one behind the other, each list with its length before it: equal bytes are equal values.
class Key {
 public:
  explicit Key(std::string& bytes) : bytes_(bytes) { bytes_.clear(); }

  void add(std::int64_t value) {
    // Small values are most of them: one byte, where the first says how many follow.
    auto rest = static_cast<std::uint64_t>(value);
    if (rest < 0xF0) {
      bytes_ += static_cast<char>(rest);
      return;
    }
    bytes_ += static_cast<char>(0xF8);
    for (int i = 0; i < 8; ++i, rest >>= 8U) bytes_ += static_cast<char>(rest & 0xFFU);
  }
  void add(const std::string& text) {
    add(static_cast<std::int64_t>(text.size()));
    bytes_ += text;
  }
  template <class E>
    requires std::is_enum_v<E>
  void add(E value) {
    add(static_cast<std::int64_t>(value));
  }
  template <class T>
  void add(const std::optional<T>& value) {
    add(static_cast<std::int64_t>(value.has_value()));
    if (value) add(*value);
  }
  void add(const std::vector<int>& values) {
    add(static_cast<std::int64_t>(values.size()));
    for (const int value : values) add(std::int64_t{value});
  }
  // Ascending numbers, as runs: free cores are mostly a few of them.
  void add_runs(const std::vector<int>& ascending) {
    for (std::size_t i = 0; i < ascending.size();) {
      std::size_t end = i + 1;
      while (end < ascending.size() && ascending[end] == ascending[end - 1] + 1) ++end;
      add(std::int64_t{ascending[i]} + 1);
      add(static_cast<std::int64_t>(end - i));
      i = end;
    }
    add(std::int64_t{0});
  }

 private:
  std::string& bytes_;
};

void add_state(Key& key, const state::NodeState& state) {
  key.add(std::int64_t{state.cordoned});
  for (const auto& gpu : state.gpus) {
    key.add(gpu.use);
    key.add(std::int64_t{gpu.cordoned});
    if (gpu.use == state::GpuUse::kFree || gpu.use == state::GpuUse::kWhole) continue;
    key.add(gpu.milli_free);
    key.add(gpu.bytes_free);
    key.add(gpu.slots_taken);
    key.add(std::int64_t{gpu.compute_slices_free});
  }
  for (const auto& nic : state.nics) {
    key.add(nic.use);
    key.add(std::int64_t{nic.cordoned});
    if (nic.use == state::NicUse::kBandwidth) key.add(nic.bits_free);
    if (nic.use == state::NicUse::kVf) key.add(nic.vfs_taken);
  }
  for (const auto& nvme : state.nvmes) {
    key.add(std::int64_t{nvme.taken} * 2 + std::int64_t{nvme.cordoned});
  }
  for (const auto& numa : state.numa) {
    key.add_runs(numa.cores_free);
    key.add(numa.memory_free);
  }
  key.add(state.cpu_milli_free);
  // Which CPUs are pinned says more than the free cores do only where siblings are not known.
  for (const auto& range : state.cpus_pinned.ranges()) {
    key.add(std::int64_t{range.first});
    key.add(std::int64_t{range.last});
  }
}

void add_request(Key& key, const domain::Request& request) {
  key.add(request.gpu.mode);
  key.add(static_cast<std::int64_t>(request.gpu.units.size()));
  for (const auto& unit : request.gpu.units) {
    key.add(unit.amount);
    key.add(unit.profile);
  }
  key.add(request.gpu.cards);
  key.add(request.gpu.model);
  key.add(request.gpu.memory_bytes_min);
  key.add(request.nic.mode);
  key.add(std::int64_t{request.nic.count});
  key.add(request.nic.bandwidth_bits);
  key.add(request.nic.cards);
  key.add(request.nic.role);
  key.add(request.nic.rate_bits_min);
  key.add(std::int64_t{request.nic.bonds} * 2 + std::int64_t{request.nic.non_rdma});
  key.add(std::int64_t{request.nvme_count});
  key.add(std::int64_t{request.cores});
  key.add(request.core_plan);
  key.add(request.cpu_milli);
  key.add(request.memory_bytes);
  key.add(std::int64_t{request.pair.has_value()});
  if (request.pair) {
    key.add(std::int64_t{request.pair->gpus_per_nic});
    key.add(request.pair->bound);
  }
  key.add(request.gpus_within);
  key.add(request.nvlink);
  key.add(request.nvme_within);
  key.add(request.numa);
  key.add(request.arch);
  key.add(static_cast<std::int64_t>(request.wishes.size()));
  for (const auto wish : request.wishes) key.add(wish);
}

// FNV-1a.
std::uint64_t hash(const std::string& bytes, std::uint64_t seed) {
  std::uint64_t value = 0xCBF29CE484222325ULL + seed;
  for (const char byte : bytes) {
    value = (value ^ static_cast<std::uint8_t>(byte)) * 0x100000001B3ULL;
  }
  return value ^ (value >> 32U);
}

}  // namespace

Allocator::Allocator(std::size_t answers_max) : entries_(answers_max) {
  check(answers_max > 0, "a memory holds one answer at least");
}

const Allocator::Known& Allocator::interned(const std::shared_ptr<const topology::Shape>& shape) {
  for (const Known& known : shapes_) {
    if (known.asked == shape) return known;
  }
  if (shapes_.size() == kShapesMax) shapes_.clear();
  for (const Known& known : shapes_) {
    if (*known.asked != *shape) continue;
    const Known alike{shape, known.stands_for, known.number};
    shapes_.push_back(alike);
    return shapes_.back();
  }
  shapes_.push_back({shape, shape, ++shapes_seen_});
  return shapes_.back();
}

const Answer& Allocator::allocate(const state::NodeState& state, const domain::Request& request,
                                  const Limits& limits) {
  ++counts_.asked;
  const Known& known = interned(state.shape);
  Key key(key_);
  key.add(limits.steps_max);
  add_request(key, request);
  add_state(key, state);
  Entry& entry = entries_[hash(key_, known.number) % entries_.size()];
  if (entry.shape == known.stands_for && entry.key == key_) {
    ++counts_.remembered;
    return entry.answer;
  }
  entry.answer = allocation::allocate(state, request, limits);
  entry.shape = known.stands_for;
  entry.key = key_;
  return entry.answer;
}

}  // namespace tenon::allocation
