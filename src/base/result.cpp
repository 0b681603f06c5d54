// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "base/result.hpp"

namespace tenon {

std::string to_text(const Error& error) {
  std::string text = error.where;
  if (!text.empty()) text += ": ";
  text += error.what;
  if (!error.advice.empty()) {
    text += "; ";
    text += error.advice;
  }
  return text;
}

}  // namespace tenon
