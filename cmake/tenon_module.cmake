# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors

# tenon_module(NAME core/allocation DEPENDS core/state core/topology [EXPORTS core/state]
#              [LIBRARIES pugixml::pugixml])
#
# The one declaration of a module. DEPENDS are the modules whose headers it may include, EXPORTS those of
# them that its own headers show to others, LIBRARIES what is not ours. From it come
#   tenon_core_allocation          the library: every *.cpp of its folder but those below
#   tenon_core_allocation_test     x_test.cpp, all in one program            (TENON_TESTS)
#   tenon_core_allocation_x_fuzz   x_fuzz.cpp, one program each, libFuzzer   (TENON_FUZZ)
#   tenon_core_allocation_x_corpus x_fuzz.cpp again, as a test that runs over the kept inputs of
#                                  tests/corpus/core/allocation/x/           (TENON_TESTS)
#   tenon_core_allocation_bench    x_bench.cpp, all in one program           (TENON_BENCH)

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
  foreach(kind test fuzz bench)
    set(${kind} ${sources})
    list(FILTER ${kind} INCLUDE REGEX "_${kind}\\.cpp$")
  endforeach()
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|bench)\\.cpp$")

  add_library(${target} STATIC ${sources})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_CURRENT_SOURCE_DIR} FILES ${headers})
  foreach(dependency IN LISTS ARG_DEPENDS)
    tenon_target(dependency_target ${dependency})
    target_link_libraries(${target} PUBLIC ${dependency_target})
  endforeach()
  target_link_libraries(${target} PRIVATE ${ARG_LIBRARIES})

  if(TENON_TESTS AND test)
    add_executable(${target}_test ${test})
    target_link_libraries(${target}_test PRIVATE ${target} ${ARG_LIBRARIES} tenon_test_support GTest::gtest_main)
    tenon_discover_tests(${target}_test ${ARG_NAME})
  endif()
  if(TENON_FUZZ)
    tenon_fuzz_targets(${target} "${fuzz}" "${ARG_LIBRARIES}")
  endif()
  if(TENON_TESTS)
    tenon_corpus_tests(${target} ${ARG_NAME} "${fuzz}" "${ARG_LIBRARIES}")
  endif()
  if(TENON_BENCH AND bench)
    add_executable(${target}_bench ${bench})
    target_link_libraries(${target}_bench PRIVATE ${target} ${ARG_LIBRARIES} benchmark::benchmark_main)
    target_compile_definitions(${target}_bench PRIVATE ${TENON_TEST_DEFINITIONS})
    set_property(GLOBAL APPEND PROPERTY TENON_BENCH_TARGETS ${target}_bench)
  endif()
endfunction()

# The tests of one program, each a test of ctest: "core/allocation: Allocate.PairsWithTheNearNic".
function(tenon_discover_tests target prefix)
  gtest_discover_tests(${target} TEST_PREFIX "${prefix}: " DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600)
endfunction()

function(tenon_fuzz_targets target sources libraries)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM stem)
    add_executable(${target}_${stem} ${source})
    target_link_libraries(${target}_${stem} PRIVATE ${target} ${libraries} -fsanitize=fuzzer)
    set_property(GLOBAL APPEND PROPERTY TENON_FUZZ_TARGETS ${target}_${stem})
  endforeach()
endfunction()

function(tenon_corpus_tests target name sources libraries)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM stem)
    string(REGEX REPLACE "_fuzz$" "" x ${stem})
    add_executable(${target}_${x}_corpus ${source} ${PROJECT_SOURCE_DIR}/tests/support/fuzz_regression.cpp)
    target_link_libraries(${target}_${x}_corpus PRIVATE ${target} ${libraries})
    add_test(NAME "${name}: corpus of ${x}"
             COMMAND ${target}_${x}_corpus ${PROJECT_SOURCE_DIR}/tests/corpus/${name}/${x})
    set_tests_properties("${name}: corpus of ${x}" PROPERTIES TIMEOUT 600)
  endforeach()
endfunction()
