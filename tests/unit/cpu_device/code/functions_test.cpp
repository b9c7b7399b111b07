// Functions that kernels call, against the definition of each computed here another way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/unit/cpu_device/code/code_under_test.hpp"

namespace cudahot::test {
namespace {

using ::testing::ElementsAre;

TEST(Functions, AtomicsGiveTheOldValueAndLeaveTheNew) {
  const auto module = build(make_slice(R"(
__global__ void k(int* i, unsigned* u, unsigned long long* l, float* f, double* d, int* old) {
  old[0] = atomicAdd(i, 5); old[1] = atomicSub(i, 2); old[2] = atomicMin(i, -7); old[3] = atomicMax_block(i, 3);
  old[4] = atomicExch(i, 9); old[5] = atomicCAS(i, 9, 12); old[6] = atomicCAS_system(i, 9, 13); old[7] = atomicXor(i, 1);
  for (int n = 0; n < 5; ++n) atomicInc(u, 3);
  for (int n = 0; n < 3; ++n) atomicDec(u + 1, 3);
  atomicAdd(l, 1ull << 40); atomicOr(l, 5ull); atomicAnd(l, ~1ull);
  old[8] = atomicAdd(f, 0.5f) == 0.25f; old[9] = atomicAdd(d, 2.0) == 1.0;
}
)",
                                       {"k"}));
  ASSERT_TRUE(module);
  int i = 1;
  std::vector<unsigned> u{0, 1};
  std::uint64_t l = 0;
  float f = 0.25F;
  double d = 1;
  std::vector<int> old(10);
  ASSERT_EQ(module->launch("k", {}, &i, u.data(), &l, &f, &d, old.data()).fault, "");
  EXPECT_THAT(old, ElementsAre(1, 6, 4, -7, 3, 9, 12, 12, 1, 1));
  EXPECT_EQ(i, 13);
  EXPECT_THAT(u, ElementsAre(1, 2));
  EXPECT_EQ(l, (std::uint64_t{1} << 40) + 4);
  EXPECT_EQ(f, 0.75F);
  EXPECT_EQ(d, 3.0);
}

TEST(Functions, IntegerIntrinsics) {
  const auto module = build(make_slice(R"(
__global__ void k(long long* out) {
  int n = 0;
  out[n++] = __clz(1) * 100 + __clz(0); out[n++] = __clzll(1ll << 40); out[n++] = __ffs(8) * 10 + __ffs(0);
  out[n++] = __popc(0xf0f) + 100 * __popcll(~0ull); out[n++] = __brev(1u); out[n++] = __mulhi(-2, 3);
  out[n++] = __umulhi(0x80000000u, 6u); out[n++] = __mul64hi(-1, 1); out[n++] = __mul24(0xff000002, 3);
  out[n++] = __sad(-5, 3, 100); out[n++] = __hadd(-3, -2) * 10 + __rhadd(3, 4); out[n++] = __uhadd(0xffffffffu, 0xfffffffdu);
  out[n++] = __funnelshift_l(0x80000000u, 1u, 33); out[n++] = __funnelshift_rc(1u, 2u, 40);
  out[n++] = __byte_perm(0x33221100, 0x77665584, 0xc450); out[n++] = __dp4a(0x01ff0203, 0x02020202, 10);
  out[n++] = __dp2a_hi(0x00020001u, 0x05040302u, 0u);
  out[n++] = min(-1, 1u) == 1u; out[n++] = max(2, 3) + min(2.5f, 1.5) * 2; out[n++] = abs(-4ll);
}
)",
                                       {"k"}));
  ASSERT_TRUE(module);
  std::vector<long long> out(20);
  ASSERT_EQ(module->launch("k", {}, out.data()).fault, "");
  EXPECT_THAT(out, ElementsAre(3132, 23, 40, 6 + 8 + 6400 - 6, 0x80000000LL, -1, 3, -1, 6, 108, -26, 0xfffffffeLL, 3, 2,
                               0xff845500LL, 10 + 6 + 4 - 2 + 2, 4 + 10, 1, 6, 4));
}

