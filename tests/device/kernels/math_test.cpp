// Mathematical functions within the errors that are documented for a GPU and for the CPU device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kernels_under_test.hpp"
#include "math_functions.hpp"

namespace cudahot::kernels {
namespace {

using Real = long double;

constexpr int kCount = 256;

struct Mathematics : KernelTest {
  static void SetUpTestSuite() { open("math.cu"); }

  Mathematics() {
    for (int i = 0; i < kCount; ++i) {
      xs_.push_back(static_cast<float>(i - kCount / 2) * 0.0242F);
      ps_.push_back(static_cast<float>(i + 1) * 0.0213F);
      qs_.push_back(static_cast<float>(i * i * 3) * 0.5F);
    }
  }

  template <typename T>
  std::vector<T> results(const std::string& kernel, std::size_t functions) {
    const DeviceArray<float> xs(driver(), xs_), ps(driver(), ps_), qs(driver(), qs_);
    const DeviceArray<T> out(driver(), functions * kCount);
    EXPECT_EQ(run(kernel, {.grid = kCount / 64, .block = 64}, xs.in(), ps.in(), qs.in(), out.get(), kCount),
              CUDA_SUCCESS);
    return out.read();
  }

  std::vector<float> xs_, ps_, qs_;
};

// Distance from the magnitude of the T nearest to `exact` to the next one.
template <typename T>
Real ulp(Real exact) {
  const T near = std::fabs(static_cast<T>(exact));
  return Real{std::nextafter(near, std::numeric_limits<T>::infinity())} - Real{near};
}

struct Function {
  const char* expression;
  std::function<Real(Real x, Real p, Real q)> exact;
  Real most_ulp;
};

const Real kPi = std::acos(Real{-1}), ten = 10, two = 2;
using namespace std;  // for the names in math_functions.hpp

#define CUDAHOT_FUNCTION(expression, exact, most)                                                                 \
  Function{#expression,                                                                                           \
           [](Real x [[maybe_unused]], Real p [[maybe_unused]], Real q [[maybe_unused]]) { return Real{exact}; }, \
           most},

template <typename T>
void expect_documented_errors(const Function* functions, std::size_t count, const std::vector<T>& results,
                              const Mathematics& test) {
  for (std::size_t f = 0; f < count; ++f) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const Real exact = functions[f].exact(test.xs_[i], test.ps_[i], test.qs_[i]);
      // Errors are stated against the correctly rounded result, which is half a unit off itself.
      const Real allowed = (functions[f].most_ulp + 0.5L) * ulp<T>(exact);
      const T got = results[f * kCount + i];
      EXPECT_LE(std::fabs(Real{got} - exact), allowed)
          << functions[f].expression << " of x " << test.xs_[i] << ", p " << test.ps_[i] << ", q " << test.qs_[i]
          << " is " << got << " instead of " << static_cast<T>(exact);
    }
  }
}

TEST_F(Mathematics, FloatFunctionsAreWithinTheirDocumentedErrors) {
  const Function functions[] = {CUDAHOT_FLOAT_FUNCTIONS(CUDAHOT_FUNCTION)};
  expect_documented_errors(functions, std::size(functions), results<float>("float_functions", std::size(functions)),
                           *this);
}

TEST_F(Mathematics, DoubleFunctionsAreWithinTheirDocumentedErrors) {
  const Function functions[] = {CUDAHOT_DOUBLE_FUNCTIONS(CUDAHOT_FUNCTION)};
  expect_documented_errors(functions, std::size(functions), results<double>("double_functions", std::size(functions)),
                           *this);
}

// The errors of the CUDA C++ Programming Guide, "Intrinsic Functions"; those of the CPU device, 2
// units in the last place at most, are smaller but for logarithms near 1.
TEST_F(Mathematics, FastIntrinsicsAreWithinTheErrorsDocumentedForAGpu) {
  constexpr std::size_t kFunctions = 16;
  const DeviceArray<float> xs(driver(), xs_), ps(driver(), ps_);
  const DeviceArray<float> out(driver(), kFunctions * kCount);
  ASSERT_EQ(run("fast_intrinsics", {.grid = kCount / 64, .block = 64}, xs.in(), ps.in(), out.get(), kCount),
            CUDA_SUCCESS);
  const auto results = out.read();
  for (std::size_t i = 0; i < kCount; ++i) {
    const Real x = xs_[i], p = ps_[i];
    const auto check = [&](std::size_t function, Real exact, Real most) {
      EXPECT_LE(std::fabs(Real{results[function * kCount + i]} - exact), most)
          << "function " << function << " of x " << x << ", p " << p;
    };
    const auto ulps = [](Real exact, Real count) { return (count + 0.5L) * ulp<float>(exact); };
    const Real sine_error = pow(two, -21.41L), cosine_error = pow(two, -21.19L);  // in [-pi, pi]
    check(0, sin(x), sine_error);
    check(1, cos(x), cosine_error);
    check(2, sin(x), sine_error);
    check(3, cos(x), cosine_error);
    // Sine over cosine, so their errors, and 3 units for the division.
    const Real t = tan(x / 4);
    check(4, t, (sine_error + fabs(t) * cosine_error) / cos(x / 4) + ulps(t, 3));
    check(5, exp(x), ulps(exp(x), 2 + floor(fabs(1.173L * x))));
    check(6, pow(ten, x), ulps(pow(ten, x), 2 + floor(fabs(2.97L * x))));
    const bool near_one = p >= 0.5L && p <= 2;
    const auto logarithm = [&](Real exact, Real exponent, Real units) {
      return std::max(near_one ? pow(two, exponent) : 0, ulps(exact, near_one ? 2 : units));
    };
    check(7, log(p), logarithm(log(p), -21.41L, 3));
    check(8, log2(p), logarithm(log2(p), -22, 2));
    check(9, log10(p), logarithm(log10(p), -24, 3));
    // exp2f(1.75f * __log2f(p)): the error of the exponent, rounded once more, and that of exp2f.
    const Real exponent_error = 1.75L * logarithm(log2(p), -22, 2) + ulps(1.75L * log2(p), 0);
    const Real power = pow(p, 1.75L);
    check(10, power, power * (exp2(exponent_error) - 1) + ulps(power, 2));
    check(11, x / p, ulps(x / p, 2));
    check(12, 1 / p, ulps(1 / p, 0));
    check(13, sqrt(p), ulps(sqrt(p), 0));
    check(14, 1 / sqrt(p), ulps(1 / sqrt(p), 0));
    check(15, tanh(x), fabs(tanh(x)) * pow(two, -11.0L));
  }
}

TEST_F(Mathematics, SpecialValuesAreThoseOfTheStandard) {
  const DeviceArray<double> out(driver(), 14);
  ASSERT_EQ(run("special_values", {}, out.get()), CUDA_SUCCESS);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(out.read(), ::testing::ElementsAre(infinity, 15, 1, infinity, infinity, -infinity, 1, 0,
                                                 ::testing::DoubleEq(24), 3, 6, infinity, 0, 19));
}

}  // namespace
}  // namespace cudahot::kernels
