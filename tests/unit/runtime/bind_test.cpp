// What kernel() gives, and what a launch needs.
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>

#include "tests/unit/runtime/workbench.hpp"

namespace cudahot::runtime::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Bind = Workbench;

TEST_F(Bind, NamesTheKernelsThereAreWhenTheOneAskedForIsNot) {
  start(Mode::off);
  const auto slot = bind("Shadow");
  ASSERT_FALSE(slot);
  EXPECT_EQ(slot.error().code, ErrorCode::not_found);
  EXPECT_EQ(slot.error().message, "kernel 'Shadow' is not there; bundle 'test' has: Shade");
}

TEST_F(Bind, TakesTheEndOfTheFilesPathBeforeTheKernel) {
  start(Mode::off);
  const auto slot = bound();
  for (const std::string& name : {std::string("shade.cu:Shade"), path() + ":Shade"}) {
    const auto same = bind(name);
    ASSERT_TRUE(same) << same.error().message;
    EXPECT_EQ(*same, slot);
  }
  for (const std::string name :
       {"ade.cu:Shade", "other.cu:Shade", "scene::Shade", "shade.cu:scene::Shade", ":Shade:"}) {
    const auto other = bind(name);
    ASSERT_FALSE(other) << name;
    EXPECT_EQ(other.error().code, ErrorCode::not_found);
  }
  EXPECT_EQ(bind("other.cu:Shade").error().message,
            "kernel 'Shade' is not in a file 'other.cu'; bundle 'test' has: Shade");
}

TEST_F(Bind, RefusesANameThatTwoFilesOfABundleHaveUntilTheFileIsNamed) {
  more_slices_ = {{slice_of(path("twin.cu"), std::string(kSource))}};
  start(Mode::off);
  const auto either = bind("Shade");
  ASSERT_FALSE(either);
  EXPECT_EQ(either.error().code, ErrorCode::usage);
  EXPECT_EQ(either.error().message, "kernel 'Shade' is in '" + path() + "' and in '" + path("twin.cu") +
                                        "': ask for one of them, as in \"shade.cu:Shade\"");
  const auto twin = bind("twin.cu:Shade");
  ASSERT_TRUE(twin) << twin.error().message;
  EXPECT_EQ((*twin)->info().source, path("twin.cu"));
}

TEST_F(Bind, NamesTheWholePathWhereTwoFilesHaveTheSameName) {
  const std::string twin = path("other/shade.cu");
  more_slices_ = {{slice_of(twin, std::string(kSource))}};
  start(Mode::off);
  const auto either = bind("shade.cu:Shade");
  ASSERT_FALSE(either);
  EXPECT_EQ(either.error().message, "kernel 'Shade' is in '" + path() + "' and in '" + twin +
                                        "': ask for one of them, as in \"" + path() + ":Shade\"");
  const auto one = bind(path() + ":Shade");
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ((*one)->info().source, path());
}

TEST_F(Bind, TakesTheKernelOfTheFirstBundleThatHasIt) {
  more_slices_ = {{slice_of(path("twin.cu"), std::string(kSource)), 1}};
  start(Mode::off);
  EXPECT_EQ(bound()->info().source, path());
}

TEST_F(Bind, RunsTheCodeOfTheBundleWithoutItsSliceWhenEditsAreNotTakenUp) {
  code_is_shipped_ = true;
  start(Mode::off);
  EXPECT_THAT(running(*bound()), HasSubstr("out[0] = time;"));
  EXPECT_EQ(slices_read_, 0);
  EXPECT_TRUE(engine_->reload());
  EXPECT_EQ(slices_read_, 0);
}

TEST_F(Bind, ReadsTheSliceWhenTheSourceIsThereToBeEdited) {
  code_is_shipped_ = true;
  start(Mode::manual);
  const auto slot = bound();
  EXPECT_EQ(slices_read_, 1);
  write(edited("out[0] = 2 * time;"));
  EXPECT_TRUE(engine_->reload());
  EXPECT_THAT(running(*slot), HasSubstr("out[0] = 2 * time;"));
  EXPECT_EQ(slices_read_, 1);
}

TEST_F(Bind, ReadsTheSliceWhenTheSourceAppears) {
  code_is_shipped_ = true;
  const std::string text = *base::read_file(path());
  std::filesystem::remove(path());
  for (const Mode mode : {Mode::manual, Mode::automatic}) {
    slices_read_ = 0;
    start(mode, text);
    const auto slot = bound();
    EXPECT_TRUE(engine_->reload());
    EXPECT_EQ(slices_read_, 0);
    write(edited("out[0] = 2 * time;"));
    EXPECT_TRUE(engine_->reload());
    EXPECT_THAT(running(*slot), HasSubstr("out[0] = 2 * time;"));
    EXPECT_EQ(slices_read_, 1);
    std::filesystem::remove(path());
  }
}

TEST_F(Bind, RunsTheCodeOfTheBundleAndSaysWhyEditsAreNotTakenUpWhenTheSliceIsDamaged) {
  code_is_shipped_ = true;
  slice_is_damaged_ = true;
  start(Mode::automatic);
  EXPECT_THAT(running(*bound()), HasSubstr("out[0] = time;"));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(engine_->reload().error().message, "the slice is damaged: extract it again");
  const std::lock_guard lock(text_mutex_);
  EXPECT_THAT(text_, ElementsAre("cudahot: edits of '" + path() +
                                 "' are not taken up, its kernels run as they were built: the slice is damaged: "
                                 "extract it again"));
}