TEST(Functions, ConversionsSaturateAndRoundAsAsked) {
  const auto module = build(make_slice(R"(
__global__ void k(const float* in, double* out) {
  out[0] = __float2int_rn(in[0]); out[1] = __float2int_ru(in[0]); out[2] = __float2int_rd(in[0]); out[3] = __float2int_rz(in[0]);
  out[4] = (int)in[1]; out[5] = (unsigned)in[2]; out[6] = __float2uint_rn(in[1]); out[7] = (int)in[3];
  out[8] = __fadd_ru(1.0f, in[4]); out[9] = __fadd_rd(1.0f, in[4]); out[10] = __fadd_rn(1.0f, in[4]);
  out[11] = __fmul_rz(in[5], in[5]); out[12] = __double2float_ru(0.1); out[13] = __int2float_rd(16777217);
  out[14] = __fsqrt_rd(2.0f); out[15] = __frcp_ru(3.0f); out[16] = __fmaf_rz(in[5], in[5], in[4]);
}
)",
                                       {"k"}));
  ASSERT_TRUE(module);
  const std::vector<float> in{2.5F, 1e20F, -3.0F, NAN, 1e-10F, 1.0000001F};
  std::vector<double> out(17);
  ASSERT_EQ(module->launch("k", {}, in.data(), out.data()).fault, "");
  const auto next = [](float x) { return double(std::nextafter(x, 10.0F)); };
  const auto before = [](float x) { return double(std::nextafter(x, -10.0F)); };
  EXPECT_THAT(out, ElementsAre(2, 3, 2, 2, 2147483647.0, 0, 4294967295.0, 0, next(1), 1, 1, 1.0000002384185791,
                               next(0.1F) > 0.1 && double(0.1F) >= 0.1 ? double(0.1F) : next(0.1F), 16777216.0,
                               double(std::sqrt(2.0F)) * double(std::sqrt(2.0F)) > 2 ? before(std::sqrt(2.0F))
                                                                                     : double(std::sqrt(2.0F)),
                               double(1 / 3.0F) < 1 / 3.0 ? next(1 / 3.0F) : double(1 / 3.0F), 1.0000002384185791));
}

// Largest distance between got and want in units of the last place of want.
double worst_ulp(const std::vector<float>& got, const std::vector<double>& want) {
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto near = static_cast<float>(want[i]);
    const double ulp = double(std::nextafter(std::fabs(near), INFINITY)) - double(std::fabs(near));
    worst = std::max(worst, std::fabs(double(got[i]) - want[i]) / ulp);
  }
  return worst;
}

struct Checked {
  const char* expression;  // of x
  double (*exact)(double);
  double most_ulp;
};

TEST(Functions, FastIntrinsicsAreWithinTheirDocumentedError) {
  const std::vector<Checked> functions = {
      {"__cosf(x)", std::cos, 1},
      {"__sinf(x)", std::sin, 1},
      {"__expf(x)", std::exp, 1},
      {"__logf(x)", std::log, 1},
      {"__log2f(x)", std::log2, 1},
      {"__log10f(x)", std::log10, 2},
      {"__tanf(x)", std::tan, 2},
      {"__powf(x, 1.7f)", [](double x) { return std::pow(x, double(1.7F)); }, 1},
      {"__fdividef(1.0f, x)", [](double x) { return 1 / x; }, 1},
      {"rsqrtf(x)", [](double x) { return 1 / std::sqrt(x); }, 1},
      {"__exp10f(x)", [](double x) { return std::pow(10.0, x); }, 1},
      {"rcbrtf(x)", [](double x) { return 1 / std::cbrt(x); }, 1},
      {"normcdff(x - 2)", [](double x) { return 0.5 * std::erfc(-(double(float(x) - 2.0F)) / std::sqrt(2.0)); }, 1},
      {"cyl_bessel_i0f(x)", [](double x) { return std::cyl_bessel_i(0.0, x); }, 1},
      {"cyl_bessel_i1f(x)", [](double x) { return std::cyl_bessel_i(1.0, x); }, 1},
      {"erfcxf(x)", [](double x) { return std::exp(x * x) * std::erfc(x); }, 1},
  };
  std::string body;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    body += "  out[" + std::to_string(i) + " * n + i] = " + functions[i].expression + ";\n";
  }
  const auto module =
      build(make_slice("__global__ void k(const float* in, float* out, int n) {\n"
                       "  const int i = threadIdx.x;\n  const float x = in[i];\n" +
                           body + "}\n",
                       {"k"}));
  ASSERT_TRUE(module);
  std::vector<float> in;
  for (int i = 1; i <= 200; ++i) in.push_back(static_cast<float>(i) * 0.0271F);
  std::vector<float> out(in.size() * functions.size());
  ASSERT_EQ(module->launch("k", {{1, 1, 1}, {200, 1, 1}}, in.data(), out.data(), 200).fault, "");
  for (std::size_t f = 0; f < functions.size(); ++f) {
    std::vector<double> want;
    for (const float x : in) want.push_back(functions[f].exact(double(x)));
    const std::vector<float> got(&out[f * in.size()], &out[f * in.size()] + in.size());
    EXPECT_LE(worst_ulp(got, want), functions[f].most_ulp) << functions[f].expression;
  }
}

