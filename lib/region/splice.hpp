// Splice: put the edited region text of a source file into a slice, without Clang.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::region {

struct SpliceOutcome {
  enum class Kind {
    unchanged,        // the file's content is what the slice holds
    spliced,          // only regions changed: `slice` is the new one
    needs_extraction  // text outside regions changed, a region came or went, or one changed more than text alone can
                      // judge: run the extractor
  };

  Kind kind = Kind::unchanged;
  Slice slice;                       // spliced only
  std::vector<std::string> regions;  // names of the changed regions
};

// Digest of the text with the bodies removed: FileRecord::outside_regions.
base::Digest digest_outside_regions(std::string_view text, const std::vector<RegionBody>& bodies);

// Of a statement region any whole statements are taken; of a function region new bodies, and new functions that nothing
// outside of it names.
//
// `text` is the normalised content of files[file] now. `#line` directives of that file after a
// region that grew or shrank are renumbered. Interfaces (in, out, declared) stay those of the
// last extraction. Pure; thread safe.
// Errors: source, with diagnostics in the user's file, when the pragmas do not pair or a region
// is not balanced (such text must not be compiled: it could swallow what follows it).
Result<SpliceOutcome> splice(const Slice& slice, std::uint32_t file, std::string_view text);

}  // namespace cudahot::region
