// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// How the world breaks: an Error says what, where, and what to do about it.
//
// Three channels for "no" are never mixed: a refusal is an answer (domain/refusal.hpp), an Error is
// bad input or a failing world, a broken invariant is a bug (base/check.hpp).
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace tenon {

/// A kind exists only where a caller reacts to it.
enum class ErrorKind : std::uint8_t {
  kBadInput,     // the text or file is wrong: mend it
  kUnsupported,  // well-formed, but not what this reader is for: give it to another, or not at all
  kTooLarge,     // a documented bound was crossed: give less
  kIo,           // the operating system said no: look at `what`
};

struct Error {
  ErrorKind kind = ErrorKind::kBadInput;
  std::string where;   // "file:line:column", "file", or "" where the caller adds it
  std::string what;    // one sentence without a full stop
  std::string advice;  // what to do next; may be empty

  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> bad_input(std::string where, std::string what,
                                                      std::string advice = {}) {
  return std::unexpected(
      Error{ErrorKind::kBadInput, std::move(where), std::move(what), std::move(advice)});
}

/// "where: what; advice", leaving out what is empty.
[[nodiscard]] std::string to_text(const Error& error);

}  // namespace tenon
