// The whole chain: cudahot-extract's bundle, the public Runtime, a compiler, a device.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>

#include "cudahot/cudahot.hpp"
#include "lib/base/files.hpp"
#include "lib/base/processes.hpp"
#include "lib/runtime/context.hpp"
#include "tests/support/launching_threads.hpp"

namespace cudahot::runtime {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int kCount = 1000;
constexpr unsigned kBlock = 128;

using Fill = Kernel<void(float*, int, float)>;

std::string fill_source(const std::string& statement, const std::string& helper = "return x;") {
  return "__device__ float shaped(float x) { " + helper +
         " }\n"
         "extern \"C\" __global__ void Fill(float* out, int count, float scale) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "  if (i >= count) return;\n"
         "#pragma cudahot begin(fill)\n" +
         statement +
         "#pragma cudahot end\n"
         "}\n";
}

std::string setting(int number) { return "  out[i] = shaped(scale) + " + std::to_string(number) + ";\n"; }

std::filesystem::path extractor() { return cudahot::test_support::built_programs() / "cudahot-extract"; }

std::ptrdiff_t mappings() {
  std::ifstream maps("/proc/self/maps");
  return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
}

class WholeChain : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto driver = cudahot::test_support::tested_driver();
    if (!driver) return;
    architecture_ = cudahot::test_support::architecture_of(**driver);
    folder_ = std::make_unique<base::TemporaryFolder>(base::TemporaryFolder::create("cudahot cpu").value());
    save(fill_source(setting(0)));
    base::ProcessRequest request;
    request.arguments = {extractor().string(), "--arch", architecture_ + ",75", "--bundle", "fill.cudahot", "fill.cu"};
    request.working_directory = folder_->path();
    const auto outcome = base::run_process(request);
    ASSERT_TRUE(outcome) << outcome.error().message;
    ASSERT_EQ(outcome->exit_code, 0) << outcome->err;
  }
  static void TearDownTestSuite() { folder_.reset(); }

  void SetUp() override {
    auto driver = cudahot::test_support::tested_driver();
    CUDAHOT_NEEDS_DEVICE(driver)
    driver_ = *driver;
    auto context = Context::open(driver_, nullptr);
    ASSERT_TRUE(context) << context.error().message;
    context_ = *context;
    current_ = std::make_unique<CurrentContext>(*context_);
    ASSERT_EQ(driver_->memory_allocate(&out_, kCount * sizeof(float)), CUDA_SUCCESS);
    save(fill_source(setting(0)));
    start();
  }

  void TearDown() override {
    runtime_.reset();
    if (out_ != 0) driver_->memory_free(out_);
    current_.reset();
  }

  static void save(const std::string& text) {
    std::ofstream(folder_->path() / "saving", std::ios::binary) << text;
    std::filesystem::rename(folder_->path() / "saving", folder_->path() / "fill.cu");
  }

  void start() {
    RuntimeOptions options;
    options.bundles = {folder_->path() / "fill.cudahot"};
    options.user_cache = folder_->path() / "cache.db";
    options.mode = Mode::manual;
    options.extractor = extractor();
    options.on_event = [this](const ReloadEvent& event) { events_.push_back(event); };
    runtime_ = std::make_unique<Runtime>(std::move(options));
    fill_ = runtime_->kernel<void(float*, int, float)>("Fill");
    ASSERT_TRUE(fill_) << fill_.error().message;
  }

  Status launch(CUdeviceptr out, float scale, CUstream stream) const {
    return fill_.launch({.grid = (kCount + kBlock - 1) / kBlock, .block = kBlock, .stream = stream},
                        reinterpret_cast<float*>(out), kCount, scale);
  }

  // What every thread wrote.
  std::vector<float> run(float scale) {
    const Status launched = launch(out_, scale, nullptr);
    EXPECT_TRUE(launched) << launched.error().message;
    std::vector<float> values(kCount, -1);
    EXPECT_EQ(driver_->copy_to_host(values.data(), out_, kCount * sizeof(float)), CUDA_SUCCESS);
    return values;
  }

  static std::unique_ptr<base::TemporaryFolder> folder_;
  static std::string architecture_;  // of the tested device, for --arch
  std::shared_ptr<const cuda::DriverTable> driver_;
  std::shared_ptr<Context> context_;
  std::unique_ptr<CurrentContext> current_;
  CUdeviceptr out_ = 0;
  std::vector<ReloadEvent> events_;
  std::unique_ptr<Runtime> runtime_;
  Fill fill_;
};

std::unique_ptr<base::TemporaryFolder> WholeChain::folder_;
std::string WholeChain::architecture_;

TEST_F(WholeChain, RunsTheBundlesCodeAsGenerationZero) {
  EXPECT_THAT(run(5), Each(5.0f));
  EXPECT_THAT(fill_.info().architecture, HasSubstr(architecture_));
  EXPECT_EQ(fill_.generation(), 0u);
}

