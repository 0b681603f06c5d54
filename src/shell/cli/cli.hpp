// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// The command line as a function: words in, texts and an exit code out.
//
// run() reads the files that the words name (and this machine, for the word `host`), and touches
// nothing else: what is written where is main()'s.
//
// Invariants
//   (1) `out` is data; warnings and errors are in `err` alone, each line "tenon: where: what; advice".
//   (2) Equal words, files and surroundings give equal outcomes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "render/text_style.hpp"

namespace tenon::cli {

/// What scripts may rely on; docs/cli.md has the same table.
enum class ExitCode : std::uint8_t {
  kDone = 0,
  kError = 1,       // bad input, a failing world, something lost or contradictory, not decided
  kNeverFits = 2,   // change the request or the cluster
  kNotNow = 4,      // fits once holders have gone: wait
  kForbidden = 5,   // an administrator's cordon: ask
  kBadlyAsked = 64  // the request contradicts itself, or the words are no command
};

/// What the program sees of where it runs.
struct Surroundings {
  std::string program;                       // argv[0]
  render::Color color = render::Color::kNo;  // a terminal, and nobody said NO_COLOR
  render::Charset charset = render::Charset::kAscii;
  std::size_t width_max = 0;  // of the terminal; 0: not a terminal, cut nothing
};

struct Outcome {
  ExitCode code = ExitCode::kDone;
  std::string out;
  std::string err;
};

/// `words`: without the program's own name.
[[nodiscard]] Outcome run(std::span<const std::string> words, const Surroundings& surroundings);

}  // namespace tenon::cli
