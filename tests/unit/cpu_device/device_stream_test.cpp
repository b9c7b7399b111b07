#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include "tests/unit/cpu_device/device_under_test.hpp"

namespace cudahot::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class StreamTest : public DeviceTest {
 protected:
  StreamTest() {
    EXPECT_CUDA(DEVICE(cuMemAllocHost)(&flag_, 4));
    std::memset(flag_, 0, 4);
  }
  // Queues a kernel that runs until raise() is called.
  void hold(CUstream stream) { ASSERT_CUDA(launch("await_flag", 1, 1, {&flag_}, stream)); }
  void raise() { static_cast<std::atomic<std::uint32_t>*>(flag_)->store(1); }
  void* flag_ = nullptr;
};

TEST_F(StreamTest, WorkOfOneStreamRunsInOrder) {
  const CUstream stream = new_stream();
  CUdeviceptr data = upload<std::int32_t>({1});
  std::int32_t factor = 3;
  std::int32_t offset = 1;
  for (int index = 0; index < 5; ++index) ASSERT_CUDA(launch("scale", 1, 1, {&data, &factor, &offset}, stream));
  ASSERT_CUDA(DEVICE(cuStreamSynchronize)(stream));
  EXPECT_THAT(download<std::int32_t>(data, 1), ElementsAre(364));  // 1 4 13 40 121 364
}

TEST_F(StreamTest, StreamsRunBesideEachOther) {
  // Would never end if the second kernel waited for the first.
  const CUstream waiting = new_stream();
  const CUstream raising = new_stream();
  hold(waiting);
  EXPECT_EQ(DEVICE(cuStreamQuery)(waiting), CUDA_ERROR_NOT_READY);
  ASSERT_CUDA(launch("raise_flag", 1, 1, {&flag_}, raising));
  EXPECT_CUDA(DEVICE(cuStreamSynchronize)(waiting));
  EXPECT_CUDA(DEVICE(cuStreamQuery)(waiting));
}

TEST_F(StreamTest, ManyHeldStreamsDoNotKeepAnotherFromRunning) {
  for (int index = 0; index < 12; ++index) hold(new_stream());
  ASSERT_CUDA(launch("raise_flag", 1, 1, {&flag_}, new_stream()));
  EXPECT_CUDA(DEVICE(cuCtxSynchronize)());
}

