// Regions of every kind, edited while the program runs.
#include "tests/device/inputs/project.hpp"

namespace cudahot::inputs {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Regions : public Project {
 protected:
  Fill fill(const std::string& name = "Fill") {
    auto kernel = runtime_->kernel<void(int*, int)>(name);
    EXPECT_TRUE(kernel) << kernel.error().message;
    return kernel;
  }

  // Whether the last reload did without cudahot-extract.
  bool was_spliced() const { return last_event().timings.extract == 0; }
  std::vector<std::string> regions() const { return last_event().regions; }
  ReloadEvent last_event() const {
    const auto events = events_.events();
    EXPECT_FALSE(events.empty());
    return events.empty() ? ReloadEvent{} : events.back();
  }

  void reload() {
    const Status reloaded = runtime_->reload();
    ASSERT_TRUE(reloaded) << reloaded.error().message;
  }
};

class FunctionRegion : public Regions {
 protected:
  static std::string source(const std::string& functions) {
    return "__device__ int twice(int x) { return 2 * x; }\n"
           "#pragma cudahot begin(fns)\n" +
           functions +
           "#pragma cudahot end\n"
           "__device__ int outer(int x) { return tone(x); }\n"
           "extern \"C\" __global__ void Other(int* out, int value) { out[0] = outer(value) + 1000; }\n";
  }
  static std::string kernel(const std::string& parameters, const std::string& statement) {
    return "extern \"C\" __global__ void Fill(" + parameters + ") {\n" + statement + "\n}\n";
  }
  static std::string functions(const std::string& tone, const std::string& statement) {
    return "__device__ int tone(int x) { return " + tone + "; }\n" + kernel("int* out, int value", statement);
  }

  void SetUp() override {
    Project::SetUp();
    if (IsSkipped()) return;
    save("fill.cu", source(functions("x", "  out[0] = tone(value);")));
    start(Mode::manual, {"fill.cu"});
    fill_ = fill();
    other_ = fill("Other");
  }
  std::string why_refused() {
    const Status reloaded = runtime_->reload();
    if (reloaded) return "not refused";
    std::string text = reloaded.error().message;
    for (const Diagnostic& each : reloaded.error().diagnostics) text += "\n" + each.text;
    return text;
  }

