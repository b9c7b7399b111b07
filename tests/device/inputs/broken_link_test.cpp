// A call of a function that is declared and nowhere defined.
#include "tests/device/inputs/project.hpp"

namespace cudahot::inputs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class BrokenLink : public Project {
 protected:
  // The region is on line 4.
  static std::string declaring(const std::string& statement) {
    return fill_source(statement, "namespace scene { __device__ int missing(int); }\n");
  }
  void expect_refused(const Status& reloaded, std::uint32_t line, const char* name = "scene::missing(int)") const {
    ASSERT_FALSE(reloaded);
    ASSERT_THAT(reloaded.error().diagnostics, SizeIs(1));
    const Diagnostic& diagnostic = reloaded.error().diagnostics[0];
    EXPECT_THAT(diagnostic.text, HasSubstr(name));
    EXPECT_THAT(diagnostic.text, HasSubstr("defined nowhere"));
    EXPECT_EQ(diagnostic.location.file, path("fill.cu").string());
    EXPECT_EQ(diagnostic.location.line, line);
    EXPECT_NE(diagnostic.hint, "");
  }
};

TEST_F(BrokenLink, IsRefusedAtTheCallByTheNameOfTheFunctionAndTheOldKernelGoesOn) {
  const Fill fill = start_fill(Mode::manual, declaring(adding(1)));
  save("fill.cu", declaring("  const int more = 1;\n  out[0] = scene::missing(value) + more;"));
  expect_refused(runtime_->reload(), 5);
  EXPECT_EQ(run(fill, 5), 6);
  ASSERT_THAT(events_.events(), SizeIs(1));
  EXPECT_EQ(events_.events()[0].kind, Kind::failed);
}

TEST_F(BrokenLink, IsRefusedWhereTheEditAlsoDeclaresTheFunction) {
  const Fill fill = start_fill(Mode::manual, fill_source(adding(1)));
  save("fill.cu", declaring("  out[0] = scene::missing(value);"));
  expect_refused(runtime_->reload(), 4);
  EXPECT_EQ(run(fill, 5), 6);
}

TEST_F(BrokenLink, OfACFunctionIsNamedAsThatAndNotAsALibraryFunction) {
  const Fill fill = start_fill(Mode::manual, fill_source(adding(1)));
  save("fill.cu", fill_source("  out[0] = missing(value);", "extern \"C\" __device__ int missing(int);\n"));
  expect_refused(runtime_->reload(), 4, "missing");
  EXPECT_EQ(run(fill, 5), 6);
}

TEST_F(BrokenLink, OfAVariableIsNamedAsThat) {
  CUDAHOT_ONLY_ON_CPU("NVRTC defines such a variable, as nvcc does without -rdc, and says so");
  const Fill fill = start_fill(Mode::manual, fill_source(adding(1)));
  save("fill.cu", fill_source("  out[0] = missing;", "extern \"C\" { extern __device__ int missing; }\n"));
  expect_refused(runtime_->reload(), 4, "missing");
  EXPECT_EQ(run(fill, 5), 6);
}

TEST_F(BrokenLink, IsMendedByADefinition) {
  const Fill fill = start_fill(Mode::manual, declaring(adding(1)));
  save("fill.cu", declaring("  out[0] = scene::missing(value);"));
  EXPECT_FALSE(runtime_->reload());
  save("fill.cu", declaring("  out[0] = scene::missing(value);") +
                      "namespace scene { __device__ int missing(int x) { return 7 * x; } }\n");
  const Status reloaded = runtime_->reload();
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  EXPECT_EQ(run(fill, 5), 35);
}

TEST_F(BrokenLink, InTheSourceOfABundleIsNamedToo) {
  save("fill.cu", declaring("  out[0] = scene::missing(value);"));
  const auto refused = extract({"fill.cu"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("fill.cu:4:"));
  EXPECT_THAT(refused.err, HasSubstr("scene::missing(int)"));
}

}  // namespace
}  // namespace cudahot::inputs
