#include "lib/extract/device_view.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/digest.hpp"
#include "lib/region/splice.hpp"
#include "lib/region/text_map.hpp"
#include "test_tu.hpp"

namespace cudahot::extract {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// The text after a `#line 1 "name"`, up to the next `#line`.
std::string text_of(const region::Slice& slice, const std::string& name) {
  const std::string start = "#line 1 \"" + name + "\"\n";
  const std::size_t at = slice.text.find(start);
  if (at == std::string::npos) return "no " + start;
  return slice.text.substr(at + start.size(), slice.text.find("#line", at + 1) - at - start.size());
}

// The line that the compiler takes for what stands at `needle`, from `#line`.
std::string place_of(const region::Slice& slice, const std::string& needle) {
  const std::size_t at = slice.text.find(needle);
  if (at == std::string::npos) return "not there";
  const std::size_t directive = slice.text.rfind("#line ", at);
  const std::size_t end = slice.text.find('\n', directive);
  const std::size_t quote = slice.text.find('"', directive);
  const auto lines = std::count(slice.text.begin() + static_cast<std::ptrdiff_t>(end) + 1,
                                slice.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return slice.text.substr(quote + 1, end - quote - 2) + ":" +
         std::to_string(std::stol(slice.text.substr(directive + 6)) + lines);
}

TEST(DeviceView, DropsHostCodeAndKeepsLines) {
  const region::Slice slice = TestTu(R"(#include <vector>
static int counter = 0;
/* A comment
   of two lines. */
struct Scene {
  Scene() : lights(2) { counter++; }
  int count() const { return lights; }
  int lights;
};
std::vector<float> host(int n) {
  return std::vector<float>(n);
}
__global__ void k(float* p, Scene s) {
#pragma cudahot begin(r)
  *p = s.lights; // kept
#pragma cudahot end
}
)")
                                  .slice();
  EXPECT_EQ(text_of(slice, "0/shade.cu"), R"(



struct Scene {
  Scene();

  int lights;
};



__global__ void k(float* p, Scene s) {

  *p = s.lights; // kept
)");
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(DeviceView, RegionIsRawTextByteForByte) {
  const region::Slice slice =
      TestTu(
          "#define WAY 2\n__global__ void k(float* p) {\n#pragma cudahot begin(r)\n"
          "\t*p = 1;  \t\n\n#if WAY == 1\n  *p = 2; /* a */\n#else  // other\n  *p = 3;\n#endif\n"
          "#pragma cudahot end\n}\n")
          .slice();
  EXPECT_EQ(body_text(slice, "r"),
            "\t*p = 1;  \t\n\n#if WAY == 1\n  *p = 2; /* a */\n#else  // other\n  *p = 3;\n#endif\n");
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(DeviceView, ConditionalsOutsideOfRegionsAreResolved) {
  const region::Slice slice = TestTu(R"(#ifdef WIDE
typedef double real;
#else
typedef float real;
#endif
__global__ void k(real* p) {
#pragma cudahot begin(r)
  *p = 1;
#pragma cudahot end
}
)")
                                  .flags({"-DWIDE"})
                                  .slice();
  EXPECT_THAT(slice.text, HasSubstr("typedef double real;\n\n\n\n__global__"));
  EXPECT_THAT(slice.text, Not(HasSubstr("typedef float")));
  EXPECT_THAT(slice.options, ElementsAre("-DWIDE"));
}

TEST(DeviceView, LineDirectiveFollowsARegion) {
  const region::Slice slice = TestTu(R"(__global__ void k(float* p) {
#pragma cudahot begin(r)
  *p = 1;
#pragma cudahot end
  *p = 2;
}
)")
                                  .slice();
  const std::size_t end = region_named(slice, "r").body.end;
  EXPECT_EQ(slice.text.substr(end), "#line 4 \"0/shade.cu\"\n\n  *p = 2;\n}\n");
}

TEST(DeviceView, UserHeadersAreInlinedAtTheirPlace) {
  TestTu tu(R"(#include "lib/mix.cuh"
#include "lib/mix.cuh"
__device__ float twice(float a) { return 2 * a; }
__global__ void k(float* p) {
#pragma cudahot begin(r)
  *p = mix(twice(1), 2);
#pragma cudahot end
}
)");
  tu.file("lib/mix.cuh",
          "#pragma once\n#include \"base.cuh\"\n__device__ real mix(real a, real b) { return a + b; }\n");
  tu.file("lib/base.cuh", "#ifndef BASE\n#define BASE\ntypedef float real;\n#endif\n");
  const region::Slice slice = tu.slice();
  ASSERT_GE(slice.files.size(), 3u);
  EXPECT_EQ(slice.files[1].path, tu.path("lib/mix.cuh"));
  EXPECT_EQ(slice.files[1].role, region::FileRecord::Role::user_header);
  EXPECT_EQ(slice.files[2].virtual_name, "2/base.cuh");
  EXPECT_EQ(slice.files[2].content, base::digest("#ifndef BASE\n#define BASE\ntypedef float real;\n#endif\n"));
  EXPECT_EQ(place_of(slice, "typedef float real"), "2/base.cuh:3");
  EXPECT_EQ(place_of(slice, "real mix"), "1/mix.cuh:3");
  EXPECT_EQ(place_of(slice, "float twice"), "0/shade.cu:3");
  EXPECT_EQ(place_of(slice, "*p = mix"), "0/shade.cu:6");
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(DeviceView, RegionInAHeaderBelongsToTheHeader) {
  TestTu tu(R"(#include "shade.cuh"
void host(float* p) { k<<<1, 1>>>(p); }
)");
  const std::string header =
      "__global__ void k(float* p) {\n#pragma cudahot begin(r)\n  *p = 1;\n#pragma cudahot end\n}\n";
  tu.file("shade.cuh", header);
  const region::Slice slice = tu.slice();
  EXPECT_EQ(region_named(slice, "r").file, 1u);
  EXPECT_EQ(slice.kernels.at(0).file, 1u);
  EXPECT_NE(slice.files[1].outside_regions, slice.files[1].content);
  EXPECT_EQ(slice.files[0].outside_regions, slice.files[0].content);
}

TEST(DeviceView, SpliceOfAnUneditedSourceAgrees) {
  const std::string source =
      "__global__ void k(float* p) {\n#pragma cudahot begin(r)\n  *p = 1;\n#pragma cudahot end\n  p[1] = 2;\n}\n";
  const region::Slice slice = TestTu(source).slice();
  std::string edited = source;
  edited.replace(edited.find("  *p = 1;\n"), 10, "  float a = 3;\n  *p = a;\n");
  const auto spliced = region::splice(slice, 0, edited);
  ASSERT_TRUE(spliced) << spliced.error().message;
  ASSERT_EQ(spliced->kind, region::SpliceOutcome::Kind::spliced);
  const region::Slice again = TestTu(edited).slice();
  EXPECT_EQ(spliced->slice.text, again.text);
  EXPECT_EQ(spliced->slice.segments, again.segments);
}

TEST(DeviceView, KeepsWhatDirectivesOfTheUserCallLines) {
  TestTu tu(R"(#line 100 "grammar.y"
void host() {
#line 200 "other.y"
}
#include "h.cuh"
__device__ int a() { return wrong_1; }
__global__ void k(int* p) {
#pragma cudahot begin(r)
  p[0] = wrong_2;
#pragma cudahot end
  p[1] = wrong_3;
#if 0
#line 300
#endif
  p[2] = wrong_4;
}
)");
  tu.file("h.cuh", "#line 7\n__device__ int h() { return wrong_0; }\n");
  ExtractReport report = tu.report();
  ASSERT_TRUE(report.slice);
  std::vector<std::string> places;
  for (const Diagnostic& each : report.diagnostics) {
    if (each.severity == Severity::warning)
      places.push_back(fmt::format("{}:{}", each.location.file, each.location.line));
  }
  const std::vector<std::string> expected{"./h.cuh:7", "other.y:202", "other.y:205", "other.y:207", "other.y:211"};
  EXPECT_EQ(places, expected);
  const std::string log = compile_errors(*report.slice);
  for (const char* place : {"h.cuh(7): error", "other.y(202): error", "other.y(205): error", "other.y(207): error",
                            "other.y(211): error"}) {
    EXPECT_THAT(log, HasSubstr(place)) << report.slice->text;
  }
}

TEST(DeviceView, NamesAKernelWhereADirectiveOfTheUserSays) {
  const region::Slice slice = TestTu(R"(#line 50 "grammar.y"
__global__ void k(int* p) {
#pragma cudahot begin(r)
  p[0] = 1;
#pragma cudahot end
}
)")
                                  .slice();
  EXPECT_EQ(slice.kernels.at(0).line, 2u);
  EXPECT_EQ(region_named(slice, "r").first_line, 4u);
  EXPECT_EQ(region::location_of(slice, slice.kernels[0]), (SourceLocation{"grammar.y", 50, 0}));
}

TEST(DeviceView, ByteOrderMarkAndCarriageReturnsAreNormalised) {
  TestTu tu(
      "\xEF\xBB\xBF#include \"h.cuh\"\r\n__global__ void k(real* p) {\r\n#pragma cudahot begin(r)\r\n  *p = 1;\r\n"
      "#pragma cudahot end\r\n}\r\n");
  tu.file("h.cuh", "\xEF\xBB\xBF#if __has_include(\"i.cuh\")\r\n#include \"i.cuh\"\r\n#endif\r\n");
  tu.file("i.cuh", "typedef float real;\r\n");
  const region::Slice slice = tu.slice();
  EXPECT_EQ(body_text(slice, "r"), "  *p = 1;\n");
  EXPECT_EQ(slice.text.find('\r'), std::string::npos);
  EXPECT_EQ(slice.text.find('\xEF'), std::string::npos);
  EXPECT_EQ(slice.files.at(2).content, base::digest("typedef float real;\n"));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(DeviceView, UsedNamesOfHostHeadersAreDeclaredAnew) {
  const region::Slice slice = TestTu(R"(#include <cfloat>
#include <cmath>
#include <cstdint>
#include <sys/types.h>
#include <algorithm>
#include <limits>
#define TURN (2 * M_PI)
__global__ void k(float* p, uint32_t seed, u_int8_t small) {
#pragma cudahot begin(r)
  *p = std::min(float(TURN), FLT_MAX) + seed + small + std::numeric_limits<float>::epsilon() + std::sqrt(*p);
#pragma cudahot end
}
)")
                                  .slice();
  EXPECT_THAT(slice.text, HasSubstr("typedef unsigned char u_int8_t;\n"));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(DeviceView, DeviceHeadersOfTheToolkitStayIncluded) {
  TestTu tu(R"(#include <cuda_runtime.h>
#include "cuda_fp16.h"
__global__ void k(__half* p) {
#pragma cudahot begin(r)
  *p = __float2half(1);
#pragma cudahot end
}
)");
  const region::Slice slice = tu.slice();
  EXPECT_TRUE(slice.uses_device_headers);
  EXPECT_THAT(slice.text, HasSubstr("#include <cuda_fp16.h>\n"));
  EXPECT_THAT(slice.text, Not(HasSubstr("cuda_runtime.h")));
  const auto role_of = [&](const std::string& name) {
    const auto found = std::find_if(slice.files.begin(), slice.files.end(), [&](const region::FileRecord& each) {
      return each.path.size() > name.size() && each.path.substr(each.path.size() - name.size()) == name;
    });
    return found == slice.files.end() ? region::FileRecord::Role::main : found->role;
  };
  EXPECT_EQ(role_of("/cuda_fp16.h"), region::FileRecord::Role::device_header);
  EXPECT_EQ(role_of("/cuda_fp16.hpp"), region::FileRecord::Role::device_header);
  EXPECT_EQ(role_of("/cuda_runtime.h"), region::FileRecord::Role::other);
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(DeviceView, HelperLibraryCountsWhereItsFunctionsAreNamed) {
  const std::string header = R"(#pragma once
namespace cudahot::device {
#ifdef __CUDAHOT__
__device__ float hash(unsigned seed);
#else
__device__ inline float hash(unsigned seed) { return seed * 0.5f; }
#endif
}
)";
  const std::string source = R"(#include <cudahot/device.cuh>
__global__ void k(float* p) {
#pragma cudahot begin(r)
  *p = VALUE;
#pragma cudahot end
}
)";
  TestTu uses("#define VALUE cudahot::device::hash(3)\n" + source);
  EXPECT_TRUE(uses.file("inc/cudahot/device.cuh", header).flags({"-Iinc"}).slice().uses_helper_library);
  TestTu only_includes("#define VALUE 1\n" + source);
  EXPECT_FALSE(only_includes.file("inc/cudahot/device.cuh", header).flags({"-Iinc"}).slice().uses_helper_library);
}

TEST(DeviceView, PathsAreNamedWhereTheyReachTheOutput) {
  const char* const source = R"(__global__ void k(const char** p) {
#pragma cudahot begin(r)
  *p = "";
#pragma cudahot end
}
)";
  TestTu plain(source);
  EXPECT_EQ(plain.slice().files[0].virtual_name, "0/shade.cu");
  TestTu with_lines(source);
  EXPECT_EQ(with_lines.flags({"-lineinfo"}).slice().files[0].virtual_name, with_lines.path("shade.cu"));
  TestTu with_file(std::string("__device__ const char* here() { return __FILE__; }\n") + source);
  EXPECT_EQ(with_file.slice().files[0].virtual_name, "shade.cu");  // as nvcc was told it
  TestTu on_host(std::string("const char* here() { return __FILE__; }\n") + source);
  EXPECT_EQ(on_host.slice().files[0].virtual_name, "0/shade.cu");
}

TEST(DeviceView, ForcedIncludesStandFirst) {
  TestTu tu("__global__ void k(real* p) {\n#pragma cudahot begin(r)\n  *p = 1;\n#pragma cudahot end\n}\n");
  tu.file("pre.h", "typedef float real;\n").flags({"-include", "pre.h"});
  const region::Slice slice = tu.slice();
  EXPECT_EQ(place_of(slice, "typedef float real"), "1/pre.h:1");
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

}  // namespace
}  // namespace cudahot::extract
