// A kernel that a real compiler takes: `Add(int* out, int value)` with a region.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "lib/region/splice.hpp"

namespace cudahot::runtime::testing {

// The source, with `statement` in its region.
inline std::string add_source(const std::string& statement) {
  return "extern \"C\" __global__ void Add(int* out, int value) {\n"
         "#pragma cudahot begin(add)\n" +
         statement +
         "#pragma cudahot end\n"
         "}\n";
}

// What cudahot-extract would make of it.
inline region::Slice add_slice(const std::string& path, const std::string& text) {
  const auto bodies = region::find_region_bodies(text, path);
  EXPECT_TRUE(bodies);
  region::Slice slice;
  slice.text = text;
  region::FileRecord record;
  record.path = path;
  record.virtual_name = "add.cu";
  record.role = region::FileRecord::Role::main;
  record.content = base::digest(text);
  record.outside_regions = region::digest_outside_regions(text, *bodies);
  slice.files.push_back(record);
  region::Segment segment;
  segment.kind = region::Segment::Kind::kernel;
  segment.range = {0, text.size()};
  segment.declaration_end = text.size();
  segment.name = "Add";
  slice.segments.push_back(segment);
  region::Region hot;
  hot.name = "add";
  hot.function = "Add";
  hot.first_line = bodies->front().first_line;
  hot.body = bodies->front().body;
  slice.regions.push_back(hot);
  region::Kernel kernel;
  kernel.name = "Add";
  kernel.mangled_name = "Add";
  kernel.line = 1;
  kernel.regions = {"add"};
  kernel.parameters = {{"out", "int *", 8, 0}, {"value", "int", 4, 8}};
  slice.kernels.push_back(kernel);
  return slice;
}

// A region that stores `value` plus a number.
inline std::string adding(int number) { return "  atomicExch(out, value + " + std::to_string(number) + ");\n"; }

}  // namespace cudahot::runtime::testing
