// What an edit does, in manual mode: everything in the test's own thread.
#include <gmock/gmock.h>

#include "tests/unit/runtime/workbench.hpp"

namespace cudahot::runtime::testing {
namespace {

using Kind = ReloadEvent::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using Reload = Workbench;

TEST_F(Reload, RunsTheBundleWithoutACompileWhenTheSourceIsTheSame) {
  start(Mode::manual);
  const auto slot = bound();
  EXPECT_EQ(running(*slot), kSource);
  EXPECT_EQ(slot->info().generation, 0u);
  EXPECT_THAT(log_.events(), IsEmpty());
}

TEST_F(Reload, TakesUpASourceThatDiffersFromTheBundleBeforeBindReturns) {
  const std::string bundle(kSource);
  write(edited("out[0] = 2 * time;"));
  start(Mode::manual, bundle);
  const auto slot = bound();
  EXPECT_EQ(running(*slot), edited("out[0] = 2 * time;"));
  EXPECT_EQ(slot->info().generation, 1u);
}

TEST_F(Reload, PutsAnEditedRegionOnTheNextLaunch) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  write(edited("out[0] = 3 * time;"));
  ASSERT_TRUE(engine.reload());
  EXPECT_EQ(running(*slot), edited("out[0] = 3 * time;"));
  ASSERT_THAT(log_.events(), SizeIs(1));
  const ReloadEvent event = log_.events()[0];
  EXPECT_EQ(event.kind, Kind::live);
  EXPECT_EQ(event.kernel, "Shade");
  EXPECT_EQ(event.generation, 1u);
  EXPECT_THAT(event.regions, ElementsAre("shade"));
  EXPECT_FALSE(event.cached);
  EXPECT_GE(event.timings.total, event.timings.load + event.timings.check + event.timings.splice);
  EXPECT_EQ(compiler_.extractions, 0u);
}

TEST_F(Reload, KeepsTheLastGoodGenerationAndReportsABadEditOnceAtTheUsersLine) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  write(edited("SYNTAX_ERROR"));
  EXPECT_FALSE(engine.reload());
  EXPECT_FALSE(engine.reload());  // the same text: nothing new to say
  EXPECT_EQ(running(*slot), kSource);
  ASSERT_THAT(log_.events(), SizeIs(1));
  const ReloadEvent event = log_.events()[0];
  EXPECT_EQ(event.kind, Kind::failed);
  EXPECT_EQ(event.generation, 0u);
  ASSERT_THAT(event.error.diagnostics, SizeIs(1));
  EXPECT_EQ(event.error.diagnostics[0].location, (SourceLocation{path(), 3, 0}));
}

TEST_F(Reload, TellsOnceThatAFileIsGoneAndThatItIsBack) {
  write("#define GAIN 2\n", "gain.cuh");
  write("#include \"gain.cuh\"\n" + std::string(kSource));
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  for (const std::string& file : {path(), path("gain.cuh")}) {
    const std::size_t before = log_.events().size();
    std::filesystem::rename(file, path("away"));
    for (int i = 0; i < 2; ++i) {
      const Status gone = engine.reload();
      ASSERT_FALSE(gone);
      EXPECT_THAT(gone.error().message, HasSubstr(file));
    }
    ASSERT_THAT(log_.events(), SizeIs(before + 1));
    EXPECT_EQ(log_.events()[before].kind, ReloadEvent::Kind::failed);
    EXPECT_THAT(log_.events()[before].error.message, HasSubstr("its kernels go on as they are"));
    EXPECT_TRUE(launch(*slot));
    std::filesystem::rename(path("away"), file);
    EXPECT_TRUE(engine.reload());
    EXPECT_TRUE(engine.reload());
    ASSERT_THAT(log_.events(), SizeIs(before + 2));
    EXPECT_EQ(log_.events()[before + 1].kind, ReloadEvent::Kind::restored);
  }
}

TEST_F(Reload, SaysNothingOfASourceThatWasNeverOnThisMachine) {
  auto& engine = start(Mode::manual);
  std::filesystem::remove(path());
  bound();
  EXPECT_TRUE(engine.reload());
  EXPECT_THAT(log_.events(), IsEmpty());
}

TEST_F(Reload, TellsWhenTheTextReturnsToWhatRuns) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  write(edited("SYNTAX_ERROR"));
  EXPECT_FALSE(engine.reload());
  write(kSource);
  EXPECT_TRUE(engine.reload());
  ASSERT_THAT(log_.events(), SizeIs(2));
  EXPECT_EQ(log_.events()[1].kind, Kind::restored);
  EXPECT_EQ(slot->info().generation, 0u);
  EXPECT_EQ(driver_.loads(), 1u);
}

