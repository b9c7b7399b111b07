// Static and dynamic shared memory together, over edits. More than 48 KiB, with the opt-in that it
// takes, is not there yet.
#include "tests/device/inputs/project.hpp"

namespace cudahot::inputs {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr unsigned kKiB = 1024;

class SharedMemory : public Project {
 protected:
  // Every thread writes its part of all shared memory that the block has; thread 0 adds up what the last
  // bytes and the static array hold.
  static std::string summing(int factor, int static_bytes = 1024) {
    return "extern \"C\" __global__ void Sum(int* out, int bytes) {\n"
           "  __shared__ char fixed[" +
           std::to_string(static_bytes) +
           "];\n"
           "  extern __shared__ char dynamic[];\n"
           "  for (int i = threadIdx.x; i < " +
           std::to_string(static_bytes) +
           "; i += blockDim.x) fixed[i] = 1;\n"
           "  for (int i = threadIdx.x; i < bytes; i += blockDim.x) dynamic[i] = 1;\n"
           "  __syncthreads();\n"
           "#pragma cudahot begin(sum)\n"
           "  int sum = 0;\n"
           "  if (threadIdx.x == 0) {\n"
           "    for (int i = 0; i < " +
           std::to_string(static_bytes) +
           "; ++i) sum += fixed[i];\n"
           "    for (int i = 0; i < bytes; ++i) sum += " +
           std::to_string(factor) +
           " * dynamic[i];\n"
           "    out[0] = sum;\n"
           "  }\n"
           "#pragma cudahot end\n"
           "}\n";
  }

  void start_sum() {
    save("sum.cu", summing(1));
    sum_ = start(Mode::manual, {"sum.cu"}).kernel<void(int*, int)>("Sum");
    ASSERT_TRUE(sum_) << sum_.error().message;
  }
  Status launch(unsigned bytes) const {
    return sum_.launch({.block = 128, .dynamic_shared_bytes = bytes}, out(), static_cast<int>(bytes));
  }
  int sum(unsigned bytes) const {
    const Status launched = launch(bytes);
    EXPECT_TRUE(launched) << launched.error().message;
    return read<int>(1)[0];
  }

  Fill sum_;
};

TEST_F(SharedMemory, OfAnySizeUpTo48KiBIsThereBeforeAndAfterAnEdit) {
  start_sum();
  EXPECT_EQ(sum_.info().static_shared_bytes, 1024u);
  EXPECT_EQ(sum(47 * kKiB), 1024 + 47 * 1024);
  save("sum.cu", summing(2));
  const Status reloaded = runtime_->reload();
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  for (const unsigned bytes : {47 * kKiB, 4u, 0u, 24 * kKiB, 47 * kKiB}) {
    EXPECT_EQ(sum(bytes), 1024 + 2 * static_cast<int>(bytes));
  }
}

TEST_F(SharedMemory, OfMoreThanABlockCanHaveIsAnErrorThatNamesTheLaunchAndChangesNothing) {
  start_sum();
  for (const unsigned bytes : {47 * kKiB + 4, 64 * kKiB, 96 * kKiB}) {
    const Status launched = launch(bytes);
    ASSERT_FALSE(launched);
    EXPECT_EQ(launched.error().code, ErrorCode::driver);
    EXPECT_THAT(launched.error().message, AllOf(HasSubstr("Sum generation 0"),
                                                HasSubstr(std::to_string(bytes) + " bytes of dynamic shared memory"),
                                                HasSubstr("CUDA_ERROR_INVALID_VALUE")));
  }
  EXPECT_EQ(sum(47 * kKiB), 1024 + 47 * 1024);

  // What no launch was made with does not count against an edit.
  save("sum.cu", summing(2));
  const Status reloaded = runtime_->reload();
  ASSERT_TRUE(reloaded) << reloaded.error().message;
  EXPECT_EQ(sum(47 * kKiB), 1024 + 2 * 47 * 1024);
}

TEST_F(SharedMemory, ThatAnEditTakesBeyondWhatTheLaunchesLeaveIsRefusedWithAllSizes) {
  start_sum();
  EXPECT_EQ(sum(47 * kKiB), 1024 + 47 * 1024);
  save("sum.cu", summing(1, 2048));
  const Status reloaded = runtime_->reload();
  ASSERT_FALSE(reloaded);
  EXPECT_EQ(reloaded.error().code, ErrorCode::mismatch);
  EXPECT_THAT(reloaded.error().message, AllOf(HasSubstr("'Sum' needs 50176 bytes"), HasSubstr("2048 static"),
                                              HasSubstr("48128 dynamic"), HasSubstr("has 49152")));
  EXPECT_EQ(sum(47 * kKiB), 1024 + 47 * 1024);
  EXPECT_EQ(sum_.generation(), 0u);
}

}  // namespace
}  // namespace cudahot::inputs