TEST_F(StreamTest, TheDefaultStreamWaitsForBlockingStreamsAndTheyForIt) {
  const CUstream blocking = new_stream(CU_STREAM_DEFAULT);
  const CUstream free = new_stream(CU_STREAM_NON_BLOCKING);
  CUdeviceptr data = upload<std::int32_t>({0, 0, 0});
  CUdeviceptr second = data + 4;
  CUdeviceptr third = data + 8;
  std::int32_t value = 1;
  hold(blocking);
  ASSERT_CUDA(launch("fill", 1, 1, {&data, &value}, nullptr));
  ASSERT_CUDA(launch("fill", 1, 1, {&second, &value}, blocking));
  ASSERT_CUDA(launch("fill", 1, 1, {&third, &value}, free));
  ASSERT_CUDA(DEVICE(cuStreamSynchronize)(free));
  const auto* seen = reinterpret_cast<const std::int32_t*>(data);
  EXPECT_EQ(seen[2], 1);
  EXPECT_EQ(DEVICE(cuStreamQuery)(nullptr), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(seen[0], 0);
  raise();
  EXPECT_THAT(download<std::int32_t>(data, 3), ElementsAre(1, 1, 1));
}

TEST_F(StreamTest, EventsOrderStreams) {
  const CUstream first = new_stream();
  const CUstream second = new_stream();
  CUevent event = nullptr;
  ASSERT_CUDA(DEVICE(cuEventCreate)(&event, CU_EVENT_DEFAULT));
  EXPECT_CUDA(DEVICE(cuEventQuery)(event));  // never recorded: nothing to wait for
  CUdeviceptr data = upload<std::int32_t>({2});
  std::int32_t factor = 10;
  std::int32_t offset = 0;
  hold(first);
  ASSERT_CUDA(launch("scale", 1, 1, {&data, &factor, &offset}, first));
  ASSERT_CUDA(DEVICE(cuEventRecord)(event, first));
  ASSERT_CUDA(DEVICE(cuStreamWaitEvent)(second, event, 0));
  factor = 1;
  offset = 3;
  ASSERT_CUDA(launch("scale", 1, 1, {&data, &factor, &offset}, second));
  EXPECT_EQ(DEVICE(cuEventQuery)(event), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(DEVICE(cuStreamQuery)(second), CUDA_ERROR_NOT_READY);
  raise();
  ASSERT_CUDA(DEVICE(cuEventSynchronize)(event));
  ASSERT_CUDA(DEVICE(cuStreamSynchronize)(second));
  EXPECT_THAT(download<std::int32_t>(data, 1), ElementsAre(23));  // not 50
}

TEST_F(StreamTest, EventsTellTheTimeBetweenThem) {
  CUevent start = nullptr;
  CUevent end = nullptr;
  ASSERT_CUDA(DEVICE(cuEventCreate)(&start, CU_EVENT_DEFAULT));
  ASSERT_CUDA(DEVICE(cuEventCreate)(&end, CU_EVENT_DEFAULT));
  const CUstream stream = new_stream();
  float milliseconds = -1;
  EXPECT_EQ(DEVICE(cuEventElapsedTime)(&milliseconds, start, end), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_CUDA(DEVICE(cuEventRecord)(start, stream));
  hold(stream);
  ASSERT_CUDA(DEVICE(cuEventRecord)(end, stream));
  EXPECT_EQ(DEVICE(cuEventElapsedTime)(&milliseconds, start, end), CUDA_ERROR_NOT_READY);
  raise();
  ASSERT_CUDA(DEVICE(cuEventSynchronize)(end));
  ASSERT_CUDA(DEVICE(cuEventElapsedTime)(&milliseconds, start, end));
  EXPECT_GT(milliseconds, 0);
}

TEST_F(StreamTest, HostFunctionsRunInOrderAndMustNotCallTheDriver) {
  struct Seen {
    const std::int32_t* data;
    std::int32_t value = 0;
    CUresult call = CUDA_SUCCESS;
  };
  const CUstream stream = new_stream();
  CUdeviceptr data = upload<std::int32_t>({0});
  Seen seen{reinterpret_cast<const std::int32_t*>(data)};
  std::int32_t value = 8;
  ASSERT_CUDA(launch("fill", 1, 1, {&data, &value}, stream));
  const CUhostFn look = [](void* user) {
    auto& to = *static_cast<Seen*>(user);
    to.value = *to.data;
    to.call = DEVICE(cuCtxSynchronize)();
  };
  ASSERT_CUDA(DEVICE(cuLaunchHostFunc)(stream, look, &seen));
  ASSERT_CUDA(DEVICE(cuStreamSynchronize)(stream));
  EXPECT_EQ(seen.value, 8);
  EXPECT_EQ(seen.call, CUDA_ERROR_NOT_PERMITTED);
}

TEST_F(StreamTest, CallbacksAreToldTheErrorOfALostContext) {
  const CUstream stream = new_stream();
  CUresult told = CUDA_SUCCESS;
  ASSERT_CUDA(launch("trap", 1, 1, {}, stream));
  const CUstreamCallback tell = [](CUstream, CUresult status, void* user) { *static_cast<CUresult*>(user) = status; };
  // May come too late to be queued: then the call itself tells.
  if (DEVICE(cuStreamAddCallback)(stream, tell, &told, 0) == CUDA_SUCCESS) {
    EXPECT_EQ(DEVICE(cuStreamSynchronize)(stream), CUDA_ERROR_LAUNCH_FAILED);
    EXPECT_EQ(told, CUDA_ERROR_LAUNCH_FAILED);
  }
}

TEST_F(StreamTest, DestroyedStreamsFinishTheirWorkAndAreNotFoundAgain) {
  const CUstream stream = new_stream();
  CUdeviceptr data = upload<std::int32_t>({0});
  std::int32_t value = 4;
  hold(stream);
  ASSERT_CUDA(launch("fill", 1, 1, {&data, &value}, stream));
  ASSERT_CUDA(DEVICE(cuStreamDestroy)(stream));
  EXPECT_EQ(DEVICE(cuStreamSynchronize)(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_THAT(log(), HasSubstr("stream is used that does not exist, or was destroyed"));
  raise();
  ASSERT_CUDA(DEVICE(cuCtxSynchronize)());
  EXPECT_THAT(download<std::int32_t>(data, 1), ElementsAre(4));
}

TEST_F(StreamTest, EachThreadHasItsOwnPerThreadStream) {
  CUstream other = nullptr;
  unsigned long long mine = 0;
  unsigned long long theirs = 0;
  ASSERT_CUDA(DEVICE(cuStreamGetId)(CU_STREAM_PER_THREAD, &mine));
  std::thread([&] {
    EXPECT_CUDA(DEVICE(cuCtxSetCurrent)(context()));
    EXPECT_CUDA(DEVICE(cuStreamGetId)(CU_STREAM_PER_THREAD, &theirs));
  }).join();
  EXPECT_NE(mine, theirs);
  EXPECT_EQ(other, nullptr);
}

}  // namespace
}  // namespace cudahot::test