  Fill fill_;
  Fill other_;
};

TEST_F(FunctionRegion, MakesTheKernelsInItAndThoseThatReachItHot) {
  EXPECT_EQ(run(fill_, 5), 5);
  EXPECT_EQ(run(other_, 5), 1005);
}

TEST_F(FunctionRegion, TakesNewBodiesWithoutTheExtractor) {
  save("fill.cu", source(functions("x + 1", "  const int y = tone(value);\n\n  out[0] = 10 * y;")));
  reload();
  EXPECT_TRUE(was_spliced());
  EXPECT_THAT(regions(), ElementsAre("fns"));
  EXPECT_EQ(run(fill_, 5), 60);
  EXPECT_EQ(run(other_, 5), 1006);
  save("fill.cu", source(functions("x", "  out[0] = tone(value);")));
  reload();
  EXPECT_TRUE(last_event().cached);
  EXPECT_EQ(run(fill_, 5), 5);
}

TEST_F(FunctionRegion, TakesANewFunctionWithoutTheExtractor) {
  save("fill.cu", source("static __device__ int fresh(int x) { return twice(x) + 1; }\n" +
                         functions("fresh(x)", "  out[0] = tone(value);")));
  reload();
  EXPECT_TRUE(was_spliced());
  EXPECT_EQ(run(fill_, 5), 11);
  EXPECT_EQ(run(other_, 5), 1011);
}

// Code outside of the region may mean another function than before.
TEST_F(FunctionRegion, ExtractsAgainForAFunctionThatIsNamedOutside) {
  save("fill.cu", source("__device__ int tone(long x) { return x + 7; }\n" +
                         kernel("int* out, int value", "  out[0] = tone(value);")));
  reload();
  EXPECT_FALSE(was_spliced());
  EXPECT_THAT(regions(), ElementsAre("fns"));
  EXPECT_EQ(run(fill_, 5), 12);
  EXPECT_EQ(run(other_, 5), 1012);
}

TEST_F(FunctionRegion, TakesAKernelThatIsAddedAfterExtractingAgain) {
  save("fill.cu", source(functions("x", "  out[0] = tone(value);") +
                         "extern \"C\" __global__ void More(int* out, int value) { out[0] = value + 5; }\n"));
  reload();
  EXPECT_FALSE(was_spliced());
  EXPECT_EQ(run(fill_, 5), 5);
  const auto more = runtime_->kernel<void(int*, int)>("More");
  ASSERT_TRUE(more) << more.error().message;
  EXPECT_EQ(run(more, 5), 10);
}

TEST_F(FunctionRegion, RefusesAnotherSignatureWithItsNumbers) {
  save("fill.cu", source("__device__ int tone(int x) { return x; }\n" +
                         kernel("int* out, int value, float gain", "  out[0] = tone(value) * gain;")));
  EXPECT_THAT(why_refused(), AllOf(HasSubstr("'Fill' takes 3 parameters, but the program passes 2"),
                                   HasSubstr("parameter 3 (float gain) has 4 bytes")));
  save("fill.cu", source("__device__ int tone(int x) { return x; }\n" +
                         kernel("int* out, long value", "  out[0] = tone(value);")));
  EXPECT_THAT(why_refused(), HasSubstr("parameter 2 (long value) has 8 bytes, but the program passes 4 bytes"));
  save("fill.cu", source("__device__ int tone(int x) { return x; }\n" +
                         kernel("int* out, float value", "  out[0] = tone(value);")));
  EXPECT_THAT(why_refused(), HasSubstr("'Fill': parameter 2 was 'int', now 'float'; the program passes what it was"));
  EXPECT_EQ(run(fill_, 5), 5);
  save("fill.cu", source(functions("x + 2", "  out[0] = tone(value);")));
  reload();
  EXPECT_EQ(run(fill_, 5), 7);
}

TEST_F(FunctionRegion, RefusesToLoseAKernelThatTheProgramLaunches) {
  save("fill.cu", source("__device__ int tone(int x) { return x + 3; }\n"));
  EXPECT_THAT(why_refused(), HasSubstr("kernel 'Fill', which the program launches, is no longer hot"));
  save("fill.cu", source("__device__ int tone(int x) { return x + 3; }\nstruct S { int a; };\n"));
  EXPECT_THAT(why_refused(), HasSubstr("holds 'S', which is no function"));
  save("fill.cu", source("__device__ int tone(int x) { return x + 3;\n"));
  EXPECT_THAT(why_refused(), HasSubstr("'{' is not closed in the region"));
  EXPECT_EQ(run(fill_, 5), 5);
}

TEST_F(FunctionRegion, ReportsAnErrorAtItsLine) {
  save("fill.cu", source(functions("x", "  out[0] = tone(value);\n  out[0] = nope;")));
  const Status reloaded = runtime_->reload();
  ASSERT_FALSE(reloaded);
  ASSERT_FALSE(reloaded.error().diagnostics.empty());
  EXPECT_EQ(reloaded.error().diagnostics[0].location.file, path("fill.cu").string());
  EXPECT_EQ(reloaded.error().diagnostics[0].location.line, 6u);
}

// A region in the kernel, two in a header, one of them around a function.
class SeveralRegions : public Regions {
 protected:
  static std::string header(const std::string& step, const std::string& tone) {
    return "#pragma once\n"
           "inline __device__ int step(int x) {\n"
           "#pragma cudahot begin(step)\n  x += " +
           step +
           ";\n#pragma cudahot end\n"
           "  return x;\n}\n"
           "#pragma cudahot begin(tone)\n"
           "inline __device__ int tone(int x) { return " +
           tone +
           "; }\n"
           "#pragma cudahot end\n";
  }
  static std::string kernel(const std::string& first, const std::string& second) {
    return "#include \"parts/steps.cuh\"\n"
           "extern \"C\" __global__ void Fill(int* out, int value) {\n"
           "#pragma cudahot begin(first)\n" +
           first +
           "\n#pragma cudahot end\n"
           "#pragma cudahot begin(second)\n" +
           second +
           "\n#pragma cudahot end\n"
           "  out[0] = tone(step(value));\n}\n";
  }

