#include <array>
#include <cstring>
#include <string>
#include <thread>

#include "tests/unit/cpu_device/device_under_test.hpp"

namespace cudahot::test {
namespace {

using testing::HasSubstr;

using ContextTest = DeviceTest;

TEST_F(ContextTest, DeviceIsRecognisedByCapabilityAndUuid) {
  int major = -1;
  int minor = -1;
  ASSERT_CUDA(DEVICE(cuDeviceGetAttribute)(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
  ASSERT_CUDA(DEVICE(cuDeviceGetAttribute)(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
  EXPECT_EQ(major, 0);
  EXPECT_EQ(minor, 64);
  CUuuid uuid{};
  ASSERT_CUDA(DEVICE(cuDeviceGetUuid)(&uuid, 0));
  EXPECT_EQ(std::string(uuid.bytes, 16), "cudahot-cpu-x864");
  std::array<char, 64> name{};
  ASSERT_CUDA(DEVICE(cuDeviceGetName)(name.data(), 64, 0));
  EXPECT_STREQ(name.data(), "cudahot CPU device");
  int warp = 0;
  ASSERT_CUDA(DEVICE(cuDeviceGetAttribute)(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  EXPECT_EQ(warp, 32);
  EXPECT_EQ(DEVICE(cuDeviceGetAttribute)(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(ContextTest, CurrentContextIsOfTheThread) {
  CUcontext seen = context();
  std::thread([&] { EXPECT_CUDA(DEVICE(cuCtxGetCurrent)(&seen)); }).join();
  EXPECT_EQ(seen, nullptr);
  CUresult code = CUDA_SUCCESS;
  std::thread([&] { code = DEVICE(cuCtxSynchronize)(); }).join();
  EXPECT_EQ(code, CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(ContextTest, PushAndPopNest) {
  CUcontext second = nullptr;
  ASSERT_CUDA(DEVICE(cuCtxCreate)(&second, nullptr, 0, 0));
  CUcontext seen = nullptr;
  ASSERT_CUDA(DEVICE(cuCtxGetCurrent)(&seen));
  EXPECT_EQ(seen, second);
  ASSERT_CUDA(DEVICE(cuCtxPopCurrent)(&seen));
  EXPECT_EQ(seen, second);
  ASSERT_CUDA(DEVICE(cuCtxGetCurrent)(&seen));
  EXPECT_EQ(seen, context());
  ASSERT_CUDA(DEVICE(cuCtxDestroy)(second));
  EXPECT_EQ(DEVICE(cuCtxPushCurrent)(second), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(ContextTest, ObjectsOfAnotherContextAreRefused) {
  const CUstream stream = new_stream();
  CUfunction function = nullptr;
  ASSERT_CUDA(DEVICE(cuKernelGetFunction)(&function, kernel("nothing")));
  CUcontext second = nullptr;
  ASSERT_CUDA(DEVICE(cuCtxCreate)(&second, nullptr, 0, 0));
  EXPECT_EQ(DEVICE(cuStreamSynchronize)(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_THAT(log(), HasSubstr("a stream is used while another context than its own is current"));
  EXPECT_EQ(DEVICE(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_THAT(log(), HasSubstr("function 'nothing' is used while another context"));
  EXPECT_CUDA(launch("nothing", 1, 1));  // a kernel belongs to no context
  EXPECT_CUDA(DEVICE(cuCtxDestroy)(second));
}

TEST_F(ContextTest, PrimaryContextGoesWithItsLastUser) {
  CUcontext again = nullptr;
  ASSERT_CUDA(DEVICE(cuDevicePrimaryCtxRetain)(&again, 0));
  EXPECT_EQ(again, context());
  ASSERT_CUDA(DEVICE(cuDevicePrimaryCtxRelease)(0));
  EXPECT_CUDA(DEVICE(cuCtxSynchronize)());
  ASSERT_CUDA(DEVICE(cuDevicePrimaryCtxRelease)(0));
  EXPECT_EQ(DEVICE(cuCtxSynchronize)(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(DEVICE(cuDevicePrimaryCtxRelease)(0), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(ContextTest, MemoryGoesWithItsContext) {
  CUcontext second = nullptr;
  ASSERT_CUDA(DEVICE(cuCtxCreate)(&second, nullptr, 0, 0));
  const CUdeviceptr memory = allocate<std::int32_t>(1000);
  ASSERT_CUDA(DEVICE(cuCtxDestroy)(second));
  std::int32_t value = 0;
  EXPECT_EQ(DEVICE(cuMemcpyDtoH)(&value, memory, 4), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ContextTest, ErrorsHaveNamesAndTexts) {
  const char* text = nullptr;
  ASSERT_CUDA(DEVICE(cuGetErrorName)(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  ASSERT_CUDA(DEVICE(cuGetErrorString)(CUDA_ERROR_ILLEGAL_ADDRESS, &text));
  EXPECT_STREQ(text, "illegal address");
  EXPECT_EQ(DEVICE(cuGetErrorName)(static_cast<CUresult>(998), &text), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ContextTest, ProcAddressGivesTheVariantOfTheHeader) {
  const auto find = [](const char* name, int version) {
    void* function = nullptr;
    DEVICE(cuGetProcAddress)(name, &function, version, CU_GET_PROC_ADDRESS_DEFAULT, nullptr);
    return function;
  };
  EXPECT_EQ(find("cuMemAlloc", 3020), device_symbol("cuMemAlloc_v2"));
  EXPECT_EQ(find("cuCtxCreate", 13000), device_symbol("cuCtxCreate_v4"));
  EXPECT_EQ(find("cuCtxCreate", 11000), nullptr) << "it would be called with other parameters";
  EXPECT_EQ(find("cuCtxSynchronize", 2000), device_symbol("cuCtxSynchronize"));
  EXPECT_EQ(find("cuGraphInstantiateWithFlags", 11040), device_symbol("cuGraphInstantiateWithFlags"));
  EXPECT_EQ(find("cuGraphInstantiate", 12000), nullptr) << "a driver has the one with a log buffer under that name";
  EXPECT_EQ(find("cuNoSuchFunction", 13000), nullptr);
}

TEST_F(ContextTest, UnsupportedFunctionsRefuseAndSayItOnce) {
  const auto before = counters().refused_calls;
  EXPECT_EQ(DEVICE(cuMipmappedArrayDestroy)(nullptr), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(DEVICE(cuMipmappedArrayDestroy)(nullptr), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(counters().refused_calls, before + 2);
  const std::string said = log();
  const auto first = said.find("cuMipmappedArrayDestroy is not supported by the CPU device");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(said.find("cuMipmappedArrayDestroy", first + 1), std::string::npos);
}

}  // namespace
}  // namespace cudahot::test
