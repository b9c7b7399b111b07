// What the language of a kernel has beyond C++, one fact a test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/unit/cpu_device/code/code_under_test.hpp"

namespace cudahot::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SharedMemory, DynamicArraysOfEveryFormAreWhatTheLaunchAskedFor) {
  const auto module = build(make_slice(R"(
extern __shared__ int outer[];
namespace n {
extern __shared__ __align__(16) unsigned char bytes[];
__device__ int first() { return *reinterpret_cast<int*>(bytes); }
}
extern __shared__ int outer[];
template <typename T>
__device__ T* memory() {
  extern __shared__ __align__(sizeof(T)) unsigned char raw[];
  return reinterpret_cast<T*>(raw);
}
__global__ void k(int* out) {
  extern
  __shared__ volatile int a[], b[][4];
  a[threadIdx.x] = 10 + threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = a[3 - threadIdx.x] + (b[0] == a) + (outer == memory<int>()) + (n::first() == 10);
}
)",
                                       {"k"}));
  ASSERT_TRUE(module);
  std::vector<int> out(4);
  ASSERT_EQ(module->launch("k", {{1, 1, 1}, {4, 1, 1}, 16}, out.data()).fault, "");
  EXPECT_THAT(out, ElementsAre(16, 15, 14, 13));
}

TEST(SharedMemory, EachInstanceOfATemplateHasItsOwnArray) {
  const auto module = build(make_slice(R"(
template <int id>
__device__ int rotate(int value) {
  __shared__ alignas(16) int slots[4];
  static __shared__ volatile int total;
  slots[threadIdx.x] = value + 100 * id;
  if (threadIdx.x == 0) total = id;
  __syncthreads();
  return slots[(threadIdx.x + 1) % 4] + 1000 * total;
}
__global__ void k(int* out) { out[threadIdx.x] = rotate<1>(threadIdx.x) + 10000 * rotate<2>(threadIdx.x); }
)",
                                       {"k"}));
  ASSERT_TRUE(module);
  std::vector<int> out(4);
  ASSERT_EQ(module->launch("k", {{2, 1, 1}, {4, 1, 1}}, out.data()).fault, "");
  EXPECT_THAT(out, ElementsAre(22011101, 22021102, 22031103, 22001100));
}

TEST(SharedMemory, TableSaysHowMuchAKernelCanReach) {
  const auto object = compile(make_slice(R"(
extern __shared__ float dynamic[];
__device__ float deep(float x) {
  __shared__ float inner[16];
  inner[threadIdx.x] = x;
  __syncthreads();
  return inner[0];
}
__global__ void none(float* p) { *p = dynamic[0]; }
__global__ __launch_bounds__(64) void some(float* p) {
  __shared__ double outer[4];
  outer[threadIdx.x] = *p;
  __syncthreads();
  *p = outer[2] + deep(*p);
}
)",
                                         {"none", "some"}));
  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(object->kernels[0].static_shared_bytes, 0U);
  EXPECT_EQ(object->kernels[1].static_shared_bytes, 96U);
  EXPECT_EQ(object->kernels[1].max_threads, 64U);
  const Code code(object->blob);
  EXPECT_EQ(code.attribute("none", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 0);
  EXPECT_EQ(code.attribute("some", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES), 96);
}

TEST(Waiting, ThreadsOfABlockThatPollGetOutOfEachOthersWay) {
  const auto module = build(make_slice(R"(
__global__ void k(int* out, int* lock) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  while (atomicCAS(lock, 0, 1) != 0) {}
  out[0] = out[0] * 2 + 1;
  __threadfence();
  atomicExch(lock, 0);
  while (atomicExch(lock, 1) == 1) {}
  printf("in ");
  atomicExch(lock, 0);
  if (threadIdx.x == 3) flag = 1;
  while (flag == 0) __nanosleep(10);
}
)",
                                       {"k"}));
  ASSERT_TRUE(module);
  int out = 0;
  int lock = 0;
  const auto outcome = module->launch("k", {{1, 1, 1}, {4, 1, 1}}, &out, &lock);
  EXPECT_EQ(outcome.fault, "");
  EXPECT_EQ(outcome.printed, "in in in in ");
  EXPECT_EQ(out, 15);
}

TEST(Warps, ActiveMaskIsEveryLaneThatHasNotEnded) {
  const auto module = build(make_slice(R"(
__global__ void k(unsigned* out) {
  if (threadIdx.x > 0) out[threadIdx.x] = __activemask();
  __syncwarp();
}
)",
                                       {"k"}));
  ASSERT_TRUE(module);
  std::vector<unsigned> out(3);
  ASSERT_EQ(module->launch("k", {{1, 1, 1}, {3, 1, 1}}, out.data()).fault, "");
  EXPECT_THAT(out, ElementsAre(0U, 7U, 7U));
}

