// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/allocator.hpp"

#include "base/check.hpp"
#include "base/key.hpp"

namespace tenon::allocation {
namespace {

constexpr std::size_t kShapesMax = 1024;

void add(Key& key, const domain::GpuDemand& demand) {
  const auto& [mode, units, cards, model, memory_bytes_min] = demand;
  key.add(mode);
  key.add(units.size());
  for (const auto& [amount, profile] : units) {
    key.add(amount);
    key.add(profile);
  }
  key.add(cards);
  key.add(model);
  key.add(memory_bytes_min);
}

void add(Key& key, const domain::NicDemand& demand) {
  const auto& [mode, count, bandwidth_bits, cards, role, rate_bits_min, bonds, non_rdma] = demand;
  key.add(mode);
  key.add(count);
  key.add(bandwidth_bits);
  key.add(cards);
  key.add(role);
  key.add(rate_bits_min);
  key.add(int{bonds} * 2 + int{non_rdma});
}

void add(Key& key, const domain::Request& request) {
  const auto& [gpu, nic, nvme_count, cores, core_plan, cpu_milli, memory_bytes, pair, gpus_within,
               nvlink, nvme_within, numa, arch, wishes] = request;
  add(key, gpu);
  add(key, nic);
  key.add(nvme_count);
  key.add(cores);
  key.add(core_plan);
  key.add(cpu_milli);
  key.add(memory_bytes);
  key.add(pair.has_value());
  if (pair) {
    const auto& [gpus_per_nic, bound] = *pair;
    key.add(gpus_per_nic);
    key.add(bound);
  }
  key.add(gpus_within);
  key.add(nvlink);
  key.add(nvme_within);
  key.add(numa);
  key.add(arch);
  key.add(wishes);
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
  key_.clear();
  Key key(key_);
  const auto& [steps_max] = limits;
  key.add(steps_max);
  add(key, request);
  state::append_key(key_, state);
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
