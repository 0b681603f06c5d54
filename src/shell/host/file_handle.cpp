// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

#include "shell/host/file_handle.hpp"

#include <unistd.h>

#include <cstring>

#include "base/text.hpp"

namespace tenon::host {

void FileHandle::reset() {
  if (handle_ >= 0) close(handle_);
  handle_ = -1;
}

std::string describe(int error_number) {
  const char* words = strerrordesc_np(error_number);
  return words != nullptr ? std::string{words} : text::cat("error ", error_number);
}

}  // namespace tenon::host
