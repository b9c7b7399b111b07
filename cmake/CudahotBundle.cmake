# cudahot_add_bundle(NAME SOURCES file.cu... OUTPUT bundle.cudahot
#                    [ARCHITECTURES 75 90...] [OPTIONS flags...])
# Extracts the hot kernels of the sources into a bundle, compiled for the architectures (default:
# CUDAHOT_ARCHITECTURES), whenever a source, a file that it includes or cudahot-extract changes.
# OPTIONS are nvcc flags of the sources: -I, -D, -std... Target NAME stands for the bundle and is
# part of ALL.
function(cudahot_add_bundle name)
  cmake_parse_arguments(arg "" "OUTPUT" "SOURCES;ARCHITECTURES;OPTIONS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES OR NOT arg_OUTPUT)
    message(FATAL_ERROR "cudahot_add_bundle(${name}): SOURCES and OUTPUT are needed, and nothing but ARCHITECTURES and OPTIONS beside them")
  endif()
  if(NOT arg_ARCHITECTURES)
    set(arg_ARCHITECTURES ${CUDAHOT_ARCHITECTURES})
  endif()
  list(JOIN arg_ARCHITECTURES "," architectures)
  list(TRANSFORM arg_SOURCES REPLACE "^([^/].*)$" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
  set(flags "")
  if(arg_OPTIONS)
    set(flags -- ${arg_OPTIONS})
  endif()
  cmake_path(GET arg_OUTPUT PARENT_PATH folder)
  file(MAKE_DIRECTORY "${folder}")
  set(depfile "${CMAKE_CURRENT_BINARY_DIR}/${name}.d")
  add_custom_command(
    OUTPUT "${arg_OUTPUT}"
    COMMAND cudahot-extract --arch "${architectures}" --bundle "${arg_OUTPUT}" --depfile "${depfile}" ${arg_SOURCES} ${flags}
    DEPENDS cudahot-extract ${arg_SOURCES}
    DEPFILE "${depfile}"
    COMMENT "Extracting hot kernels into ${arg_OUTPUT}"
    VERBATIM)
  add_custom_target(${name} ALL DEPENDS "${arg_OUTPUT}")
endfunction()
