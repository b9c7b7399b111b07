#include "lib/build/diagnostics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/build/slices.hpp"

namespace cudahot::build {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::SliceMaker;

region::Slice slice_with_header() {
  auto slice = SliceMaker()
                   .prefix("#line 1 \"shade.cu\"\n__device__ float missing(float);\n")
                   .kernel("Shade", "__global__ void Shade(float* out) {\n", "  out[0] = missing(1);\n", "}\n")
                   .make();
  region::FileRecord header;
  header.path = "/home/user/inc/noise (old).cuh";
  header.virtual_name = "inc/noise (old).cuh";
  header.role = region::FileRecord::Role::user_header;
  slice.files.push_back(header);
  slice.kernels.front().mangled_name = "_Z5ShadePf";
  slice.kernels.front().line = 2;
  return slice;
}

TEST(ParseCompilerLog, MapsFileLineAndColumn) {
  const auto all = parse_compiler_log(
      "shade.cu(7): error: identifier \"nope\" is undefined\n"
      "  \tp[0] = nope + 1;\n"
      "  \t       ^\n"
      "\n"
      "1 error detected in the compilation of \"shade.cu\".\n",
      slice_with_header());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].severity, Severity::error);
  EXPECT_EQ(all[0].text, "identifier \"nope\" is undefined");
  EXPECT_EQ(all[0].location, (SourceLocation{"/home/user/shade.cu", 7, 9}));
  EXPECT_EQ(all[0].frame, "\tp[0] = nope + 1;\n\t       ^\n");
}

TEST(ParseCompilerLog, ShowsThePartOfAVeryLongLineThatTheCaretPointsAt) {
  const std::string before(5000, 'b');
  const auto all = parse_compiler_log(
      "shade.cu(7): error: no\n  " + before + "nope" + before + "\n  " + std::string(5000, ' ') + "^\n\n",
      slice_with_header());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].location.column, 5001u);
  EXPECT_EQ(all[0].frame, std::string(100, 'b') + "nope" + std::string(96, 'b') + "\n" + std::string(100, ' ') + "^\n");
}

TEST(ParseCompilerLog, MapsNamesWithParenthesesAndSpaces) {
  const auto all =
      parse_compiler_log("inc/noise (old).cuh(3): error: expected a \";\"\n  x\n   ^\n\n", slice_with_header());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].location, (SourceLocation{"/home/user/inc/noise (old).cuh", 3, 2}));
}

TEST(ParseCompilerLog, KeepsTheNumberOfAWarningAndDropsTheRemark) {
  const auto all = parse_compiler_log(
      "shade.cu(7): warning #177-D: variable \"q\" was declared but never referenced\n"
      "  \tint q;\n"
      "  \t    ^\n"
      "\n"
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n"
      "\n",
      slice_with_header());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].severity, Severity::warning);
  EXPECT_EQ(all[0].text, "variable \"q\" was declared but never referenced [#177-D]");
}

TEST(ParseCompilerLog, ChainOfInstantiationsBecomesNotes) {
  const auto all = parse_compiler_log(
      "shade.cu(2): error: expression must have class type but it has type \"float\"\n"
      "  template<class T> __device__ T f(T a){ return a.x; }\n"
      "                                                ^\n"
      "          detected during:\n"
      "            instantiation of \"T f(T) [with T=float]\" at line 3\n"
      "            instantiation of \"T g(T) [with T=float]\" at line 7 of \"inc/noise (old).cuh\"\n"
      "\n",
      slice_with_header());
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].severity, Severity::error);
  EXPECT_EQ(all[1].severity, Severity::note);
  EXPECT_EQ(all[1].text, "in instantiation of \"T f(T) [with T=float]\"");
  EXPECT_EQ(all[1].location, (SourceLocation{"/home/user/shade.cu", 3, 0}));
  EXPECT_EQ(all[2].location, (SourceLocation{"/home/user/inc/noise (old).cuh", 7, 0}));
}

TEST(ParseCompilerLog, TextOverSeveralLinesIsOneText) {
  const auto all = parse_compiler_log(
      "shade.cu(4): error: no instance of overloaded function \"f\" matches the argument list\n"
      "            argument types are: (const char [2])\n"
      "    f(\"x\");\n"
      "    ^\n"
      "\n",
      slice_with_header());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].text,
            "no instance of overloaded function \"f\" matches the argument list; argument types are: (const char [2])");
  EXPECT_EQ(all[0].frame, "  f(\"x\");\n  ^\n");
}

TEST(ParseCompilerLog, SameMessageAtTheSamePlaceComesOnce) {
  const std::string once = "shade.cu(7): error: identifier \"nope\" is undefined\n  nope\n  ^\n\n";
  const auto other = "shade.cu(8): error: identifier \"nope\" is undefined\n  nope\n  ^\n\n";
  EXPECT_EQ(parse_compiler_log(once + once + other, slice_with_header()).size(), 2u);
}

