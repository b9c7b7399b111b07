#include "lib/build/symbols.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/build/slices.hpp"

namespace cudahot::build {
namespace {

using Binding = cuda::CubinSymbol::Binding;
using Kind = cuda::CubinSymbol::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

SymbolInput input(std::string name, std::vector<cuda::CubinSymbol> symbols) {
  SymbolInput made;
  made.name = std::move(name);
  made.info.symbols = std::move(symbols);
  return made;
}

cuda::CubinSymbol defined(std::string name, Binding binding = Binding::global, Kind kind = Kind::function) {
  return {std::move(name), kind, binding, true, ".text", 8};
}

cuda::CubinSymbol needed(std::string name, Binding binding = Binding::global) {
  return {std::move(name), Kind::function, binding, false, "", 0};
}

TEST(CheckSymbols, FindsWhatTwoInputsDefine) {
  const auto problems = check_symbols({input("the kernels", {defined("f")}), input("the helpers", {defined("f")})});
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].kind, SymbolProblem::Kind::duplicate);
  EXPECT_EQ(problems[0].symbol, "f");
  EXPECT_EQ(problems[0].first_input, "the kernels");
  EXPECT_EQ(problems[0].second_input, "the helpers");
}

TEST(CheckSymbols, WeakAndLocalDefinitionsMayRepeat) {
  EXPECT_THAT(check_symbols({input("a", {defined("w", Binding::weak), defined("l", Binding::local)}),
                             input("b", {defined("w", Binding::weak), defined("l", Binding::local), defined("w")})}),
              IsEmpty());
}

TEST(CheckSymbols, FindsWhatNobodyDefinesOnce) {
  const auto problems = check_symbols(
      {input("the kernels", {needed("f"), needed("g")}), input("the helpers", {needed("g"), defined("f")})});
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].kind, SymbolProblem::Kind::unresolved);
  EXPECT_EQ(problems[0].symbol, "g");
  EXPECT_EQ(problems[0].first_input, "the kernels");
}

TEST(CheckSymbols, DriverFunctionsAndWeakReferencesAreNotMissing) {
  EXPECT_THAT(check_symbols({input("a", {needed("vprintf"), needed("malloc"), needed("free"), needed("__assertfail"),
                                         needed(".nv.reservedSmem.offset0", Binding::weak)})}),
              IsEmpty());
}

TEST(SplitVariables, FindsAVariableThatBothHalvesHold) {
  const auto a =
      input("a", {defined("st", Binding::local, Kind::variable), defined("$str", Binding::local, Kind::variable),
                  defined("only_a", Binding::local, Kind::variable)});
  const auto b = input("b", {defined("st", Binding::local, Kind::variable),
                             defined("$str", Binding::local, Kind::variable), defined("f", Binding::local)});
  EXPECT_THAT(split_variables(a.info, b.info), ElementsAre("st"));
}

TEST(Demangle, LeavesOtherNamesAlone) {
  EXPECT_EQ(demangle("_Z7missingf"), "missing(float)");
  EXPECT_EQ(demangle("missing"), "missing");
  EXPECT_EQ(demangle("f"), "f");
  EXPECT_EQ(demangle("_Zbroken"), "_Zbroken");
}

TEST(SymbolError, NamesSymbolAndLine) {
  const auto slice = testing::SliceMaker()
                         .prefix("#line 1 \"shade.cu\"\nnamespace ns { __device__ float missing(float); }\n")
                         .kernel("K", "__global__ void K(float* p) {\n", "  p[0] = ns::missing(1);\n", "}\n")
                         .make();
  const Error error = symbol_error({{SymbolProblem::Kind::unresolved, "_ZN2ns7missingEf", "the kernels", ""}}, slice);
  EXPECT_EQ(error.code, ErrorCode::link);
  EXPECT_EQ(
      error.message,
      "'ns::missing(float)' is used by the kernels, but defined nowhere; define it as a __device__ function in this "
      "file, or include the header that does");
  EXPECT_EQ(error.location, (SourceLocation{"/home/user/shade.cu", 3, 14}));
}

}  // namespace
}  // namespace cudahot::build
