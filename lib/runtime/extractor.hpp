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

// `explicit_program`, else the one beside the running program, else the one on PATH.
// Errors: not_found, saying where it was looked for.
Result<std::filesystem::path> find_extractor(const std::optional<std::filesystem::path>& explicit_program);

// Runs `PROGRAM --emit-slice FOLDER --depfile FOLDER/depfile --json MAIN ARGUMENTS...` in the
// slice's working directory, with the arguments that the slice recorded, and reads the one
// manifest that it leaves in the folder. See Suppliers::extract.
ExtractOutcome run_extractor(const std::filesystem::path& program, const region::Slice& slice,
                             const std::function<bool()>& cancelled);

// The diagnostics in what `cudahot-extract --json` prints: an object, or one object per line,
// with a member `diagnostics`; each has severity, id, file, line, column, text, frame and hint.
// What does not fit is left out.
std::vector<Diagnostic> parse_extractor_output(std::string_view output);

// The prerequisites of a Make depfile, spaces and dollars unescaped.
std::vector<std::string> parse_depfile(std::string_view depfile);

}  // namespace cudahot::runtime
