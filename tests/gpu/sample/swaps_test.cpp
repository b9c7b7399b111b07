// Many swaps in one process.
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <string>

#include <unistd.h>

#include <cuda_runtime_api.h>

#include "animation.hpp"
#include "hot_sample.hpp"
#include "reference.hpp"
#include "source_edit.hpp"
#include "surface.hpp"

namespace cudahot::testing_sample {
namespace {

constexpr double kMegabyte = 1 << 20;

double resident_megabytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  statm >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / kMegabyte;
}

double used_device_megabytes() {
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
  return static_cast<double>(total - free) / kMegabyte;
}

TEST(Swaps, AThousandInARowFailNoLaunchAndGrowNothing) {
  if (const auto usable = sample::use_gpu(); !usable) GTEST_SKIP() << usable.error().message;
  const auto hot = HotSample::create();
  ASSERT_TRUE(hot) << hot.error().message;
  const auto stream = sample::Stream::create();
  const auto surface = sample::Surface::create(64, 48);
  ASSERT_TRUE(stream && surface);
  const auto original = sample::read_text(hot->source());
  ASSERT_TRUE(original) << original.error().message;
  const auto swapped =
      sample::insert_at_region_end(*original, "pixel = make_float4(pixel.y, pixel.x, pixel.z, pixel.w);");
  ASSERT_TRUE(swapped) << swapped.error().message;

  Runtime runtime(hot->runtime_options(Mode::manual));
  auto kernel = runtime.kernel<void(cudaSurfaceObject_t, unsigned, unsigned, float)>("UpdateSurface");
  ASSERT_TRUE(kernel) << kernel.error().message;
  sample::Animation animation(kernel, *surface, *stream, 0.01f);

  // Everything that is allocated once is there after a hundred.
  constexpr int kSettled = 100, kSwaps = 1000;
  double host_before = 0, device_before = 0;
  for (int swap = 1; swap <= kSwaps; ++swap) {
    const bool to_swapped = swap % 2 == 1;
    ASSERT_TRUE(sample::save_text(hot->source(), to_swapped ? swapped->text : *original));
    const auto reloaded = runtime.reload();
    ASSERT_TRUE(reloaded) << "swap " << swap << ": " << reloaded.error().message;
    animation.advance();
    const auto drawn = animation.draw();
    ASSERT_TRUE(drawn) << "swap " << swap << ": " << drawn.error().message;
    const auto picture = animation.picture();
    ASSERT_TRUE(picture) << "swap " << swap << ": " << picture.error().message;
    ASSERT_EQ(sample::difference(picture->rgba, 64, 48, animation.time(), to_swapped).value_or(""), "") << swap;
    if (swap == kSettled) {
      host_before = resident_megabytes();
      device_before = used_device_megabytes();
    }
  }
  EXPECT_EQ(kernel.generation(), static_cast<std::uint64_t>(kSwaps));
  EXPECT_LT(resident_megabytes() - host_before, 8);
  EXPECT_LT(used_device_megabytes() - device_before, 8);
}

}  // namespace
}  // namespace cudahot::testing_sample
