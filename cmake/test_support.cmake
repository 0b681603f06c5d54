# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors

# What tests and benchmarks link. One file alone is told where the repository and the shared data are (tests ask
# support/shared_data.hpp), so that ccache can share what all others compile to between two clones.

if(TENON_TESTS OR TENON_BENCH)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_library(tenon_test_support STATIC ${PROJECT_SOURCE_DIR}/tests/support/shared_data.cpp)
  target_include_directories(tenon_test_support PUBLIC ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(tenon_test_support PRIVATE TENON_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             TENON_SHARED_DATA="${PROJECT_SOURCE_DIR}/../shared/data")
  target_link_libraries(tenon_test_support PUBLIC GTest::gtest rapidcheck)
endif()
if(TENON_BENCH)
  find_package(benchmark REQUIRED)
endif()
