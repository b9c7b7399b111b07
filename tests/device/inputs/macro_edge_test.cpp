// Regions and macros: a region may use macros, its pragmas may not come from one.
#include "tests/device/inputs/project.hpp"

namespace cudahot::inputs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class MacroEdge : public Project {
 protected:
  static std::string shading(const std::string& statement) {
    return fill_source(statement, "#include \"shade.cuh\"\n");
  }
  static std::string header(const std::string& expression) { return "#define SHADE(x) (" + expression + ")\n"; }
};

TEST_F(MacroEdge, RegionUsesAMacroOfAHeaderBeforeAndAfterItsEdit) {
  save("shade.cuh", header("2 * (x)"));
  const Fill fill = start_fill(Mode::manual, shading("  out[0] = SHADE(value);"));
  EXPECT_EQ(run(fill, 5), 10);

  save("fill.cu", shading("  out[0] = SHADE(value + 1) + SHADE(1);"));
  const Status reloaded = runtime_->reload();
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  EXPECT_EQ(run(fill, 5), 14);
  ASSERT_THAT(events_.events(), SizeIs(1));
  EXPECT_THAT(events_.events()[0].regions, ElementsAre("fill"));
  EXPECT_EQ(events_.events()[0].timings.extract, 0);  // spliced
}

TEST_F(MacroEdge, EditOfTheMacroReachesTheRegion) {
  save("shade.cuh", header("2 * (x)"));
  const Fill fill = start_fill(Mode::manual, shading("  out[0] = SHADE(value);"));
  save("shade.cuh", header("3 * (x)"));
  const Status reloaded = runtime_->reload();
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  EXPECT_EQ(run(fill, 5), 15);
}

TEST_F(MacroEdge, ErrorInsideTheMacroIsReportedOnceAndTheOldKernelGoesOn) {
  save("shade.cuh", header("2 * (x)"));
  const Fill fill = start_fill(Mode::manual, shading("  out[0] = SHADE(value);"));
  save("shade.cuh", header("2 * (x) +"));
  EXPECT_FALSE(runtime_->reload());
  EXPECT_FALSE(runtime_->reload());
  ASSERT_THAT(events_.events(), SizeIs(1));
  ASSERT_FALSE(events_.events()[0].error.diagnostics.empty());
  EXPECT_EQ(run(fill, 5), 10);
}

// Lines:                           1
constexpr const char* kFromMacro =
    "#define OPEN _Pragma(\"cudahot begin(fill)\")\n"
    "extern \"C\" __global__ void Fill(int* out, int value) {\n"
    "  OPEN\n"
    "  out[0] = value;\n"
    "#pragma cudahot end\n"
    "}\n";

TEST_F(MacroEdge, RegionThatAMacroOpensIsRefusedWithPlaceAndHint) {
  save("fill.cu", kFromMacro);
  const auto refused = extract({"fill.cu"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("fill.cu:3:3: error: "));
  EXPECT_THAT(refused.err, HasSubstr("CH007"));
  EXPECT_THAT(refused.err, HasSubstr("hint: "));
  EXPECT_FALSE(std::filesystem::exists(path("project.cudahot")));
}

// What looks at edits sees no macros: to it, the end has no begin.
TEST_F(MacroEdge, EditThatOpensTheRegionInAMacroIsRefusedAndTheOldKernelGoesOn) {
  const Fill fill = start_fill(Mode::manual, fill_source(adding(1)));
  save("fill.cu", kFromMacro);
  const Status reloaded = runtime_->reload();
  ASSERT_FALSE(reloaded);
  ASSERT_FALSE(reloaded.error().diagnostics.empty());
  const Diagnostic& diagnostic = reloaded.error().diagnostics[0];
  EXPECT_EQ(diagnostic.id, "CH003");
  EXPECT_EQ(diagnostic.location.file, path("fill.cu").string());
  EXPECT_EQ(diagnostic.location.line, 5u);
  EXPECT_THAT(diagnostic.hint, HasSubstr("a begin that comes from a macro does not count"));
  EXPECT_EQ(run(fill, 5), 6);
}

}  // namespace
}  // namespace cudahot::inputs
