// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// tenon: looks at where it runs, hands the words to the command line, writes what comes back.

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "render/text_style.hpp"
#include "shell/cli/cli.hpp"

namespace {

using tenon::cli::ExitCode;
using tenon::cli::Outcome;
using tenon::cli::Surroundings;

/// True if the variable is set to something (NO_COLOR's own rule).
bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

/// By name alone: a locale that is not installed still says what the terminal can show.
bool locale_is_utf8() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (!is_set(variable)) continue;
    const std::string name = tenon::text::lower(std::getenv(variable));
    return name.ends_with("utf-8") || name.ends_with("utf8");
  }
  return false;
}

std::size_t terminal_width() {
  constexpr std::size_t kUsual = 80;
  if (const char* columns = std::getenv("COLUMNS"); columns != nullptr) {
    const auto width = tenon::text::to_u64(columns);
    if (width && *width > 0) return static_cast<std::size_t>(*width);
  }
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return kUsual;
}

Surroundings look_around(const char* program) {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  const char* kind = std::getenv("TERM");
  const bool dumb = kind != nullptr && std::string_view{kind} == "dumb";
  using tenon::render::Charset;
  using tenon::render::Color;
  return {.program = program,
          .color = terminal && !dumb && !is_set("NO_COLOR") ? Color::kYes : Color::kNo,
          .charset = locale_is_utf8() ? Charset::kUnicode : Charset::kAscii,
          .width_max = terminal ? terminal_width() : 0};
}

/// 0, or the errno of the write that failed.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ::ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

Outcome run(int count, char** arguments) {
  const std::vector<std::string> words(arguments + (count > 0 ? 1 : 0), arguments + count);
  const Surroundings surroundings = look_around(count > 0 ? arguments[0] : "tenon");
  try {
    return tenon::cli::run(words, surroundings);
  } catch (const std::bad_alloc&) {
    return {.code = ExitCode::kError, .out = {}, .err = "tenon: out of memory; give less\n"};
  } catch (const std::exception& error) {
    return {
        .code = ExitCode::kError,
        .out = {},
        .err = tenon::text::cat("tenon: ", error.what(), "; this is a bug, please report it\n")};
  }
}

}  // namespace

int main(int count, char** arguments) {
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT: a reader that goes away is seen by write()
  Outcome outcome = run(count, arguments);
  const int failed = write_all(STDOUT_FILENO, outcome.out);
  if (failed != 0 && failed != EPIPE) {
    outcome.err += tenon::text::cat(
        "tenon: the standard output cannot be written: ", std::strerror(failed), "\n");
    outcome.code = ExitCode::kError;
  }
  (void)write_all(STDERR_FILENO, outcome.err);
  return static_cast<int>(outcome.code);
}
