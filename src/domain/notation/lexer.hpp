// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Words, braces and line ends of the notation, and the first error at its line and column.
//
// Private to this module. Views point into the text, so a word is its own position. After an error
// every token is kEnd: a reader that forgets to look still ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tenon::notation {

enum class TokenKind : std::uint8_t { kWord, kOpen, kClose, kLineEnd, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // empty but in place of kLineEnd and kEnd
};

class Lexer {
 public:
  /// Refuses what is too long, no UTF-8, or has control characters. `text` outlives the lexer.
  Lexer(std::string_view text, std::string_view name);

  [[nodiscard]] const Token& peek();
  Token take();
  /// True if the next token is a word; it is not taken.
  [[nodiscard]] bool at_word() { return peek().kind == TokenKind::kWord; }
  [[nodiscard]] bool at_word(std::string_view text) { return at_word() && peek().text == text; }
  /// True if nothing was taken since the last line end.
  [[nodiscard]] bool at_line_start() const { return line_start_; }

  /// The rest of the line, without comment, trimmed; the next token is its line end.
  std::string_view take_rest_of_line();
  /// Line ends are blanks between these two. REQUIRES: the next token is `{`, or `}`.
  void open_block();
  void close_block();

  /// Keeps the first error and returns false, so that readers can `return in.fail(...)`.
  bool fail(std::string_view at, std::string what, std::string advice = {});
  bool too_large(std::string_view at, std::string what, std::string advice = {});
  /// Takes over what a reader of one value said, and adds the place.
  bool fail(std::string_view at, const Error& error);

  /// Counts the memory that values take; false, with the error kept, where it is too much.
  [[nodiscard]] bool charge(std::string_view at, std::size_t bytes);

  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] const Error& error() const { return *error_; }  // REQUIRES: failed()

 private:
  [[nodiscard]] Token lex();
  [[nodiscard]] Token lex_word();
  [[nodiscard]] std::string where(std::string_view at) const;

  std::string_view text_;
  std::string_view name_;
  std::size_t position_ = 0;
  std::optional<Token> next_;
  int block_depth_ = 0;
  bool line_start_ = true;
  std::size_t bytes_charged_ = 0;
  std::optional<Error> error_;
};

}  // namespace tenon::notation
