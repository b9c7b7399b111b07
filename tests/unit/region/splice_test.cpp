#include "lib/region/splice.hpp"

#include <gmock/gmock.h>

#include "tests/unit/region/example_slice.hpp"

namespace cudahot::region {
namespace {

using Kind = SpliceOutcome::Kind;

std::string body_of(const Slice& slice, std::size_t region) {
  return slice.text.substr(slice.regions[region].body.begin, slice.regions[region].body.size());
}

TEST(Splice, ReportsTheSameTextAsUnchanged) {
  const auto outcome = splice(example_slice(), 0, kExampleSource);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->kind, Kind::unchanged);
}

TEST(Splice, ReplacesARegionAndNothingElse) {
  const Slice slice = example_slice();
  const auto outcome = splice(slice, 0, replaced(kExampleSource, "*p = 2;", "*p = 22222;"));
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->kind, Kind::spliced);
  EXPECT_THAT(outcome->regions, testing::ElementsAre("two"));
  EXPECT_EQ(outcome->slice.text, replaced(slice.text, "*p = 2;", "*p = 22222;"));
  EXPECT_EQ(body_of(outcome->slice, 0), "  *p = 1;\n");
  EXPECT_EQ(body_of(outcome->slice, 1), "  *p = 22222;\n");
  EXPECT_EQ(outcome->slice.segments.back().range.end, outcome->slice.text.size());
}

TEST(Splice, RenumbersLinesOfTheFileAfterARegionThatGrew) {
  const auto outcome =
      splice(example_slice(), 0, replaced(kExampleSource, "  *p = 1;\n", "  *p = 1;\n  ++*p;\n  ++*p;\n"));
  ASSERT_TRUE(outcome);
  ASSERT_EQ(outcome->kind, Kind::spliced);
  const std::string& text = outcome->slice.text;
  EXPECT_THAT(text, testing::HasSubstr("#line 1 \"1/a.cuh\""));        // another file
  EXPECT_THAT(text, testing::HasSubstr("#line 2 \"0/a.cu\""));         // before the region
  EXPECT_THAT(text, testing::HasSubstr("#line 7 \"0/a.cu\"\n//"));     // 5 + 2
  EXPECT_THAT(text, testing::HasSubstr("#line 11 \"0/a.cu\"\n  ++"));  // 9 + 2
  EXPECT_THAT(text, testing::HasSubstr("#line 14 \"0/a.cu\"\n//"));    // 12 + 2
  EXPECT_EQ(body_of(outcome->slice, 0), "  *p = 1;\n  ++*p;\n  ++*p;\n");
  EXPECT_EQ(body_of(outcome->slice, 1), "  *p = 2;\n");
  EXPECT_EQ(outcome->slice.regions[0].first_line, 4u);
  EXPECT_EQ(outcome->slice.regions[1].first_line, 13u);
  EXPECT_EQ(outcome->slice.kernels[0].line, 2u);
  EXPECT_EQ(outcome->slice.kernels[1].line, 16u);
}

TEST(Splice, LeavesToTheExtractorWhatMovesLinesThatDirectivesOfTheUserNumber) {
  const std::string directive = "#line 100 \"a.y\"\n";
  const std::string source = replaced(kExampleSource, "  ++*p;\n", directive + "  ++*p;\n");
  Slice slice = example_slice();
  slice.files[0].content = base::digest(source);
  slice.files[0].outside_regions = digest_outside_regions(source, *find_region_bodies(source, "a.cu"));
  const auto kind = [&](std::string_view from, std::string_view to) {
    const auto outcome = splice(slice, 0, replaced(source, from, to));
    return outcome ? outcome->kind : Kind::unchanged;
  };
  EXPECT_EQ(kind("  *p = 1;\n", "  *p = 4;\n"), Kind::spliced);
  EXPECT_EQ(kind("  *p = 1;\n", "  *p =\n 4;\n"), Kind::needs_extraction);
  EXPECT_EQ(kind("  *p = 1;\n", directive), Kind::needs_extraction);
}

TEST(Splice, ReportsAnUnbalancedRegionWhereADirectiveOfTheUserSays) {
  const std::string source = replaced(kExampleSource, "  ++*p;\n", "#line 100 \"a.y\"\n  ++*p;\n");
  Slice slice = example_slice();
  slice.files[0].outside_regions = digest_outside_regions(source, *find_region_bodies(source, "a.cu"));
  const auto outcome = splice(slice, 0, replaced(source, "*p = 2;", "(*p = 2;"));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().location, (SourceLocation{"a.y", 102, 3}));
}