TEST_F(WholeChain, RunsAnEditKeepsItThroughABadOneAndTakesTheUndoFromTheCache) {
  save(fill_source(setting(100)));
  ASSERT_TRUE(runtime_->reload());
  EXPECT_THAT(run(5), Each(105.0f));

  save(fill_source("  out[i] = nope;\n"));
  EXPECT_FALSE(runtime_->reload());
  EXPECT_THAT(run(6), Each(106.0f));

  save(fill_source(setting(0)));
  ASSERT_TRUE(runtime_->reload());
  EXPECT_THAT(run(7), Each(7.0f));

  ASSERT_THAT(events_, SizeIs(3));
  EXPECT_EQ(events_[0].generation, 1u);
  EXPECT_EQ(events_[1].kind, ReloadEvent::Kind::failed);
  ASSERT_THAT(events_[1].error.diagnostics, SizeIs(1));
  EXPECT_EQ(events_[1].error.diagnostics[0].location.file, (folder_->path() / "fill.cu").string());
  EXPECT_EQ(events_[1].error.diagnostics[0].location.line, 6u);
  EXPECT_EQ(events_[2].generation, 2u);
  EXPECT_TRUE(events_[2].cached);
}

TEST_F(WholeChain, ExtractsAgainWhenMoreThanARegionChanged) {
  save(fill_source(setting(0), "return 2 * x;"));
  const Status reloaded = runtime_->reload();
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  EXPECT_THAT(run(5), Each(10.0f));
  ASSERT_THAT(events_, SizeIs(1));
  EXPECT_GT(events_[0].timings.extract, 0);
}

TEST_F(WholeChain, RefusesAnEditThatBringsADeviceVariable) {
  save("__device__ int calls;\n" + fill_source("  atomicAdd(&calls, 1);\n"));
  const Status reloaded = runtime_->reload();
  ASSERT_FALSE(reloaded);
  EXPECT_EQ(reloaded.error().code, ErrorCode::mismatch);
  EXPECT_THAT(reloaded.error().message, HasSubstr("'calls' (4 bytes)"));
  EXPECT_THAT(run(5), Each(5.0f));
}

TEST_F(WholeChain, SwapsUnderTwoLaunchingThreadsWithoutALostLaunchOrGrowth) {
  constexpr int kTexts = 4;
  constexpr int kSettled = 50;
  constexpr int kSwaps = 200;
  constexpr std::ptrdiff_t kRetiredMappings = 100;  // of the generations that wait to be unloaded
  test_support::LaunchingThreads<float> launchers(
      *driver_, kCount, kTexts,
      [&](CUdeviceptr out, float value, CUstream stream) { return launch(out, value, stream).has_value(); });
  std::ptrdiff_t settled = 0;
  for (int i = 1; i <= kSwaps; ++i) {
    save(fill_source(setting(i % kTexts)));
    const Status reloaded = runtime_->reload();
    EXPECT_TRUE(reloaded) << "swap " << i << ": " << reloaded.error().message;
    if (!reloaded) break;
    EXPECT_EQ(run(10).back(), static_cast<float>(10 + i % kTexts));
    if (i == kSettled) settled = mappings();
  }
  const std::ptrdiff_t growth = mappings() - settled;
  launchers.stop();
  EXPECT_EQ(launchers.failures(), 0u);
  EXPECT_GT(launchers.launches(), 0u);
  EXPECT_EQ(fill_.generation(), static_cast<std::uint64_t>(kSwaps));
  EXPECT_LT(growth, kRetiredMappings);
}

TEST_F(WholeChain, OutOfBoundsEditEndsTheContextNotTheProcess) {
  CUDAHOT_IN_OWN_PROCESS();
  save(fill_source("  out[i + (1ll << 40)] = scale;\n"));
  ASSERT_TRUE(runtime_->reload());
  ASSERT_TRUE(launch(out_, 1, nullptr));
  EXPECT_EQ(driver_->context_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  const Status after = launch(out_, 1, nullptr);
  ASSERT_FALSE(after);
  const Status reloaded = runtime_->reload();
  ASSERT_FALSE(reloaded);
  EXPECT_THAT(reloaded.error().message, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_THAT(reloaded.error().message, HasSubstr("Fill generation 1"));
  ASSERT_THAT(events_, SizeIs(2));
  EXPECT_EQ(events_[1].kind, ReloadEvent::Kind::failed);
  EXPECT_EQ(events_[1].generation, 1u);
}

TEST_F(WholeChain, ALostContextGoesWithItsLastUserAndTheNextIsSound) {
  CUDAHOT_ONLY_ON_CPU("a GPU's context does not come back in its process");
  save(fill_source("  out[i + (1ll << 40)] = scale;\n"));
  ASSERT_TRUE(runtime_->reload());
  ASSERT_TRUE(launch(out_, 1, nullptr));
  EXPECT_EQ(driver_->context_synchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  TearDown();
  context_.reset();
  SetUp();
  EXPECT_THAT(run(5), Each(5.0f));
}

}  // namespace
}  // namespace cudahot::runtime
