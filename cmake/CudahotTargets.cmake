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

# cudahot_add_test(NAME LABEL unit|cli SOURCES... [DEPENDS targets...]): a GoogleTest program,
# built to build/bin/tests and registered with CTest as one test. A test program is run with
# CUDAHOT_TEST_BIN (folder of the built programs) and CUDAHOT_TEST_DATA (tests/data) set.
# Where all its tests were skipped CTest shows it as skipped.
function(cudahot_add_test name)
  cmake_parse_arguments(arg "" "LABEL" "SOURCES;DEPENDS" ${ARGN})
  cudahot_add_executable(${name} SOURCES ${arg_SOURCES} DEPENDS ${arg_DEPENDS} GTest::gmock cudahot_test_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin/tests")
  cudahot_register_test(${name} ${name} ${arg_LABEL})
endfunction()

# cudahot_add_device_test(NAME SOURCES... [DEPENDS targets...]): a test program that runs kernels, built
# to build/bin/tests/device, where scripts/gpu-check finds it, and registered twice: as NAME on the
# CPU device (label cpu) and as NAME_gpu on a GPU (label gpu). See tests/support/test_device.hpp.
function(cudahot_add_device_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  cudahot_add_executable(${name} SOURCES ${arg_SOURCES} DEPENDS ${arg_DEPENDS} cudahot_test_device GTest::gmock cudahot_test_main)
  add_dependencies(${name} cudahot_cpu_device cudahot-extract)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin/tests/device"
    # Where dlopen() finds the CPU device, wherever the build folder is moved to.
    BUILD_RPATH "$ORIGIN/../../../lib")
  # As RPATH: a RUNPATH is not looked at where a sanitizer's library calls dlopen() in the program's place.
  target_link_options(${name} PRIVATE -Wl,--disable-new-dtags)
  cudahot_register_test(${name} ${name} cpu CUDAHOT_DEVICE=cpu)
  cudahot_register_test(${name}_gpu ${name} gpu CUDAHOT_DEVICE=gpu)
endfunction()

# cudahot_add_quick_tier_test(NAME): the same program on a GPU once more, with CUBINs of the quick tier.
function(cudahot_add_quick_tier_test name)
  cudahot_register_test(${name}_gpu_quick ${name} gpu CUDAHOT_DEVICE=gpu CUDAHOT_TIER=quick)
endfunction()

# cudahot_register_test(TEST PROGRAM LABEL [VARIABLE=VALUE...])
function(cudahot_register_test test program label)
  add_test(NAME ${test} COMMAND ${program})
  set_tests_properties(${test} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77
    ENVIRONMENT "CUDAHOT_TEST_BIN=${PROJECT_BINARY_DIR}/bin;CUDAHOT_TEST_DATA=${PROJECT_SOURCE_DIR}/tests/data;CUDAHOT_TOOLKIT=${CUDAHOT_TOOLKIT};${ARGN}")
endfunction()
