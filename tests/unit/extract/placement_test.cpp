// Where a region's pragmas may stand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_tu.hpp"

namespace cudahot::extract {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

// In `BEGIN` and `END` the pragma lines; `errors` separated by spaces: "CH012:3".
struct Placement {
  const char* name;
  const char* source;
  std::vector<std::string> errors;
};
std::ostream& operator<<(std::ostream& out, const Placement& each) { return out << each.name; }

std::string with_pragmas(std::string text) {
  for (const auto& [word, line] : {std::pair{"BEGIN", "#pragma cudahot begin(r)"}, {"END", "#pragma cudahot end"}}) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      text.replace(at, std::string_view(word).size(), line);
    }
  }
  return text;
}

class Placements : public testing::TestWithParam<Placement> {};

TEST_P(Placements, AreTakenOrRefusedWithTheirRule) {
  const ExtractReport report = TestTu(with_pragmas(GetParam().source)).report();
  EXPECT_THAT(errors(report), ElementsAreArray(GetParam().errors));
  EXPECT_EQ(report.slice.has_value(), GetParam().errors.empty());
  if (report.slice) {
    EXPECT_EQ(compile_errors(*report.slice), "") << report.slice->text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Taken, Placements,
    testing::Values(
        Placement{"WholeBody", "__global__ void k(float* p) {\nBEGIN\n  *p = 1;\nEND\n}\n", {}},
        Placement{
            "BodyOfAnIf", "__global__ void k(float* p) {\n  if (*p > 0) {\nBEGIN\n    *p = 1;\nEND\n  }\n}\n", {}},
        Placement{"BodyOfALoop",
                  "__global__ void k(float* p) {\n  for (int i = 0; i < 3; ++i) {\nBEGIN\n    p[i] = 1;\nEND\n  }\n}\n",
                  {}},
        Placement{"AroundALoopWithItsBreak",
                  "__global__ void k(float* p) {\nBEGIN\n  while (*p > 0) { if (*p > 2) break; *p = 1; }\nEND\n}\n",
                  {}},
        Placement{"InsideOneCase",
                  "__global__ void k(float* p, int n) {\n  switch (n) {\n    case 1: {\nBEGIN\n      *p = 1;\nEND\n    "
                  "  break;\n    }\n  }\n}\n",
                  {}},
        Placement{"BetweenTheStatementsOfACase",
                  "__global__ void k(float* p, int n) {\n  switch (n) {\n    case 1:\n      *p = 0;\nBEGIN\n      *p = "
                  "1;\nEND\n      break;\n  }\n}\n",
                  {}},
        Placement{"BareBlock", "__global__ void k(float* p) {\n  {\nBEGIN\n    *p = 1;\nEND\n  }\n}\n", {}},
        Placement{"WithReturn", "__global__ void k(float* p) {\nBEGIN\n  if (*p > 0) return;\nEND\n  *p = 1;\n}\n", {}},
        Placement{"SemicolonBehindAComment",
                  "__global__ void k(float* p) {\nBEGIN\n  *p = 1 /* one */\n  ; // done\nEND\n}\n",
                  {}},
        Placement{"NothingInIt", "__global__ void k(float* p) {\nBEGIN\nEND\n  *p = 1;\n}\n", {}},
        Placement{"DoLoop", "__global__ void k(float* p) {\nBEGIN\n  do { *p += 1; } while (*p < 3);\nEND\n}\n", {}},
        Placement{"AroundAWholeLambda",
                  "__global__ void k(float* p) {\nBEGIN\n  auto f = [=] { *p = 1; };\n  f();\nEND\n}\n",
                  {}},
        Placement{"MemberFunction",
                  "struct S {\n  float x;\n  __device__ void set(float* p) {\nBEGIN\n    *p = x;\nEND\n  }\n};\n"
                  "__global__ void k(float* p) { S{1}.set(p); }\n",
                  {}},
        Placement{"MemberOfAClassTemplate",
                  "template <class T> struct S {\n  T x;\n  __device__ void set(T* p) {\nBEGIN\n    *p = x;\nEND\n  "
                  "}\n};\n__global__ void k(float* p) { S<float>{1}.set(p); }\n",
                  {}},
        Placement{"DeviceFunctionTemplate",
                  "template <class T> __device__ T f(T x) {\nBEGIN\n  x = x + 1;\nEND\n  return x;\n}\n"
                  "__global__ void k(float* p) { *p = f(*p); }\n",
                  {}},
        Placement{"OperatorAndConstructor",
                  "struct S {\n  float x;\n  __device__ S() {\nBEGIN\n    x = 1;\nEND\n  }\n};\n"
                  "__global__ void k(float* p) { *p = S().x; }\n",
                  {}},
        Placement{"BehindALabel",
                  "__global__ void k(float* p) {\nagain:\nBEGIN\n  *p += 1;\nEND\n  if (*p < 3) goto again;\n}\n",
                  {}},
        Placement{"BehindCaseLabels",
                  "__global__ void k(float* p, int n) {\n  switch (n) {\n    case 1:\n    case 2:\nBEGIN\n      *p = "
                  "1;\n      *p += 1;\nEND\n      break;\n  }\n}\n",
                  {}},
        Placement{"ConditionalInside",
                  "__global__ void k(float* p) {\nBEGIN\n#if 1\n  *p = 1;\n#else\n  *p = 2;\n#endif\nEND\n}\n",
                  {}},
        Placement{"AfterAMacroWithItsOwnSemicolon",
                  "#define SET(p) *p = 1;\n__global__ void k(float* p) {\nBEGIN\n  SET(p)\nEND\n}\n",
                  {}},
        Placement{"NamedEnd", "__global__ void k(float* p) {\nBEGIN\n  *p = 1;\n#pragma cudahot end(r)\n}\n", {}}),
    [](const auto& each) { return each.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Refused, Placements,
    testing::Values(
        Placement{"EndBeforeTheSemicolonOfAnAssignment",
                  "__global__ void k(float* p) {\nBEGIN\n  *p = 1\nEND\n  ;\n}\n",
                  {"CH012 shade.cu:4"}},
        Placement{"EndBeforeTheSemicolonOfADeclaration",
                  "__global__ void k(float* p) {\nBEGIN\n  int i = 1\nEND\n  ;\n}\n",
                  {"CH010 shade.cu:4"}},
        Placement{"EndBeforeTheSemicolonOfAReturn",
                  "__global__ void k(float* p) {\nBEGIN\n  return\nEND\n  ;\n}\n",
                  {"CH012 shade.cu:4"}},
        Placement{"EndBeforeTheSemicolonOfABranch",
                  "__global__ void k(float* p) {\nBEGIN\n  if (*p > 0) *p = 1\nEND\n  ;\n}\n",
                  {"CH012 shade.cu:4"}},
        Placement{"EndBeforeTheSemicolonOfADoLoop",
                  "__global__ void k(float* p) {\nBEGIN\n  do { *p += 1; } while (*p < 3)\nEND\n  ;\n}\n",
                  {"CH012 shade.cu:4"}},
        Placement{"BeginBeforeTheSemicolon",
                  "__global__ void k(float* p) {\n  *p = 0\nBEGIN\n  ;\n  *p = 1;\nEND\n}\n",
                  {"CH012 shade.cu:3"}},
        Placement{"BodyOfALoopWithoutBraces",
                  "__global__ void k(float* p) {\n  for (int i = 0; i < 3; ++i)\nBEGIN\n    p[i] = 1;\nEND\n}\n",
                  {"CH010 shade.cu:3"}},
        Placement{"BetweenIfAndElse",
                  "__global__ void k(float* p) {\nBEGIN\n  if (*p > 0) { *p = 1; }\nEND\n  else { *p = 2; }\n}\n",
                  {"CH010 shade.cu:4"}},
        Placement{"InACondition",
                  "__global__ void k(float* p) {\n  if (\nBEGIN\n      *p > 0) { *p = 1; }\nEND\n}\n",
                  {"CH010 shade.cu:3"}},
        Placement{"InAnInitialiserList",
                  "__global__ void k(float* p) {\n  float a[] = {\nBEGIN\n    1, 2\nEND\n  };\n  *p = a[0];\n}\n",
                  {"CH010 shade.cu:3"}},
        Placement{"FromABlockToTheOneAroundIt",
                  "__global__ void k(float* p) {\n  {\nBEGIN\n    *p = 1;\n  }\n  *p = 2;\nEND\n}\n",
                  {"CH011 shade.cu:7"}},
        Placement{"FromOneBranchToTheOther",
                  "__global__ void k(float* p) {\n  if (*p > 0) {\nBEGIN\n    *p = 1;\n  } else {\nEND\n  }\n}\n",
                  {"CH011 shade.cu:6"}},
        Placement{"LocalClass",
                  "__global__ void k(float* p) {\n  struct S {\nBEGIN\n    int a;\nEND\n  };\n  *p = S{1}.a;\n}\n",
                  {"CH010 shade.cu:3"}},
        Placement{
            "TypeUsedAfterIt",
            "__global__ void k(float* p) {\nBEGIN\n  using T = float;\n  *p = T(1);\nEND\n  T x = 1;\n  *p = x;\n}\n",
            {"CH015 shade.cu:6"}},
        Placement{"EnumeratorUsedAfterIt",
                  "__global__ void k(float* p) {\nBEGIN\n  enum { one = 1 };\nEND\n  *p = one;\n}\n",
                  {"CH015 shade.cu:5"}},
        Placement{
            "BindingUsedAfterIt",
            "struct S { float a, b; };\n__global__ void k(float* p, S s) {\nBEGIN\n  auto [a, b] = s;\nEND\n  *p = "
            "a;\n}\n",
            {"CH015 shade.cu:6"}},
        Placement{"GotoIntoTheRegion",
                  "__global__ void k(float* p) {\n  if (*p > 0) goto in;\nBEGIN\n  *p = 1;\nin:\n  *p = 2;\nEND\n}\n",
                  {"CH016 shade.cu:2"}},
        Placement{"BreakInASwitchAroundIt",
                  "__global__ void k(float* p, int n) {\n  switch (n) {\n    case 1: {\nBEGIN\n      *p = 1;\n      "
                  "break;\nEND\n    }\n  }\n}\n",
                  {"CH019 shade.cu:6"}},
        Placement{"DefaultOfASwitchAroundIt",
                  "__global__ void k(float* p, int n) {\n  switch (n) {\n    case 1: *p = 0;\nBEGIN\n    default: *p = "
                  "1;\nEND\n  }\n}\n",
                  {"CH018 shade.cu:5"}},
        Placement{
            "GenericLambda",
            "__global__ void k(float* p) {\n  auto f = [](auto* q) {\nBEGIN\n    *q = 1;\nEND\n  };\n  f(p);\n}\n",
            {"CH014 shade.cu:3"}},
        Placement{"HostLambda",
                  "__global__ void k(float* p) { *p = 1; }\nauto f = [] {\nBEGIN\n  int i = 0; (void)i;\nEND\n};\n",
                  {"CH014 shade.cu:3"}}),
    [](const auto& each) { return each.param.name; });

TEST(Placement, InAHeaderThatIsIncludedTwiceIsRefusedAtTheSecond) {
  TestTu tu("#define NAME one\n#include \"body.inl\"\n#undef NAME\n#define NAME two\n#include \"body.inl\"\n");
  tu.file("body.inl",
          "__global__ void NAME(float* p) {\n#pragma cudahot begin(r)\n  *p = 1;\n#pragma cudahot end\n}\n");
  const ExtractReport report = tu.report();
  ASSERT_THAT(errors(report), ElementsAre("CH005 ./body.inl:2"));
  EXPECT_THAT(report.diagnostics[0].text, testing::HasSubstr("included more than once, and region 'r' with it"));
}

TEST(Placement, SameNameInTwoFilesIsRefused) {
  TestTu tu(
      "#include \"f.cuh\"\n__global__ void k(float* p) {\n#pragma cudahot begin(r)\n  *p = f(1);\n"
      "#pragma cudahot end\n}\n");
  tu.file("f.cuh", "__device__ float f(float x) {\n#pragma cudahot begin(r)\n#pragma cudahot end\n  return x;\n}\n");
  EXPECT_THAT(errors(tu.report()), ElementsAre("CH005 shade.cu:3"));
}

TEST(Placement, SeveralRegionsOfAKernelAndItsFunctionsMakeItHotTogether) {
  TestTu tu(
      "#include \"f.cuh\"\n"
      "__global__ void k(float* p) {\n"
      "#pragma cudahot begin(one)\n  *p = f(1);\n#pragma cudahot end\n"
      "#pragma cudahot begin(two)\n  *p += 1;\n#pragma cudahot end\n"
      "  if (*p > 0) {\n#pragma cudahot begin(three)\n    *p = 2;\n#pragma cudahot end\n  }\n}\n");
  tu.file("f.cuh",
          "#pragma once\ninline __device__ float f(float x) {\n#pragma cudahot begin(zero)\n  x += 1;\n"
          "#pragma cudahot end\n  return x;\n}\n");
  const region::Slice slice = tu.slice();
  EXPECT_THAT(slice.kernels.at(0).regions, ElementsAre("zero", "one", "two", "three"));
  EXPECT_EQ(body_text(slice, "zero"), "  x += 1;\n");
  EXPECT_EQ(body_text(slice, "three"), "    *p = 2;\n");
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

}  // namespace
}  // namespace cudahot::extract