TEST_F(Bind, FailsWithTheReasonWhenTheSliceToCompileIsDamaged) {
  slice_is_damaged_ = true;
  start(Mode::off);
  const auto slot = bind();
  ASSERT_FALSE(slot);
  EXPECT_EQ(slot.error().message, "the slice is damaged: extract it again");
}

TEST_F(Bind, RefusesASignatureThatDoesNotFit) {
  auto& engine = start(Mode::off);
  // size_t passed for `unsigned width`, as the origin of this case did.
  const auto slot = engine.bind("Shade", {{8, 8}, {8, 8}, {4, 4}});
  ASSERT_FALSE(slot);
  EXPECT_EQ(slot.error().code, ErrorCode::mismatch);
  EXPECT_THAT(slot.error().message, HasSubstr("parameter 2 (unsigned width) has 4 bytes, but the program passes 8"));
}

TEST_F(Bind, RefusesAKernelThatAnEditMadeReadItsParametersAsSomethingElse) {
  const std::string other = "__global__ void Other(float* out, unsigned width, float time) {}\n";
  write(std::string(kSource) + other);
  auto& engine = start(Mode::manual);
  bound();
  compiler_.adjust_slice = [](region::Slice& slice) { slice.kernels[1].parameters[2] = {"time", "int", 4, 12, "int"}; };
  write(std::string(kSource) + replaced(other, "float time", "int time"));
  ASSERT_TRUE(engine.reload());
  const auto slot = bind("Other");
  ASSERT_FALSE(slot);
  EXPECT_EQ(slot.error().code, ErrorCode::mismatch);
  EXPECT_THAT(slot.error().message, HasSubstr("kernel 'Other': parameter 3 was 'float', now 'int'"));
}

TEST_F(Bind, GivesTheSameSlotForTheSameKernel) {
  start(Mode::off);
  EXPECT_EQ(bound(), bound());
  EXPECT_EQ(driver_.loads(), 1u);
}

TEST_F(Bind, NeitherReadsNorReloadsTheSourceInModeOff) {
  const std::string bundle(kSource);
  write(edited("out[0] = 3 * time;"));
  auto& engine = start(Mode::off, bundle);
  const auto slot = bound();
  EXPECT_TRUE(engine.reload());
  EXPECT_EQ(running(*slot), kSource);
  EXPECT_THAT(log_.events(), IsEmpty());
}

TEST_F(Bind, UsesTheContextThatIsCurrent) {
  driver_.make_current(driver_.context());
  start(Mode::off);
  bound();
  EXPECT_EQ(driver_.primary_contexts_retained(), 0u);
}

TEST_F(Bind, RetainsThePrimaryContextWhenNoneIsCurrentAndGivesItBack) {
  start(Mode::off);
  bound();
  EXPECT_EQ(driver_.primary_contexts_retained(), 1u);
  engine_.reset();
  EXPECT_EQ(driver_.primary_contexts_retained(), 0u);
}

TEST_F(Bind, GivesAThreadWithoutAContextTheOneOfTheKernel) {
  start(Mode::off);
  const auto slot = bound();
  Status launched;
  std::thread([&] { launched = launch(*slot); }).join();
  EXPECT_TRUE(launched);
}

TEST_F(Bind, FailsLaunchesAfterTheEnd) {
  start(Mode::off);
  const auto slot = bound();
  ASSERT_TRUE(launch(*slot));
  engine_.reset();
  const Status launched = launch(*slot);
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().code, ErrorCode::usage);
}

TEST_F(Bind, PassesTheArgumentsAsTheyAre) {
  start(Mode::off);
  const auto slot = bound();
  float value = 1;
  void* arguments[] = {&value};
  LaunchConfig config;
  config.grid = {4, 2};
  config.block = {16, 16};
  config.stream = reinterpret_cast<CUstream>(0x10);
  ASSERT_TRUE(slot->launch(config, arguments));
  EXPECT_EQ(driver_.last_launch().arguments, arguments);
  EXPECT_EQ(driver_.last_launch().block_threads, 256u);
  EXPECT_EQ(driver_.last_launch().stream, config.stream);
}

TEST_F(Bind, NamesTheDriversErrorAndTheLaunchInAFailedLaunch) {
  start(Mode::off);
  const auto slot = bound();
  driver_.fail_launches(CUDA_ERROR_INVALID_VALUE);
  const Status launched = launch(*slot, 2048);
  ASSERT_FALSE(launched);
  EXPECT_THAT(launched.error().message, HasSubstr("Shade generation 0"));
  EXPECT_THAT(launched.error().message, HasSubstr("block 2048x1x1"));
  EXPECT_THAT(launched.error().message, HasSubstr("CUDA_ERROR_INVALID_VALUE"));
}

TEST(Driver, SaysWhatIsMissingWhereThereIsNone) {
  const auto driver = cuda::load_driver("libcuda-that-is-not-there.so.1");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, ErrorCode::environment);
  EXPECT_THAT(driver.error().message, HasSubstr("libcuda-that-is-not-there.so.1"));
  EXPECT_THAT(driver.error().message, HasSubstr("NVIDIA driver"));
}

TEST(Driver, RefusesALibraryThatIsNone) {
  const auto driver = cuda::load_driver("libm.so.6");
  ASSERT_FALSE(driver);
  EXPECT_THAT(driver.error().message, HasSubstr("not a CUDA driver"));
}

TEST(Driver, AnswersNotSupportedForAbsentFunctions) {
  const cuda::DriverTable table;
  EXPECT_EQ(table.context_synchronize(), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuda::describe(table, CUDA_ERROR_INVALID_VALUE), "CUDA driver error 1");
}

}  // namespace
}  // namespace cudahot::runtime::testing