TEST(Functions, InversesAreInverse) {
  const auto module = build(make_slice(R"(
__global__ void k(const double* in, double* out) {
  const int i = threadIdx.x;
  out[3 * i] = erf(erfinv(in[i])); out[3 * i + 1] = erfc(erfcinv(in[i])); out[3 * i + 2] = normcdf(normcdfinv(in[i]));
}
__global__ void special(double* out) {
  out[0] = erfinv(1.0); out[1] = erfcinv(2.0); out[2] = sinpi(1e6 + 0.5); out[3] = cospi(2.5); out[4] = erfinv(-0.25) + erfinv(0.25);
  out[5] = norm3d(2e200, 3e200, 6e200) / 1e200; out[6] = isnan(erfinv(2.0)); out[7] = saturate(nanf("")); out[8] = exp10(3.0);
}
)",
                                       {"k", "special"}));
  ASSERT_TRUE(module);
  const std::vector<double> in{1e-300, 1e-12, 0.01, 0.3, 0.5, 0.77, 0.999, 0.999999};
  std::vector<double> out(24);
  ASSERT_EQ(module->launch("k", {{1, 1, 1}, {8, 1, 1}}, in.data(), out.data()).fault, "");
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_NEAR(out[i] / in[i / 3], 1.0, 1e-12) << i;
  std::vector<double> special(9);
  ASSERT_EQ(module->launch("special", {}, special.data()).fault, "");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(special,
              ElementsAre(infinity, -infinity, 1, 0, 0, ::testing::DoubleEq(7), 1, 0, ::testing::DoubleEq(1000)));
}

// Halves and brain floats: every value survives, and halfway goes to even, both in all 65536 values.
TEST(Functions, SmallFloatsConvertExactlyAndRoundToNearestEven) {
  const auto module = build(make_slice(R"(
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void there(float* half_out, float* brain_out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  half_out[i] = __half2float(__ushort_as_half(i));
  brain_out[i] = __bfloat162float(__ushort_as_bfloat16(i));
}
__global__ void back(const double* in, unsigned short* half_out, unsigned short* brain_out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  half_out[i] = __half_as_ushort(__double2half(in[2 * i]));
  brain_out[i] = __bfloat16_as_ushort(__double2bfloat16(in[2 * i + 1]));
}
)",
                                       {"there", "back"}));
  ASSERT_TRUE(module);
  std::vector<float> halves(65536);
  std::vector<float> brains(65536);
  ASSERT_EQ(module->launch("there", {{1024, 1, 1}, {64, 1, 1}}, halves.data(), brains.data()).fault, "");
  EXPECT_EQ(halves[0x3c00], 1.0F);
  EXPECT_EQ(halves[0x0001], std::ldexp(1.0F, -24));
  EXPECT_EQ(halves[0x7bff], 65504.0F);
  EXPECT_EQ(halves[0xfc00], -INFINITY);
  for (std::uint32_t i = 0; i < brains.size(); ++i) {
    if (!std::isnan(brains[i])) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(brains[i]), i << 16);
    }
  }
  // Exactly between i and the next magnitude.
  std::vector<double> middles(2 * 65536);
  for (std::size_t i = 0; i < 65535; ++i) {
    middles[2 * i] = (double(halves[i]) + double(halves[i + 1])) / 2;
    middles[2 * i + 1] = (double(brains[i]) + double(brains[i + 1])) / 2;
  }
  std::vector<std::uint16_t> half_bits(65536);
  std::vector<std::uint16_t> brain_bits(65536);
  ASSERT_EQ(
      module->launch("back", {{1024, 1, 1}, {64, 1, 1}}, middles.data(), half_bits.data(), brain_bits.data()).fault,
      "");
  for (std::uint32_t i = 0; i < 65535; ++i) {
    const std::uint32_t even = i + (i & 1);
    if ((i & 0x7fffU) < 0x7bffU) {
      ASSERT_EQ(half_bits[i], even) << i;
    }
    if ((i & 0x7fffU) < 0x7f7fU) {
      ASSERT_EQ(brain_bits[i], even) << i;
    }
  }
}

TEST(Functions, HalfArithmeticRoundsOnce) {
  const auto module = build(make_slice(R"(
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void k(float* out, half2* pair, __nv_bfloat16* b) {
  half one = 1.0f, tiny = __float2half(0.0005f);
  out[0] = __half2float(one + tiny); out[1] = __hgt(one, tiny); out[2] = __high2float(__hfma2(*pair, *pair, *pair));
  atomicAdd(pair, __floats2half2_rn(1.0f, 0.0f)); out[3] = __low2float(*pair);
  *b += __nv_bfloat16(3); out[4] = __bfloat162float(hsqrt(*b)); out[5] = __half2float(__float2half_rz(0.3f));
  out[6] = __half2float(__float2half_ru(70000.0f)); out[7] = __half2float(__float2half_rz(70000.0f));
  half x = __shfl_sync(1u, one, 0); x /= half(3); out[8] = x; out[9] = __half2int_rn(half(2.5f)); out[10] = __hisnan(half(nanf("")));
}
)",
                                       {"k"}));
  ASSERT_TRUE(module);
  std::vector<float> out(11);
  std::uint32_t pair = 0x42003c00;  // {1, 3}
  std::uint16_t brain = 0x40c0;     // 6
  ASSERT_EQ(module->launch("k", {}, out.data(), &pair, &brain).fault, "");
  EXPECT_THAT(out, ElementsAre(1.0009765625F, 1, 12, 2, 3, 0.2998046875F, INFINITY, 65504, 0.333251953125F, 2, 1));
}

}  // namespace
}  // namespace cudahot::test
