// Whether the toolkit's files are those that a slice was made with.
#pragma once

#include "lib/cuda/toolkit.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::build {

// Whether all device headers of the slice, and the device runtime where it needs that, have in `toolkit` the content
// that the slice, and with it the key, records. Headers are found by their place below the folder `include`. Reads
// them all.
bool has_recorded_files(const region::Slice& slice, const cuda::Toolkit& toolkit);

}  // namespace cudahot::build
