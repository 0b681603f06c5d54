# SPDX-License-Identifier: Apache-2.0
# Copyright The Tenon Authors

# The five checks that come from every tenon_module(), so that the graph drawn in docs/ is the graph in the code.
#
#   link      target tenon_links: the whole archive of one module with what it declares, and nothing else
#   header    target all_verify_interface_header_sets: each header compiles alone
#   include   tools/checks/includes.py: a quoted include is of a module that is declared, and what is declared is included
#   purity    tools/checks/purity.py: what the release archive wants from outside is on a list (release build)
#   diagram   tools/checks/diagram.py: docs/modules.md is what the calls say
#
# tenon_finish_modules(), once, behind the last module: writes the graph (modules.txt, one line a module) and
# registers the checks as tests. Python is used for reading text; only its standard library.

find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(TENON_TOOLS ${CMAKE_CURRENT_LIST_DIR}/../tools)
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ON)
set(TENON_RINGS base domain core protocol formats views render lab world shell apps)

# What can be said of a call by itself, and at once.
function(tenon_check_declaration name depends exports unparsed)
  if(unparsed)
    message(FATAL_ERROR "${name}: unknown words: ${unparsed}")
  endif()
  tenon_ring(own_ring ${name})
  foreach(dependency IN LISTS depends)
    tenon_target(dependency_target ${dependency})
    if(NOT TARGET ${dependency_target})
      message(FATAL_ERROR "${name} depends on ${dependency}, which is not declared before it")
    endif()
    tenon_ring(ring ${dependency})
    if(ring GREATER own_ring)
      message(FATAL_ERROR "${name} depends on ${dependency}, which is of a ring further out")
    endif()
  endforeach()
  foreach(export IN LISTS exports)
    if(NOT export IN_LIST depends)
      message(FATAL_ERROR "${name} exports ${export}, which it does not depend on")
    endif()
  endforeach()
endfunction()

# base 0, domain 1, core 2; what translates and shows 3; shell 4; apps 5.
function(tenon_ring out name)
  string(REGEX REPLACE "/.*" "" top ${name})
  list(FIND TENON_RINGS ${top} place)
  if(place EQUAL -1)
    message(FATAL_ERROR "${name}: its first folder is no ring: ${TENON_RINGS}")
  elseif(place GREATER 8)
    math(EXPR place "${place} - 5")
  elseif(place GREATER 2)
    set(place 3)
  endif()
  set(${out} ${place} PARENT_SCOPE)
endfunction()

# One line of modules.txt: name|archive|depends|exports|test_depends|libraries, words parted by blanks.
function(tenon_declare name archive depends exports test_depends libraries)
  set(line "${name}|${archive}|${depends}|${exports}|${test_depends}|${libraries}")
  string(REPLACE ";" " " line "${line}")
  set_property(GLOBAL APPEND_STRING PROPERTY TENON_GRAPH "${line}\n")
endfunction()

function(tenon_link_check target)
  if(TENON_TESTS)
    add_executable(${target}_link EXCLUDE_FROM_ALL ${TENON_TOOLS}/checks/link_main.cpp)
    target_link_libraries(${target}_link PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${target}>)
    set_property(GLOBAL APPEND PROPERTY TENON_LINK_TARGETS ${target}_link)
  endif()
endfunction()

function(tenon_check_test name)
  add_test(NAME "checks: ${name}" COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties("checks: ${name}" PROPERTIES TIMEOUT 1800 LABELS checks)
endfunction()

function(tenon_finish_modules)
  get_property(graph GLOBAL PROPERTY TENON_GRAPH)
  get_property(links GLOBAL PROPERTY TENON_LINK_TARGETS)
  get_property(fuzz GLOBAL PROPERTY TENON_FUZZ_TARGETS)
  get_property(bench GLOBAL PROPERTY TENON_BENCH_TARGETS)
  set(modules ${CMAKE_BINARY_DIR}/modules.txt)
  file(GENERATE OUTPUT ${modules} CONTENT "${graph}")
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/fuzz_targets.txt CONTENT "${fuzz}")
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/bench_targets.txt CONTENT "${bench}")

  if(TENON_TESTS)
    add_custom_target(tenon_links DEPENDS ${links})
    set(build ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target)
    tenon_check_test(link ${build} tenon_links)
    tenon_check_test(header ${build} all_verify_interface_header_sets)
    set_tests_properties("checks: link" "checks: header" PROPERTIES RESOURCE_LOCK build LABELS "checks;slow")
    tenon_check_test(include ${Python3_EXECUTABLE} ${TENON_TOOLS}/checks/includes.py ${modules} src)
    tenon_check_test(diagram ${Python3_EXECUTABLE} ${TENON_TOOLS}/checks/diagram.py --check ${modules} docs/modules.md)
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    tenon_check_test(purity ${Python3_EXECUTABLE} ${TENON_TOOLS}/checks/purity.py ${modules})
  endif()
endfunction()
