#include <array>
#include <bit>

#include "tests/unit/cpu_device/device_under_test.hpp"

namespace cudahot::test {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;
using testing::Pointwise;

struct Point {
  float x;
  float y;
};

class TextureTest : public DeviceTest {
 protected:
  template <typename Value>
  CUDA_RESOURCE_DESC array_of(CUarray_format format, unsigned channels, std::size_t width, std::size_t height,
                              const std::vector<Value>& values) {
    const CUDA_ARRAY_DESCRIPTOR wanted{.Width = width, .Height = height, .Format = format, .NumChannels = channels};
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    EXPECT_CUDA(DEVICE(cuArrayCreate)(&resource.res.array.hArray, &wanted));
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = values.data();
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = resource.res.array.hArray;
    copy.WidthInBytes = width * channels * sizeof(Value);
    copy.srcPitch = copy.WidthInBytes;
    copy.Height = height == 0 ? 1 : height;
    EXPECT_CUDA(DEVICE(cuMemcpy2D)(&copy));
    return resource;
  }
  // One row of floats 10 20 30 40
  CUDA_RESOURCE_DESC row() { return array_of<float>(CU_AD_FORMAT_FLOAT, 1, 4, 1, {10, 20, 30, 40}); }

  static CUtexObject texture(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& sampling) {
    CUtexObject object = 0;
    EXPECT_CUDA(DEVICE(cuTexObjectCreate)(&object, &resource, &sampling, nullptr));
    return object;
  }
  static CUDA_TEXTURE_DESC sampling(CUaddress_mode mode, CUfilter_mode filter, unsigned flags) {
    CUDA_TEXTURE_DESC how{};
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = mode;
    how.filterMode = filter;
    how.flags = flags;
    return how;
  }
  // Five words a point: components, and whether they are raw.
  std::vector<std::uint32_t> fetch_words(CUtexObject object, const std::vector<Point>& points) {
    CUdeviceptr at = upload(points);
    CUdeviceptr out = allocate<std::uint32_t>(points.size() * 5);
    EXPECT_CUDA(launch("fetch", static_cast<unsigned>(points.size()), 1, {&object, &at, &out}));
    return download<std::uint32_t>(out, points.size() * 5);
  }
  // First component of each point.
  std::vector<float> fetch(CUtexObject object, const std::vector<Point>& points) {
    const auto words = fetch_words(object, points);
    std::vector<float> values;
    for (std::size_t index = 0; index < points.size(); ++index) {
      EXPECT_EQ(words[index * 5 + 4], 0U);
      values.push_back(std::bit_cast<float>(words[index * 5]));
    }
    return values;
  }
  std::vector<float> fetch_row(CUtexObject object, const std::vector<float>& xs, float y = 0.5F) {
    std::vector<Point> points;
    for (const float x : xs) points.push_back({x, y});
    return fetch(object, points);
  }
};

constexpr auto kPoint = CU_TR_FILTER_MODE_POINT;
constexpr auto kLinear = CU_TR_FILTER_MODE_LINEAR;

TEST_F(TextureTest, PointSamplingTakesTheElementThatHoldsTheCoordinate) {
  const CUtexObject object = texture(row(), sampling(CU_TR_ADDRESS_MODE_CLAMP, kPoint, 0));
  EXPECT_THAT(fetch_row(object, {0, 0.99F, 1, 2.5F, 3.99F}), ElementsAre(10, 10, 20, 30, 40));
}

TEST_F(TextureTest, ClampRepeatsTheEdge) {
  const CUtexObject object = texture(row(), sampling(CU_TR_ADDRESS_MODE_CLAMP, kPoint, 0));
  EXPECT_THAT(fetch_row(object, {-5, 4, 1e30F}), ElementsAre(10, 40, 40));
}

TEST_F(TextureTest, BorderIsTheBorderColour) {
  CUDA_TEXTURE_DESC how = sampling(CU_TR_ADDRESS_MODE_BORDER, kPoint, 0);
  how.borderColor[0] = 7;
  const CUtexObject object = texture(row(), how);
  EXPECT_THAT(fetch_row(object, {-0.01F, 0, 3.9F, 4}), ElementsAre(7, 10, 40, 7));
}

TEST_F(TextureTest, WrapRepeatsTheTexture) {
  const CUtexObject object = texture(row(), sampling(CU_TR_ADDRESS_MODE_WRAP, kPoint, CU_TRSF_NORMALIZED_COORDINATES));
  // In elements: 0.5, 4.5, 5.5, -0.5, -3.5
  EXPECT_THAT(fetch_row(object, {0.125F, 1.125F, 1.375F, -0.125F, -0.875F}), ElementsAre(10, 10, 20, 40, 10));
}

TEST_F(TextureTest, MirrorRepeatsTheTextureBackAndForth) {
  const CUtexObject object =
      texture(row(), sampling(CU_TR_ADDRESS_MODE_MIRROR, kPoint, CU_TRSF_NORMALIZED_COORDINATES));
  // In elements: 3.5, 4.5, 5.5, 7.5, 8.5, -0.5, -1.5
  EXPECT_THAT(fetch_row(object, {0.875F, 1.125F, 1.375F, 1.875F, 2.125F, -0.125F, -0.375F}),
              ElementsAre(40, 40, 30, 10, 10, 10, 20));
}

TEST_F(TextureTest, WrapAndMirrorClampWithoutNormalisedCoordinates) {
  for (const auto mode : {CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_MIRROR}) {
    const CUtexObject object = texture(row(), sampling(mode, kPoint, 0));
    EXPECT_THAT(fetch_row(object, {4.5F, -0.5F}), ElementsAre(40, 10));
  }
}

TEST_F(TextureTest, LinearFilteringWeighsNeighbours) {
  const CUtexObject object = texture(row(), sampling(CU_TR_ADDRESS_MODE_CLAMP, kLinear, 0));
  // Centres of elements are at n + 0.5.
  EXPECT_THAT(fetch_row(object, {0.5F, 1, 1.25F, 3.5F, 0, 9}), ElementsAre(10, 15, 17.5F, 40, 10, 40));
}

TEST_F(TextureTest, LinearWeightsHaveEightBits) {
  const CUtexObject object =
      texture(array_of<float>(CU_AD_FORMAT_FLOAT, 1, 2, 1, {0, 256}), sampling(CU_TR_ADDRESS_MODE_CLAMP, kLinear, 0));
  // 0.001 of the way is 0.256 / 256, rounded to nothing; 0.003 is 0.768 / 256, rounded to 1 / 256.
  EXPECT_THAT(fetch_row(object, {0.501F, 0.503F}), ElementsAre(0, 1));
}

TEST_F(TextureTest, LinearFilteringUsesTheAddressModeForEachNeighbour) {
  const auto at_left_edge = [&](CUaddress_mode mode) {
    return fetch_row(texture(row(), sampling(mode, kLinear, CU_TRSF_NORMALIZED_COORDINATES)), {0.0F}).front();
  };
  EXPECT_EQ(at_left_edge(CU_TR_ADDRESS_MODE_CLAMP), 10);   // 10 10
  EXPECT_EQ(at_left_edge(CU_TR_ADDRESS_MODE_WRAP), 25);    // 40 10
  EXPECT_EQ(at_left_edge(CU_TR_ADDRESS_MODE_MIRROR), 10);  // 10 10
  EXPECT_EQ(at_left_edge(CU_TR_ADDRESS_MODE_BORDER), 5);   // 0 10 (and y exactly in the middle)
}

TEST_F(TextureTest, BilinearFilteringWeighsFourElements) {
  const CUtexObject object = texture(array_of<float>(CU_AD_FORMAT_FLOAT, 1, 2, 2, {0, 4, 8, 16}),
                                     sampling(CU_TR_ADDRESS_MODE_CLAMP, kLinear, 0));
  // Middle of all; a quarter to the right and halfway down.
  EXPECT_THAT(fetch(object, {{1, 1}, {0.75F, 1}, {1, 0.5F}, {0.5F, 1}}), ElementsAre(7, 5.5F, 2, 4));
}

TEST_F(TextureTest, SmallIntegersReadAsFractionsOrAsTheyAre) {
  const auto bytes = array_of<std::uint8_t>(CU_AD_FORMAT_UNSIGNED_INT8, 4, 1, 1, {0, 51, 255, 102});
  const auto fractions = fetch_words(texture(bytes, sampling(CU_TR_ADDRESS_MODE_CLAMP, kPoint, 0)), {{0.5F, 0.5F}});
  EXPECT_EQ(fractions[4], 0U);
  EXPECT_FLOAT_EQ(std::bit_cast<float>(fractions[1]), 0.2F);
  EXPECT_FLOAT_EQ(std::bit_cast<float>(fractions[2]), 1);
  EXPECT_FLOAT_EQ(std::bit_cast<float>(fractions[3]), 0.4F);
  const auto integers =
      fetch_words(texture(bytes, sampling(CU_TR_ADDRESS_MODE_CLAMP, kPoint, CU_TRSF_READ_AS_INTEGER)), {{0.5F, 0.5F}});
  EXPECT_THAT(integers, ElementsAre(0, 51, 255, 102, 1));
  const auto negative = array_of<std::int16_t>(CU_AD_FORMAT_SIGNED_INT16, 1, 2, 1, {-32768, 32767});
  EXPECT_THAT(fetch_row(texture(negative, sampling(CU_TR_ADDRESS_MODE_CLAMP, kPoint, 0)), {0, 1}), ElementsAre(-1, 1));
}

TEST_F(TextureTest, HalvesReadAsFloats) {
  // 1, -2, the smallest subnormal, 65504
  const auto halves = array_of<std::uint16_t>(CU_AD_FORMAT_HALF, 1, 4, 1, {0x3c00, 0xc000, 0x0001, 0x7bff});
  const CUtexObject object = texture(halves, sampling(CU_TR_ADDRESS_MODE_CLAMP, kPoint, 0));
  EXPECT_THAT(fetch_row(object, {0, 1, 2, 3}), Pointwise(FloatEq(), {1.0F, -2.0F, 5.9604645e-8F, 65504.0F}));
}

TEST_F(TextureTest, PitchedMemoryIsATextureToo) {
  CUdeviceptr memory = 0;
  std::size_t pitch = 0;
  ASSERT_CUDA(DEVICE(cuMemAllocPitch)(&memory, &pitch, 8, 2, 4));
  ASSERT_CUDA(DEVICE(cuMemsetD32)(memory, std::bit_cast<unsigned>(1.0F), 2));
  ASSERT_CUDA(DEVICE(cuMemsetD32)(memory + pitch, std::bit_cast<unsigned>(3.0F), 2));
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.pitch2D.devPtr = memory;
  resource.res.pitch2D.format = CU_AD_FORMAT_FLOAT;
  resource.res.pitch2D.numChannels = 1;
  resource.res.pitch2D.width = 2;
  resource.res.pitch2D.height = 2;
  resource.res.pitch2D.pitchInBytes = pitch;
  const CUtexObject object = texture(resource, sampling(CU_TR_ADDRESS_MODE_CLAMP, kLinear, 0));
  EXPECT_THAT(fetch(object, {{1, 0.5F}, {1, 1}, {1, 1.5F}}), ElementsAre(1, 2, 3));
}

TEST_F(TextureTest, LinearMemoryIsFetchedByIndexAndZeroOutside) {
  CUdeviceptr memory = upload<std::int32_t>({-1, 5, 6});
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = memory;
  resource.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
  resource.res.linear.numChannels = 1;
  resource.res.linear.sizeInBytes = 12;
  CUtexObject object = texture(resource, sampling(CU_TR_ADDRESS_MODE_CLAMP, kPoint, 0));
  const auto at = [&](std::int32_t index) {
    CUdeviceptr out = allocate<std::uint32_t>(5);
    EXPECT_CUDA(launch("fetch_linear", 1, 1, {&object, &index, &out}));
    return download<std::uint32_t>(out, 5);
  };
  EXPECT_THAT(at(0), ElementsAre(0xffffffffU, 0, 0, 0, 1));
  EXPECT_THAT(at(2), ElementsAre(6, 0, 0, 0, 1));
  EXPECT_THAT(at(3), ElementsAre(0, 0, 0, 0, 1));
}

TEST_F(TextureTest, RefusesWhatCannotBeSampled) {
  CUtexObject object = 0;
  const auto integers = array_of<std::int32_t>(CU_AD_FORMAT_SIGNED_INT32, 1, 1, 1, {3});
  const CUDA_TEXTURE_DESC filtered = sampling(CU_TR_ADDRESS_MODE_CLAMP, kLinear, 0);
  EXPECT_EQ(DEVICE(cuTexObjectCreate)(&object, &integers, &filtered, nullptr), CUDA_ERROR_INVALID_VALUE);
  CUDA_RESOURCE_DESC outside{};
  outside.resType = CU_RESOURCE_TYPE_LINEAR;
  outside.res.linear.devPtr = allocate<float>(2);
  outside.res.linear.format = CU_AD_FORMAT_FLOAT;
  outside.res.linear.numChannels = 1;
  outside.res.linear.sizeInBytes = 12;
  const CUDA_TEXTURE_DESC plain = sampling(CU_TR_ADDRESS_MODE_CLAMP, kPoint, 0);
  EXPECT_EQ(DEVICE(cuTexObjectCreate)(&object, &outside, &plain, nullptr), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace cudahot::test
