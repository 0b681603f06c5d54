# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors

# tenon_module(NAME core/allocation DEPENDS core/state core/topology [EXPORTS core/state]
#              [TEST_DEPENDS domain/notation] [LIBRARIES pugixml])
#
# The one declaration of a module. DEPENDS are the modules whose headers it may include, EXPORTS those of
# them that its own headers show to others, TEST_DEPENDS what its tests, fuzz targets and benchmarks may use
# besides, LIBRARIES what is not ours. From it come
#   tenon_core_allocation          the library: every *.cpp of its folder but those below
#   tenon_core_allocation_test     x_test.cpp, all in one program            (TENON_TESTS)
#   tenon_core_allocation_x_fuzz   x_fuzz.cpp, one program each, libFuzzer   (TENON_FUZZ)
#   tenon_core_allocation_x_corpus x_fuzz.cpp again, as a test that runs over the kept inputs of
#                                  tests/corpus/core/allocation/x/           (TENON_TESTS)
#   tenon_core_allocation_bench    x_bench.cpp, all in one program           (TENON_BENCH)
# and the five checks of tenon_checks.cmake. A header named like these (x_test.hpp, x_fuzz.hpp) is none of the
# module's: only such files include it.
#
# tenon_program(NAME apps/tenon OUTPUT tenon DEPENDS ... [LIBRARIES ...]): an executable, under the same rules,
# at the top of the build folder.

include(tenon_checks)

function(tenon_target out module)
  string(REPLACE "/" "_" flat ${module})
  set(${out} tenon_${flat} PARENT_SCOPE)
endfunction()

function(tenon_module)
  cmake_parse_arguments(ARG "" "NAME" "DEPENDS;EXPORTS;TEST_DEPENDS;LIBRARIES" ${ARGN})
  tenon_target(target ${ARG_NAME})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_NAME})
  tenon_check_declaration(${ARG_NAME} "${ARG_DEPENDS}" "${ARG_EXPORTS}" "${ARG_UNPARSED_ARGUMENTS}")

  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.hpp)
  foreach(kind test fuzz bench)
    set(${kind} ${sources})
    list(FILTER ${kind} INCLUDE REGEX "_${kind}\\.cpp$")
  endforeach()
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|bench)\\.cpp$")
  list(FILTER headers EXCLUDE REGEX "_(test|fuzz|bench)\\.hpp$")

  add_library(${target} STATIC ${sources})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_CURRENT_SOURCE_DIR} FILES ${headers})
  foreach(dependency IN LISTS ARG_DEPENDS)
    tenon_target(dependency_target ${dependency})
    target_link_libraries(${target} PUBLIC ${dependency_target})
  endforeach()
  target_link_libraries(${target} PRIVATE ${ARG_LIBRARIES})
  tenon_declare(${ARG_NAME} $<TARGET_FILE:${target}>
                "${ARG_DEPENDS}" "${ARG_EXPORTS}" "${ARG_TEST_DEPENDS}" "${ARG_LIBRARIES}")
  tenon_link_check(${target})

  set(test_libraries ${target} ${ARG_LIBRARIES})
  foreach(dependency IN LISTS ARG_TEST_DEPENDS)
    tenon_target(dependency_target ${dependency})
    list(APPEND test_libraries ${dependency_target})
  endforeach()
  if(TENON_TESTS)
    tenon_unit_tests(${target} ${ARG_NAME} "${test}" "${test_libraries}")
    tenon_corpus_tests(${target} ${ARG_NAME} "${fuzz}" "${test_libraries}")
  endif()
  if(TENON_FUZZ)
    tenon_fuzz_targets(${target} ${ARG_NAME} "${fuzz}" "${test_libraries}")
  endif()
  if(TENON_BENCH)
    tenon_benchmarks(${target} "${bench}" "${test_libraries}")
  endif()
endfunction()

function(tenon_program)
  cmake_parse_arguments(ARG "" "NAME;OUTPUT" "DEPENDS;LIBRARIES" ${ARGN})
  tenon_target(target ${ARG_NAME})
  tenon_check_declaration(${ARG_NAME} "${ARG_DEPENDS}" "" "${ARG_UNPARSED_ARGUMENTS}")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_NAME}/*.cpp)
  add_executable(${target} ${sources})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${ARG_OUTPUT} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  foreach(dependency IN LISTS ARG_DEPENDS)
    tenon_target(dependency_target ${dependency})
    target_link_libraries(${target} PRIVATE ${dependency_target})
  endforeach()
  target_link_libraries(${target} PRIVATE ${ARG_LIBRARIES})
  tenon_declare(${ARG_NAME} "" "${ARG_DEPENDS}" "" "" "${ARG_LIBRARIES}")
endfunction()

# The tests of one program, each a test of ctest: "core/allocation: Allocate.PairsWithTheNearNic".
function(tenon_discover_tests target prefix)
  gtest_discover_tests(${target} TEST_PREFIX "${prefix}: " DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 900)
endfunction()

function(tenon_unit_tests target name sources libraries)
  if(sources)
    add_executable(${target}_test ${sources})
    target_link_libraries(${target}_test PRIVATE ${libraries} tenon_test_support GTest::gtest_main)
    tenon_discover_tests(${target}_test ${name})
  endif()
endfunction()

function(tenon_corpus_tests target name sources libraries)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM stem)
    string(REGEX REPLACE "_fuzz$" "" x ${stem})
    add_executable(${target}_${x}_corpus ${source} ${PROJECT_SOURCE_DIR}/tests/support/fuzz_regression.cpp)
    target_link_libraries(${target}_${x}_corpus PRIVATE ${libraries})
    add_test(NAME "${name}: corpus of ${x}"
             COMMAND ${target}_${x}_corpus ${PROJECT_SOURCE_DIR}/tests/corpus/${name}/${x})
    set_tests_properties("${name}: corpus of ${x}" PROPERTIES TIMEOUT 600)
  endforeach()
endfunction()

function(tenon_fuzz_targets target name sources libraries)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM stem)
    string(REGEX REPLACE "_fuzz$" "" x ${stem})
    add_executable(${target}_${stem} ${source})
    target_link_libraries(${target}_${stem} PRIVATE ${libraries} -fsanitize=fuzzer)
    set_property(GLOBAL APPEND_STRING PROPERTY TENON_FUZZ_TARGETS
                 "$<TARGET_FILE:${target}_${stem}>|tests/corpus/${name}/${x}\n")
  endforeach()
endfunction()

function(tenon_benchmarks target sources libraries)
  if(sources)
    add_executable(${target}_bench ${sources})
    target_link_libraries(${target}_bench PRIVATE ${libraries} tenon_test_support benchmark::benchmark_main)
    set_property(GLOBAL APPEND_STRING PROPERTY TENON_BENCH_TARGETS "$<TARGET_FILE:${target}_bench>\n")
  endif()
endfunction()
