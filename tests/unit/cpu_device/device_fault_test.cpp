#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "lib/cpu_device/sanitizers.hpp"
#include "tests/unit/cpu_device/device_under_test.hpp"

namespace cudahot::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class FaultTest : public DeviceTest {
 protected:
  void use_new_context() {
    ASSERT_CUDA(DEVICE(cuDevicePrimaryCtxReset)(0));
    CUcontext fresh = nullptr;
    ASSERT_CUDA(DEVICE(cuDevicePrimaryCtxRetain)(&fresh, 0));
    ASSERT_CUDA(DEVICE(cuCtxSetCurrent)(fresh));
  }

  // What the context answers after the launch, now and later.
  CUresult after(const char* name, unsigned grid, unsigned block, std::vector<void*> parameters = {},
                 unsigned shared_bytes = 0) {
    EXPECT_CUDA(launch(name, grid, block, std::move(parameters), nullptr, shared_bytes));
    const CUresult code = DEVICE(cuCtxSynchronize)();
    EXPECT_EQ(DEVICE(cuCtxSynchronize)(), code) << "the error is sticky";
    CUdeviceptr memory = 0;
    EXPECT_EQ(DEVICE(cuMemAlloc)(&memory, 4), code) << "for every call";
    return code;
  }
};

TEST_F(FaultTest, IllegalAddressLosesTheContextAndNamesTheThread) {
  CUdeviceptr nowhere = 0x10;
  EXPECT_EQ(after("write_to", 1, 1, {&nowhere}), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(log(), HasSubstr("kernel 'write_to' failed: thread (0, 0, 0) of block (0, 0, 0): illegal address 0x10; "
                               "its context is lost"));
}

TEST_F(FaultTest, AccessRightBehindAnAllocationIsCaught) {
  CUdeviceptr memory = allocate<std::byte>(1024);
  CUdeviceptr behind = memory + 1024;
  EXPECT_EQ(after("write_to", 1, 1, {&behind}), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(FaultTest, AccessToFreedMemoryIsCaught) {
  CUdeviceptr memory = allocate<std::byte>(1024);
  ASSERT_CUDA(DEVICE(cuMemFree)(memory));
  EXPECT_EQ(after("write_to", 1, 1, {&memory}), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(FaultTest, AccessBehindSharedMemoryIsCaught) {
  EXPECT_EQ(after("shared_overflow", 1, 1, {}, 64), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(FaultTest, AccessBehindOrFarBeforeStaticSharedMemoryIsCaught) {
  for (std::int32_t element : {1024, 1088, 17000, -20000, -200000}) {
    EXPECT_CUDA(launch("static_shared_overflow", 1, 1, {&element}));
    EXPECT_EQ(DEVICE(cuCtxSynchronize)(), CUDA_ERROR_ILLEGAL_ADDRESS) << element;
    use_new_context();
  }
}

TEST_F(FaultTest, ANewPrimaryContextWorksAfterTheLostOne) {
  CUdeviceptr nowhere = 0;
  EXPECT_EQ(after("write_to", 1, 1, {&nowhere}), CUDA_ERROR_ILLEGAL_ADDRESS);
  use_new_context();
  CUdeviceptr data = upload<std::int32_t>({1, 2, 3});
  ASSERT_CUDA(launch("reverse", 1, 3, {&data}));
  EXPECT_THAT(download<std::int32_t>(data, 3), ElementsAre(3, 2, 1));
}

TEST_F(FaultTest, OtherContextsGoOn) {
  CUcontext second = nullptr;
  CUdeviceptr nowhere = 0;
  ASSERT_CUDA(launch("write_to", 1, 1, {&nowhere}));
  EXPECT_EQ(DEVICE(cuCtxSynchronize)(), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_CUDA(DEVICE(cuCtxCreate)(&second, nullptr, 0, 0));
  EXPECT_CUDA(launch("nothing", 2, 64));
  EXPECT_CUDA(DEVICE(cuCtxSynchronize)());
  EXPECT_CUDA(DEVICE(cuCtxDestroy)(second));
}

TEST_F(FaultTest, IntegerDivisionByZeroFailsTheLaunch) {
  CUdeviceptr out = allocate<std::int32_t>(1);
  std::int32_t zero = 0;
  EXPECT_EQ(after("divide", 1, 1, {&out, &zero}), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(log(), HasSubstr("integer division by zero"));
}

TEST_F(FaultTest, TrapFailsTheLaunch) { EXPECT_EQ(after("trap", 1, 1), CUDA_ERROR_LAUNCH_FAILED); }

TEST_F(FaultTest, InvalidInstructionsAreCaught) {
  EXPECT_EQ(after("invalid_instruction", 1, 1), CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

TEST_F(FaultTest, AssertNamesFileLineAndThreadWhileOthersWaitAtABarrier) {
  std::uint32_t failing = 70;
  EXPECT_EQ(after("failing_assert", 2, 64, {&failing}), CUDA_ERROR_ASSERT);
  EXPECT_THAT(log(), HasSubstr("thread (6, 0, 0) of block (1, 0, 0): shade.cu:12: assertion `x < limit' failed"));
}

TEST_F(FaultTest, StackOverflowIsToldFromOtherFaults) {
  CUdeviceptr out = allocate<std::int32_t>(1);
  EXPECT_EQ(after("overflow_stack", 1, 1, {&out}), CUDA_ERROR_HARDWARE_STACK_ERROR);
  EXPECT_THAT(log(), HasSubstr("stack overflow (a thread has 65536 bytes, see CU_LIMIT_STACK_SIZE)"));
}

TEST_F(FaultTest, DeadlockIsReportedWithWhatEachThreadWaitsFor) {
  EXPECT_EQ(after("deadlock", 1, 40), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(log(), AllOf(HasSubstr("kernel 'deadlock' failed: deadlock in block (0, 0, 0)"),
                           HasSubstr("38 wait at __syncthreads, 2 for other lanes"), HasSubstr("mask 0x00000003")));
}

TEST_F(FaultTest, LanesThatTheirMaskDoesNotNameAreReported) {
  EXPECT_EQ(after("outside_mask", 1, 2), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_THAT(log(), HasSubstr("lane 1 calls a warp function with mask 0x00000001, which does not name it"));
}

TEST_F(FaultTest, BlocksThatHaveNotStartedAreSkippedAndCountedAsOneFailedLaunch) {
  const auto before = counters();
  std::uint32_t failing = 0;
  EXPECT_EQ(after("failing_assert", 100000, 1, {&failing}), CUDA_ERROR_ASSERT);
  EXPECT_EQ(counters().failed_launches, before.failed_launches + 1);
  EXPECT_EQ(counters().launches, before.launches);
}

TEST_F(FaultTest, HundredFaultsLeaveNothingBehind) {
  for (int index = 0; index < 100; ++index) {
    std::uint32_t failing = 40;
    ASSERT_CUDA(launch("failing_assert", 2, 128, {&failing}));
    ASSERT_EQ(DEVICE(cuCtxSynchronize)(), CUDA_ERROR_ASSERT);
    use_new_context();
  }
  CUdeviceptr data = upload<std::int32_t>({1, 2, 3});
  ASSERT_CUDA(launch("reverse", 1, 3, {&data}));
  EXPECT_THAT(download<std::int32_t>(data, 3), ElementsAre(3, 2, 1));
}

// In processes of their own: the limit is read once.
class TimeLimitTest : public FaultTest {
 protected:
  TimeLimitTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  // Ends the process: with 0 when all that never ends was ended.
  [[noreturn]] void outlive(const char* limit, const std::vector<const char*>& endless) {
    ::setenv("CUDAHOT_CPU_TIMEOUT", limit, 1);
    for (const char* name : endless) {
      if (after(name, 3, 2) != CUDA_ERROR_LAUNCH_TIMEOUT) std::_Exit(1);
      use_new_context();
    }
    std::fputs(log().c_str(), stderr);
    std::_Exit(0);
  }

  // Ends the process: with 0 when a block that changes threads a hundred thousand times comes to its end.
  [[noreturn]] void run_long(const char* limit) {
    ::setenv("CUDAHOT_CPU_TIMEOUT", limit, 1);
    std::int32_t count = 100'000;
    if (launch("wait_often", 1, 2, {&count}) != CUDA_SUCCESS || DEVICE(cuCtxSynchronize)() != CUDA_SUCCESS) {
      std::_Exit(1);
    }
    std::fputs(log().c_str(), stderr);
    std::_Exit(0);
  }

  // ThreadSanitizer holds a signal back until the code calls something.
  static constexpr const char* kEndless = CUDAHOT_TSAN ? "wait_forever" : "spin_forever";
};

TEST_F(TimeLimitTest, EndsKernelsThatNeverEnd) {
  EXPECT_EXIT(outlive("0.1", {kEndless, "wait_forever"}), testing::ExitedWithCode(0),
              "kernel '(wait|spin)_forever' failed: thread .* its block still runs after 0.1 s, the limit "
              "\\(CUDAHOT_CPU_TIMEOUT\\); its context is lost");
}

TEST_F(TimeLimitTest, IsAtLeastAMillisecondForEachLookAtABlock) {
  for (const char* tiny : {"0.001", "1e-9"}) {
    EXPECT_EXIT(outlive(tiny, {"wait_forever"}), testing::ExitedWithCode(0), "its block still runs after 0.004 s")
        << tiny;
  }
}

TEST_F(TimeLimitTest, IsNoneWhereItIsZero) { EXPECT_EXIT(run_long("0"), testing::ExitedWithCode(0), "^$"); }

TEST_F(TimeLimitTest, StaysAMinuteWhereItIsNoNumberOfSeconds) {
  for (const char* wrong : {"fast", "-1", "5s", "nan", "1e10"}) {
    EXPECT_EXIT(
        run_long(wrong), testing::ExitedWithCode(0),
        std::string("^CUDAHOT_CPU_TIMEOUT is '") + wrong + "', which is no number of seconds; it stays 60 s\n$");
  }
}

// The program's own use of the signal, before and after which kernels that never end are ended.
TEST_F(TimeLimitTest, HoldsThoughTheProgramIgnoresOrHandlesTheSameSignal) {
  static std::atomic<int> handled{0};
  const auto share_the_signal = [this](void (*handler)(int), int expected) {
    const int number = SIGRTMAX - 2;
    ::setenv("CUDAHOT_CPU_TIMEOUT", "0.1", 1);
    ::signal(number, handler);
    if (launch("nothing", 1, 1) != CUDA_SUCCESS || DEVICE(cuCtxSynchronize)() != CUDA_SUCCESS) std::_Exit(3);
    ::raise(number);
    ::raise(number);
    if (handled != expected) std::_Exit(4);
    outlive("0.1", {kEndless});
  };
  EXPECT_EXIT(share_the_signal(SIG_IGN, 0), testing::ExitedWithCode(0), "still runs after 0.1 s");
  EXPECT_EXIT(share_the_signal([](int) { ++handled; }, 2), testing::ExitedWithCode(0), "still runs after 0.1 s");
}

// Waits for a line of the system's about the thread.
void await_status(pid_t thread, const std::string& wanted) {
  for (bool found = false; !found;) {
    std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
    for (std::string line; !found && std::getline(status, line);) found = line.starts_with(wanted);
  }
}

TEST_F(TimeLimitTest, ItsSignalCutsNoSystemCallOfTheProgram) {
  static std::atomic<pid_t> reader{0};
  const auto read_through_a_signal = [this] {
    ::signal(SIGRTMAX - 2, SIG_IGN);
    if (launch("nothing", 1, 1) != CUDA_SUCCESS || DEVICE(cuCtxSynchronize)() != CUDA_SUCCESS) std::_Exit(1);
    int ends[2];
    if (::pipe(ends) != 0) std::_Exit(2);
    char byte = 0;
    ssize_t count = 0;
    std::thread thread([&] {
      reader = ::gettid();
      count = ::read(ends[0], &byte, 1);
    });
    while (reader == 0) std::this_thread::yield();
    await_status(reader, "State:\tS");
    ::pthread_kill(thread.native_handle(), SIGRTMAX - 2);
    await_status(reader, "SigPnd:\t0000000000000000");
    if (::write(ends[1], "x", 1) != 1) std::_Exit(3);
    thread.join();
    std::_Exit(count == 1 && byte == 'x' ? 0 : 4);
  };
  EXPECT_EXIT(read_through_a_signal(), testing::ExitedWithCode(0), "");
}

// In a process of its own: the handlers of the device are installed behind the program's.
TEST_F(FaultTest, FaultsOfTheProgramGoToItsOwnHandler) {
  const auto fault_in_host = [this] {
    struct sigaction action{};
    action.sa_handler = [](int) { std::_Exit(7); };
    ::sigaction(SIGSEGV, &action, nullptr);
    if (launch("nothing", 4, 64) != CUDA_SUCCESS || DEVICE(cuCtxSynchronize)() != CUDA_SUCCESS) std::_Exit(1);
    ::raise(SIGSEGV);
    std::_Exit(2);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(fault_in_host(), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace cudahot::test
