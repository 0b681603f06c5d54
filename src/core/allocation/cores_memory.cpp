// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "core/allocation/cores_memory.hpp"

#include <algorithm>
#include <bit>

#include "base/check.hpp"
#include "core/allocation/core_search.hpp"

namespace tenon::allocation {
namespace {

constexpr std::size_t kMemoLeast = 16;  // powers of two
constexpr std::size_t kMemoMost = 1024;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::size_t hash(const CoresMemory::Devices& devices) {
  std::uint64_t value = devices.near * 0x9E3779B97F4A7C15ULL + devices.common;
  for (const std::uint8_t far : devices.far) value = (value ^ far) * 0x100000001B3ULL;
  return static_cast<std::size_t>(value ^ (value >> 29U));
}

}  // namespace

CoresMemory::CoresMemory(const Problem& problem)
    : cores_(problem.request.cores),
      memory_(problem.request.memory_bytes),
      problem_(problem),
      runs_(problem) {
  const auto& state = problem.state;
  std::int64_t cores = 0;
  std::int64_t memory = 0;
  for (std::size_t n = 0; n < state.numa.size(); ++n) {
    const int node = static_cast<int>(n);
    nodes_ |= bit(node);
    free_cores_[n] = static_cast<int>(state.numa[n].cores_free.size());
    free_memory_[n] = std::max<std::int64_t>(state.numa[n].memory_free, 0);
    if (free_cores_[n] > 0) core_nodes_ |= bit(node);
    cores += free_cores_[n];
    memory = free_memory_[n] > memory_ - memory ? memory_ : memory + free_memory_[n];
  }
  enough_ = cores >= cores_ && memory >= memory_ &&
            problem.request.cpu_milli <= state.cpu_milli_free &&
            (cores_ == 0 || (runs_.threads_suffice() && runs_.ranges_suffice()));
  if (problem.request.numa == domain::NumaClause::kSingle) {
    alone_ = 0;
    for (std::size_t n = 0; n < state.numa.size(); ++n) {
      if (free_cores_[n] >= cores_ && free_memory_[n] >= memory_)
        alone_ |= bit(static_cast<int>(n));
    }
  }
  find_sockets();
}

void CoresMemory::find_sockets() {
  if (problem_.request.core_plan == domain::CorePlan::kPacked) {
    sockets_.push_back({nodes_, cores_});
    return;
  }
  std::vector<Mask> by_socket(problem_.shape.numa.size(), 0);
  for (std::size_t n = 0; n < problem_.shape.numa.size(); ++n) {
    const auto& numa = problem_.shape.numa[n];
    if (!numa.cpus.empty()) by_socket.at(at(numa.socket)) |= bit(static_cast<int>(n));
  }
  std::erase(by_socket, Mask{0});
  const int count = static_cast<int>(by_socket.size());
  for (const Mask nodes : by_socket) sockets_.push_back({nodes, cores_ / count});
  if (count > 0) sockets_with_one_more_ = cores_ % count;
}

CoresMemory::Devices CoresMemory::normal(const Devices& devices) const {
  const auto& request = problem_.request;
  Devices key;
  key.count = devices.count > 0 ? 1 : 0;
  if (cores_ > 0 && problem_.layout.numa != Layout::kAbsent) {
    for (Mask rest = core_nodes_; rest != 0;) {
      const auto n = at(pop_lowest(rest));
      key.far[n] = devices.far[n];
    }
  }
  if (request.numa == domain::NumaClause::kNearDevices || (cores_ == 0 && memory_ > 0)) {
    key.near = devices.near;
  }
  if (request.numa == domain::NumaClause::kSingle) key.common = devices.common;
  return key;
}

Mask CoresMemory::allowed_by(const Devices& devices) const {
  const bool near_only =
      problem_.request.numa == domain::NumaClause::kNearDevices && devices.count > 0;
  return near_only ? devices.near & nodes_ : nodes_;
}

CoresMemory::Question CoresMemory::question(Mask allowed, const Devices& devices) const {
  Question question{.allowed = allowed, .devices = &devices};
  for (Mask rest = allowed & core_nodes_; rest != 0;) {
    const auto n = at(pop_lowest(rest));
    question.most[n] = std::min(free_cores_[n], cores_);
  }
  return question;
}

CoresMemory::Key CoresMemory::key(const HostCost& cost) const {
  const auto& layout = problem_.layout;
  const bool spread = problem_.request.core_plan == domain::CorePlan::kSpread;
  const std::int64_t core_nodes = spread ? 0 : cost.core_nodes;
  if (layout.numa == Layout::kAbsent) return {0, 0, 0, core_nodes};
  if (layout.numa < layout.memory) return {cost.numa, cost.outside, cost.nodes, core_nodes};
  return {cost.outside, cost.nodes, cost.numa, core_nodes};
}

void CoresMemory::write(const HostCost& cost, CostVector& vector) const {
  const auto& layout = problem_.layout;
  if (layout.numa != Layout::kAbsent) {
    vector[at(layout.numa)] = cost.numa;
    vector[at(layout.memory)] = cost.outside;
    vector[at(layout.memory) + 1] = cost.nodes;
  }
  const bool spread = problem_.request.core_plan == domain::CorePlan::kSpread;
  vector[at(layout.core_nodes)] = spread ? 0 : cost.core_nodes;
}

std::optional<CoresMemory::HostCost> CoresMemory::best(const Devices& devices, Work& work) {
  if (!enough_) return std::nullopt;
  const Devices asked = normal(devices);
  if (memo_.size() < kMemoMost && memo_used_ >= memo_.size() / 2) {
    memo_.assign(memo_.empty() ? kMemoLeast : 2 * memo_.size(), {});
    memo_used_ = 0;
  }
  Memo& memo = memo_[hash(asked) & (memo_.size() - 1)];
  if (!work.spend()) return std::nullopt;
  if (memo.used && memo.devices == asked) return memo.cost;

  std::optional<HostCost> answer;
  if (problem_.request.numa == domain::NumaClause::kSingle) {
    const bool nothing = devices.count == 0 && cores_ == 0 && memory_ == 0;
    if (nothing) answer = HostCost{};
    for (Mask rest = asked.common & alone_ & nodes_; rest != 0 && !nothing;) {
      const Mask node = bit(pop_lowest(rest));
      const auto found = solve(question(node, asked), work);
      if (found && (!answer || key(found->cost) < key(*answer))) answer = found->cost;
    }
  } else if (const auto found = solve(question(allowed_by(asked), asked), work)) {
    answer = found->cost;
  }
  if (!work.cut) {
    if (!memo.used) ++memo_used_;
    memo = {true, asked, answer};
  }
  return answer;
}

std::optional<CoresMemory::Found> CoresMemory::solve(const Question& question, Work& work) {
  if (cores_ == 0) return without_cores(question);
  CoreSearch search(*this, question, work);
  return search.run();
}

std::optional<CoresMemory::Found> CoresMemory::without_cores(const Question& question) const {
  const auto memory = best_memory(question.allowed, question.devices->near, domain::kRangesMax);
  if (!memory) return std::nullopt;
  return Found{.cost = {.outside = memory->outside, .nodes = memory->nodes}};
}

std::int64_t CoresMemory::numa_floor(const Devices& devices) const {
  if (cores_ == 0 || problem_.layout.numa == Layout::kAbsent) return 0;
  // Nearest nodes first, whatever else is asked of them.
  std::int64_t sum = 0;
  int left = cores_;
  Mask open = core_nodes_;
  while (left > 0 && open != 0) {
    int best = -1;
    for (Mask rest = open; rest != 0;) {
      const int node = pop_lowest(rest);
      if (best < 0 || devices.far[at(node)] < devices.far[at(best)]) best = node;
    }
    open &= ~bit(best);
    const int taken = std::min(left, free_cores_[at(best)]);
    sum += std::int64_t{devices.far[at(best)]} * taken;
    left -= taken;
  }
  return sum;
}

}  // namespace tenon::allocation
