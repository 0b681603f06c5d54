// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// One request on large clusters, with and without the search for a fix. Counted work is in `work…`.

#include <benchmark/benchmark.h>

#include <string>
#include <string_view>

#include "base/check.hpp"
#include "base/prng.hpp"
#include "base/text.hpp"
#include "core/planner/place.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::planner {
namespace {

using text::cat;

/// `gpus` GPUs, two to a switch with a NIC each, half of them on either socket.
std::string machine(std::string_view name, int gpus) {
  std::string text = cat("node ", name, " arch=amd64\n");
  for (int socket = 0; socket < 2; ++socket) {
    text += cat("  numa", socket, " cpus=", socket * 64, "-", socket * 64 + 63, " mem=512Gi {");
    for (int gpu = socket * gpus / 2; gpu < (socket + 1) * gpus / 2; gpu += 2) {
      text += cat(" bridge", gpu, " { sw", gpu, " { gpu", gpu, " gpu", gpu + 1, " nic", gpu, " nic",
                  gpu + 1, " } }");
    }
    text += " }\n";
  }
  return text;
}

domain::Cluster parsed(const std::string& text) {
  auto document = notation::parse(text, "bench");
  check(document.has_value(), document ? "" : to_text(document.error()));
  return std::move(document->cluster);
}

/// Each machine is taken in a way of its own: no two states are equal.
domain::Cluster busy_cluster(int nodes, int gpus) {
  std::string text;
  for (int i = 0; i < nodes; ++i) text += machine(cat("n", i), gpus);
  Prng prng(11);
  for (int i = 0; i < nodes; ++i) {
    for (int j = 0; j < gpus; ++j) {
      if (prng.below(2) == 0) text += cat("held p", j, "-", i, " on n", i, ": gpu", j, "\n");
      if (prng.below(4) == 0) text += cat("held q", j, "-", i, " on n", i, ": nic", j, "\n");
    }
    text += cat("held r-", i, " on n", i, ": cpu=", i + 1, "m\n");
  }
  return parsed(text);
}

void run(benchmark::State& bench, const domain::Cluster& cluster, std::string_view clauses,
         FixWanted fix) {
  const auto request = notation::parse_request(clauses, "bench");
  check(request.has_value(), "the benchmark's own request is notation");
  std::int64_t steps = 0;
  std::int64_t fix_steps = 0;
  std::string said;
  for (auto _ : bench) {
    const auto placement = place(cluster, *request, {}, fix);
    check(placement.has_value(), "the benchmark's cluster does not contradict itself");
    steps = 0;
    for (const NodeAnswer& node : placement->nodes) steps += node.answer.steps;
    fix_steps = placement->fix_steps;
    said = placement->fix ? placement->fix->text : placement->chosen ? "placed" : "refused";
    if (placement->fix_searched && !placement->fix_search_complete) said += " (cut)";
  }
  bench.counters["work"] = static_cast<double>(steps);
  bench.counters["work_fix"] = static_cast<double>(fix_steps);
  bench.SetLabel(said);
}

constexpr std::string_view kSmall = "gpu=2 nic=2 pair<=PIX cores=8 numa=single";
constexpr std::string_view kWhole = "gpu=8 nic=8 pair<=PIX cores=32";

void BM_PlaceOn1000(benchmark::State& bench) {
  run(bench, busy_cluster(1000, 8), kSmall, FixWanted::kNo);
}
void BM_RefusedOn1000WithFix(benchmark::State& bench) {
  run(bench, busy_cluster(1000, 8), kWhole, FixWanted::kYes);
}
void BM_NeverFits1000WithFix(benchmark::State& bench) {
  run(bench, busy_cluster(1000, 8), "gpu=9 nic=9 pair<=PIX", FixWanted::kYes);
}
void BM_Of16Gpus(benchmark::State& bench) {
  run(bench, busy_cluster(1, 16), kWhole, FixWanted::kNo);
}
void BM_Of16GpusWithFix(benchmark::State& bench) {
  run(bench, busy_cluster(1, 16), "gpu=12 nic=12 pair<=PIX", FixWanted::kYes);
}
BENCHMARK(BM_PlaceOn1000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RefusedOn1000WithFix)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_NeverFits1000WithFix)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Of16Gpus)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Of16GpusWithFix)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tenon::planner
