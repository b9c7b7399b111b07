// Extractor: makes a slice again by running cudahot-extract, so that the program that hosts the
// kernels never loads Clang.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/region/slice.hpp"
#include "lib/runtime/suppliers.hpp"

namespace cudahot::runtime {

// `settings.program`, else the one beside the running program, else the one on PATH.
// Errors: not_found, saying where it was looked for.
Result<std::filesystem::path> find_extractor(const ExtractorSettings& settings);

// Runs `PROGRAM --emit-slice FOLDER --json MAIN ARGUMENTS...` in the slice's working directory,
// with the arguments that the slice recorded, and reads the manifest that it leaves in the folder.
// See Suppliers::extract.
ExtractOutcome run_extractor(const ExtractorSettings& settings, const region::Slice& slice,
                             const std::function<bool()>& cancelled);

// What `cudahot-extract --json` says: its diagnostics, and every file that was read or looked for, for any of its
// files. What does not fit is left out.
struct ExtractorReport {
  std::vector<Diagnostic> diagnostics;
  std::vector<std::string> dependencies;
  std::vector<region::Lookup> lookups;
};
ExtractorReport parse_extractor_output(std::string_view output);

}  // namespace cudahot::runtime
