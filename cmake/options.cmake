# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors

# How everything is compiled. Warnings are errors; CMakePresets.json chooses among the options.

option(TENON_TESTS "Build the tests" ON)
option(TENON_FUZZ "Build the libFuzzer targets (clang)" OFF)
option(TENON_BENCH "Build the benchmarks" OFF)
set(TENON_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-missing-field-initializers -Werror)
# What the compilers say, wrongly, of the inside of g++ 12's library: copies of strings that overlap (its bug 105651) and
# optionals that were never set (80635), both only when optimising; and, by clang, that std::stable_sort uses what is deprecated.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wno-deprecated-declarations)
endif()

# Without coverage in the modules themselves libFuzzer sees one path only and finds nothing.
if(TENON_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

if(TENON_SANITIZE)
  add_compile_options(-fsanitize=${TENON_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TENON_SANITIZE})
endif()

find_program(TENON_CCACHE ccache)
if(TENON_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TENON_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${TENON_CCACHE})
endif()
find_program(TENON_MOLD mold)
if(TENON_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
