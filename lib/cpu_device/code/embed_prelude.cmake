# Writes the prelude's headers as C++ string literals.
# Arguments (-D): ROOT, the prelude folder; HEADERS, names below it; MODULE_ABI, the contract with the device; OUTPUT.
set(delimiter "cudahot")
set(output "constexpr PreludeFile kFiles[] = {\n")
file(READ "${MODULE_ABI}" text)
string(APPEND output "    {\"lib/cpu_device/module_abi.h\", R\"${delimiter}(${text})${delimiter}\"},\n")
foreach(header IN LISTS HEADERS)
  file(READ "${ROOT}/${header}" text)
  string(APPEND output "    {\"${header}\", R\"${delimiter}(${text})${delimiter}\"},\n")
endforeach()
string(APPEND output "};\n")
file(WRITE "${OUTPUT}" "${output}")