  void SetUp() override {
    Project::SetUp();
    if (IsSkipped()) return;
    save("parts/steps.cuh", header("1", "x"));
    save("fill.cu", kernel("  value *= 2;", "  value += 100;"));
    start(Mode::manual, {"fill.cu"});
    fill_ = fill();
  }
  Fill fill_;
};

TEST_F(SeveralRegions, OfAHeaderGoLiveWithoutTheExtractor) {
  EXPECT_EQ(run(fill_, 5), 111);
  save("parts/steps.cuh", header("2", "x"));
  reload();
  EXPECT_TRUE(was_spliced());
  EXPECT_THAT(regions(), ElementsAre("step"));
  EXPECT_EQ(run(fill_, 5), 112);
  save("parts/steps.cuh", header("2", "x + 1000"));
  reload();
  EXPECT_TRUE(was_spliced());
  EXPECT_THAT(regions(), ElementsAre("tone"));
  EXPECT_EQ(run(fill_, 5), 1112);
}

TEST_F(SeveralRegions, OfTwoFilesGoLiveTogether) {
  save("parts/steps.cuh", header("3", "x * 10"));
  save("fill.cu", kernel("  value *= 3;", "\n  // nothing\n"));
  reload();
  EXPECT_TRUE(was_spliced());
  EXPECT_THAT(regions(), ::testing::UnorderedElementsAre("first", "second", "step", "tone"));
  EXPECT_EQ(run(fill_, 5), 180);
}

TEST_F(SeveralRegions, ErrorInAHeaderIsReportedInTheHeader) {
  save("parts/steps.cuh", header("nope", "x"));
  const Status reloaded = runtime_->reload();
  ASSERT_FALSE(reloaded);
  ASSERT_FALSE(reloaded.error().diagnostics.empty());
  EXPECT_EQ(std::filesystem::weakly_canonical(reloaded.error().diagnostics[0].location.file),
            std::filesystem::weakly_canonical(path("parts/steps.cuh")));
  EXPECT_EQ(reloaded.error().diagnostics[0].location.line, 4u);
  EXPECT_EQ(run(fill_, 5), 111);
}

TEST_F(SeveralRegions, JumpOutOfARegionIsRefusedByTheExtractor) {
  save("fill.cu", kernel("  for (int i = 0; i < 3; ++i) { if (i) break; value += 1; }", "  value += 100;"));
  reload();
  EXPECT_TRUE(was_spliced());
  EXPECT_EQ(run(fill_, 5), 107);
  save("fill.cu", kernel("  goto out;", "out:\n  value += 100;"));
  const Status reloaded = runtime_->reload();
  ASSERT_FALSE(reloaded);
  ASSERT_FALSE(reloaded.error().diagnostics.empty());
  EXPECT_EQ(reloaded.error().diagnostics[0].id, "CH016");
  EXPECT_EQ(run(fill_, 5), 107);
}

class RequestedInstances : public Regions {};

TEST_F(RequestedInstances, AreHeldByTheirNames) {
  const auto source = [](const std::string& factor) {
    return "template <class T, int N> __global__ void fill(int* out, int value) {\n"
           "#pragma cudahot begin(r)\n"
           "  out[0] = static_cast<int>(T(value) / 2 * " +
           factor +
           ") + N;\n"
           "#pragma cudahot end\n"
           "}\n"
           "#pragma cudahot instantiate(fill<float, 1>, fill<int, 2>)\n";
  };
  save("fill.cu", source("2"));
  start(Mode::manual, {"fill.cu"});
  const Fill of_float = fill("fill<float, 1>");
  const Fill of_int = fill("fill<int, 2>");
  EXPECT_EQ(run(of_float, 5), 6);
  EXPECT_EQ(run(of_int, 5), 6);
  save("fill.cu", source("4"));
  reload();
  EXPECT_TRUE(was_spliced());
  EXPECT_EQ(run(of_float, 5), 11);
  EXPECT_EQ(run(of_int, 5), 10);
}

}  // namespace
}  // namespace cudahot::inputs
