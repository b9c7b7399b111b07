# cudahot_add_bundle(NAME SOURCES file.cu... [OUTPUT bundle.cudahot]
#                    [ARCHITECTURES 75 90a native...] [OPTIONS flags...])
# Extracts the hot kernels of the sources into a bundle, whenever a source, a file that it includes or
# cudahot-extract changes. Target NAME stands for the bundle and is part of ALL; its property
# CUDAHOT_BUNDLE is the bundle's path.
#
# OUTPUT: default NAME.cudahot in the current build folder, which relative paths start from. Where a
#   build folder holds several configurations and OPTIONS differ, put $<CONFIG> into it.
# ARCHITECTURES: as CMAKE_CUDA_ARCHITECTURES and as --arch of cudahot-extract. Default:
#   CUDAHOT_ARCHITECTURES, else CMAKE_CUDA_ARCHITECTURES, else those that OPTIONS name, else those of
#   cudahot-extract.
# OPTIONS: nvcc flags of the sources: -I, -D, -std... Relative paths start from the current source
#   folder, as those of SOURCES do.
# Generator expressions may stand in all of them but NAME. A bundle of several sources is made in one
# step for each, and one that compiles what changed; where generator expressions stand in SOURCES, in
# a single step.
#
# The program: target cudahot-extract where this build makes it, else CUDAHOT_EXTRACT, which is looked
# for on PATH.

# Depfiles work alike in all generators with these policies, whichever the project that includes this has.
cmake_policy(PUSH)
cmake_policy(VERSION 3.21)

function(_cudahot_find_extract out_program out_depends)
  if(TARGET cudahot-extract)
    set(${out_program} "$<TARGET_FILE:cudahot-extract>" PARENT_SCOPE)
    set(${out_depends} cudahot-extract PARENT_SCOPE)
    return()
  endif()
  find_program(CUDAHOT_EXTRACT cudahot-extract DOC "The program cudahot-extract")
  if(NOT CUDAHOT_EXTRACT)
    message(FATAL_ERROR "cudahot_add_bundle(): no cudahot-extract: add cudahot with add_subdirectory(), or set CUDAHOT_EXTRACT to the program")
  endif()
  set(${out_program} "${CUDAHOT_EXTRACT}" PARENT_SCOPE)
  set(${out_depends} "${CUDAHOT_EXTRACT}" PARENT_SCOPE)
endfunction()

# "90-real" and "90-virtual" of CMake are 90 to cudahot-extract.
function(_cudahot_architecture_arguments out)
  set(architectures ${ARGN})
  foreach(default IN ITEMS CUDAHOT_ARCHITECTURES CMAKE_CUDA_ARCHITECTURES)
    if(NOT architectures AND ${default})  # OFF is none
      set(architectures ${${default}})
    endif()
  endforeach()
  set(${out} "" PARENT_SCOPE)
  if(architectures)
    list(TRANSFORM architectures REPLACE "-(real|virtual)$" "")
    list(REMOVE_DUPLICATES architectures)
    list(TRANSFORM architectures REPLACE "^(\\$<.*)$" "$<JOIN:\\1,$<COMMA>>")  # it may stand for a list
    list(JOIN architectures "," list)
    set(${out} --arch "${list}" PARENT_SCOPE)
  endif()
endfunction()

function(cudahot_add_bundle name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT" "SOURCES;ARCHITECTURES;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cudahot_add_bundle(${name}): '${arg_UNPARSED_ARGUMENTS}' is behind none of SOURCES, OUTPUT, ARCHITECTURES and OPTIONS")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "cudahot_add_bundle(${name}): SOURCES are missing")
  endif()
  if(NOT arg_OUTPUT)
    set(arg_OUTPUT "${name}.cudahot")
  endif()
  if(NOT arg_OUTPUT MATCHES "^\\$<")
    cmake_path(ABSOLUTE_PATH arg_OUTPUT BASE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}" NORMALIZE)
    cmake_path(GET arg_OUTPUT PARENT_PATH folder)
    if(NOT folder MATCHES "\\$<")
      file(MAKE_DIRECTORY "${folder}")
    endif()
  endif()
  set(sources "")
  foreach(source IN LISTS arg_SOURCES)
    if(NOT source MATCHES "^\\$<")
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    endif()
    list(APPEND sources "${source}")
  endforeach()
  _cudahot_find_extract(program program_depends)
  _cudahot_architecture_arguments(architectures ${arg_ARCHITECTURES})
  set(flags "")
  if(arg_OPTIONS)
    # As one argument: a generator expression may stand for several flags.
    set(flags "--;${arg_OPTIONS}")
    string(REPLACE "\\;" ";" flags "${flags}")
  endif()
  set(work "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cudahot")
  get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(multi_config)  # OPTIONS may differ: no configuration undoes what another has done
    list(TRANSFORM CMAKE_CONFIGURATION_TYPES PREPEND "${work}/" OUTPUT_VARIABLE folders)
    set(work "${work}/$<CONFIG>")
  else()
    set(folders "${work}")
  endif()
  file(MAKE_DIRECTORY ${folders})

  list(LENGTH sources count)
  if(count EQUAL 1 OR "${sources}" MATCHES "\\$<")
    add_custom_command(
      OUTPUT "${arg_OUTPUT}"
      COMMAND "${program}" ${architectures} --bundle "${arg_OUTPUT}" --depfile "${work}/bundle.d" "${sources}" "${flags}"
      DEPENDS ${program_depends} ${sources}
      DEPFILE "${work}/bundle.d"
      WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
      COMMENT "Extracting hot kernels: ${name}"
      COMMAND_EXPAND_LISTS VERBATIM)
  else()
    set(slices "")
    set(index 0)
    foreach(source IN LISTS sources)
      cmake_path(GET source STEM LAST_ONLY stem)
      set(slice "${work}/${index}/${stem}.slice.json")
      add_custom_command(
        OUTPUT "${slice}"
        COMMAND "${program}" ${architectures} --allow-no-region --emit-slice "${work}/${index}" --depfile "${work}/${index}.d" "${source}" "${flags}"
        DEPENDS ${program_depends} "${source}"
        DEPFILE "${work}/${index}.d"
        WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
        COMMENT "Extracting hot kernels: ${name}, ${source}"
        COMMAND_EXPAND_LISTS VERBATIM)
      list(APPEND slices "${slice}")
      math(EXPR index "${index} + 1")
    endforeach()
    add_custom_command(
      OUTPUT "${arg_OUTPUT}"
      COMMAND "${program}" --bundle "${arg_OUTPUT}" ${slices}
      DEPENDS ${program_depends} ${slices}
      WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
      COMMENT "Compiling hot kernels: ${name}"
      COMMAND_EXPAND_LISTS VERBATIM)
  endif()
  add_custom_target(${name} ALL DEPENDS "${arg_OUTPUT}" SOURCES ${sources})
  set_target_properties(${name} PROPERTIES CUDAHOT_BUNDLE "${arg_OUTPUT}")
endfunction()

cmake_policy(POP)
