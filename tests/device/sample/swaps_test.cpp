// Many swaps in one process.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "animation.hpp"
#include "hot_sample.hpp"
#include "reference.hpp"
#include "source_edit.hpp"
#include "surface.hpp"
#include "tests/support/test_device.hpp"

namespace cudahot::testing_sample {
namespace {

using cudahot::test_support::resident_megabytes;
using cudahot::test_support::used_device_megabytes;

TEST(Swaps, AThousandInARowFailNoLaunchAndGrowNothing) {
  const auto device = sample::Device::open(cudahot::test_support::tested_device());
  CUDAHOT_NEEDS_DEVICE(device)
  const auto hot = HotSample::create(device->driver());
  ASSERT_TRUE(hot) << hot.error().message;
  const auto stream = sample::Stream::create(*device);
  const auto surface = sample::Surface::create(*device, 64, 48);
  ASSERT_TRUE(stream && surface);
  const auto original = sample::read_text(hot->source());
  ASSERT_TRUE(original) << original.error().message;
  const auto swapped =
      sample::insert_at_region_end(*original, "pixel = make_float4(pixel.y, pixel.x, pixel.z, pixel.w);");
  ASSERT_TRUE(swapped) << swapped.error().message;

  Runtime runtime(hot->runtime_options(Mode::manual));
  auto kernel = runtime.kernel<void(CUsurfObject, unsigned, unsigned, float)>("UpdateSurface");
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
      device_before = used_device_megabytes(device->driver());
    }
  }
  EXPECT_EQ(kernel.generation(), static_cast<std::uint64_t>(kSwaps));
  EXPECT_LT(resident_megabytes() - host_before, 8);
  EXPECT_LT(used_device_megabytes(device->driver()) - device_before, 8);
}

}  // namespace
}  // namespace cudahot::testing_sample
