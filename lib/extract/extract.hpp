// Extraction: from a .cu file to its slice, with Clang. The only folder that includes Clang or
// LLVM headers; this header does not.
//
// Flow: source file -> RecordedRegions (record.hpp) -> validate -> DeviceView -> Slice (split.hpp).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::extract {

struct ExtractRequest {
  std::filesystem::path file;                 // as the user named it
  std::vector<std::string> flags;             // nvcc's or Clang's, in order
  std::filesystem::path working_directory;    // flags and file are relative to it
  std::vector<region::SmArch> architectures;  // the first GPU decides __CUDA_ARCH__ while parsing
  std::filesystem::path cuda_root;            // toolkit root
  std::filesystem::path cuda_include;         // its folder of headers
  unsigned cuda_major = 13;
  unsigned cuda_minor = 0;
  std::filesystem::path device_runtime;        // the toolkit's libcudadevrt.a; empty: it has none
  std::filesystem::path resource_dir;          // Clang's: has include/__clang_cuda_runtime_wrapper.h
  std::vector<std::string> extract_arguments;  // recorded in the slice, see Slice
};

struct ExtractReport {
  std::optional<region::Slice> slice;      // none: errors are in diagnostics, or the file has no region
  std::vector<Diagnostic> diagnostics;     // refusals (with id), Clang's errors, warnings
  std::vector<std::string> ignored_flags;  // flags without a meaning here
  std::vector<std::string> dependencies;   // every file read, or found by a __has_include, absolute
  std::vector<region::Lookup> lookups;     // see Slice; also without a slice
  std::size_t region_count = 0;            // region pragmas seen, paired or not
};

// One per call; several may run in parallel. Errors: not_found (no such file), environment
// (toolkit or resource folder not usable, or the toolkit lacks the device runtime that the source needs). What is wrong
// with the source is in the report.
Result<ExtractReport> extract(const ExtractRequest& request);

}  // namespace cudahot::extract
