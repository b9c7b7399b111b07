#include "lib/cuda/cubin.hpp"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cuda/compiled.hpp"

namespace cudahot::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kSource = R"(
__constant__ float table[4];
__device__ int counter = 3;
struct Big { double values[5]; };
extern "C" __global__ void __launch_bounds__(128) first(float* out, int n, Big big) {
  __shared__ float tile[64];
  tile[threadIdx.x] = out[n];
  __syncthreads();
  out[0] = tile[n] + table[n] + counter + static_cast<float>(big.values[n]);
}
extern "C" __global__ void second(int* out) { int local[100]; for (int i = 0; i < out[0]; ++i) local[i % 100] = out[i]; out[1] = local[out[2]]; }
)";

CubinInfo read(std::string_view source, std::vector<std::string> options) {
  const auto compiled = testing::compile(source, std::move(options));
  EXPECT_TRUE(compiled) << compiled.error().message;
  const auto info = read_cubin(compiled->blob);
  EXPECT_TRUE(info) << info.error().message;
  return *info;
}

const base::KernelFacts& kernel(const CubinInfo& info, std::string_view name) {
  return *std::ranges::find(info.kernels, name, &base::KernelFacts::lowered_name);
}

const CubinSymbol* symbol(const CubinInfo& info, std::string_view name) {
  const auto found = std::ranges::find(info.symbols, name, &CubinSymbol::name);
  return found == info.symbols.end() ? nullptr : &*found;
}

// The reserved kilobyte of sm_90 and later, and the flags that name the architecture, differ.
class ReadCubin : public ::testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Architectures, ReadCubin, ::testing::Values(75u, 86u, 90u, 100u, 120u));

TEST_P(ReadCubin, FindsKernelsParametersAndVariables) {
  const auto info = read(kSource, {"-arch=sm_" + std::to_string(GetParam())});
  EXPECT_FALSE(info.relocatable);
  EXPECT_EQ(info.arch, GetParam());
  ASSERT_EQ(info.kernels.size(), 2u);
  const auto& first = kernel(info, "first");
  EXPECT_THAT(first.parameters,
              ElementsAre(base::ParameterFacts{0, 8}, base::ParameterFacts{8, 4}, base::ParameterFacts{16, 40}));
  EXPECT_EQ(first.static_shared_bytes, 256u);
  EXPECT_EQ(first.constant_bytes, 56u);
  EXPECT_EQ(first.max_threads, 128u);
  EXPECT_GT(first.registers, 4u);
  EXPECT_LT(first.registers, 256u);
  const auto& second = kernel(info, "second");
  EXPECT_EQ(second.static_shared_bytes, 0u);
  EXPECT_EQ(second.max_threads, 0u);
  EXPECT_GE(second.local_bytes, 400u);
  std::vector<std::string> variables;
  for (const auto& variable : info.variables) {
    variables.push_back(variable.name + ":" + std::to_string(variable.size) +
                        (variable.space == DeviceVariable::Space::constant ? ":constant" : ":global"));
  }
  EXPECT_THAT(variables, UnorderedElementsAre("table:16:constant", "counter:4:global"));
}

TEST(ReadRelocatableCubin, TellsSymbolsApart) {
  const auto info = read(
      "extern __device__ float missing(float); __device__ float here(float x) { return missing(x); }"
      "__device__ int variable; static __device__ int own = 1;"
      "extern \"C\" __global__ void k(float* p) { __shared__ int s[4]; s[0] = own; p[0] = here(p[1]) + s[variable]; }",
      {"-arch=sm_90", "-rdc=true"});
  EXPECT_TRUE(info.relocatable);
  EXPECT_EQ(kernel(info, "k").static_shared_bytes, 16u);
  const auto* missing = symbol(info, "_Z7missingf");
  ASSERT_NE(missing, nullptr);
  EXPECT_FALSE(missing->defined);
  EXPECT_EQ(missing->binding, CubinSymbol::Binding::global);
  const auto* here = symbol(info, "_Z4heref");
  ASSERT_NE(here, nullptr);
  EXPECT_TRUE(here->defined);
  EXPECT_EQ(here->kind, CubinSymbol::Kind::function);
  EXPECT_EQ(here->section, ".text._Z4heref");
  EXPECT_EQ(symbol(info, "k")->kind, CubinSymbol::Kind::kernel);
  EXPECT_EQ(symbol(info, "variable")->kind, CubinSymbol::Kind::variable);
  ASSERT_EQ(info.variables.size(), 1u);
  EXPECT_EQ(info.variables.front().name, "variable");
}

TEST(ReadRelocatableCubin, TellsDynamicSharedMemoryFromVariablesThatAreElsewhere) {
  const auto info = read(
      "extern __device__ int elsewhere; extern __constant__ int table;"
      "extern \"C\" __global__ void k(int* p) { extern __shared__ int tile[]; tile[threadIdx.x] = elsewhere + table;"
      " __syncthreads(); p[0] = tile[p[1]]; }",
      {"-arch=sm_90", "-rdc=true"});
  ASSERT_NE(symbol(info, "tile"), nullptr);
  EXPECT_FALSE(symbol(info, "tile")->defined);
  EXPECT_TRUE(symbol(info, "tile")->shared);
  for (const char* name : {"elsewhere", "table"}) {
    ASSERT_NE(symbol(info, name), nullptr);
    EXPECT_FALSE(symbol(info, name)->defined);
    EXPECT_FALSE(symbol(info, name)->shared);
  }
}

TEST(ReadDamagedCubin, SaysWhatIsWrong) {
  const std::string good = testing::compile(kSource).value().blob;
  EXPECT_THAT(read_cubin("").error().message, HasSubstr("shorter than an ELF header"));
  EXPECT_THAT(read_cubin(std::string(100, 'x')).error().message, HasSubstr("not an ELF file"));
  std::string other = good;
  other[18] = 62;  // EM_X86_64
  EXPECT_THAT(read_cubin(other).error().message, HasSubstr("not for a CUDA device"));
  EXPECT_EQ(read_cubin(other).error().code, ErrorCode::damaged);
}

TEST(ReadDamagedCubin, EveryLengthIsReadOrRefused) {
  const std::string good = testing::compile(kSource).value().blob;
  for (std::size_t size = 0; size < good.size(); size += 7) {
    // A copy of its own, so that a read past the end is a read past an allocation.
    const std::string cut = good.substr(0, size);
    const auto info = read_cubin(cut);
    EXPECT_FALSE(info && info->kernels.size() != 2) << size;
  }
}

TEST(ReadDamagedCubin, ChangedBytesAreReadOrRefused) {
  const std::string good = testing::compile(kSource).value().blob;
  std::mt19937 random(20260101);
  for (int round = 0; round < 5000; ++round) {
    std::string changed = good;
    for (unsigned n = 1 + random() % 4; n > 0; --n) changed[random() % changed.size()] = static_cast<char>(random());
    static_cast<void>(read_cubin(changed));
  }
}

}  // namespace
}  // namespace cudahot::cuda
