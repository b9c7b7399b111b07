#include <array>

#include "tests/unit/cpu_device/device_under_test.hpp"

namespace cudahot::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

enum Boundary { kTrap = 0, kClamp = 1, kZero = 2 };

class SurfaceTest : public DeviceTest {
 protected:
  CUsurfObject surface(CUarray_format format, unsigned channels, std::size_t width, std::size_t height) {
    const CUDA_ARRAY3D_DESCRIPTOR wanted{.Width = width,
                                         .Height = height,
                                         .Depth = 0,
                                         .Format = format,
                                         .NumChannels = channels,
                                         .Flags = CUDA_ARRAY3D_SURFACE_LDST};
    EXPECT_CUDA(DEVICE(cuArray3DCreate)(&array_, &wanted));
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array_;
    CUsurfObject object = 0;
    EXPECT_CUDA(DEVICE(cuSurfObjectCreate)(&object, &resource));
    return object;
  }
  // 2 x 2 floats 1 2 / 3 4
  CUsurfObject numbers() {
    const CUsurfObject object = surface(CU_AD_FORMAT_FLOAT, 1, 2, 2);
    const std::array<float, 4> values{1, 2, 3, 4};
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = values.data();
    copy.srcPitch = 8;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array_;
    copy.WidthInBytes = 8;
    copy.Height = 2;
    EXPECT_CUDA(DEVICE(cuMemcpy2D)(&copy));
    return object;
  }
  CUresult read(CUsurfObject object, std::int32_t x_bytes, std::int32_t y, std::int32_t boundary, float& value) {
    CUdeviceptr out = allocate<float>(1);
    EXPECT_CUDA(launch("read_surface", 1, 1, {&object, &x_bytes, &y, &boundary, &out}));
    const CUresult code = DEVICE(cuCtxSynchronize)();
    value = *reinterpret_cast<float*>(out);
    return code;
  }
  float value_at(CUsurfObject object, std::int32_t x_bytes, std::int32_t y, std::int32_t boundary) {
    float value = -1;
    EXPECT_CUDA(read(object, x_bytes, y, boundary, value));
    return value;
  }
  CUarray array_ = nullptr;
};

TEST_F(SurfaceTest, KernelsWritePixelsThatCopiesRead) {
  CUsurfObject object = surface(CU_AD_FORMAT_FLOAT, 4, 3, 2);
  std::array<void*, 1> parameters{&object};
  ASSERT_CUDA(DEVICE(cuLaunchKernel)(reinterpret_cast<CUfunction>(kernel("write_surface")), 1, 1, 1, 3, 2, 1, 0,
                                     nullptr, parameters.data(), nullptr));
  std::array<float, 24> pixels{};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array_;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = pixels.data();
  copy.dstPitch = 48;
  copy.WidthInBytes = 48;
  copy.Height = 2;
  ASSERT_CUDA(DEVICE(cuMemcpy2D)(&copy));
  EXPECT_THAT(pixels, ElementsAre(0, 0, 0.5F, 1, 1, 0, 0.5F, 1, 2, 0, 0.5F, 1,  //
                                  0, 1, 0.5F, 1, 1, 1, 0.5F, 1, 2, 1, 0.5F, 1));
}

TEST_F(SurfaceTest, XCountsBytes) {
  const CUsurfObject object = numbers();
  EXPECT_EQ(value_at(object, 0, 0, kTrap), 1);
  EXPECT_EQ(value_at(object, 4, 0, kTrap), 2);
  EXPECT_EQ(value_at(object, 4, 1, kTrap), 4);
}

TEST_F(SurfaceTest, OutsideIsZeroOrTheNearestElementOnRequest) {
  const CUsurfObject object = numbers();
  EXPECT_EQ(value_at(object, 8, 0, kZero), 0);
  EXPECT_EQ(value_at(object, 0, -1, kZero), 0);
  EXPECT_EQ(value_at(object, 400, 0, kClamp), 2);
  EXPECT_EQ(value_at(object, -4, 5, kClamp), 3);
}

TEST_F(SurfaceTest, OutsideTrapsByDefault) {
  float value = 0;
  EXPECT_EQ(read(numbers(), 8, 0, kTrap, value), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(log(), HasSubstr("surface access out of range"));
}

TEST_F(SurfaceTest, XThatWasNotMultipliedByTheElementSizeIsReported) {
  float value = 0;
  EXPECT_EQ(read(numbers(), 1, 0, kTrap, value), CUDA_ERROR_MISALIGNED_ADDRESS);
  EXPECT_THAT(log(), HasSubstr("it counts bytes"));
}

TEST_F(SurfaceTest, DestroyedSurfacesAreReported) {
  const CUsurfObject object = numbers();
  ASSERT_CUDA(DEVICE(cuSurfObjectDestroy)(object));
  EXPECT_EQ(DEVICE(cuSurfObjectDestroy)(object), CUDA_ERROR_INVALID_VALUE);
  float value = 0;
  EXPECT_EQ(read(object, 0, 0, kTrap, value), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(log(), HasSubstr("surface object that does not exist"));
}

TEST_F(SurfaceTest, SurfacesOfDestroyedArraysAreReported) {
  const CUsurfObject object = numbers();
  ASSERT_CUDA(DEVICE(cuArrayDestroy)(array_));
  float value = 0;
  EXPECT_EQ(read(object, 0, 0, kTrap, value), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(log(), HasSubstr("the surface of a destroyed array"));
}

}  // namespace
}  // namespace cudahot::test
