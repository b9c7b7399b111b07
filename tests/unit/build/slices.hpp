// Slices made by hand for tests: a text in pieces, as the extractor would split it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "lib/base/digest.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::build::testing {

class SliceMaker {
 public:
  SliceMaker() {
    region::FileRecord main;
    main.path = "/home/user/shade.cu";
    main.virtual_name = "shade.cu";
    main.role = region::FileRecord::Role::main;
    slice_.files.push_back(std::move(main));
  }

  SliceMaker& prefix(std::string_view text) { return segment(region::Segment::Kind::prefix, text, text.size()); }

  // A helper function: `body` starts with its '{'.
  SliceMaker& helper(std::string_view declaration, std::string_view body) {
    return segment(region::Segment::Kind::helper, std::string(declaration) + std::string(body), declaration.size());
  }

  SliceMaker& helper_variable(std::string_view text) {
    return segment(region::Segment::Kind::helper, text, text.size());
  }

  // A kernel in three pieces: what is before, in and after its region.
  SliceMaker& kernel(std::string_view name, std::string_view before, std::string_view region, std::string_view after) {
    const std::size_t begin = slice_.text.size() + before.size();
    segment(region::Segment::Kind::kernel, std::string(before).append(region).append(after),
            before.size() + region.size() + after.size());
    region::Region added;
    added.name = "shade";
    added.function = name;
    added.body = {begin, begin + region.size()};
    slice_.regions.push_back(std::move(added));
    region::Kernel hot;
    hot.name = name;
    hot.name_expression = name;
    hot.regions = {"shade"};
    slice_.kernels.push_back(std::move(hot));
    return *this;
  }

  SliceMaker& option(std::string text) {
    slice_.options.push_back(std::move(text));
    return *this;
  }

  SliceMaker& uses_library() {
    slice_.uses_helper_library = true;
    return *this;
  }

  region::Slice make() const { return slice_; }

 private:
  SliceMaker& segment(region::Segment::Kind kind, std::string_view text, std::size_t declaration_size) {
    region::Segment added;
    added.kind = kind;
    added.range = {slice_.text.size(), slice_.text.size() + text.size()};
    added.declaration_end = slice_.text.size() + declaration_size;
    slice_.text += text;
    slice_.segments.push_back(std::move(added));
    return *this;
  }

  region::Slice slice_;
};

// A kernel of one region, a helper function and a helper variable.
inline SliceMaker shade_slice(std::string_view region = "  value = twice(2.0f) + kBias[0];\n") {
  SliceMaker maker;
  maker.prefix("#line 1 \"shade.cu\"\n")
      .helper("__device__ float twice(float x) ", "{\n  return 2.0f * x;\n}\n")
      .helper_variable("__constant__ float kBias[2] = {1.0f,\n  2.0f};\n")
      .kernel("Shade", "__global__ void Shade(float* out, int n) {\n  float value;\n", region,
              "  if (n > 0) out[threadIdx.x] = value;\n}\n");
  return maker;
}

}  // namespace cudahot::build::testing
