// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "domain/notation/lexer.hpp"

#include <algorithm>
#include <utility>

#include "base/character.hpp"
#include "base/check.hpp"
#include "base/text.hpp"
#include "domain/notation/notation.hpp"

namespace tenon::notation {
namespace {

/// What the values of one text may take. A cluster of 100,000 large machines needs about half.
constexpr std::size_t kValueBytesMax = std::size_t{4} << 30U;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

Lexer::Lexer(std::string_view text, std::string_view name) : text_(text), name_(name) {
  if (text.size() > kTextBytesMax) {
    error_ = Error{ErrorKind::kTooLarge, std::string{name}, "the text is longer than 64 MiB",
                   "cut it into several files"};
    return;
  }
  if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  if (const std::size_t good = text::utf8_prefix(text_); good < text_.size()) {
    fail(text_.substr(good), "this is no UTF-8", "save the file as UTF-8");
    return;
  }
  std::size_t control = text::find_control(text_);
  while (control < text_.size() && std::string_view{"\t\n\r"}.contains(text_[control])) {
    control = text::find_control(text_, control + 1);
  }
  if (control >= text_.size()) return;
  fail(text_.substr(control), text_[control] == '\0' ? "a NUL character" : "a control character",
       "the notation is plain text: remove it");
}

const Token& Lexer::peek() {
  if (!next_) next_ = lex();
  return *next_;
}

Token Lexer::take() {
  const Token token = peek();
  next_.reset();
  line_start_ = token.kind == TokenKind::kLineEnd;
  return token;
}

std::string_view Lexer::take_rest_of_line() {
  if (failed()) return {};
  check(!next_, "the rest of a line is asked for before its words");
  const auto end = std::min(text_.find_first_of("\n#", position_), text_.size());
  const auto rest = text_.substr(position_, end - position_);
  position_ = end;
  return text::trim(rest);
}

void Lexer::open_block() {
  const Token token = take();
  check(failed() || token.kind == TokenKind::kOpen, "a block starts with its brace");
  ++block_depth_;
}

void Lexer::close_block() {
  const Token token = take();
  check(failed() || token.kind == TokenKind::kClose, "a block ends with its brace");
  --block_depth_;
}

Token Lexer::lex() {
  while (!failed() && position_ < text_.size()) {
    const char c = text_[position_];
    const auto here = text_.substr(position_, 1);
    if (c == '#') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++position_;
    } else if (c == '\n') {
      ++position_;
      if (block_depth_ == 0) return {TokenKind::kLineEnd, here};
    } else if (c == '{' || c == '}') {
      ++position_;
      return {c == '{' ? TokenKind::kOpen : TokenKind::kClose, here};
    } else {
      return lex_word();
    }
  }
  return {TokenKind::kEnd, text_.substr(text_.size())};
}

Token Lexer::lex_word() {
  const std::size_t begin = position_;
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '#' || c == '{' || c == '}') break;
    if (c != '"') {
      ++position_;
      continue;
    }
    const std::size_t quote = position_++;
    while (position_ < text_.size() && text_[position_] != '"') {
      if (text_[position_] == '\n' || text_[position_] == '\r') break;
      position_ += text_[position_] == '\\' ? 2 : 1;
    }
    if (position_ >= text_.size() || text_[position_] != '"') {
      fail(text_.substr(quote, 1), "the quotes are never closed", "end the text with \"");
      return {TokenKind::kEnd, text_.substr(text_.size())};
    }
    ++position_;
  }
  return {TokenKind::kWord, text_.substr(begin, position_ - begin)};
}

std::string Lexer::where(std::string_view at) const {
  const auto offset = static_cast<std::size_t>(at.data() - text_.data());
  check(offset <= text_.size(), "an error points into its text");
  const auto before = text_.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto on_line = before.substr(line_start);
  const auto column = 1 + std::count_if(on_line.begin(), on_line.end(), [](char c) {
                        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80;
                      });
  return text::cat(name_, ':', line, ':', column);
}

bool Lexer::fail(std::string_view at, std::string what, std::string advice) {
  return fail(at, Error{ErrorKind::kBadInput, {}, std::move(what), std::move(advice)});
}

bool Lexer::too_large(std::string_view at, std::string what, std::string advice) {
  return fail(at, Error{ErrorKind::kTooLarge, {}, std::move(what), std::move(advice)});
}

bool Lexer::fail(std::string_view at, const Error& error) {
  if (!error_) {
    error_ = error;
    error_->where = where(at);
    next_ = Token{TokenKind::kEnd, text_.substr(text_.size())};
  }
  return false;
}

bool Lexer::charge(std::string_view at, std::size_t bytes) {
  bytes_charged_ += bytes;
  if (bytes_charged_ <= kValueBytesMax) return true;
  return too_large(at, "the text describes more than fits into memory",
                   "cut it into several files");
}

}  // namespace tenon::notation
