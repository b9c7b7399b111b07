// What a run leaves behind: bundle, cache entries, slices, depfile.
#pragma once

#include "cudahot/result.hpp"
#include "tools/cudahot-extract/run.hpp"

namespace cudahot::extract_tool {

// Whether every output can be written, found out before the work is done. Leaves nothing behind.
// Errors: environment (not writable; a bundle's path is taken by a file that is no bundle, a cache's by one that is no
// cache), usage (a bundle is named as the cache).
Status check_outputs(const Options& options);

// Whether `file` is a bundle of an earlier run, whose entries can be used again.
bool is_old_bundle(const std::filesystem::path& file);

// All of them or, on an error, none. `builder`: what compiled the CUBINs; nullptr when nothing was compiled. Signals
// that end the program wait until the outputs are complete. Errors: environment, and as helper_library.
Status write_outputs(const Options& options, const Outcome& outcome, build::Builder* builder);

}  // namespace cudahot::extract_tool