TEST(Memory, IsAllocatedByKernels) {
  const auto module = build(make_slice(R"(
struct Shape { __device__ virtual int sides() const = 0; __device__ virtual ~Shape() {} };
struct Square : Shape { int n; __device__ Square(int n) : n(n) {} __device__ int sides() const override { return n; } };
__global__ void k(int* out) {
  Shape* shape = new Square(4);
  alignas(Square) unsigned char place[sizeof(Square)];
  Shape* other = new (place) Square(5);
  int* numbers = new int[3]{1, 2, 3};
  *out = shape->sides() * 100 + other->sides() * 10 + numbers[2];
  delete[] numbers;
  delete shape;
  other->~Shape();
}
)",
                                       {"k"}));
  ASSERT_TRUE(module);
  int out = 0;
  EXPECT_EQ(module->launch("k", {}, &out).fault, "");
  EXPECT_EQ(out, 453);
}

TEST(Kernels, MayBeStaticInNamespacesOverloadedAndInTemplates) {
  auto slice = make_slice(R"(
namespace n { namespace { __global__ void hidden(int* p) { *p = 1; } } }
static __global__ void still(int* p) { *p = 2; }
__global__ void over(int* p) { *p = 3; }
__global__ void over(int* p, float) { *p = 4; }
template <int n> __global__ void many(int* p) { *p = n; }
extern "C" __global__ void plain(int* p) { *p = 6; }
)",
                          {"n::(anonymous namespace)::hidden", "still", "over", "over", "many<5>", "plain"});
  slice.kernels[2].parameters = {{"p", "int*", 8, 0}};
  slice.kernels[2].mangled_name = "_Z4overPi";
  slice.kernels[3].parameters = {{"p", "int*", 8, 0}, {"", "float", 4, 8}};
  slice.kernels[3].mangled_name = "_Z4overPif";
  slice.kernels[5].name_expression.clear();
  const auto module = build(slice);
  ASSERT_TRUE(module);
  std::vector<int> got;
  for (const auto* name :
       {"n::(anonymous namespace)::hidden", "still", "_Z4overPi", "_Z4overPif", "many<5>", "plain"}) {
    int value = 0;
    EXPECT_EQ(module->launch(name, {}, &value, 1.0F).fault, "");
    got.push_back(value);
  }
  EXPECT_THAT(got, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Kernels, TableHasTheLayoutOfParameters) {
  const auto module = build(make_slice(R"(
struct Mixed { char c; double d; float3 f; };
__global__ void __launch_bounds__(128) k(char a, const Mixed b, float4 c, bool d, __grid_constant__ const size_t e) {}
)",
                                       {"k"}));
  ASSERT_TRUE(module);
  EXPECT_EQ(module->attribute("k", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 128);
  using P = std::pair<std::size_t, std::size_t>;
  EXPECT_THAT(module->parameters("k"), ElementsAre(P{0, 1}, P{8, 32}, P{48, 16}, P{64, 1}, P{72, 8}));
}

TEST(Variables, AreReadAndWrittenThroughTheTable) {
  const auto module = build(make_slice(R"(
__device__ int frames = 7;
namespace scene { namespace { __constant__ float tint[3] = {1, 2, 3}; } }
static __device__ int never_written_here;
__managed__ double total;
__global__ void k(float* out) {
  atomicAdd(&frames, 1);
  total += 0.5;
  out[0] = scene::tint[2] + never_written_here;
}
)",
                                       {"k"}));
  ASSERT_TRUE(module);
  const auto frames = module->variable("frames");
  const auto tint = module->variable("_ZN5scene12_GLOBAL__N_14tintE");
  const auto hidden = module->variable("_ZL18never_written_here");
  const auto total = module->managed("total");
  ASSERT_TRUE(frames.address && tint.address && hidden.address && total.address);
  EXPECT_EQ(tint.size, 12U);
  static_cast<float*>(tint.address)[2] = 40;
  *static_cast<int*>(hidden.address) = 2;
  float out = 0;
  ASSERT_EQ(module->launch("k", {}, &out).fault, "");
  EXPECT_EQ(out, 42);
  EXPECT_EQ(*static_cast<int*>(frames.address), 8);
  EXPECT_EQ(*static_cast<double*>(total.address), 0.5);
}

TEST(Messages, PrintfPromotesItsArguments) {
  const auto module =
      build(make_slice("__global__ void k() { printf(\"%d %f %s|\\n\", short(-3), 1.5f, \"text\"); if (clock64() == 0) "
                       "__nanosleep(1); }",
                       {"k"}));
  ASSERT_TRUE(module);
  EXPECT_EQ(module->launch("k", {{2, 1, 1}, {1, 1, 1}}).printed, "-3 1.500000 text|\n-3 1.500000 text|\n");
}

TEST(Messages, AssertAndTrapEndTheLaunchAtTheirLine) {
  const auto module = build(make_slice(R"(#line 5 "shade.cu"
__global__ void k(int n, int* p) {
  assert(n < 2);
  *p = 1;
  if (n == 1)
    __trap();
}
)",
                                       {"k"}));
  ASSERT_TRUE(module);
  int value = 0;
  EXPECT_THAT(module->launch("k", {}, 2, &value).fault, HasSubstr("shade.cu:6: assertion `n < 2' failed"));
  EXPECT_EQ(value, 0);
  EXPECT_THAT(module->launch("k", {}, 1, &value).fault, HasSubstr("trap"));
  EXPECT_EQ(module->launch("k", {}, 0, &value).fault, "");
}

}  // namespace
}  // namespace cudahot::test
