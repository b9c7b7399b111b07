// What the golden bundles of tests/data hold. Never changed: a new version gets a new file and content of its own,
// and an old file must load as long as its version is read.
//
// cache-v2.cudahot has schema 2 and a manifest of version 4, the others schema 1. cache-v1.cudahot has a slice whose
// manifest is of version 1, cache-v1-manifest-N.cudahot one of version N.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "cache/sqlite.hpp"
#include "cache/store.hpp"

namespace cudahot::cache::golden {

inline CacheKey key() {
  Preimage preimage;
  preimage.add("vers", "1");
  preimage.add("kind", "cubin");
  preimage.add("text", "__global__ void shade() {}\n");
  return make_key(preimage);
}

inline Artifact artifact() {
  Artifact artifact;
  artifact.kind = ArtifactKind::cubin;
  artifact.arch = {90, region::SmArch::Suffix::architecture};
  artifact.tier = region::Tier::full;
  artifact.name = "shade";
  artifact.regions = "colour";
  artifact.source = "/src/shade.cu";
  artifact.kernels = {{"_Z5shadev", 24, 2048, 8, 12, 128, {{0, 8}, {8, 4}}}};
  artifact.lowered_names = {{"shade", "_Z5shadev"}};
  artifact.toolkit_version = "13.0.88";
  artifact.blob = "a stand-in for a CUBIN";
  return artifact;
}

inline CacheKey library_key() {
  Preimage preimage;
  preimage.add("vers", "1");
  preimage.add("kind", "library");
  preimage.add("form", "ltoir");
  preimage.add("arch", "sm_75");
  preimage.add("nvrt", "a");
  preimage.add("nvjl", "b");
  preimage.add("hsrc", base::to_hex({3, 4}));
  return make_key(preimage);
}

inline Artifact library() {
  Artifact artifact;
  artifact.kind = ArtifactKind::library_ltoir;
  artifact.arch = {75};
  artifact.name = "helper library";
  artifact.toolkit_version = "13.0.88";
  artifact.blob = "a stand-in for LTO-IR";
  return artifact;
}

inline Store::StoredSlice slice() {
  Store::StoredSlice stored;
  stored.slice.text = "__global__ void shade() {}\n";
  stored.slice.kernels = {{"shade", "shade", "_Z5shadev", 0, 1, {}, {}}};
  stored.slice.files = {{"/src/shade.cu", "shade.cu", region::FileRecord::Role::main, {5, 6}, {7, 8}}};
  stored.slice.files.push_back(
      {"/cuda/lib64/libcudadevrt.a", "1/libcudadevrt.a", region::FileRecord::Role::device_runtime, {9, 10}, {9, 10}});
  stored.slice.architectures = {{90, region::SmArch::Suffix::architecture}};
  stored.slice.working_directory = "/src";
  stored.toolkit = {"13.0.88", "a", "b"};
  stored.helper_library = {1, 2};
  return stored;
}

// Of a manifest of version 3.
inline Store::StoredSlice slice_with_types() {
  Store::StoredSlice stored = slice();
  stored.slice.kernels[0].parameters = {{"gain", "Real", 4, 0, "float"}};
  return stored;
}

// Of a manifest of version 4.
inline Store::StoredSlice slice_with_lookups() {
  Store::StoredSlice stored = slice_with_types();
  stored.slice.lookups = {{"/src/include/shade.cuh", false}, {"/src/options.h", true}};
  return stored;
}

// Since schema 2.
inline Provenance provenance() {
  return {61'000,
          {{"shade.cu", "/src/shade.cu", "main", {5, 6}}, {"shade.cuh", "/src/shade.cuh", "user_header", {7, 8}}}};
}

// The bundle of schema 1 as the user cache that programs of that time made.
inline void place_cache_of_schema_1(const std::filesystem::path& cache) {
  const char* data = std::getenv("CUDAHOT_TEST_DATA");
  std::filesystem::copy_file(std::filesystem::path(data != nullptr ? data : "tests/data") / "cache-v1.cudahot", cache);
  auto database = Database::open(cache, Database::Access::read_write).value();
  ASSERT_TRUE(database.enable_incremental_vacuum());
  ASSERT_TRUE(database.execute("VACUUM"));
}

}  // namespace cudahot::cache::golden
