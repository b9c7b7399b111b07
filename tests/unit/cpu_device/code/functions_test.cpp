// Functions that kernels call, against the definition of each computed here another way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/unit/cpu_device/code/code_under_test.hpp"

namespace cudahot::test {
namespace {

using ::testing::ElementsAre;

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

}  // namespace
}  // namespace cudahot::test
