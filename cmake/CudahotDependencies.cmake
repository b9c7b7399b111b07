# Libraries from the distribution. Those that a carried binary would miss elsewhere are linked statically.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)

# cudahot_static_library(NAME HEADER LIBRARY): an imported target cudahot::NAME for a static archive.
function(cudahot_static_library name header library)
  find_path(CUDAHOT_${name}_INCLUDE ${header} REQUIRED)
  find_library(CUDAHOT_${name}_LIBRARY ${library} REQUIRED)
  add_library(cudahot::${name} STATIC IMPORTED GLOBAL)
  set_target_properties(cudahot::${name} PROPERTIES
    IMPORTED_LOCATION "${CUDAHOT_${name}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${CUDAHOT_${name}_INCLUDE}")
endfunction()
cudahot_static_library(xxhash xxhash.h libxxhash.a)
cudahot_static_library(zstd zstd.h libzstd.a)
cudahot_static_library(sqlite3 sqlite3.h libsqlite3.a)
set_property(TARGET cudahot::sqlite3 PROPERTY INTERFACE_LINK_LIBRARIES Threads::Threads ${CMAKE_DL_LIBS} m)
