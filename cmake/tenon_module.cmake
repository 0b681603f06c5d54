# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors

# tenon_module(NAME core/allocation DEPENDS core/state core/topology [EXPORTS core/state]
#              [LIBRARIES pugixml::pugixml])
#
# The one declaration of a module: its library (target tenon_core_allocation, from every *.cpp of its
# folder but tests, fuzz targets and benchmarks) and its unit tests (x_test.cpp, one program).
# DEPENDS are the modules whose headers it may include, EXPORTS those of them that its own headers
# show to others, LIBRARIES what is not ours.

function(tenon_target out module)
  string(REPLACE "/" "_" flat ${module})
  set(${out} tenon_${flat} PARENT_SCOPE)
endfunction()

function(tenon_module)
  cmake_parse_arguments(ARG "" "NAME" "DEPENDS;EXPORTS;LIBRARIES" ${ARGN})
  tenon_target(target ${ARG_NAME})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_NAME})

  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.hpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|bench)\\.cpp$")

  add_library(${target} STATIC ${sources})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_CURRENT_SOURCE_DIR} FILES ${headers})
  foreach(dependency IN LISTS ARG_DEPENDS)
    tenon_target(dependency_target ${dependency})
    target_link_libraries(${target} PUBLIC ${dependency_target})
  endforeach()
  target_link_libraries(${target} PRIVATE ${ARG_LIBRARIES})

  if(TENON_TESTS AND tests)
    add_executable(${target}_test ${tests})
    target_link_libraries(${target}_test PRIVATE ${target} ${ARG_LIBRARIES} GTest::gtest_main)
    gtest_discover_tests(${target}_test TEST_PREFIX "${ARG_NAME}: " DISCOVERY_MODE PRE_TEST)
  endif()
endfunction()
