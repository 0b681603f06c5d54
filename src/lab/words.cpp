// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "lab/words.hpp"

#include "base/text.hpp"

namespace tenon::lab {
namespace {

std::string_view without_punctuation(std::string_view word) {
  constexpr std::string_view kPunctuation = ".,:;()'\"";
  const auto first = word.find_first_not_of(kPunctuation);
  if (first == std::string_view::npos) return {};
  return word.substr(first, word.find_last_not_of(kPunctuation) - first + 1);
}

}  // namespace

std::string_view first_word(std::string_view line) {
  const auto words = text::words(text::trim(line));
  return words.empty() ? std::string_view{} : words[0];
}

std::string_view rest_of(std::string_view line) {
  line = text::trim(line);
  return text::trim(line.substr(first_word(line).size()));
}

bool has_words_in_order(std::string_view sentence, std::string_view words) {
  const auto wanted = text::words(words);
  auto next = wanted.begin();
  for (const auto word : text::words(sentence)) {
    while (next != wanted.end() && without_punctuation(*next).empty()) ++next;
    if (next != wanted.end() && without_punctuation(word) == without_punctuation(*next)) ++next;
  }
  while (next != wanted.end() && without_punctuation(*next).empty()) ++next;
  return next == wanted.end();
}

}  // namespace tenon::lab
