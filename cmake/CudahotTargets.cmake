# One target a folder.

# cudahot_add_library(NAME SOURCES... [DEPENDS targets...]): static library with the house settings.
function(cudahot_add_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC cudahot_settings tl::expected ${arg_DEPENDS} PRIVATE cudahot_warnings fmt::fmt-header-only ${arg_PRIVATE})
endfunction()

# cudahot_add_executable(NAME SOURCES... [DEPENDS targets...])
function(cudahot_add_executable name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE cudahot_settings cudahot_warnings tl::expected fmt::fmt-header-only ${arg_DEPENDS})
endfunction()

# cudahot_add_test(NAME LABEL unit|cli|gpu SOURCES... [DEPENDS targets...]): a GoogleTest program,
# built to build/bin/tests and registered with CTest as one test. A test program is run with
# CUDAHOT_TEST_BIN (folder of the built programs) and CUDAHOT_TEST_DATA (tests/data) set.
# Where all its tests were skipped CTest shows it as skipped. scripts/gpu-check finds the programs
# of GPU tests by their names.
function(cudahot_add_test name)
  cmake_parse_arguments(arg "" "LABEL" "SOURCES;DEPENDS" ${ARGN})
  if(arg_LABEL STREQUAL "gpu" AND NOT name MATCHES "gpu")
    message(FATAL_ERROR "cudahot_add_test(${name} LABEL gpu): the name must have 'gpu' in it")
  endif()
  cudahot_add_executable(${name} SOURCES ${arg_SOURCES} DEPENDS ${arg_DEPENDS} GTest::gmock cudahot_test_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin/tests")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL} SKIP_RETURN_CODE 77
    ENVIRONMENT "CUDAHOT_TEST_BIN=${PROJECT_BINARY_DIR}/bin;CUDAHOT_TEST_DATA=${PROJECT_SOURCE_DIR}/tests/data;CUDAHOT_TOOLKIT=${CUDAHOT_TOOLKIT}")
endfunction()