TEST_F(Reload, UndoesWithoutACompile) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  write(edited("out[0] = 3 * time;"));
  ASSERT_TRUE(engine.reload());
  write(kSource);
  ASSERT_TRUE(engine.reload());
  EXPECT_EQ(running(*slot), kSource);
  ASSERT_THAT(log_.events(), SizeIs(2));
  EXPECT_TRUE(log_.events()[1].cached);
  EXPECT_EQ(log_.events()[1].generation, 2u);
}

TEST_F(Reload, ReportsAnUnbalancedRegionWithoutCompilingIt) {
  auto& engine = start(Mode::manual);
  bound();
  const std::size_t compiles = compiler_.compiles;
  write(edited("out[0] = (time;"));
  EXPECT_FALSE(engine.reload());
  ASSERT_THAT(log_.events(), SizeIs(1));
  ASSERT_THAT(log_.events()[0].error.diagnostics, Not(IsEmpty()));
  EXPECT_EQ(log_.events()[0].error.diagnostics[0].location.file, path());
  EXPECT_EQ(log_.events()[0].error.diagnostics[0].location.line, 3u);
  EXPECT_EQ(compiler_.compiles, compiles);
}

TEST_F(Reload, ExtractsAgainWhenTextOutsideTheRegionsChanged) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  const std::string text = "#define TWICE 2\n" + edited("out[0] = TWICE * time;");
  write(text);
  ASSERT_TRUE(engine.reload());
  EXPECT_EQ(running(*slot), text);
  EXPECT_EQ(compiler_.extractions, 1u);
  EXPECT_THAT(log_.events()[0].regions, ElementsAre("shade"));
}

TEST_F(Reload, ExtractsAgainWhenARegionUsesANameThatTheSliceLeftOut) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  compiler_.adjust_slice = [](region::Slice& slice) { slice.text += "// declares LEFT_OUT\n"; };
  write(edited("out[0] = LEFT_OUT;"));
  ASSERT_TRUE(engine.reload());
  EXPECT_EQ(running(*slot), edited("out[0] = LEFT_OUT;") + "// declares LEFT_OUT\n");
  EXPECT_EQ(compiler_.extractions, 1u);
  ASSERT_THAT(log_.events(), SizeIs(1));
  EXPECT_THAT(log_.events()[0].regions, ElementsAre("shade"));
}

TEST_F(Reload, ExtractsAgainWhenARegionIsTheFirstToLaunchAKernel) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  compiler_.adjust_slice = [](region::Slice& slice) { slice.text += "// declares <<<\n"; };
  write(edited("other<<<1, 1>>>(out);"));
  ASSERT_TRUE(engine.reload());
  EXPECT_EQ(running(*slot), edited("other<<<1, 1>>>(out);") + "// declares <<<\n");
  EXPECT_EQ(compiler_.extractions, 1u);
}

TEST_F(Reload, ReportsANameThatNoExtractionFindsAtTheUsersLine) {
  auto& engine = start(Mode::manual);
  bound();
  write(edited("out[0] = LEFT_OUT;"));
  EXPECT_FALSE(engine.reload());
  EXPECT_EQ(compiler_.extractions, 1u);
  ASSERT_THAT(log_.events(), SizeIs(1));
  EXPECT_EQ(log_.events()[0].error.diagnostics[0].location, (SourceLocation{path(), 3, 0}));
}

TEST_F(Reload, BuildsOnAnExtractionWhoseCodeDidNotCompile) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  const std::string bad = "#define TWICE 2\n" + edited("SYNTAX_ERROR");
  const std::string mended = "#define TWICE 2\n" + edited("out[0] = TWICE * time;");
  write(bad);
  EXPECT_FALSE(engine.reload());
  write(mended);
  ASSERT_TRUE(engine.reload());
  EXPECT_EQ(running(*slot), mended);
  EXPECT_EQ(compiler_.extractions, 1u);
}

TEST_F(Reload, UndoesAnEditOutsideTheRegionsWithoutTheExtractor) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  const std::string text = "#define TWICE 2\n" + edited("out[0] = TWICE * time;");
  for (const std::string& saved : {text, std::string(kSource), text}) {
    write(saved);
    ASSERT_TRUE(engine.reload());
    EXPECT_EQ(running(*slot), saved);
  }
  EXPECT_EQ(compiler_.extractions, 1u);
  EXPECT_EQ(slot->info().generation, 3u);
}

