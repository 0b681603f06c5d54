// SPDX-License-Identifier: Apache-2.0
// Copyright The Tenon Authors

// An open file of the operating system, closed when dropped.
#pragma once

#include <string>
#include <utility>

namespace tenon::host {

class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int handle) : handle_(handle) {}
  FileHandle(const FileHandle&) = delete;
  FileHandle& operator=(const FileHandle&) = delete;
  FileHandle(FileHandle&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~FileHandle() { reset(); }

  void reset();
  [[nodiscard]] int get() const { return handle_; }
  explicit operator bool() const { return handle_ >= 0; }

 private:
  int handle_ = -1;
};

/// The operating system's words for an errno, without locale or shared buffers.
[[nodiscard]] std::string describe(int error_number);

}  // namespace tenon::host
