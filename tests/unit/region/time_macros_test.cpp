#include "lib/region/time_macros.hpp"

#include <gmock/gmock.h>

#include "tests/unit/region/example_slice.hpp"

namespace cudahot::region {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(UsedTimeMacros, AreFoundByNameAndThroughMacros) {
  const auto used = [](std::string_view text) { return used_time_macros(text, {}); };
  EXPECT_THAT(used("const char* a = __DATE__;\n"), ElementsAre(0));
  EXPECT_THAT(used("f(__TIME__, __TIMESTAMP__);\n"), ElementsAre(1, 2));
  EXPECT_THAT(used("#define A __TIME__\n#define B(x) A x\nf(B(1));\n"), ElementsAre(1));
  EXPECT_THAT(used("int x = __TI\\\nME__;\n"), ElementsAre(1));
  EXPECT_THAT(used("#define A __TIME__\nf();\n"), IsEmpty()) << "a macro that nobody uses";
  EXPECT_THAT(used("\"__DATE__\"; // __TIME__\n int __TIME__x;\n"), IsEmpty());
}

TEST(UsedTimeMacros, AreFoundThroughOptions) {
  EXPECT_THAT(used_time_macros("f(STAMP);\n", {"-DSTAMP=__DATE__"}), ElementsAre(0));
  EXPECT_THAT(used_time_macros("f(STAMP);\n", {"-D", "STAMP=__DATE__"}), ElementsAre(0));
  EXPECT_THAT(used_time_macros("f();\n", {"-DSTAMP=__DATE__"}), IsEmpty());
}

TEST(TimeStandIns, TakeThePlaceOfTheMacrosInCodeAndDirectives) {
  const std::pair<const char*, const char*> cases[] = {
      {"f(__DATE__);\n", "f(_ch_DATE);\n"},
      {"f(__TIME__);\n", "f(_ch_TIME);\n"},
      {"f(__TIMESTAMP__);\n", "f(_ch_TIMESTAMP);\n"},
      {"#define A(x) x __TIME__\n", "#define A(x) x _ch_TIME\n"},
      {"f(__TI\\\nME__, 1);\n", "f(_ch_TIME\\\n, 1);\n"},
      {"f(\"__DATE__\"); // __DATE__\n", "f(\"__DATE__\"); // __DATE__\n"},
      {"-DSTAMP=__DATE__", "-DSTAMP=_ch_DATE"},
      {"no time\n", "no time\n"},
  };
  for (const auto& [before, after] : cases) EXPECT_EQ(with_time_stand_ins(before), after);
}

TEST(TimeStandIns, AreCalledByTheMacrosNamesInMessages) {
  EXPECT_EQ(with_time_names("  f(_ch_DATE, _ch_TIMESTAMP);\n    ^"), "  f(__DATE__, __TIMESTAMP__);\n    ^");
}

TEST(Splice, LeavesTheFirstUseOfTheTimeToTheExtractor) {
  Slice slice = example_slice();
  const auto kind = [&](std::string_view body) {
    return splice(slice, 0, replaced(kExampleSource, "*p = 1;", body)).value().kind;
  };
  EXPECT_EQ(kind("*p = 9;"), SpliceOutcome::Kind::spliced);
  EXPECT_EQ(kind("*p = __TIME__[7];"), SpliceOutcome::Kind::needs_extraction);
  slice.options.emplace_back("-DSTAMP=__DATE__");
  EXPECT_EQ(kind("*p = STAMP[0];"), SpliceOutcome::Kind::needs_extraction);
}

TEST(Splice, TakesAUseOfATimeThatTheTextDefines) {
  Slice slice = example_slice();
  const std::string definition = time_definition(kTimeMacros[1], "12:00:00");
  slice.text.insert(0, definition);
  for (Region& region : slice.regions) {
    region.body.begin += definition.size();
    region.body.end += definition.size();
  }
  slice.segments.clear();
  const auto outcome = splice(slice, 0, replaced(kExampleSource, "*p = 1;", "*p = __TIME__[7];"));
  EXPECT_EQ(outcome.value().kind, SpliceOutcome::Kind::spliced);
}

}  // namespace
}  // namespace cudahot::region
