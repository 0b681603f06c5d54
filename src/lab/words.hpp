// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// Lines and sentences as words: what a case compares. Private to this module.
#pragma once

#include <string_view>

namespace tenon::lab {

/// The first word of a line; "" of a blank one.
[[nodiscard]] std::string_view first_word(std::string_view line);

/// The line without its first word, trimmed.
[[nodiscard]] std::string_view rest_of(std::string_view line);

/// True if all of the words stand in the sentence in this order, with others between them perhaps.
/// Punctuation at the ends of words does not count.
[[nodiscard]] bool has_words_in_order(std::string_view sentence, std::string_view words);

}  // namespace tenon::lab
