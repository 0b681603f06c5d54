// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "base/key.hpp"
#include "core/state/node_state.hpp"

namespace tenon::state {
namespace {

// What is free of a device that is free or wholly held follows from its facts, which the shape has.
void add(Key& key, const GpuState& gpu) {
  const auto& [use, cordoned, milli_free, bytes_free, slots_taken, compute_slices_free] = gpu;
  key.add(use);
  key.add(cordoned);
  if (use == GpuUse::kFree || use == GpuUse::kWhole) return;
  key.add(milli_free);
  key.add(bytes_free);
  key.add(slots_taken);
  key.add(compute_slices_free);
}

void add(Key& key, const NicState& nic) {
  const auto& [use, cordoned, bits_free, vfs_taken] = nic;
  key.add(use);
  key.add(cordoned);
  if (use == NicUse::kBandwidth) key.add(bits_free);
  if (use == NicUse::kVf) key.add(vfs_taken);
}

void add(Key& key, const NvmeState& nvme) {
  const auto& [taken, cordoned] = nvme;
  key.add(int{taken} * 2 + int{cordoned});
}

void add(Key& key, const NumaState& numa) {
  const auto& [cores_free, memory_free] = numa;
  key.add_runs(cores_free);
  key.add(memory_free);
}

}  // namespace

void append_key(std::string& bytes, const NodeState& state) {
  const auto& [cordoned, shape, gpus, nics, nvmes, numa, cpus_pinned, cpu_milli_free] = state;
  Key key(bytes);
  key.add(cordoned);
  for (const GpuState& gpu : gpus) add(key, gpu);
  for (const NicState& nic : nics) add(key, nic);
  for (const NvmeState& nvme : nvmes) add(key, nvme);
  for (const NumaState& node : numa) add(key, node);
  key.add(cpu_milli_free);
  // Which CPUs are pinned says more than the free cores do only where siblings are not known.
  key.add(cpus_pinned.ranges().size());
  for (const auto& [first, last] : cpus_pinned.ranges()) {
    key.add(first);
    key.add(last);
  }
}

}  // namespace tenon::state
