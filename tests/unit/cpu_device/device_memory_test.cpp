#include <array>
#include <cstring>

#include "tests/unit/cpu_device/device_under_test.hpp"

namespace cudahot::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

using MemoryTest = DeviceTest;

TEST_F(MemoryTest, CopiesPastTheEndOfAnAllocationAreRefused) {
  const CUdeviceptr memory = allocate<std::byte>(100);
  std::array<std::byte, 200> host{};
  EXPECT_CUDA(DEVICE(cuMemcpyHtoD)(memory, host.data(), 100));
  EXPECT_EQ(DEVICE(cuMemcpyHtoD)(memory, host.data(), 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(log(), HasSubstr("destination of 101 bytes"));
  EXPECT_THAT(log(), HasSubstr("0 bytes into an allocation of 100 bytes"));
  EXPECT_EQ(DEVICE(cuMemcpyHtoD)(memory + 99, host.data(), 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(DEVICE(cuMemcpyHtoD)(memory + 100, host.data(), 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(DEVICE(cuMemcpyDtoH)(host.data(), memory, 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(DEVICE(cuMemsetD8)(memory, 0, 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(DEVICE(cuMemsetD32)(memory, 0, 26), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, FreedMemoryIsNoMemory) {
  const CUdeviceptr memory = allocate<std::int32_t>(4);
  const auto held = counters().device_memory_bytes;
  ASSERT_CUDA(DEVICE(cuMemFree)(memory));
  EXPECT_EQ(counters().device_memory_bytes, held - 16);
  std::int32_t value = 0;
  EXPECT_EQ(DEVICE(cuMemcpyDtoH)(&value, memory, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(DEVICE(cuMemFree)(memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(log(), HasSubstr("was freed"));
  EXPECT_EQ(DEVICE(cuMemAlloc)(nullptr, 4), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, MoreThanThereIsIsOutOfMemory) {
  CUdeviceptr memory = 0;
  EXPECT_EQ(DEVICE(cuMemAlloc)(&memory, std::size_t{1} << 60), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(MemoryTest, FillsByElementSizeAndByRows) {
  const CUdeviceptr memory = upload(std::vector<std::uint8_t>(24, 0));
  ASSERT_CUDA(DEVICE(cuMemsetD16)(memory, 0x1234, 2));
  // Rows of 8 bytes, of which 3 are set in the second and third.
  ASSERT_CUDA(DEVICE(cuMemsetD2D8)(memory + 8, 8, 7, 3, 2));
  EXPECT_THAT(download<std::uint8_t>(memory, 24),
              ElementsAre(0x34, 0x12, 0x34, 0x12, 0, 0, 0, 0, 7, 7, 7, 0, 0, 0, 0, 0, 7, 7, 7, 0, 0, 0, 0, 0));
}

TEST_F(MemoryTest, TwoDimensionalCopiesTakeTheRectangle) {
  // 4 rows of 6 bytes on the host; the 3 x 2 rectangle at (2, 1) goes to (1, 0) of a pitched allocation.
  std::vector<std::uint8_t> host(24);
  for (std::size_t index = 0; index < host.size(); ++index) host[index] = static_cast<std::uint8_t>(index);
  CUdeviceptr memory = 0;
  std::size_t pitch = 0;
  ASSERT_CUDA(DEVICE(cuMemAllocPitch)(&memory, &pitch, 6, 2, 4));
  EXPECT_EQ(pitch % 512, 0);
  ASSERT_CUDA(DEVICE(cuMemsetD8)(memory, 99, pitch * 2));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host.data();
  copy.srcPitch = 6;
  copy.srcXInBytes = 2;
  copy.srcY = 1;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory;
  copy.dstPitch = pitch;
  copy.dstXInBytes = 1;
  copy.WidthInBytes = 3;
  copy.Height = 2;
  ASSERT_CUDA(DEVICE(cuMemcpy2D)(&copy));
  EXPECT_THAT(download<std::uint8_t>(memory, 5), ElementsAre(99, 8, 9, 10, 99));
  EXPECT_THAT(download<std::uint8_t>(memory + pitch, 5), ElementsAre(99, 14, 15, 16, 99));
  copy.Height = 3;
  EXPECT_EQ(DEVICE(cuMemcpy2D)(&copy), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MemoryTest, ArraysAreCopiedByRowsAndChecked) {
  CUDA_ARRAY_DESCRIPTOR wanted{.Width = 3, .Height = 2, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
  CUarray array = nullptr;
  ASSERT_CUDA(DEVICE(cuArrayCreate)(&array, &wanted));
  const std::array<float, 6> values{1, 2, 3, 4, 5, 6};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = values.data();
  copy.srcPitch = 12;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = 12;
  copy.Height = 2;
  ASSERT_CUDA(DEVICE(cuMemcpy2D)(&copy));
  std::array<float, 2> back{};
  ASSERT_CUDA(DEVICE(cuMemcpyAtoH)(back.data(), array, 4, 8));
  EXPECT_THAT(back, ElementsAre(2, 3));
  copy.dstXInBytes = 4;
  EXPECT_EQ(DEVICE(cuMemcpy2D)(&copy), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(log(), HasSubstr("at (4, 0) of an array of 12 bytes by 2 rows"));
  ASSERT_CUDA(DEVICE(cuArrayDestroy)(array));
  EXPECT_EQ(DEVICE(cuMemcpyAtoH)(back.data(), array, 4, 8), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(MemoryTest, PointersTellWhatTheyPointTo) {
  const auto type_of = [](CUdeviceptr pointer) {
    unsigned type = 0;
    return DEVICE(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer) == CUDA_SUCCESS ? type : 0U;
  };
  const CUdeviceptr memory = allocate<std::int32_t>(8);
  void* pinned = nullptr;
  CUdeviceptr managed = 0;
  ASSERT_CUDA(DEVICE(cuMemHostAlloc)(&pinned, 64, CU_MEMHOSTALLOC_DEVICEMAP));
  ASSERT_CUDA(DEVICE(cuMemAllocManaged)(&managed, 64, CU_MEM_ATTACH_GLOBAL));
  int host = 0;
  EXPECT_EQ(type_of(memory + 4), unsigned{CU_MEMORYTYPE_DEVICE});
  EXPECT_EQ(type_of(reinterpret_cast<CUdeviceptr>(pinned)), unsigned{CU_MEMORYTYPE_HOST});
  EXPECT_EQ(type_of(reinterpret_cast<CUdeviceptr>(&host)), 0U);
  int is_managed = 0;
  ASSERT_CUDA(DEVICE(cuPointerGetAttribute)(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
  EXPECT_EQ(is_managed, 1);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  ASSERT_CUDA(DEVICE(cuMemGetAddressRange)(&base, &bytes, memory + 12));
  EXPECT_EQ(base, memory);
  EXPECT_EQ(bytes, 32);
}

TEST_F(MemoryTest, RegisteredHostMemoryIsMemoryOfTheDevice) {
  std::vector<std::int32_t> host(4, 0);
  ASSERT_CUDA(DEVICE(cuMemHostRegister)(host.data(), 16, 0));
  EXPECT_EQ(DEVICE(cuMemHostRegister)(host.data() + 1, 4, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  CUdeviceptr mapped = 0;
  ASSERT_CUDA(DEVICE(cuMemHostGetDevicePointer)(&mapped, host.data(), 0));
  std::int32_t value = 3;
  ASSERT_CUDA(launch("fill", 4, 1, {&mapped, &value}));
  ASSERT_CUDA(DEVICE(cuCtxSynchronize)());
  EXPECT_THAT(host, Each(3));
  ASSERT_CUDA(DEVICE(cuMemHostUnregister)(host.data()));
  EXPECT_EQ(DEVICE(cuMemHostUnregister)(host.data()), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_F(MemoryTest, AsynchronousCopiesReadPageableMemoryBeforeTheyReturn) {
  const CUstream stream = new_stream();
  void* flag = nullptr;
  ASSERT_CUDA(DEVICE(cuMemAllocHost)(&flag, 4));
  std::memset(flag, 0, 4);
  ASSERT_CUDA(launch("await_flag", 1, 1, {&flag}, stream));
  const CUdeviceptr memory = allocate<std::int32_t>(1);
  std::int32_t source = 5;
  ASSERT_CUDA(DEVICE(cuMemcpyHtoDAsync)(memory, &source, 4, stream));
  source = 6;  // the copy itself is still waiting
  std::memset(flag, 1, 4);
  ASSERT_CUDA(DEVICE(cuStreamSynchronize)(stream));
  EXPECT_THAT(download<std::int32_t>(memory, 1), ElementsAre(5));
}

TEST_F(MemoryTest, StreamOrderedMemoryIsFreedInOrder) {
  const CUstream stream = new_stream();
  CUdeviceptr memory = 0;
  ASSERT_CUDA(DEVICE(cuMemAllocAsync)(&memory, 16, stream));
  std::int32_t value = 9;
  ASSERT_CUDA(launch("fill", 4, 1, {&memory, &value}, stream));
  std::array<std::int32_t, 4> back{};
  ASSERT_CUDA(DEVICE(cuMemcpyDtoHAsync)(back.data(), memory, 16, stream));
  ASSERT_CUDA(DEVICE(cuMemFreeAsync)(memory, stream));
  ASSERT_CUDA(DEVICE(cuStreamSynchronize)(stream));
  EXPECT_THAT(back, Each(9));
  EXPECT_EQ(DEVICE(cuMemcpyDtoH)(back.data(), memory, 16), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace cudahot::test
