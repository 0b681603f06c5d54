// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Allocation on one node, by an allocator that has not seen the state and by one that has: median
// and 99.9th percentile of single calls in nanoseconds, and counted work. Machines fill up while
// they are asked, so that states of every degree occur.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "base/prng.hpp"
#include "base/text.hpp"
#include "core/allocation/allocator.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::allocation {
namespace {

using text::cat;

// Eight GPUs on two sockets, two to a switch; a NIC of its own for each, storage NICs beside the
// switches, the rest functions of them.
std::string hgx(int nics) {
  std::string text = "node a1 arch=amd64\n";
  int nic = 0;
  for (int socket = 0; socket < 2; ++socket) {
    text += cat("  numa", socket, " cpus=", socket * 48, "-", socket * 48 + 47, ",",
                96 + socket * 48, "-", 96 + socket * 48 + 47, " smt=split mem=1024Gi {\n");
    for (int sw = 0; sw < 2; ++sw) {
      const int gpu = socket * 4 + sw * 2;
      text += cat("    bridge", socket * 3 + sw, " { sw", gpu, " { gpu", gpu, " gpu", gpu + 1);
      for (int i = 0; i < 2; ++i, ++nic) text += cat(" nic", nic, " rate=400G role=compute");
      text += " } }\n";
    }
    text += cat("    bridge", socket * 3 + 2, " {");
    for (const int end = socket == 0 ? 4 + (nics - 8) / 2 : nics; nic < end; ++nic) {
      text += cat(" nic", nic, nic % 9 == 4 ? " role=storage" : " rate=100G");
    }
    text += " }\n  }\n";
  }
  return text + "  nvlink NV18 gpu0 gpu1 gpu2 gpu3 gpu4 gpu5 gpu6 gpu7\n";
}

// Four GPUs to a NUMA node of two, NICs of every kind of nearness: nothing is alike.
std::string all_different(int gpus, int nics, int numa_nodes) {
  std::string text = "node a1 arch=amd64\n";
  for (int n = 0; n < numa_nodes; ++n) {
    text += cat("  numa", n, " cpus=", n * 16, "-", n * 16 + 15, " mem=", 96 + n, "Gi\n");
  }
  Prng prng(7);
  const auto device = [&](std::string_view kind, int ordinal) {
    text += cat("  ", kind, ordinal, " numa=", prng.below(static_cast<std::uint64_t>(numa_nodes)),
                "\n");
  };
  for (int i = 0; i < gpus; ++i) device("gpu", i);
  for (int i = 0; i < nics; ++i) device("nic", i);
  constexpr const char* kWords[] = {"PIX", "PXB", "PHB", "NODE", "SYS"};
  std::vector<std::string> names;
  for (int i = 0; i < gpus; ++i) names.push_back(cat("gpu", i));
  for (int i = 0; i < nics; ++i) names.push_back(cat("nic", i));
  text += "  matrix {\n        " + text::join(names, " ") + "\n";
  for (std::size_t r = 0; r < names.size(); ++r) {
    text += cat("    ", names[r]);
    for (std::size_t c = 0; c < names.size(); ++c) {
      text += cat(" ", r == c ? "X" : kWords[prng.below(std::size(kWords))]);
    }
    text += "\n";
  }
  return text + "  }\n";
}

// Eight NUMA nodes, each with a GPU and a NIC (reported case A12).
std::string eight_numa_nodes() {
  std::string text = "node a1 arch=amd64\n";
  for (int n = 0; n < 8; ++n) {
    text += cat("  numa", n, " cpus=", n * 16, "-", n * 16 + 15, " mem=96Gi { sw", n, " { gpu", n,
                " nic", n, " } }\n");
  }
  return text;
}

state::NodeState empty(const std::string& machine) {
  const auto document = notation::parse(machine, "machine");
  check(document.has_value(), "a benchmark's machine is well written");
  return *state::state_of(document->cluster.nodes.at(0), {});
}

domain::Request request(const std::string& clauses) {
  const auto request = notation::parse_request(clauses, "request");
  check(request.has_value(), "a benchmark's request is well written");
  return *request;
}

std::vector<domain::Request> common_requests() {
  std::vector<domain::Request> requests;
  for (const auto* clauses :
       {"gpu=1 cores=4 mem=32Gi", "gpu=1 nic=1 pair<=PIX cores=8 mem=64Gi",
        "gpu=2 nic=2 pair<=PIX cores=16 mem=128Gi", "gpu=2 nic=1 pair=2:1<=PIX cpu=16 mem=64Gi",
        "gpu=4 nic=4 pair<=PXB numa=single cores=16 mem=256Gi", "gpu=4 nic=2 nvlink=all",
        "gpu=8 nic=8 pair<=PIX cores=32 mem=512Gi", "gpu=0.5 cpu=4 mem=16Gi"}) {
    requests.push_back(request(clauses));
  }
  return requests;
}

struct Question {
  state::NodeState state;
  const domain::Request* request;
};

// Pods come and go at random; what they ask of what they find are the questions.
std::vector<Question> questions(const state::NodeState& start,
                                const std::vector<domain::Request>& requests) {
  std::vector<Question> asked;
  std::vector<domain::Allocation> held;
  state::NodeState state = start;
  Prng prng(11);
  while (asked.size() < 2000) {
    const auto& next = requests[prng.below(requests.size())];
    asked.push_back({state, &next});
    const auto answer = allocate(state, next);
    if (answer.result && state::apply(state, *answer.result)) held.push_back(*answer.result);
    while (!held.empty() && (!answer.result || prng.below(3) == 0)) {
      const auto gone = static_cast<std::ptrdiff_t>(prng.below(held.size()));
      state::release(state, held[static_cast<std::size_t>(gone)]);
      held.erase(held.begin() + gone);
      if (prng.below(2) == 0) break;
    }
  }
  return asked;
}

struct Timed {
  double nanoseconds = 0;
  std::int64_t steps = 0;
};

Timed timed(Allocator& allocator, const Question& question) {
  const auto begin = std::chrono::steady_clock::now();
  const Answer& answer = allocator.allocate(question.state, *question.request);
  const auto end = std::chrono::steady_clock::now();
  return {std::chrono::duration<double, std::nano>(end - begin).count(), answer.steps};
}

constexpr int kRounds = 20;

// The smallest sample that at least this part of all is not above. REQUIRES: sorted, not empty.
double quantile(const std::vector<double>& sorted, double part) {
  const auto rank = std::ceil(part * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

// Times each call alone, kRounds times each question. What else the machine does is in every
// quantile but the last, which takes of each question its fastest turn.
template <class Ask>
void measure(benchmark::State& run, const std::vector<Question>& asked, const Ask& ask) {
  std::vector<double> calls;
  std::vector<double> fastest(asked.size(), 1e12);
  std::int64_t steps = 0;
  for (auto _ : run) {
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const Timed timed = ask(asked[i]);
        calls.push_back(timed.nanoseconds);
        fastest[i] = std::min(fastest[i], timed.nanoseconds);
        if (round == 0) steps += timed.steps;
      }
    }
  }
  std::ranges::sort(calls);
  std::ranges::sort(fastest);
  run.counters["calls"] = static_cast<double>(calls.size());
  run.counters["median_ns"] = quantile(calls, 0.5);
  run.counters["p999_ns"] = quantile(calls, 0.999);
  run.counters["p999_of_fastest_ns"] = quantile(fastest, 0.999);
  run.counters["work"] = static_cast<double>(steps);
}

// An allocator that has seen neither the shape nor the state.
void cold(benchmark::State& run) {
  const auto requests = common_requests();
  const auto asked = questions(empty(hgx(static_cast<int>(run.range(0)))), requests);
  measure(run, asked, [](const Question& question) {
    Allocator allocator(1);
    return timed(allocator, question);
  });
}
BENCHMARK(cold)->Iterations(1)->ArgName("nics")->Arg(8)->Arg(18)->Arg(26);

// Leaves the questions that the allocator remembers all at a time; the others would be cold again.
void keep_remembered(Allocator& allocator, std::vector<Question>& asked) {
  for (const Question& question : asked) timed(allocator, question);
  const auto forgotten = [&](const Question& question) {
    const std::int64_t before = allocator.counts().remembered;
    timed(allocator, question);
    return allocator.counts().remembered == before;
  };
  while (std::erase_if(asked, forgotten) > 0) {
  }
}

// An allocator that was asked the same before.
void warm(benchmark::State& run) {
  const auto requests = common_requests();
  auto asked = questions(empty(hgx(static_cast<int>(run.range(0)))), requests);
  Allocator allocator(1U << 14U);
  keep_remembered(allocator, asked);
  const auto cold_calls = [&] { return allocator.counts().asked - allocator.counts().remembered; };
  const std::int64_t before = cold_calls();
  measure(run, asked, [&](const Question& question) { return timed(allocator, question); });
  check(cold_calls() == before, "a warm question is remembered");
}
BENCHMARK(warm)->Iterations(1)->ArgName("nics")->Arg(8)->Arg(18)->Arg(26);

void hard(benchmark::State& run, const std::string& machine, const char* clauses) {
  const auto state = empty(machine);
  const auto asked = request(clauses);
  Answer answer;
  for (auto _ : run) benchmark::DoNotOptimize(answer = allocate(state, asked));
  run.counters["work"] = static_cast<double>(answer.steps);
  run.counters["proven"] = answer.proven_best ? 1 : 0;
}
BENCHMARK_CAPTURE(hard, eight_numa_nodes, eight_numa_nodes(), "gpu=8 nic=8 cores=64 mem=512Gi")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hard, four_of_eight_numa_nodes, eight_numa_nodes(),
                  "gpu=4 nic=4 pair<=PIX cores=40 mem=300Gi")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hard, all_different_one, all_different(16, 26, 8),
                  "gpu=1 nic=1 pair<=PIX cores=8 mem=64Gi")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hard, all_different_four, all_different(16, 26, 8),
                  "gpu=4 nic=4 pair<=PXB cores=32 mem=256Gi")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hard, all_different_eight, all_different(16, 26, 8),
                  "gpu=8 nic=8 cores=64 mem=512Gi")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(hard, all_different_two_to_one, all_different(16, 26, 8),
                  "gpu=8 nic=4 pair=2:1<=PXB cores=64 mem=512Gi")
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tenon::allocation
