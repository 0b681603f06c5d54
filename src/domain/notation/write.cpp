// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include <array>
#include <map>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"
#include "domain/notation/notation.hpp"
#include "domain/notation/read.hpp"
#include "domain/notation/values.hpp"
#include "domain/quantity.hpp"

namespace tenon::notation {
namespace {

using domain::Cards;
using domain::GpuMode;
using domain::NicMode;
using text::cat;

/// Words with a blank between.
class Line {
 public:
  template <class... Parts>
  void add(const Parts&... parts) {
    if (!text_.empty()) text_ += ' ';
    text_ += cat(parts...);
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string unit_text(const domain::GpuDemand& gpu, const domain::GpuUnit& unit) {
  if (gpu.mode == GpuMode::kMig) return unit.profile;
  return gpu.mode == GpuMode::kShareMilli ? domain::milli_to_text(unit.amount)
                                          : domain::bytes_to_text(unit.amount);
}

/// "0.5*2+0.25"
std::string units_text(const domain::GpuDemand& gpu) {
  std::string out;
  for (std::size_t i = 0; i < gpu.units.size();) {
    std::size_t same = i;
    while (same < gpu.units.size() && gpu.units[same] == gpu.units[i]) ++same;
    out += cat(out.empty() ? "" : "+", unit_text(gpu, gpu.units[i]));
    if (same - i > 1) out += cat('*', same - i);
    i = same;
  }
  // One share of all thousandths, or of none, is no count of whole GPUs.
  const bool looks_whole = gpu.units.size() == 1 && gpu.mode != GpuMode::kMig &&
                           (gpu.mode == GpuMode::kShareBytes ? gpu.units[0].amount == 0
                                                             : gpu.units[0].amount % 1000 == 0);
  return looks_whole ? out + "*1" : out;
}

void add_cards(Line& line, std::string_view key, Cards cards) {
  if (cards != Cards::kAny) line.add(key, cards == Cards::kOne ? "one" : "apart");
}

void add_gpu(Line& line, const domain::GpuDemand& gpu) {
  if (!gpu.units.empty()) {
    switch (gpu.mode) {
      case GpuMode::kWhole:
        line.add("gpu=", gpu.units.size());
        break;
      case GpuMode::kShareMilli:
        line.add("gpu=", units_text(gpu));
        break;
      case GpuMode::kShareBytes:
        line.add("gpu.bytes=", units_text(gpu));
        break;
      case GpuMode::kMig:
        line.add("mig=", units_text(gpu));
        break;
    }
  }
  add_cards(line, "gpu.cards=", gpu.cards);
  if (!gpu.model.empty()) line.add("gpu.model=", written(gpu.model));
  if (gpu.memory_bytes_min > 0) {
    line.add("gpu.mem>=", domain::bytes_to_text(gpu.memory_bytes_min));
  }
}

void add_nic(Line& line, const domain::NicDemand& nic) {
  if (nic.mode == NicMode::kVf) {
    line.add("vf=", nic.count);
  } else if (nic.count > 0 || nic.mode == NicMode::kBandwidth) {
    line.add("nic=", nic.count);
  }
  if (nic.mode == NicMode::kBandwidth)
    line.add("nic.bw=", domain::rate_to_text(nic.bandwidth_bits));
  add_cards(line, "vf.cards=", nic.cards);
  if (nic.role != domain::RoleWanted::kCompute) {
    line.add("nic.role=", nic.role == domain::RoleWanted::kStorage ? "storage" : "any");
  }
  if (nic.rate_bits_min > 0) line.add("nic.rate>=", domain::rate_to_text(nic.rate_bits_min));
  if (nic.bonds || nic.non_rdma) {
    line.add("nic.allow=", nic.bonds ? "bond" : "", nic.bonds && nic.non_rdma ? "," : "",
             nic.non_rdma ? "non-rdma" : "");
  }
}

void add_nearness(Line& line, const domain::Request& request) {
  if (request.pair) {
    const auto bound = to_text(request.pair->bound);
    if (request.pair->gpus_per_nic == gpus_per_nic_at_least(request)) {
      line.add("pair<=", bound);
    } else {
      line.add("pair=", request.pair->gpus_per_nic, ":1<=", bound);
    }
  }
  if (request.gpus_within) line.add("gpus<=", to_text(*request.gpus_within));
  if (request.nvlink != domain::NvlinkClause::kNone) {
    line.add("nvlink=", request.nvlink == domain::NvlinkClause::kAll ? "all" : "connected");
  }
  if (request.nvme_within) line.add("nvme<=", to_text(*request.nvme_within));
}

std::string grant_text(const domain::Grant& grant, const domain::Node& node) {
  const auto index = static_cast<std::size_t>(grant.device);
  check(index < node.devices.size(), "a grant is of a device of its node");
  const auto& device = node.devices[index];
  std::string out = to_text(device);
  switch (grant.mode) {
    case domain::GrantMode::kWhole:
      return out;
    case domain::GrantMode::kShare: {
      out += cat('=', domain::milli_to_text(grant.amount));
      const auto* gpu = std::get_if<domain::GpuFacts>(&device.facts);
      if (grant.bytes > 0 || (gpu != nullptr && gpu->memory_bytes)) {
        out += cat('/', domain::bytes_to_text(grant.bytes));
      }
      return out + cat('@', grant.slot);
    }
    case domain::GrantMode::kMig:
      return out + cat("=mig:", grant.profile, '@', grant.slot);
    case domain::GrantMode::kVf:
      return out + cat("=vf@", grant.slot);
    case domain::GrantMode::kBandwidth:
      return out + cat('=', domain::rate_to_text(grant.amount));
  }
  check(false, "a grant has one of five modes");
  return out;
}

using NodesByName = std::map<std::string_view, const domain::Node*>;

const domain::Node* find_node(const NodesByName& nodes, std::string_view name) {
  const auto found = nodes.find(name);
  return found == nodes.end() ? nullptr : found->second;
}

std::string expected_text(const Expected& expected, const NodesByName& nodes) {
  if (!expected.node) {
    return cat("-> ", written_name(expected.request),
               " refused:", expected.refusal.empty() ? "" : " ", expected.refusal, '\n');
  }
  std::string out =
      cat("-> ", written_name(expected.request), " on ", written_name(*expected.node), ':');
  const auto* node = find_node(nodes, *expected.node);
  if (node != nullptr && expected.allocation) {
    const auto grants = write(*expected.allocation, *node);
    if (!grants.empty()) out += cat(' ', grants);
  }
  return out + '\n';
}

}  // namespace

std::string write(const domain::Request& request) {
  Line line;
  add_gpu(line, request.gpu);
  add_nic(line, request.nic);
  if (request.nvme_count > 0) line.add("nvme=", request.nvme_count);
  add_nearness(line, request);
  if (request.cores > 0) line.add("cores=", request.cores);
  if (request.core_plan == domain::CorePlan::kSpread) line.add("cores.plan=spread");
  if (request.cpu_milli > 0) line.add("cpu=", domain::milli_to_text(request.cpu_milli));
  if (request.memory_bytes > 0) line.add("mem=", domain::bytes_to_text(request.memory_bytes));
  constexpr std::array<std::string_view, 4> kNuma = {"best", "none", "near-devices", "single"};
  if (request.numa != domain::NumaClause::kBest) {
    line.add("numa=", kNuma[static_cast<std::size_t>(request.numa)]);
  }
  constexpr std::array<std::string_view, domain::kWishCount> kWishes = {"pair", "gpus", "numa",
                                                                        "mem", "nvme"};
  std::string wishes;
  for (const auto wish : request.wishes) {
    wishes += cat(wishes.empty() ? "" : ",", kWishes[static_cast<std::size_t>(wish)]);
  }
  if (!wishes.empty()) line.add("prefer=", wishes);
  if (!request.arch.empty()) line.add("arch=", written(request.arch));
  return line.take();
}

std::string write(const domain::Allocation& allocation, const domain::Node& node) {
  Line line;
  for (const auto& grant : allocation.grants) line.add(grant_text(grant, node));
  if (!allocation.cpus.empty()) line.add("cpus=", allocation.cpus.to_text());
  if (allocation.cpu_milli > 0) line.add("cpu=", domain::milli_to_text(allocation.cpu_milli));
  std::string memory;
  for (const auto& grant : allocation.memory) {
    memory += cat(memory.empty() ? "" : ",", grant.numa, ':', domain::bytes_to_text(grant.bytes));
  }
  if (!memory.empty()) line.add("mem=", memory);
  return line.take();
}

std::string write(const domain::Holder& holder, const domain::Node& node) {
  const auto grants = write(holder.allocation, node);
  return cat(holder.kind == domain::HolderKind::kPod ? "held " : "reserved ",
             written_name(holder.name), " on ", written_name(holder.node), ':',
             grants.empty() ? "" : " ", grants, '\n');
}

std::string write(const Document& document) {
  std::string out;
  NodesByName nodes;
  for (const auto& node : document.cluster.nodes) {
    out += write(node);
    nodes.emplace(node.name, &node);
  }
  for (const auto& holder : document.cluster.holders) {
    // A holder of a node that is not here has nothing here.
    if (const auto* node = find_node(nodes, holder.node)) out += write(holder, *node);
  }
  for (const auto& [name, request] : document.requests) {
    const auto clauses = write(request);
    out += cat("pod ", written_name(name), clauses.empty() ? "" : " ", clauses, '\n');
  }
  for (const auto& expected : document.expected) {
    out += expected_text(expected, nodes);
  }
  return out;
}

}  // namespace tenon::notation
