#include "lib/extract/refusals.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_tu.hpp"

namespace cudahot::extract {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Each source has the fault in a line that ends in "// here".
struct Case {
  const char* name;
  const char* id;
  const char* source;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class Refuses : public testing::TestWithParam<Case> {};

TEST_P(Refuses, WithItsIdAtItsLine) {
  const std::string source = GetParam().source;
  const auto mark = static_cast<std::ptrdiff_t>(source.find("// here"));
  const auto line = 1 + std::count(source.begin(), source.begin() + mark, '\n');
  const ExtractReport report = TestTu(source).report();
  EXPECT_FALSE(report.slice);
  EXPECT_THAT(errors(report), ElementsAre(std::string(GetParam().id) + " shade.cu:" + std::to_string(line)));
  for (const Diagnostic& diagnostic : report.diagnostics) {
    if (diagnostic.severity != Severity::error) continue;
    EXPECT_THAT(diagnostic.frame, HasSubstr("// here\n"));
    EXPECT_THAT(diagnostic.frame, HasSubstr("^"));
    EXPECT_FALSE(diagnostic.hint.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Source, Refuses,
    testing::Values(Case{"MalformedPragma", "CH001", R"cu(__global__ void k(float* p) {
#pragma cudahot begin shade // here
  *p = 1;
})cu"},
                    Case{"MalformedPragmaAndNotTheEndThatGoesWithIt", "CH001", R"cu(__global__ void k(float* p) {
#pragma cudahot begin shade // here
  *p = 1;
#pragma cudahot end
#pragma cudahot begin(more)
  *p = 2;
#pragma cudahot end
})cu"},
                    Case{"MalformedEndAndNotTheBeginThatGoesWithIt", "CH001", R"cu(__global__ void k(float* p) {
#pragma cudahot begin(shade)
  *p = 1;
#pragma cudahot ned // here
#pragma cudahot begin(more)
  *p = 2;
#pragma cudahot end
})cu"},
                    Case{"MalformedLastEndAndNotTheBeginThatGoesWithIt", "CH001", R"cu(__global__ void k(float* p) {
#pragma cudahot begin(shade)
  *p = 1;
#pragma cudahot ned // here
})cu"},
                    Case{"MalformedNestedPragmaAndNotTheEndThatGoesWithIt", "CH001", R"cu(__global__ void k(float* p) {
#pragma cudahot begin(outer)
#pragma cudahot begin inner // here
  *p = 1;
#pragma cudahot end
#pragma cudahot end
})cu"},
                    Case{"RegionThatIsNeverClosed", "CH002", R"cu(__global__ void k(float* p) {
#pragma cudahot begin(shade) // here
  *p = 1;
})cu"},
                    Case{"EndWithoutBegin", "CH003", R"cu(__global__ void k(float* p) {
  *p = 1;
#pragma cudahot end // here
})cu"},
                    Case{"NestedRegion", "CH004", R"cu(__global__ void k(float* p) {
#pragma cudahot begin(a)
#pragma cudahot begin(b) // here
  *p = 1;
#pragma cudahot end
})cu"},
                    Case{"RegionsThatOverlapAndNotTheLastEnd", "CH004", R"cu(__global__ void k(float* p) {
#pragma cudahot begin(a)
#pragma cudahot begin(b) // here
  *p = 1;
#pragma cudahot end(a)
#pragma cudahot end(b)
})cu"},
                    Case{"DuplicateName", "CH005", R"cu(__global__ void k(float* p) {
#pragma cudahot begin(a)
  *p = 1;
#pragma cudahot end
#pragma cudahot begin(a) // here
  *p = 2;
#pragma cudahot end
})cu"},
                    Case{"EndOfAnotherName", "CH006", R"cu(__global__ void k(float* p) {
#pragma cudahot begin(a)
  *p = 1;
#pragma cudahot end(b) // here
})cu"},
                    Case{"PragmaOperator", "CH007", R"cu(__global__ void k(float* p) {
  _Pragma("cudahot begin(a)") // here
  *p = 1;
})cu"},
                    Case{"PragmaFromMacro", "CH007", R"cu(#define BEGIN _Pragma("cudahot begin(a)")
__global__ void k(float* p) {
  BEGIN // here
  *p = 1;
})cu"},
                    Case{"PragmaFromMacroAndNotTheEndThatGoesWithIt", "CH007",
                         R"cu(#define BEGIN _Pragma("cudahot begin(a)")
__global__ void k(float* p) {
  BEGIN // here
  *p = 1;
#pragma cudahot end
})cu"},
                    Case{"BeginInsideCall", "CH010", R"cu(__device__ float f(float a, float b) { return a + b; }
__global__ void k(float* p) {
  *p = f(1,
#pragma cudahot begin(a) // here
         2);
#pragma cudahot end
})cu"},
                    Case{"EndInAnotherBlock", "CH011", R"cu(__global__ void k(float* p) {
#pragma cudahot begin(a)
  *p = 1;
  if (*p > 0) {
    *p = 2;
#pragma cudahot end // here
  }
})cu"},
                    Case{"EndBeforeTheSemicolon", "CH012", R"cu(__global__ void k(float* p) {
#pragma cudahot begin(a)
  *p = 1
#pragma cudahot end // here
  ;
})cu"},
                    Case{"RegionInHostFunction", "CH013", R"cu(__global__ void k(float* p) { *p = 1; }
void host(float* p) {
#pragma cudahot begin(a) // here
  *p = 2;
#pragma cudahot end
})cu"},
                    Case{"RegionInLambda", "CH014", R"cu(__global__ void k(float* p) {
  auto f = [=] {
#pragma cudahot begin(a) // here
    *p = 2;
#pragma cudahot end
  };
  f();
})cu"},
                    Case{"NameUsedAfterItsRegion", "CH015", R"cu(__global__ void k(float* p) {
#pragma cudahot begin(a)
  float inner = 2;
#pragma cudahot end
  *p = inner; // here
})cu"},
                    Case{"GotoOutOfRegion", "CH016", R"cu(__global__ void k(float* p) {
#pragma cudahot begin(a)
  if (*p > 0) goto done; // here
#pragma cudahot end
done:
  *p = 1;
})cu"},
                    Case{"AsmGoto", "CH017", R"cu(__global__ void k(float* p) {
#pragma cudahot begin(a)
  asm goto("" : : : : done); // here
done:
  *p = 1;
#pragma cudahot end
})cu"},
                    Case{"CaseOfOuterSwitch", "CH018", R"cu(__global__ void k(float* p, int n) {
  switch (n) {
    case 0:
      *p = 1;
#pragma cudahot begin(a)
    case 1: // here
      *p = 2;
#pragma cudahot end
  }
})cu"},
                    Case{"BreakOfOuterLoop", "CH019", R"cu(__global__ void k(float* p, int n) {
  for (int i = 0; i < n; ++i) {
#pragma cudahot begin(a)
    if (p[i] > 0) break; // here
    p[i] = 1;
#pragma cudahot end
  }
})cu"},
                    Case{"ContinueOfOuterLoop", "CH019", R"cu(__global__ void k(float* p, int n) {
  for (int i = 0; i < n; ++i) {
#pragma cudahot begin(a)
    switch (n) {
      case 1:
        continue; // here
    }
#pragma cudahot end
  }
})cu"},
                    Case{"ConditionalOverTheEdge", "CH021", R"cu(#define FAST 1
__global__ void k(float* p) {
#if FAST
  *p = 1;
#pragma cudahot begin(a)
  *p = 2;
#endif // here
#pragma cudahot end
})cu"},
                    Case{"RegionThatNoKernelReaches", "CH023", R"cu(__device__ void f(float* p) {
#pragma cudahot begin(a) // here
  *p = 1;
#pragma cudahot end
}
__global__ void k(float* p) { *p = 1; })cu"},
                    Case{"TemplateKernelOfALambdaOnly", "CH024", R"cu(template <class T>
__global__ void k(T f) { // here
#pragma cudahot begin(a)
  f();
#pragma cudahot end
}
void launch() { k<<<1, 1>>>([] __device__() {}); })cu"},
                    Case{"TemplateKernelWithoutInstance", "CH024", R"cu(template <class T>
__global__ void k(T* p) { // here
#pragma cudahot begin(a)
  *p = 1;
#pragma cudahot end
})cu"}),
    [](const auto& each) { return each.param.name; });