TEST(ParseCompilerLog, PragmasOfOursAndOfHostCompilersAreNoWarnings) {
  for (const char* pragma : {"cudahot begin(x)", "GCC diagnostic push", "clang diagnostic pop", "diag_suppress 2653"}) {
    EXPECT_THAT(parse_compiler_log(std::string("shade.cu(5): warning #161-D: unrecognized #pragma\n  \t#pragma ") +
                                       pragma + "\n  \t        ^\n\n",
                                   slice_with_header()),
                IsEmpty())
        << pragma;
  }
  EXPECT_EQ(parse_compiler_log("shade.cu(5): warning #161-D: unrecognized #pragma\n"
                               "  #pragma unrol\n"
                               "          ^\n\n",
                               slice_with_header())
                .size(),
            1u);
}

TEST(ParseCompilerLog, UnresolvedFunctionOfPtxasIsFoundInTheSource) {
  const auto all =
      parse_compiler_log("ptxas fatal   : Unresolved extern function '_Z7missingf'\n", slice_with_header());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].severity, Severity::error);
  EXPECT_EQ(all[0].text, "Unresolved extern function 'missing(float)'");
  EXPECT_EQ(all[0].location.file, "/home/user/shade.cu");
  EXPECT_EQ(all[0].location.line, 3u);
  EXPECT_FALSE(all[0].hint.empty());
}

TEST(ParseCompilerLog, PtxasMessageAboutAKernelIsAtTheKernel) {
  const auto all = parse_compiler_log(
      "ptxas info    : Compiling entry function '_Z5ShadePf' for 'sm_90'\n"
      "ptxas error   : Entry function '_Z5ShadePf' uses too much shared data (0x20000 bytes, 0xc000 max)\n",
      slice_with_header());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].location, (SourceLocation{"/home/user/shade.cu", 2, 0}));
  EXPECT_THAT(all[0].text, HasSubstr("'Shade(float*)' uses too much shared data"));
}

TEST(ParseCompilerLog, PlacesWhatPtxasSaysOfAssemblyAtTheFirstStatementInARegion) {
  const auto slice = SliceMaker()
                         .prefix("#line 1 \"shade.cu\"\n")
                         .kernel("Shade", "__global__ void Shade() {\n  asm(\"exit;\");\n",
                                 "  asm volatile(\"exit};\");\n  asm(\"trap;\");\n", "}\n")
                         .make();
  const auto all = parse_compiler_log(
      "ptxas application ptx input, line 50; error   : Parsing error near '}': syntax error\n"
      "ptxas fatal   : Ptx assembly aborted due to errors\n",
      slice);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].text, "Parsing error near '}': syntax error");
  EXPECT_EQ(all[0].location, (SourceLocation{"/home/user/shade.cu", 3, 3}));
  EXPECT_THAT(all[0].hint, HasSubstr("perhaps not the one"));
}

TEST(ParseCompilerLog, ErrorsOfTheCompilerItselfHaveNoPlace) {
  const auto all =
      parse_compiler_log("nvrtc: error: invalid value for --gpu-architecture (-arch)\n", slice_with_header());
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].text, "invalid value for --gpu-architecture (-arch)");
  EXPECT_TRUE(all[0].location.file.empty());
}

TEST(SourceError, TakesTheFirstErrorAndCountsTheOthers) {
  const Error error = source_error(
      "shade.cu(1): warning #1-D: last line\n\n"
      "shade.cu(7): error: one\n\nshade.cu(8): error: two\n\nshade.cu(9): error: three\n\n",
      slice_with_header());
  EXPECT_EQ(error.code, ErrorCode::source);
  EXPECT_EQ(error.message, "one (and 2 more errors)");
  EXPECT_EQ(error.location.line, 7u);
  EXPECT_EQ(error.diagnostics.size(), 4u);
}

TEST(SourceError, LogOfNoKnownFormIsKept) {
  const Error error = source_error("something went wrong\n", slice_with_header());
  EXPECT_EQ(error.message, "something went wrong");
  EXPECT_EQ(error.diagnostics.size(), 1u);
}

Diagnostic message_at(Severity severity, const std::string& file, std::uint32_t line) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.location.file = file;
  diagnostic.location.line = line;
  diagnostic.text = "text";
  return diagnostic;
}

TEST(Render, PutsFrameAndHintBelowThePlace) {
  Diagnostic diagnostic = message_at(Severity::error, "shade.cu", 12);
  diagnostic.location.column = 3;
  diagnostic.id = "CH012";
  diagnostic.frame = "#pragma cudahot\n^\n";
  diagnostic.hint = "write begin(NAME)";
  EXPECT_EQ(render(diagnostic),
            "shade.cu:12:3: error: text [CH012]\n"
            "  #pragma cudahot\n"
            "  ^\n"
            "  hint: write begin(NAME)");
}

TEST(Render, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(render(message_at(Severity::warning, "shade.cu", 12)), "shade.cu:12: warning: text");
  EXPECT_EQ(render(message_at(Severity::note, "shade.cu", 0)), "shade.cu: note: text");
  EXPECT_EQ(render(message_at(Severity::error, "", 0)), "error: text");
}

}  // namespace
}  // namespace cudahot::build
