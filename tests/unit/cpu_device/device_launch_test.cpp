#include <unistd.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <numeric>
#include <sstream>

#include "tests/unit/cpu_device/device_under_test.hpp"

namespace cudahot::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

using LaunchTest = DeviceTest;

TEST_F(LaunchTest, RunsEveryThreadOfEveryBlockOnceWithItsCoordinates) {
  // 2 x 3 x 2 blocks of 5 x 4 x 2 threads
  CUdeviceptr out = allocate<std::uint32_t>(12 * 40 * 12);
  std::array<void*, 1> parameters{&out};
  ASSERT_CUDA(DEVICE(cuLaunchKernel)(reinterpret_cast<CUfunction>(kernel("where")), 2, 3, 2, 5, 4, 2, 0, nullptr,
                                     parameters.data(), nullptr));
  const auto seen = download<std::uint32_t>(out, 12 * 40 * 12);
  for (std::uint32_t block = 0; block < 12; ++block) {
    for (std::uint32_t thread = 0; thread < 40; ++thread) {
      const auto* at = &seen[(block * 40 + thread) * 12];
      const std::vector<std::uint32_t> found(at, at + 12);
      ASSERT_THAT(found, ElementsAre(thread % 5, thread / 5 % 4, thread / 20, block % 2, block / 2 % 3, block / 6,
                                     thread % 32, thread / 32, 4, 2, thread, 1))
          << "block " << block << ", thread " << thread;
    }
  }
}

TEST_F(LaunchTest, BarrierMakesStaticSharedMemoryVisibleToTheWholeBlock) {
  std::vector<std::int32_t> numbers(4 * 1024);
  std::iota(numbers.begin(), numbers.end(), 0);
  CUdeviceptr data = upload(numbers);
  ASSERT_CUDA(launch("reverse", 4, 1024, {&data}));
  for (std::size_t block = 0; block < 4; ++block) {
    std::reverse(numbers.begin() + static_cast<std::ptrdiff_t>(block * 1024),
                 numbers.begin() + static_cast<std::ptrdiff_t>(block * 1024 + 1024));
  }
  EXPECT_EQ(download<std::int32_t>(data, numbers.size()), numbers);
}

TEST_F(LaunchTest, DynamicSharedMemoryHasTheSizeOfTheLaunch) {
  CUdeviceptr data = upload<std::int32_t>({1, 2, 3, 4, 5});
  CUdeviceptr bytes = allocate<std::uint32_t>(1);
  ASSERT_CUDA(launch("reverse_dynamic", 1, 5, {&data, &bytes}, nullptr, 20));
  EXPECT_THAT(download<std::int32_t>(data, 5), ElementsAre(5, 4, 3, 2, 1));
  EXPECT_THAT(download<std::uint32_t>(bytes, 1), ElementsAre(20));
}

