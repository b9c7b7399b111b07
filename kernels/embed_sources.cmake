# Writes the helper library's sources as C++ string literals.
# Arguments (-D): ROOT, the include folder; HEADERS, names below it, the public one first; OUTPUT.
set(delimiter "cudahot")

# The text of a file in which every include of ours is replaced by that file's text.
function(inline_includes name result)
  file(READ "${ROOT}/${name}" original)
  string(REPLACE "#pragma once\n" "\n" text "${original}")
  foreach(header IN LISTS HEADERS)
    string(FIND "${original}" "#include \"${header}\"" position)
    if(NOT position EQUAL -1)
      string(SUBSTRING "${original}" 0 ${position} before)
      string(REGEX MATCHALL "\n" line_ends "${before}")
      list(LENGTH line_ends line_count)
      math(EXPR next_line "${line_count} + 2")
      inline_includes("${header}" inlined)
      string(REPLACE "#include \"${header}\"\n"
        "#line 1 \"${header}\"\n${inlined}#line ${next_line} \"${name}\"\n" text "${text}")
    endif()
  endforeach()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

list(GET HEADERS 0 public_header)
inline_includes("${public_header}" library)
set(output "constexpr SourceFile kHelperLibrary{\"cudahot/helper_library.cu\", R\"${delimiter}(")
string(APPEND output "#define CUDAHOT_DEVICE_LIBRARY 1\n#line 1 \"${public_header}\"\n${library})${delimiter}\"};\n\n")
string(APPEND output "constexpr SourceFile kHeaders[] = {\n")
foreach(header IN LISTS HEADERS)
  file(READ "${ROOT}/${header}" text)
  string(APPEND output "    {\"${header}\", R\"${delimiter}(${text})${delimiter}\"},\n")
endforeach()
string(APPEND output "};\n")
file(WRITE "${OUTPUT}" "${output}")
