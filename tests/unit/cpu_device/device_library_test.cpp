#include <array>
#include <atomic>
#include <cstring>
#include <set>
#include <thread>

#include "tests/unit/cpu_device/device_under_test.hpp"

namespace cudahot::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class LibraryTest : public DeviceTest {
 protected:
  static CUresult load(const void* code, CUlibrary& loaded) {
    return DEVICE(cuLibraryLoadData)(&loaded, code, nullptr, nullptr, 0, nullptr, nullptr, 0);
  }
  static CUresult load_file(const char* file) {
    CUlibrary loaded = nullptr;
    return load(bytes_of_file(file).data(), loaded);
  }
};

TEST_F(LibraryTest, RefusesWhatIsNotCodeForThisDevice) {
  CUlibrary loaded = nullptr;
  EXPECT_EQ(load(".version 8.0\n.target sm_90", loaded), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(load("", loaded), CUDA_ERROR_INVALID_IMAGE);
  std::string gpu = bytes_of_file(CUDAHOT_TEST_KERNELS);
  gpu[18] = static_cast<char>(190);  // e_machine: EM_CUDA
  EXPECT_EQ(load(gpu.data(), loaded), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_THAT(log(), HasSubstr("was it built for a GPU?"));
  EXPECT_EQ(load_file(CUDAHOT_TEST_NO_MODULE), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_THAT(log(), HasSubstr("exports no cudahot_cpu_module"));
  EXPECT_EQ(load_file(CUDAHOT_TEST_OTHER_VERSION), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_THAT(log(), HasSubstr("another version"));
}

TEST_F(LibraryTest, FindsKernelsAndTellsTheirParameters) {
  CUkernel found = nullptr;
  EXPECT_EQ(DEVICE(cuLibraryGetKernel)(&found, library(), "nosuch"), CUDA_ERROR_NOT_FOUND);
  ASSERT_CUDA(DEVICE(cuLibraryGetKernel)(&found, library(), "mixed"));
  const char* name = nullptr;
  ASSERT_CUDA(DEVICE(cuKernelGetName)(&name, found));
  EXPECT_STREQ(name, "mixed");
  std::vector<std::size_t> layout;
  std::size_t offset = 0;
  std::size_t size = 0;
  for (std::size_t index = 0; DEVICE(cuKernelGetParamInfo)(found, index, &offset, &size) == CUDA_SUCCESS; ++index) {
    layout.push_back(offset);
    layout.push_back(size);
  }
  EXPECT_THAT(layout, ElementsAre(0, 1, 8, 8, 16, 3, 24, 8));
  unsigned count = 0;
  ASSERT_CUDA(DEVICE(cuLibraryGetKernelCount)(&count, library()));
  EXPECT_EQ(count, 33);
}

TEST_F(LibraryTest, TellsAttributesOfKernels) {
  const auto attribute = [&](const char* name, CUfunction_attribute which) {
    int value = -1;
    EXPECT_CUDA(DEVICE(cuKernelGetAttribute)(&value, which, kernel(name), 0));
    return value;
  };
  EXPECT_EQ(attribute("reverse", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 4096);
  EXPECT_EQ(attribute("count_even", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 128);
  EXPECT_EQ(attribute("fill", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 1024);
}

TEST_F(LibraryTest, VariablesHaveAddressesForCopies) {
  CUdeviceptr counter = 0;
  CUdeviceptr table = 0;
  CUdeviceptr managed = 0;
  std::size_t bytes = 0;
  ASSERT_CUDA(DEVICE(cuLibraryGetGlobal)(&counter, &bytes, library(), "counter"));
  EXPECT_EQ(bytes, 4);
  ASSERT_CUDA(DEVICE(cuLibraryGetGlobal)(&table, &bytes, library(), "table"));
  EXPECT_EQ(bytes, 16);
  ASSERT_CUDA(DEVICE(cuLibraryGetManaged)(&managed, &bytes, library(), "shared_with_host"));
  EXPECT_EQ(DEVICE(cuLibraryGetManaged)(&managed, &bytes, library(), "table"), CUDA_ERROR_NOT_FOUND);

  const std::array<std::int32_t, 4> values{1, 2, 77, 4};
  ASSERT_CUDA(DEVICE(cuMemcpyHtoD)(table, values.data(), sizeof values));
  reinterpret_cast<std::int32_t*>(managed)[0] = 41;
  CUdeviceptr out = allocate<std::int32_t>(2);
  ASSERT_CUDA(launch("use_variables", 1, 1, {&out}));
  EXPECT_THAT(download<std::int32_t>(out, 2), ElementsAre(5, 77));
  EXPECT_THAT(download<std::int32_t>(counter, 1), ElementsAre(6));
  EXPECT_EQ(reinterpret_cast<std::int32_t*>(managed)[1], 42);
  // One byte more than the variable has:
  EXPECT_EQ(DEVICE(cuMemcpyHtoD)(table, values.data(), sizeof values + 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(LibraryTest, EachOfManyLoadsOfTheSameBytesHasItsOwnVariables) {
  const std::string code = bytes_of_file(CUDAHOT_TEST_KERNELS);
  std::vector<CUlibrary> libraries(100);
  std::set<CUdeviceptr> addresses;
  for (CUlibrary& loaded : libraries) {
    CUdeviceptr counter = 0;
    ASSERT_CUDA(load(code.data(), loaded));
    ASSERT_CUDA(DEVICE(cuLibraryGetGlobal)(&counter, nullptr, loaded, "counter"));
    addresses.insert(counter);
  }
  EXPECT_EQ(addresses.size(), 100);
  for (const CUlibrary loaded : libraries) EXPECT_CUDA(DEVICE(cuLibraryUnload)(loaded));
}

TEST_F(LibraryTest, ModulesAreTheSameCodeInOneContext) {
  CUmodule module = nullptr;
  CUfunction fill = nullptr;
  ASSERT_CUDA(DEVICE(cuModuleLoadData)(&module, bytes_of_file(CUDAHOT_TEST_KERNELS).data()));
  ASSERT_CUDA(DEVICE(cuModuleGetFunction)(&fill, module, "fill"));
  CUdeviceptr out = allocate<std::int32_t>(3);
  std::int32_t value = 6;
  std::array<void*, 2> parameters{&out, &value};
  ASSERT_CUDA(DEVICE(cuLaunchKernel)(fill, 3, 1, 1, 1, 1, 1, 0, nullptr, parameters.data(), nullptr));
  EXPECT_THAT(download<std::int32_t>(out, 3), ElementsAre(6, 6, 6));
  CUmodule owner = nullptr;
  ASSERT_CUDA(DEVICE(cuFuncGetModule)(&owner, fill));
  EXPECT_EQ(owner, module);
  ASSERT_CUDA(DEVICE(cuModuleUnload)(module));
  EXPECT_EQ(DEVICE(cuLaunchKernel)(fill, 3, 1, 1, 1, 1, 1, 0, nullptr, parameters.data(), nullptr),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(LibraryTest, LaunchOfAnUnloadedFunctionIsReported) {
  CUfunction function = nullptr;
  ASSERT_CUDA(DEVICE(cuKernelGetFunction)(&function, kernel("nothing")));
  ASSERT_CUDA(DEVICE(cuLibraryUnload)(library()));
  const auto misuses = counters().misuses;
  EXPECT_EQ(DEVICE(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(counters().misuses, misuses + 1);
  EXPECT_THAT(log(), HasSubstr("whose library was unloaded"));
}

TEST_F(LibraryTest, UnloadWaitsForWhatIsRunningAndCountsIt) {
  const CUstream stream = new_stream();
  void* flag = nullptr;
  ASSERT_CUDA(DEVICE(cuMemAllocHost)(&flag, 4));
  std::memset(flag, 0, 4);
  ASSERT_CUDA(launch("await_flag", 1, 1, {&flag}, stream));
  const auto before = counters();
  std::thread unloading([this] {
    EXPECT_CUDA(DEVICE(cuCtxSetCurrent)(context()));
    EXPECT_CUDA(DEVICE(cuLibraryUnload)(library()));
  });
  while (counters().drains == before.drains) std::this_thread::yield();
  EXPECT_EQ(DEVICE(cuStreamQuery)(stream), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(counters().loaded_images, before.loaded_images);
  static_cast<std::atomic<std::uint32_t>*>(flag)->store(1);
  unloading.join();
  EXPECT_CUDA(DEVICE(cuStreamSynchronize)(stream));
  EXPECT_EQ(counters().loaded_images, before.loaded_images - 1);
}

TEST_F(LibraryTest, WorkThatWasQueuedBeforeAnUnloadStillRuns) {
  const CUstream stream = new_stream();
  void* flag = nullptr;
  ASSERT_CUDA(DEVICE(cuMemAllocHost)(&flag, 4));
  std::memset(flag, 0, 4);
  CUdeviceptr data = upload<std::int32_t>({0, 0});
  std::int32_t value = 3;
  ASSERT_CUDA(launch("await_flag", 1, 1, {&flag}, stream));
  ASSERT_CUDA(launch("fill", 2, 1, {&data, &value}, stream));
  const auto before = counters();
  std::thread unloading([this] { EXPECT_CUDA(DEVICE(cuLibraryUnload)(library())); });
  while (counters().drains == before.drains) std::this_thread::yield();
  static_cast<std::atomic<std::uint32_t>*>(flag)->store(1);
  unloading.join();
  EXPECT_THAT(download<std::int32_t>(data, 2), ElementsAre(3, 3));
}

}  // namespace
}  // namespace cudahot::test
