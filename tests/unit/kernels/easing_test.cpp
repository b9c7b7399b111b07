#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "host_device.hpp"

namespace cudahot::kernels {
namespace {

using std::numbers::pi;
using Function = std::function<double(double)>;

Function out_of(Function in) {
  return [in](double t) { return 1 - in(1 - t); };
}
Function in_out_of(Function in) {
  return [in](double t) { return t < 0.5 ? in(2 * t) / 2 : 1 - in(2 - 2 * t) / 2; };
}

double bounce(double t) {
  const double n = 7.5625, d = 2.75;
  if (t < 1 / d) return n * t * t;
  if (t < 2 / d) return n * std::pow(t - 1.5 / d, 2) + 0.75;
  if (t < 2.5 / d) return n * std::pow(t - 2.25 / d, 2) + 0.9375;
  return n * std::pow(t - 2.625 / d, 2) + 0.984375;
}

struct Easing {
  const char* name;
  float (*under_test)(float);
  Function expected;
  double low = 0, high = 1;  // range
  bool rises = true;
};

const Function kQuadratic = [](double t) { return t * t; };
const Function kCubic = [](double t) { return t * t * t; };
const Function kSine = [](double t) { return 1 - std::cos(pi * t / 2); };
const Function kExponential = [](double t) { return (std::exp2(10 * t) - 1) / 1023; };
const Function kBack = [](double t) { return t * t * (2.70158 * t - 1.70158); };
const Function kElastic = [](double t) {
  return 1 + std::exp2(-10 * t) * std::sin(2 * pi * (10 * t - 0.75) / 3) - t / 2048;
};

const Easing kEasings[] = {
    {"in quadratic", device::ease_in_quadratic, kQuadratic},
    {"out quadratic", device::ease_out_quadratic, out_of(kQuadratic)},
    {"in out quadratic", device::ease_in_out_quadratic, in_out_of(kQuadratic)},
    {"in cubic", device::ease_in_cubic, kCubic},
    {"out cubic", device::ease_out_cubic, out_of(kCubic)},
    {"in out cubic", device::ease_in_out_cubic, in_out_of(kCubic)},
    {"in sine", device::ease_in_sine, kSine},
    {"out sine", device::ease_out_sine, out_of(kSine)},
    {"in out sine", device::ease_in_out_sine, [](double t) { return (1 - std::cos(pi * t)) / 2; }},
    {"in exponential", device::ease_in_exponential, kExponential},
    {"out exponential", device::ease_out_exponential, out_of(kExponential)},
    {"in out exponential", device::ease_in_out_exponential, in_out_of(kExponential)},
    {"in back", device::ease_in_back, kBack, -0.10001, 1, false},
    {"out back", device::ease_out_back, out_of(kBack), 0, 1.10001, false},
    {"in out back", device::ease_in_out_back, in_out_of(kBack), -0.050005, 1.050005, false},
    {"out elastic", device::ease_out_elastic, kElastic, 0, 1.3736, false},
    {"out bounce", device::ease_out_bounce, bounce, 0, 1, false},
};

TEST(Easing, StartsAtZeroAndEndsAtOne) {
  for (const auto& easing : kEasings) {
    EXPECT_NEAR(easing.under_test(0.0f), 0, 1e-6) << easing.name;
    EXPECT_NEAR(easing.under_test(1.0f), 1, 1e-6) << easing.name;
    EXPECT_EQ(easing.under_test(-2.0f), easing.under_test(0.0f)) << easing.name;
    EXPECT_EQ(easing.under_test(7.0f), easing.under_test(1.0f)) << easing.name;
  }
}

TEST(Easing, FollowsItsFormulaWithinItsRange) {
  for (const auto& easing : kEasings) {
    float before = -1;
    for (int i = 0; i <= 1000; ++i) {
      const float t = static_cast<float>(i) / 1000.0f;
      const float value = easing.under_test(t);
      ASSERT_NEAR(value, easing.expected(t), 2e-6) << easing.name << " at " << t;
      ASSERT_GE(value, easing.low - 1e-6) << easing.name << " at " << t;
      ASSERT_LE(value, easing.high + 1e-6) << easing.name << " at " << t;
      ASSERT_TRUE(!easing.rises || value >= before - 1e-6f) << easing.name << " at " << t;
      before = value;
    }
  }
}

TEST(Easing, StatedExtremesAreReached) {
  const auto extreme = [](float (*easing)(float), double sign) {
    double largest = -10;
    for (int i = 0; i <= 10000; ++i) largest = std::max(largest, sign * easing(static_cast<float>(i) / 10000.0f));
    return sign * largest;
  };
  EXPECT_NEAR(extreme(device::ease_in_back, -1), -0.1, 1e-4);
  EXPECT_NEAR(extreme(device::ease_out_elastic, 1), 1.373, 1e-3);
}

TEST(Interpolation, SmoothstepsFollowTheirPolynomials) {
  for (int i = -200; i <= 1200; ++i) {
    const double t = std::clamp(i / 1000.0, 0.0, 1.0);
    const float x = 2.0f + 3.0f * static_cast<float>(i) / 1000.0f;
    ASSERT_NEAR(device::linear_step(2.0f, 5.0f, x), t, 1e-6);
    ASSERT_NEAR(device::smoothstep(2.0f, 5.0f, x), 3 * t * t - 2 * t * t * t, 1e-6);
    ASSERT_NEAR(device::smootherstep(2.0f, 5.0f, x), 6 * std::pow(t, 5) - 15 * std::pow(t, 4) + 10 * std::pow(t, 3),
                2e-6);
    ASSERT_NEAR(device::smoothstep(5.0f, 2.0f, 7.0f - x), 3 * t * t - 2 * t * t * t, 1e-6) << "falling edges";
  }
}

TEST(Interpolation, EqualEdgesMakeAStep) {
  EXPECT_EQ(device::smoothstep(1.0f, 1.0f, 0.999f), 0.0f);
  EXPECT_EQ(device::smoothstep(1.0f, 1.0f, 1.0f), 1.0f);
}

TEST(Interpolation, MixReachesBothEndsAndIsNotLimited) {
  EXPECT_EQ(device::mix(2.0f, 6.0f, 0.0f), 2.0f);
  EXPECT_EQ(device::mix(2.0f, 6.0f, 1.0f), 6.0f);
  EXPECT_EQ(device::mix(2.0f, 6.0f, 2.0f), 10.0f);
  const float4 mixed = device::mix(float4{0, 1, 2, 3}, float4{4, 5, 6, 7}, 0.25f);
  EXPECT_EQ(mixed.x, 1.0f);
  EXPECT_EQ(mixed.y, 2.0f);
  EXPECT_EQ(mixed.z, 3.0f);
  EXPECT_EQ(mixed.w, 4.0f);
  const float3 three = device::mix(float3{0, 1, 2}, float3{4, 5, 6}, 0.5f);
  EXPECT_EQ(three.x, 2.0f);
  EXPECT_EQ(three.y, 3.0f);
  EXPECT_EQ(three.z, 4.0f);
  const float2 two = device::mix(float2{0, 1}, float2{4, 5}, 0.5f);
  EXPECT_EQ(two.x, 2.0f);
  EXPECT_EQ(two.y, 3.0f);
}

TEST(Interpolation, ClampLimitsAndTurnsNotANumberIntoTheLowEnd) {
  EXPECT_EQ(device::clamp(-1.0f, 2.0f, 3.0f), 2.0f);
  EXPECT_EQ(device::clamp(2.5f, 2.0f, 3.0f), 2.5f);
  EXPECT_EQ(device::clamp(9.0f, 2.0f, 3.0f), 3.0f);
  EXPECT_EQ(device::clamp(std::numeric_limits<float>::quiet_NaN(), 2.0f, 3.0f), 2.0f);
}

}  // namespace
}  // namespace cudahot::kernels
