// Runs Clang over one source file and fills ParsedSource. Includes no Clang header.
#pragma once

#include <string>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/extract/extract.hpp"
#include "lib/extract/file_owner.hpp"
#include "lib/extract/source_model.hpp"

namespace cudahot::extract {

struct ParseRequest {
  std::string file;                      // as given
  std::string working_directory;         // absolute
  std::vector<std::string> clang_flags;  // the user's, as Clang spells them
  region::SmArch architecture;
  std::string cuda_include;
  unsigned cuda_major = 13;
  unsigned cuda_minor = 0;
  std::string resource_dir;
};

// Errors: usage (flags that Clang refuses), environment. What is wrong with the source is in
// ParsedSource::diagnostics.
Result<ParsedSource> parse(const ParseRequest& request, const FileOwners& owners);

}  // namespace cudahot::extract
