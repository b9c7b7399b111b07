// From the command line to what is extracted of each file: flags, architectures, or a slice made before.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/build/toolchain.hpp"
#include "lib/extract/extract.hpp"
#include "tools/cudahot-extract/compile_commands.hpp"
#include "tools/cudahot-extract/options.hpp"

namespace cudahot::extract_tool {

struct FileRequest {
  extract::ExtractRequest extraction;
  std::size_t database_entries = 0;         // of this file; the first counts
  std::vector<Diagnostic> remarks;          // on the flags
  std::vector<std::string> ignored_words;   // of a compilation database, neither flags nor values
  std::vector<std::filesystem::path> read;  // files that flags came from
};

// What the files of a run have in common.
struct RequestContext {
  const Options& options;
  const CompilationDatabase* database;  // none: flags come from the command line only
  const cuda::Toolkit& toolkit;
  const std::filesystem::path& resource_dir;
  build::Toolchain& toolchain;
};

// Errors: usage (flags, no entry in the database, architecture), environment (no compiler for an architecture; "native"
// without a GPU).
Result<FileRequest> make_request(const RequestContext& context, const std::filesystem::path& file);

// The architectures that `wanted` stands for, checked; the default ones when it names none. Errors: as make_request.
Result<std::vector<region::SmArch>> architectures_of(const Options& options, const extract::WantedArchitectures& wanted,
                                                     build::Toolchain& toolchain);

struct ReadSlice {
  std::filesystem::path source;        // that it was made of
  std::optional<region::Slice> slice;  // none: the source has no region
};

// Errors: not_found, environment, damaged.
Result<ReadSlice> read_slice(const std::filesystem::path& file);

// What read_slice takes for the slice of a source without regions.
std::string no_slice_document(const std::filesystem::path& source);

}  // namespace cudahot::extract_tool
