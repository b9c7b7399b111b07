// A small slice with two regions, a header and every field filled.
#pragma once

#include <string>

#include "lib/region/slice.hpp"
#include "lib/region/splice.hpp"

namespace cudahot::region {

inline constexpr std::string_view kExampleSource =
    "#include \"a.cuh\"\n"                        // 1
    "__global__ void f(float* p) {\n"             // 2
    "#pragma cudahot begin(one)\n"                // 3
    "  *p = 1;\n"                                 // 4
    "#pragma cudahot end\n"                       // 5
    "\n\n\n"                                      // 6-8
    "  ++*p;\n"                                   // 9
    "#pragma cudahot begin(two)\n"                // 10
    "  *p = 2;\n"                                 // 11
    "#pragma cudahot end\n"                       // 12
    "}\n"                                         // 13
    "__global__ void g(float* p) { *p = 3; }\n";  // 14

inline TextRange range_of(std::string_view text, std::string_view part) {
  const std::size_t begin = text.find(part);
  return {begin, begin + part.size()};
}

inline Slice example_slice() {
  Slice slice;
  slice.text =
      "#line 1 \"1/a.cuh\"\n"
      "__device__ float h(float x);\n"
      "#line 2 \"0/a.cu\"\n"
      "__global__ void f(float* p) {\n"
      "//\n"
      "  *p = 1;\n"
      "#line 5 \"0/a.cu\"\n"
      "//\n"
      "#line 9 \"0/a.cu\"\n"
      "  ++*p;\n"
      "//\n"
      "  *p = 2;\n"
      "#line 12 \"0/a.cu\"\n"
      "//\n"
      "}\n"
      "__global__ void g(float* p) { *p = 3; }\n";
  const std::size_t kernel_begin = slice.text.find("__global__");
  slice.segments = {{Segment::Kind::prefix, {0, kernel_begin}, kernel_begin, ""},
                    {Segment::Kind::kernel, {kernel_begin, slice.text.size()}, slice.text.size(), "f"}};
  slice.regions = {
      {Region::Kind::statements,
       "one",
       "f",
       0,
       4,
       range_of(slice.text, "  *p = 1;\n"),
       {{"p", "float *"}},
       {},
       {{"d", "int"}}},
      {Region::Kind::statements, "two", "f", 0, 11, range_of(slice.text, "  *p = 2;\n"), {}, {{"p", "float *"}}, {}}};
  slice.kernels = {{"f", "f", "_Z1fPf", 0, 2, {"one", "two"}, {{"p", "float *", 8, 0, "pointer"}}},
                   {"g", "g", "_Z1gPf", 0, 14, {}, {}}};
  const auto bodies = find_region_bodies(kExampleSource, "a.cu");
  slice.files = {{"/src/a.cu", "0/a.cu", FileRecord::Role::main, base::digest(kExampleSource),
                  digest_outside_regions(kExampleSource, *bodies)},
                 {"/src/a.cuh", "1/a.cuh", FileRecord::Role::user_header, base::digest("h"), base::digest("h")}};
  slice.lookups = {{"/src/include/a.cuh", false}, {"/src/options.h", true}};
  slice.options = {"-use_fast_math"};
  slice.architectures = {{90, SmArch::Suffix::architecture}, {80}};
  slice.uses_device_headers = true;
  slice.uses_helper_library = true;
  slice.extract_arguments = {"--", "-Iinclude"};
  slice.working_directory = "/src";
  return slice;
}

inline std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  result.replace(result.find(from), from.size(), to);
  return result;
}

}  // namespace cudahot::region
