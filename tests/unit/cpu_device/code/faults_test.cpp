// Mistakes in a kernel that must end as a fault of its launch, and leave the program alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/unit/cpu_device/code/code_under_test.hpp"

namespace cudahot::test {
namespace {

using ::testing::HasSubstr;

// The fault of a kernel `k(int* p, int n)` with this body, run by `threads` threads with n == 64.
std::string fault_of(const std::string& body, unsigned threads = 1) {
  const auto module = build(make_slice("__global__ void k(int* p, int n) {\n" + body + "\n}\n", {"k"}));
  if (!module) return "not built";
  int value = 0;
  return module->launch("k", {{1, 1, 1}, {threads, 1, 1}}, &value, 64).fault;
}

TEST(SharedMemoryFaults, WritingBehindAStaticArrayEndsTheLaunch) {
  EXPECT_THAT(fault_of("__shared__ float part[128]; part[threadIdx.x + n] = 1; p[0] = part[n];", 128),
              HasSubstr("illegal address"));
}

TEST(SharedMemoryFaults, NothingOfTheProgramIsWithin64KibOfAStaticArray) {
  const auto module = build(make_slice(
      "__global__ void k(int* p, int n) { __shared__ volatile char part[64]; part[n] = 1; p[0] = part[0]; }", {"k"}));
  ASSERT_TRUE(module);
  int value = 0;
  for (const int index : {64 + 16, 4096, 64 * 1024, -1000 * 1000}) {
    EXPECT_THAT(module->launch("k", {}, &value, index).fault, HasSubstr("illegal address")) << index;
  }
}

TEST(SharedMemoryFaults, AlignedVariablesStayAligned) {
  const auto module = build(make_slice(
      "__shared__ char first;\n"
      "__global__ void k(unsigned long* p) {\n"
      "  __shared__ alignas(256) char wide[300]; first = 1; wide[0] = 2; p[0] = (unsigned long)wide % 256 + first; }",
      {"k"}));
  ASSERT_TRUE(module);
  std::uint64_t value = 0;
  EXPECT_EQ(module->launch("k", {}, &value).fault, "");
  EXPECT_EQ(value, 1U);
}

// Sizes of more than 32 bits.
TEST(SharedMemoryFaults, HugeStaticArraysAreReportedAsTooLargeAndNotLoaded) {
  for (const char* size : {"1ull << 32", "1ull << 35", "1ull << 60"}) {
    const auto object = compile(make_slice(std::string("__global__ void k(int* p) { __shared__ volatile char big[") +
                                               size + "]; big[threadIdx.x] = 1; *p = big[0]; }",
                                           {"k"}));
    ASSERT_TRUE(object) << object.error().message;
    EXPECT_EQ(object->kernels[0].static_shared_bytes, std::numeric_limits<std::uint32_t>::max()) << size;
    EXPECT_THAT(Code::refusal(object->blob), HasSubstr("its __shared__ variables have")) << size;
  }
}

TEST(StackFaults, ArraysLargerThanTheStackAreStackOverflows) {
  EXPECT_THAT(fault_of("volatile float a[400000]; a[n] = 1; *p = a[n];"), HasSubstr("stack overflow"));
  EXPECT_THAT(fault_of("volatile float a[n * 10000]; a[0] = 1; *p = a[0];"), HasSubstr("stack overflow"));
}

TEST(HeapFaults, FreeingWhatWasNotAllocatedEndsTheLaunch) {
  constexpr const char* kNotAllocated = "malloc has not given this address, or it was freed before";
  EXPECT_THAT(fault_of("free(&n);"), HasSubstr(kNotAllocated));
  EXPECT_THAT(fault_of("free(p);"), HasSubstr(kNotAllocated));
  EXPECT_THAT(fault_of("delete p;"), HasSubstr(kNotAllocated));
  EXPECT_THAT(fault_of("void* m = malloc(16); free(m); free(m);"), HasSubstr(kNotAllocated));
  EXPECT_THAT(fault_of("char* m = (char*)malloc(16); free(m + 16);"), HasSubstr(kNotAllocated));
  EXPECT_THAT(fault_of("__builtin_free(p);"), HasSubstr(kNotAllocated));
}

TEST(HeapFaults, WritingBehindAnAllocationIsReportedWhenItIsFreed) {
  EXPECT_THAT(fault_of("volatile char* m = (volatile char*)malloc(16); m[16] = 1; free((void*)m);"),
              HasSubstr("something was written behind the memory that malloc gave"));
  EXPECT_THAT(fault_of("volatile char* m = (volatile char*)malloc(16); for (int i = 0; i < 9000000; ++i) m[i] = 1;"),
              HasSubstr("illegal address"));
}

TEST(HeapFaults, MallocGivesNullWhenTheHeapIsFullAndWhatIsFreedAgain) {
  const auto module = build(make_slice(R"(
__global__ void k(int* p, int n) {
  void* whole = malloc(7 << 20);
  p[0] = whole != nullptr && malloc(7 << 20) == nullptr && malloc(1ull << 60) == nullptr && malloc(-1) == nullptr;
  free(whole);
  void* parts[3];
  for (void*& part : parts) part = malloc(2 << 20);
  free(parts[1]);
  free(parts[0]);
  free(parts[2]);
  free(nullptr);
  whole = malloc(7 << 20);
  p[1] = whole != nullptr && (unsigned long)whole % 16 == 0;
  free(whole);
}
)",
                                       {"k"}));
  ASSERT_TRUE(module);
  for (int launch = 0; launch < 2; ++launch) {
    int out[2] = {};
    EXPECT_EQ(module->launch("k", {}, &out[0], 0).fault, "");
    EXPECT_EQ(out[0] + out[1], 2);
  }
}

TEST(HostFunctions, AreRefusedByNameAndPlace) {
  const auto object =
      compile(make_slice("__global__ void k(int* p) {\n  if (*p == 7)\n    __builtin_abort();\n}\n", {"k"}));
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().message, "abort is used, which the CPU device does not have");
  EXPECT_EQ(object.error().location, (SourceLocation{"/home/user/shade.cu", 3, 5}));
}

TEST(HostFunctions, OfMemoryAreThereAlsoAsBuiltins) {
  const auto module = build(make_slice(
      "__global__ void k(int* p, int n) { __builtin_memset(p, 1, n); p[0] += __builtin_powf(2, n) == 16; }", {"k"}));
  ASSERT_TRUE(module);
  int value = 0;
  EXPECT_EQ(module->launch("k", {}, &value, 4).fault, "");
  EXPECT_EQ(value, 0x01010102);
}

TEST(Assertions, NameTheFileWithoutTheNumberOfItsFolder) {
  auto slice = make_slice("#line 1 \"0/shade.cu\"\n__global__ void k(int* p) {\n  assert(*p != 0);\n}\n", {"k"});
  slice.files[0].virtual_name = "0/shade.cu";
  const auto module = build(slice);
  ASSERT_TRUE(module);
  int value = 0;
  EXPECT_THAT(module->launch("k", {}, &value).fault, HasSubstr(": shade.cu:2: assertion `*p != 0' failed"));
}

}  // namespace
}  // namespace cudahot::test