TEST_F(Reload, ReportsWhatTheExtractorRefuses) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  write("// EXTRACT_ERROR\n" + std::string(kSource));
  EXPECT_FALSE(engine.reload());
  EXPECT_EQ(running(*slot), kSource);
  ASSERT_THAT(log_.events(), SizeIs(1));
  EXPECT_EQ(log_.events()[0].error.diagnostics[0].id, "CH001");
}

TEST_F(Reload, ExtractsAgainWhenAHeaderChanged) {
  write("inline float f() { return 1; }\n", "shade.cuh");
  write("#include \"shade.cuh\"\n" + std::string(kSource));
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  write("inline float f() { return 2; }\n", "shade.cuh");
  ASSERT_TRUE(engine.reload());
  EXPECT_THAT(running(*slot), HasSubstr("return 2;"));
  EXPECT_EQ(slot->info().generation, 1u);
}

TEST_F(Reload, RefusesAParameterOfAnotherSizeByPositionNameAndSizes) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  compiler_.adjust_slice = [](region::Slice& slice) { slice.kernels[0].parameters[2] = {"time", "double", 8, 16}; };
  write(replaced(std::string(kSource), "float time", "double time"));
  EXPECT_FALSE(engine.reload());
  EXPECT_EQ(running(*slot), kSource);
  ASSERT_THAT(log_.events(), SizeIs(1));
  const Error error = log_.events()[0].error;
  EXPECT_EQ(error.code, ErrorCode::mismatch);
  EXPECT_THAT(error.message, HasSubstr("parameter 3 (double time) has 8 bytes, but the program passes 4"));
  EXPECT_EQ(error.location, (SourceLocation{path(), 1, 0}));
}

TEST_F(Reload, RefusesAParameterOfAnotherTypeThoughItsSizeIsTheSame) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  compiler_.adjust_slice = [](region::Slice& slice) { slice.kernels[0].parameters[2] = {"time", "int", 4, 12, "int"}; };
  write(replaced(std::string(kSource), "float time", "int time"));
  const Status done = engine.reload();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::mismatch);
  EXPECT_THAT(done.error().message, HasSubstr("kernel 'Shade': parameter 3 was 'float', now 'int'"));
  EXPECT_EQ(done.error().location, (SourceLocation{path(), 1, 0}));
  EXPECT_EQ(running(*slot), kSource);
}

TEST_F(Reload, TakesAPointerToAnotherType) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  compiler_.adjust_slice = [](region::Slice& slice) {
    slice.kernels[0].parameters[0] = {"out", "float4 *", 8, 0, "pointer"};
  };
  const std::string text = replaced(std::string(kSource), "float* out", "float4* out");
  write(text);
  const Status done = engine.reload();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(running(*slot), text);
}

TEST_F(Reload, RefusesAnotherNumberOfParameters) {
  auto& engine = start(Mode::manual);
  bound();
  compiler_.adjust_slice = [](region::Slice& slice) { slice.kernels[0].parameters.pop_back(); };
  write(replaced(std::string(kSource), ", float time", ""));
  const Status done = engine.reload();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("takes 2 parameters, but the program passes 3"));
}

TEST_F(Reload, RefusesCodeThatLostABoundKernel) {
  auto& engine = start(Mode::manual);
  bound();
  compiler_.adjust_slice = [](region::Slice& slice) { slice.kernels[0].name = "Shade2"; };
  write(replaced(std::string(kSource), "Shade", "Shade2"));
  const Status done = engine.reload();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("kernel 'Shade', which the program launches"));
}

TEST_F(Reload, RefusesNewDeviceVariablesWithTheirNamesAndSizes) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  write(edited("static __device__ int counter; out[0] = counter;"));
  const Status done = engine.reload();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("__device__ 'counter' (4 bytes)"));
  EXPECT_EQ(running(*slot), kSource);
}

TEST_F(Reload, RunsGenerationZeroWithDeviceVariables) {
  write("__device__ int counter;\n" + std::string(kSource));
  start(Mode::manual);
  EXPECT_THAT(running(*bound()), HasSubstr("counter"));
}

