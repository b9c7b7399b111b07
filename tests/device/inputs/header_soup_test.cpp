// Headers of the host, of CUDA and of its libraries in one file.
#include <cstdint>

#include "tests/device/inputs/project.hpp"

namespace cudahot::inputs {
namespace {

using ::testing::HasSubstr;

class HeaderSoup : public Project {
 protected:
  static std::string source(const std::string& cub_header) {
    return "#include <cassert>\n#include <cstdint>\n#include <iostream>\n#include <vector>\n"
           "#include <" +
           cub_header +
           ">\n"
           R"(#include <cooperative_groups.h>
#include <cuda/std/functional>
#include <cuda_fp16.h>
#include <curand_kernel.h>

std::vector<int> on_the_host() { std::cout << "host\n"; return {1, 2, 3}; }

extern "C" __global__ void Fill(int* out, int value) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ typename Reduce::TempStorage storage;
#pragma cudahot begin(soup)
  const auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
  uint32_t x = cuda::std::min(uint32_t(tile.thread_rank()), uint32_t(value));
  assert(x < 32);
  const __half2 half = __floats2half2_rn(float(x), 1.0f);
  x += uint32_t(__low2float(__hadd2(half, __float2half2_rn(1.0f))));
  curandStatePhilox4_32_10_t random;
  curand_init(1234ull, threadIdx.x, 0ull, &random);
  x += curand(&random) & 1;
  const int sum = Reduce(storage).Sum(int(x));
  if (threadIdx.x == 0) out[0] = sum;
#pragma cudahot end
}
)";
  }

  void extracts(const std::string& cub_header) {
    save("fill.cu", source(cub_header));
    architecture_ = "90";
    const auto outcome = extract({"fill.cu"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }
};

TEST_F(HeaderSoup, IsExtracted) { extracts("cub/block/block_reduce.cuh"); }
TEST_F(HeaderSoup, IsExtractedWithAllOfCub) { extracts("cub/cub.cuh"); }

TEST_F(HeaderSoup, IsRefusedByTheCpuDeviceWithWhatItLacks) {
  CUDAHOT_ONLY_ON_CPU("a GPU runs it");
  save("fill.cu", source("cub/block/block_reduce.cuh"));
  const auto outcome = extract({"fill.cu"});
  EXPECT_EQ(outcome.exit_code, 1);
  for (const char* feature : {"CUB", "libcu++ (cuda/ headers)", "cuRAND's device code"}) {
    EXPECT_THAT(outcome.err, HasSubstr("the CPU device does not have " + std::string(feature)));
  }
}

TEST_F(HeaderSoup, Runs) {
  CUDAHOT_ONLY_ON_GPU("the CPU device has neither CUB nor cuRAND");
  const Fill fill = start_fill(Mode::manual, source("cub/block/block_reduce.cuh"));
  LaunchConfig config;
  config.block.x = 64;
  const Status launched = fill.launch(config, out(), 7);
  ASSERT_TRUE(launched) << launched.error().message;
  // In each of two tiles 0 + 1 + ... + 6 + 25 * 7, for each thread x + 1 of it, and of the random numbers the odd
  // ones: 31 of the first words of Philox4x32-10 for counters (0, 0, t, 0), t < 64, with key (1234, 0).
  EXPECT_EQ(read<int>(1)[0], 2 * 2 * (21 + 25 * 7) + 64 + 31);
}

}  // namespace
}  // namespace cudahot::inputs