TEST_F(LaunchTest, MoreThan48KiBOfDynamicSharedMemoryNeedsTheAttribute) {
  CUdeviceptr data = upload<std::int32_t>({1, 2, 3});
  CUdeviceptr bytes = allocate<std::uint32_t>(1);
  constexpr unsigned kBytes = 96 * 1024;
  EXPECT_EQ(launch("reverse_dynamic", 1, 3, {&data, &bytes}, nullptr, kBytes), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(log(), HasSubstr("'reverse_dynamic' is launched with 98304 bytes of dynamic shared memory, 49152"));
  ASSERT_CUDA(DEVICE(cuKernelSetAttribute)(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kBytes,
                                           kernel("reverse_dynamic"), 0));
  ASSERT_CUDA(launch("reverse_dynamic", 1, 3, {&data, &bytes}, nullptr, kBytes));
  EXPECT_THAT(download<std::int32_t>(data, 3), ElementsAre(3, 2, 1));
}

TEST_F(LaunchTest, BarrierCountsPredicatesOfTheThreadsThatHaveNotExited) {
  CUdeviceptr out = allocate<std::uint32_t>(7);
  std::uint32_t live = 7;  // of 100
  ASSERT_CUDA(launch("count_even", 1, 100, {&out, &live}));
  EXPECT_THAT(download<std::uint32_t>(out, 7), Each(4003));  // 0 2 4 6, then 1 3 5
}

TEST_F(LaunchTest, ShufflesAddUpAWarp) {
  CUdeviceptr out = allocate<std::uint64_t>(4);
  ASSERT_CUDA(launch("warp_sum", 1, 128, {&out}));
  // 0 + ... + 31 = 496, each further warp 32 * 32 more
  EXPECT_THAT(download<std::uint64_t>(out, 4), ElementsAre(496, 1520, 2544, 3568));
}

TEST_F(LaunchTest, LanesOfDifferentMasksMeetApartAndExitedLanesAreNotWaitedFor) {
  CUdeviceptr out = allocate<std::uint32_t>(5 * 4);
  std::uint32_t live = 5;
  ASSERT_CUDA(launch("two_masks", 1, 32, {&out, &live}));
  const auto seen = download<std::uint32_t>(out, 20);
  for (std::uint32_t lane = 0; lane < 5; ++lane) {
    EXPECT_EQ(seen[lane * 4], lane % 2 == 0 ? 0x55555555U : 0xaaaaaaaaU) << lane;
    EXPECT_EQ(seen[lane * 4 + 1], lane + 2) << lane;
    EXPECT_EQ(seen[lane * 4 + 2], 0x1fU) << lane;
  }
}

TEST_F(LaunchTest, ThreadsThatPollLetOthersOfTheirBlockGoOn) {
  CUdeviceptr flag = upload<std::uint32_t>({0});
  ASSERT_CUDA(launch("poll_in_block", 1, 33, {&flag}));
  EXPECT_THAT(download<std::uint32_t>(flag, 1), ElementsAre(1));
}

TEST_F(LaunchTest, ParametersArriveByPointerAndByBuffer) {
  CUdeviceptr out = allocate<double>(3);
  std::int8_t byte = -3;
  double number = 0.5;
  std::array<char, 3> text{'a', 'b', 'c'};
  ASSERT_CUDA(launch("mixed", 1, 1, {&byte, &number, text.data(), &out}));
  EXPECT_THAT(download<double>(out, 3), ElementsAre(-3, 0.5, 'c'));

  std::array<std::byte, 32> buffer{};
  byte = 9;
  std::memcpy(buffer.data(), &byte, 1);
  std::memcpy(buffer.data() + 8, &number, 8);
  std::memcpy(buffer.data() + 16, "xyz", 3);
  std::memcpy(buffer.data() + 24, &out, 8);
  std::size_t size = buffer.size();
  std::array<void*, 5> extra{CU_LAUNCH_PARAM_BUFFER_POINTER, buffer.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                             CU_LAUNCH_PARAM_END};
  ASSERT_CUDA(DEVICE(cuLaunchKernel)(reinterpret_cast<CUfunction>(kernel("mixed")), 1, 1, 1, 1, 1, 1, 0, nullptr,
                                     nullptr, extra.data()));
  EXPECT_THAT(download<double>(out, 3), ElementsAre(9, 0.5, 'z'));
}

TEST_F(LaunchTest, RefusesShapesThatADeviceRefuses) {
  CUdeviceptr out = allocate<std::uint32_t>(128);
  std::uint32_t live = 1;
  EXPECT_EQ(launch("nothing", 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("nothing", 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("nothing", 1, 1025), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("count_even", 1, 129, {&out, &live}), CUDA_ERROR_INVALID_VALUE);  // its launch bounds: 128
  EXPECT_CUDA(launch("count_even", 1, 128, {&out, &live}));
}

TEST_F(LaunchTest, RefusesMoreStaticSharedMemoryThanABlockHas) {
  EXPECT_EQ(launch("too_much_shared", 1, 1), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_THAT(log(), HasSubstr("'too_much_shared' has __shared__ variables of 65536 bytes, 49152 are allowed"));
  EXPECT_CUDA(launch("nothing", 1, 1));
}

TEST_F(LaunchTest, RefusesClustersByName) {
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = 2;
  attribute.value.clusterDim.y = 1;
  attribute.value.clusterDim.z = 1;
  CUlaunchConfig config{1, 1, 1, 1, 1, 1, 0, nullptr, &attribute, 1};
  const auto function = reinterpret_cast<CUfunction>(kernel("nothing"));
  EXPECT_EQ(DEVICE(cuLaunchKernelEx)(&config, function, nullptr, nullptr), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_THAT(log(), HasSubstr("clusters"));
  attribute.value.clusterDim.x = 1;
  EXPECT_CUDA(DEVICE(cuLaunchKernelEx)(&config, function, nullptr, nullptr));
}

TEST_F(LaunchTest, PrintsAsOneTextWithCudaSizes) {
  CUdeviceptr count = allocate<std::int32_t>(1);
  testing::internal::CaptureStdout();
  ASSERT_CUDA(launch("say", 1, 1, {&count}));
  ASSERT_CUDA(DEVICE(cuCtxSynchronize)());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "-7| 2.50|text  |1234567890|%\n");
  EXPECT_THAT(download<std::int32_t>(count, 1), ElementsAre(4));
}

// Pages that the process has in memory.
std::size_t resident_pages() {
  std::ifstream statistics("/proc/self/statm");
  std::size_t whole = 0;
  std::size_t resident = 0;
  statistics >> whole >> resident;
  return resident;
}

TEST_F(LaunchTest, TenThousandLaunchesNeedNoMoreMemoryThanTheFirst) {
  CUdeviceptr data = upload(std::vector<std::int32_t>(256, 1));
  const auto some_launches = [&](int count) {
    for (int index = 0; index < count; ++index) {
      ASSERT_CUDA(launch("reverse", 2, 128, {&data}));
      if (index % 500 == 499) {
        ASSERT_CUDA(DEVICE(cuCtxSynchronize)());
      }
    }
  };
  some_launches(1000);
  [[maybe_unused]] const std::size_t before = resident_pages();
  const auto threads = counters().stream_threads;
  some_launches(10000);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which keep what is freed
  EXPECT_LT(resident_pages(), before + 512) << "2 MiB more";
#endif
  EXPECT_EQ(counters().stream_threads, threads);
}

}  // namespace
}  // namespace cudahot::test