TEST_F(Reload, RefusesCodeThatNeedsMoreRegistersThanTheLaunchSeenLeaves) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  ASSERT_TRUE(launch(*slot, 1024));
  compiler_.adjust = [](cache::Artifact& artifact) { artifact.kernels[0].registers = 72; };
  write(edited("out[0] = 3 * time;"));
  const Status done = engine.reload();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("72 registers a thread"));
}

TEST_F(Reload, HoldsNoLaunchThatFailedAgainstAnEdit) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  driver_.fail_launches(CUDA_ERROR_INVALID_VALUE);
  EXPECT_FALSE(launch(*slot, 1024));
  driver_.fail_launches(CUDA_SUCCESS);
  compiler_.adjust = [](cache::Artifact& artifact) { artifact.kernels[0].max_threads = 256; };
  write(edited("out[0] = 3 * time;"));
  const Status done = engine.reload();
  EXPECT_TRUE(done) << done.error().message;
}

TEST_F(Reload, PublishesNothingWhenOnlyTextChangedThatDoesNotReachTheDevice) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  compiler_.adjust_slice = [](region::Slice& slice) { slice.text = kSource; };
  write("// host code\n" + std::string(kSource));
  EXPECT_TRUE(engine.reload());
  EXPECT_THAT(log_.events(), IsEmpty());
  EXPECT_EQ(slot->info().generation, 0u);
  EXPECT_EQ(driver_.loads(), 1u);
}

TEST_F(Reload, PublishesNothingWhenAnEditOutsideTheRegionsGivesTheSameCode) {
  compiler_.adjust = [](cache::Artifact& artifact) { artifact.blob = "Shade"; };
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  write("// a line more\n" + std::string(kSource));
  EXPECT_TRUE(engine.reload());
  EXPECT_EQ(slot->info().generation, 0u);
  write("// a line more\n" + edited("out[0] = time; // a word"));
  EXPECT_TRUE(engine.reload());
  EXPECT_EQ(slot->info().generation, 1u);  // an edit of a region is answered
}

TEST_F(Reload, KeepsTheOldGenerationWhenTheDriverRefusesTheNewOne) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  driver_.fail_loads(CUDA_ERROR_OUT_OF_MEMORY);
  write(edited("out[0] = 3 * time;"));
  const Status done = engine.reload();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("CUDA_ERROR_OUT_OF_MEMORY"));
  driver_.fail_loads(CUDA_SUCCESS);
  EXPECT_EQ(running(*slot), kSource);
}

TEST_F(Reload, LoadsNothingWhileACaptureIsOpenAndTakesTheEditUpAfterIt) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  write(edited("out[0] = 3 * time;"));
  driver_.set_capture(true);
  const Status waiting = engine.reload();
  ASSERT_FALSE(waiting);
  EXPECT_EQ(waiting.error().code, ErrorCode::busy);
  EXPECT_EQ(running(*slot), kSource);
  driver_.set_capture(false);
  EXPECT_TRUE(engine.reload());
  EXPECT_EQ(running(*slot), edited("out[0] = 3 * time;"));
  ASSERT_THAT(log_.events(), SizeIs(1));
  EXPECT_FALSE(log_.events()[0].cached);  // it was compiled for this, before the wait
}

TEST_F(Reload, ForgetsAnEditThatWasUndoneWhileACaptureWasOpen) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  write(edited("out[0] = 3 * time;"));
  driver_.set_capture(true);
  EXPECT_FALSE(engine.reload());
  write(kSource);
  EXPECT_TRUE(engine.reload());
  driver_.set_capture(false);
  EXPECT_TRUE(engine.reload());
  EXPECT_EQ(running(*slot), kSource);
  EXPECT_THAT(log_.events(), IsEmpty());
}

TEST_F(Reload, StopsWhenTheContextDiedAndReportsItOnceWithTheGeneration) {
  auto& engine = start(Mode::manual);
  const auto slot = bound();
  write(edited("out[0] = 3 * time;"));
  ASSERT_TRUE(engine.reload());
  driver_.fail_launches(CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_FALSE(launch(*slot));
  EXPECT_FALSE(launch(*slot));
  write(edited("out[0] = 4 * time;"));
  EXPECT_FALSE(engine.reload());
  EXPECT_FALSE(engine.reload());
  ASSERT_THAT(log_.events(), SizeIs(2));
  EXPECT_EQ(log_.events()[1].kind, Kind::failed);
  EXPECT_THAT(log_.events()[1].error.message, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS while Shade generation 1"));
  EXPECT_EQ(driver_.loads(), 2u);
}

}  // namespace
}  // namespace cudahot::runtime::testing