TEST(Splice, RoundTripsThroughEditAndUndo) {
  const Slice slice = example_slice();
  const std::string edited = replaced(replaced(kExampleSource, "  *p = 1;\n", ""), "  *p = 2;\n", "\n\n  *p = 5;\n");
  const auto there = splice(slice, 0, edited);
  ASSERT_TRUE(there);
  ASSERT_EQ(there->kind, Kind::spliced);
  EXPECT_THAT(there->regions, testing::ElementsAre("one", "two"));
  EXPECT_EQ(body_of(there->slice, 0), "");
  EXPECT_EQ(body_of(there->slice, 1), "\n\n  *p = 5;\n");
  const auto back = splice(there->slice, 0, kExampleSource);
  ASSERT_TRUE(back);
  ASSERT_EQ(back->kind, Kind::spliced);
  EXPECT_EQ(back->slice, slice);
}

TEST(Splice, AsksForExtractionWhenMoreThanRegionsChanged) {
  const std::string cases[] = {
      replaced(kExampleSource, "++*p", "--*p"),
      replaced(kExampleSource, "begin(two)", "begin(three)"),
      replaced(kExampleSource, "  *p = 1;\n", "#include \"b.cuh\"\n"),
      replaced(kExampleSource, "#pragma cudahot begin(one)\n  *p = 1;\n#pragma cudahot end\n", ""),
  };
  for (const std::string& text : cases) {
    const auto outcome = splice(example_slice(), 0, text);
    ASSERT_TRUE(outcome) << text;
    EXPECT_EQ(outcome->kind, Kind::needs_extraction) << text;
  }
}

TEST(Splice, AsksForExtractionWhenTextAloneDoesNotShowThatTheRegionKeepsToItself) {
  for (const std::string statement : {"*p = 1\n", "if (*p)\n", "else *p = 1;\n", "break;\n", "goto out;\n", "case 1:\n",
                                      "#define A 1\n", "#undef A\n"}) {
    const auto outcome = splice(example_slice(), 0, replaced(kExampleSource, "  *p = 1;\n", statement));
    ASSERT_TRUE(outcome) << statement;
    EXPECT_EQ(outcome->kind, Kind::needs_extraction) << statement;
  }
}

TEST(Splice, AsksForExtractionWhenARegionNamesAnotherFile) {
  for (const std::string line : {"%:include \"b.cuh\"\n", "# /* */ include \"b.cuh\"\n", "#inc\\\nlude \"b.cuh\"\n",
                                 "#ifdef A\n#include_next <b.cuh>\n#endif\n", "#import \"b.cuh\"\n",
                                 "#embed \"b.bin\"\n", "#if defined(A) || __has_include(\"b.cuh\")\n#endif\n"}) {
    const auto outcome = splice(example_slice(), 0, replaced(kExampleSource, "  *p = 1;\n", line));
    ASSERT_TRUE(outcome) << line;
    EXPECT_EQ(outcome->kind, Kind::needs_extraction) << line;
  }
}

// One of two alternatives is skipped: only the preprocessor can pair the pragmas.
TEST(Splice, AsksForExtractionWhenThePragmasNeverPairedAsText) {
  const std::string source =
      "#if A\n#pragma cudahot begin(one)\n1;\n#pragma cudahot end\n"
      "#else\n#pragma cudahot begin(one)\n2;\n#pragma cudahot end\n#endif\n";
  ASSERT_FALSE(find_region_bodies(source, "/src/a.cu"));
  Slice slice = example_slice();
  slice.files[0].content = slice.files[0].outside_regions = base::digest(source);
  const auto outcome = splice(slice, 0, replaced(source, "1;", "3;"));
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->kind, Kind::needs_extraction);
}

TEST(Splice, RefusesARegionThatWouldSwallowWhatFollows) {
  const auto outcome = splice(example_slice(), 0, replaced(kExampleSource, "*p = 2;", "{ *p = 2;"));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::source);
  EXPECT_EQ(outcome.error().location, (SourceLocation{"/src/a.cu", 11, 3}));
}

TEST(Splice, RefusesPragmasThatNoLongerPair) {
  const auto outcome = splice(example_slice(), 0, replaced(kExampleSource, "#pragma cudahot end\n\n", "\n"));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::source);
}

}  // namespace
}  // namespace cudahot::region
