// The public header as a program uses it.
#include <gmock/gmock.h>

#include "cudahot/cudahot.hpp"
#include "lib/cuda/driver.hpp"

namespace {

using ::testing::HasSubstr;

// As <cuda_runtime.h> has it.
struct dim3 {
  unsigned x, y, z;
};

template <typename Argument, typename Parameter>
constexpr bool kFits = cudahot::detail::FitsParameter<Argument, Parameter>;

static_assert(kFits<unsigned, unsigned>);
static_assert(kFits<float&, float>);
static_assert(kFits<int*, const int*>);
static_assert(!kFits<std::size_t, unsigned>, "the mistake that this library comes from");
static_assert(!kFits<int, float>);
static_assert(!kFits<double, float>);

TEST(Api, TakesSizesAsNumbersListsAndDim3) {
  const dim3 grid{4, 5, 6};
  const cudahot::LaunchConfig config{grid, {10, 10}, 16, nullptr};
  EXPECT_EQ(config.grid.z, 6u);
  EXPECT_EQ(config.block.y, 10u);
  EXPECT_EQ(config.block.z, 1u);
  const cudahot::LaunchConfig named{.grid = 7, .block = grid};
  EXPECT_EQ(named.grid.x, 7u);
  EXPECT_EQ(named.dynamic_shared_bytes, 0u);
}

TEST(Api, GivesAHandleToNothingThatSaysSo) {
  const cudahot::Kernel<void(float)> kernel;
  EXPECT_FALSE(kernel);
  const cudahot::Status launched = kernel.launch({}, 1.0f);
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().code, cudahot::ErrorCode::usage);
}

TEST(Api, SaysWhatIsMissingWhereThereIsNoDriver) {
  if (cudahot::cuda::load_driver()) GTEST_SKIP() << "there is a CUDA driver here";
  cudahot::Runtime runtime{{.bundles = {"shade.cudahot"}, .mode = cudahot::Mode::off}};
  const auto kernel = runtime.kernel<void(float*, unsigned, float)>("Shade");
  EXPECT_FALSE(kernel);
  EXPECT_EQ(kernel.error().code, cudahot::ErrorCode::environment);
  EXPECT_THAT(kernel.error().message, HasSubstr("libcuda.so.1"));
  EXPECT_FALSE(kernel.launch({.grid = 1}, nullptr, 4u, 1.0f));
  EXPECT_TRUE(runtime.reload());
}

}  // namespace
