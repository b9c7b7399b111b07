// What holds for every slice.
#pragma once

#include <algorithm>

#include "lib/region/slice.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace cudahot::fuzz {

inline void require_consistent(const region::Slice& slice) {
  std::size_t position = 0;
  for (const region::Segment& segment : slice.segments) {
    const region::TextRange range = segment.range;
    require(range.begin == position && range.begin <= range.end, "segments follow each other");
    require(range.begin <= segment.declaration_end && segment.declaration_end <= range.end,
            "a declaration ends in its segment");
    position = range.end;
  }
  require(position == slice.text.size(), "segments cover the text");
  for (const region::Region& each : slice.regions) {
    const auto holds_it = [&](const region::Segment& segment) {
      return segment.range.begin <= each.body.begin && each.body.end <= segment.range.end &&
             segment.kind == region::Segment::Kind::kernel;
    };
    require(std::ranges::any_of(slice.segments, holds_it), "a region lies in a kernel's segment");
  }
}

}  // namespace cudahot::fuzz
