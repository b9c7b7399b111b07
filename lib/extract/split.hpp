// Eighth stage: the device view in the parts that the quick tier compiles apart. Pure.
#pragma once

#include <vector>

#include "lib/extract/device_view.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::extract {

// Segments that cover view.text. `hot`: kernels with a region in reach.
std::vector<region::Segment> split(const ParsedSource& source, const std::vector<Verdict>& verdicts, const UnitSet& hot,
                                   const DeviceView& view);

}  // namespace cudahot::extract
