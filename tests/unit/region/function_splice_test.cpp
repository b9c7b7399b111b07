// What an edit of a function region may change without Clang.
#include <gmock/gmock.h>

#include "lib/region/splice.hpp"

namespace cudahot::region {
namespace {

using Kind = SpliceOutcome::Kind;

constexpr std::string_view kBody =
    "__device__ float tone(float x) {\n"      // 2
    "  return x;\n"                           // 3
    "}\n"                                     // 4
    "__global__ void k(float* p, int n) {\n"  // 5
    "  *p = tone(n);\n"                       // 6
    "}\n";                                    // 7
constexpr std::string_view kAfter = "__device__ float used(float x);\n";

std::string source(std::string_view body) {
  return "#pragma cudahot begin(fns)\n" + std::string(body) + "#pragma cudahot end\n" + std::string(kAfter) +
         "__global__ void last(float* p) { *p = used(1); }\n";
}

Slice slice() {
  Slice slice;
  slice.text = "\n";
  const std::size_t begin = slice.text.size();
  slice.text += kBody;
  const std::size_t end = slice.text.size();
  slice.text += "#line 8 \"0/a.cu\"\n\n" + std::string(kAfter) + "__global__ void last(float* p) { *p = used(1); }\n";
  slice.segments = {{Segment::Kind::prefix, {0, begin}, begin, ""},
                    {Segment::Kind::kernel, {begin, end}, end, "tone"},
                    {Segment::Kind::prefix, {end, slice.text.size()}, slice.text.size(), ""}};
  slice.regions = {{Region::Kind::functions, "fns", "tone", 0, 2, {begin, end}, {}, {}, {}}};
  slice.kernels = {{"k", "k", "_Z1kPfi", 0, 5, {"fns"}, {}}, {"last", "last", "_Z4lastPf", 0, 10, {"fns"}, {}}};
  const std::string text = source(kBody);
  slice.files = {{"/src/a.cu", "0/a.cu", FileRecord::Role::main, base::digest(text),
                  digest_outside_regions(text, *find_region_bodies(text, "a.cu"))}};
  return slice;
}

std::string edited(std::string_view from, std::string_view to) {
  std::string body(kBody);
  body.replace(body.find(from), from.size(), to);
  return body;
}

Kind kind_of(const std::string& body) {
  const auto outcome = splice(slice(), 0, source(body));
  EXPECT_TRUE(outcome) << body;
  return outcome ? outcome->kind : Kind::unchanged;
}

TEST(FunctionSplice, TakesNewBodiesAndMovesWhatFollows) {
  const std::string body = edited("  return x;\n", "  // brighter\n  return 2 * x;\n");
  const auto outcome = splice(slice(), 0, source(body));
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->kind, Kind::spliced);
  const Slice& made = outcome->slice;
  EXPECT_THAT(outcome->regions, testing::ElementsAre("fns"));
  EXPECT_EQ(made.text.substr(made.regions[0].body.begin, made.regions[0].body.size()), body);
  EXPECT_EQ(made.segments[1].range, made.regions[0].body);
  EXPECT_EQ(made.segments[2].range, (TextRange{made.regions[0].body.end, made.text.size()}));
  EXPECT_EQ(made.kernels[0].line, 6u);
  EXPECT_EQ(made.kernels[1].line, 11u);
  EXPECT_THAT(made.text, testing::HasSubstr("#line 9 \"0/a.cu\""));
  const auto back = splice(made, 0, source(kBody));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->slice, slice());
}

TEST(FunctionSplice, TakesFunctionsThatNothingOutsideNames) {
  EXPECT_EQ(kind_of(edited("__global__", "static __device__ float fresh(float x) { return x; }\n__global__")),
            Kind::spliced);
  EXPECT_EQ(kind_of(edited("tone(float x)", "tone(float x, int more = 0)")), Kind::needs_extraction);
  std::string renamed = edited("tone(float x)", "shade(float x)");
  renamed.replace(renamed.find("tone(n)"), 7, "shade(n)");
  EXPECT_EQ(kind_of(renamed), Kind::spliced);
}

TEST(FunctionSplice, LeavesWhatElseIsDeclaredToTheExtractor) {
  for (const std::string& body :
       {edited("int n", "int n, float gain"), edited("__global__ void k", "__global__ void other"),
        edited("__global__", "__device__ float used(int x) { return x; }\n__global__"),
        edited("__global__", "__global__ void more(float* p) { *p = 1; }\n__global__"),
        edited("__global__", "template <class T> __device__ void t(T) {}\n__global__"),
        edited("__global__", "struct S { int a; };\n__global__"), edited("__global__", "#define A 1\n__global__"),
        edited("  return x;\n", "#define A 1\n  return x;\n"),
        edited("__global__", "__device__ int state;\n__global__"),
        edited("__global__ void k(float* p, int n) {\n  *p = tone(n);\n}\n", "")}) {
    EXPECT_EQ(kind_of(body), Kind::needs_extraction) << body;
  }
}

TEST(FunctionSplice, RefusesAFunctionThatIsLeftOpen) {
  const auto outcome = splice(slice(), 0, source(edited("  return x;\n}\n", "  return x;\n")));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().diagnostics.at(0).id, "CH026");
}

}  // namespace
}  // namespace cudahot::region