TEST(RefusalRules, AreInOrderOfTheirIds) {
  const auto rules = refusal_rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    EXPECT_EQ(&rule_of(static_cast<Refusal>(i)), &rules[i]);
    EXPECT_EQ(rules[i].refusal, static_cast<Refusal>(i));
    if (i > 0) {
      EXPECT_LT(rules[i - 1].id, rules[i].id);
    }
  }
}

TEST(Refusals, RegionThatBeginsInOneFileAndEndsInAnother) {
  TestTu tu(R"cu(__global__ void k(float* p) {
#include "first.inc"
#pragma cudahot end
})cu");
  tu.file("first.inc", "#pragma cudahot begin(a)\n*p = 1;\n");
  EXPECT_THAT(errors(tu.report()), ElementsAre("CH009 shade.cu:3"));
}

TEST(Refusals, IncludeInsideARegion) {
  TestTu tu(R"cu(__global__ void k(float* p) {
#pragma cudahot begin(a)
#include "body.inc"
#pragma cudahot end
})cu");
  tu.file("body.inc", "*p = 1;\n");
  EXPECT_THAT(errors(tu.report()), ElementsAre("CH020 shade.cu:3"));
}

// The device compiler would take the branch that Clang skips.
TEST(Refusals, IncludeInABranchThatIsNotTaken) {
  TestTu tu(R"cu(__global__ void k(float* p) {
#pragma cudahot begin(a)
#ifdef __CUDACC_RTC__
  %:include "body.inc"
#endif
#pragma cudahot end
})cu");
  EXPECT_THAT(errors(tu.report()), ElementsAre("CH020 shade.cu:4"));
}

