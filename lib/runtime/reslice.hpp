// Reslice: a slice with the files of a view put into it, as far as that goes without Clang.
#pragma once

#include <string>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/region/splice.hpp"
#include "lib/runtime/source_view.hpp"

namespace cudahot::runtime {

// Like region::splice, over all files of the slice. Errors: source.
Result<region::SpliceOutcome> reslice(const region::Slice& slice, SourceView& view);

// The names of regions whose text an extraction changed, new ones included.
std::vector<std::string> changed_regions(const region::Slice& before, const region::Slice& after);

}  // namespace cudahot::runtime