TEST(Refusals, QuestionAboutAFileInsideARegion) {
  TestTu tu(R"cu(__global__ void k(float* p) {
#pragma cudahot begin(a)
#if __has_include("body.inc")
#endif
#pragma cudahot end
})cu");
  EXPECT_THAT(errors(tu.report()), ElementsAre("CH020 shade.cu:3"));
}

TEST(Refusals, ChainOfReasonsLeadsFromTheKernelToTheHost) {
  TestTu tu(R"cu(#include <vector>
struct Table { std::vector<float> values; };
__device__ float size_of(const Table& t) { return sizeof(t.values); }
__device__ float mix(float a) { return a + size_of(*(const Table*)0); }
__global__ void k(float* p) {
#pragma cudahot begin(a)
  *p = mix(1);
#pragma cudahot end
})cu");
  const ExtractReport report = tu.report();
  EXPECT_THAT(errors(report), ElementsAre("CH022 shade.cu:5"));
  ASSERT_FALSE(report.diagnostics.empty());
  EXPECT_THAT(report.diagnostics.back().text,
              HasSubstr("'k' uses 'mix', which uses 'size_of', which uses 'Table::values'"));
  EXPECT_THAT(report.diagnostics.back().text, HasSubstr("'std::vector' comes from the host header"));
}

TEST(Refusals, MissingIncludeIsOneErrorWithItsPlace) {
  const ExtractReport report = TestTu(R"cu(
#include "missing.cuh"
__global__ void k(float* p) {
#pragma cudahot begin(a)
  *p = undeclared;
#pragma cudahot end
})cu")
                                   .report();
  EXPECT_FALSE(report.slice);
  EXPECT_THAT(errors(report), ElementsAre("'missing.cuh' file not found shade.cu:2"));
  EXPECT_EQ(report.diagnostics.at(0).location.column, 10u);
  EXPECT_EQ(report.diagnostics.at(0).frame, "#include \"missing.cuh\"\n         ^~~~~~~~~~~~~\n");
}

TEST(Refusals, FrameMarksTheWholeExpressionThatClangMeans) {
  const ExtractReport report = TestTu(R"cu(static_assert(sizeof(int) == 5);
__global__ void k(float* p) {
#pragma cudahot begin(a)
  *p = 1;
#pragma cudahot end
})cu")
                                   .report();
  ASSERT_FALSE(report.diagnostics.empty());
  EXPECT_EQ(report.diagnostics[0].frame, "static_assert(sizeof(int) == 5);\n              ^~~~~~~~~~~~~~~~\n");
}

TEST(Refusals, ErrorInDeviceCodeIsLeftToTheDeviceCompiler) {
  const ExtractReport report = TestTu(R"cu(__global__ void k(float* p) {
#pragma cudahot begin(a)
  *p = undeclared;
#pragma cudahot end
})cu")
                                   .report();
  EXPECT_THAT(errors(report), IsEmpty());
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].severity, Severity::warning);
  EXPECT_EQ(report.diagnostics[0].location.line, 3u);
  EXPECT_TRUE(report.slice);
}

TEST(Refusals, ErrorInHostFunctionDoesNotCount) {
  const ExtractReport report = TestTu(R"cu(template <class T> __global__ void k(T* p) {
#pragma cudahot begin(a)
  *p = 1;
#pragma cudahot end
}
void host(float* p) { k<<<1, 1>>>(p); undeclared(); })cu")
                                   .report();
  EXPECT_THAT(report.diagnostics, IsEmpty());
  EXPECT_TRUE(report.slice);
}

TEST(Refusals, SyntaxErrorIsReportedInsteadOfWhatItDoesToTheRegionsEdges) {
  const ExtractReport report = TestTu(R"cu(__global__ void k(float* p) {
#pragma cudahot begin(a)
  int i = 0
#pragma cudahot end
})cu")
                                   .report();
  EXPECT_THAT(errors(report), ElementsAre("expected ';' at end of declaration shade.cu:3"));
  EXPECT_FALSE(report.slice);
}

TEST(Refusals, HostFunctionThatOnlyTurnsOutAtTheEndIsExplainedFromTheKernel) {
  const ExtractReport report = TestTu(R"cu(inline float on_host(float a) { return a; }
__host__ __device__ inline float both(float x) { return on_host(x); }
__global__ void k(float* p) {
#pragma cudahot begin(a)
  *p = both(*p);
#pragma cudahot end
})cu")
                                   .report();
  EXPECT_THAT(errors(report), ElementsAre("CH022 shade.cu:3"));
}

TEST(Refusals, FileWithoutRegionIsNoError) {
  const ExtractReport report = TestTu("__global__ void k(float* p) { *p = 1; }").report();
  EXPECT_EQ(report.region_count, 0u);
  EXPECT_FALSE(report.slice);
  EXPECT_THAT(report.diagnostics, IsEmpty());
}

}  // namespace
}  // namespace cudahot::extract
