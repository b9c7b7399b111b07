#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "host_device.hpp"
#include "inputs.hpp"

namespace cudahot::kernels {
namespace {

using std::numbers::pi;
using Triple = std::array<double, 3>;

void expect_near(float3 found, const Triple& expected, double tolerance) {
  EXPECT_NEAR(found.x, expected[0], tolerance);
  EXPECT_NEAR(found.y, expected[1], tolerance);
  EXPECT_NEAR(found.z, expected[2], tolerance);
}

double expected_to_linear(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }
double expected_to_srgb(double l) { return l <= 0.0031308 ? l * 12.92 : 1.055 * std::pow(l, 1 / 2.4) - 0.055; }

TEST(Color, SrgbFollowsItsTransferFunctionBothWays) {
  for (int i = -100; i <= 1500; ++i) {
    const float value = static_cast<float>(i) / 1000.0f;
    ASSERT_NEAR(device::srgb_to_linear(value), expected_to_linear(value), 3e-6);
    ASSERT_NEAR(device::linear_to_srgb(value), expected_to_srgb(value), 3e-6);
  }
  EXPECT_NEAR(device::srgb_to_linear(0.5f), 0.2140411, 1e-6);
  EXPECT_NEAR(device::srgb_to_linear(1.0f), 1.0, 1e-6);
  EXPECT_EQ(device::srgb_to_linear(0.0f), 0.0f);
}

TEST(Color, SrgbOfVectorsWorksByChannelAndKeepsAlpha) {
  const float4 light = device::srgb_to_linear(float4{0.5f, 0.0f, 1.0f, 0.5f});
  expect_near({light.x, light.y, light.z}, {0.2140411, 0, 1}, 1e-6);
  EXPECT_EQ(light.w, 0.5f);
  const float4 encoded = device::linear_to_srgb(float4{0.2140411f, 0.0f, 1.0f, 0.25f});
  expect_near({encoded.x, encoded.y, encoded.z}, {0.5, 0, 1}, 1e-6);
  EXPECT_EQ(encoded.w, 0.25f);
  expect_near(device::srgb_to_linear(float3{0.5f, 0.0f, 1.0f}), {0.2140411, 0, 1}, 1e-6);
  expect_near(device::linear_to_srgb(float3{0.2140411f, 0.0f, 1.0f}), {0.5, 0, 1}, 1e-6);
}

TEST(Color, LuminanceWeighsTheChannels) {
  EXPECT_NEAR(device::luminance({1, 0, 0}), 0.2126, 1e-6);
  EXPECT_NEAR(device::luminance({0, 1, 0}), 0.7152, 1e-6);
  EXPECT_NEAR(device::luminance({0, 0, 1}), 0.0722, 1e-6);
  EXPECT_NEAR(device::luminance({1, 1, 1}), 1.0, 1e-6);
}

struct NamedHsv {
  const char* name;
  float3 rgb;
  Triple hsv;
};

constexpr NamedHsv kHsv[] = {
    {"red", {1, 0, 0}, {0, 1, 1}},
    {"yellow", {1, 1, 0}, {1.0 / 6, 1, 1}},
    {"green", {0, 1, 0}, {1.0 / 3, 1, 1}},
    {"cyan", {0, 1, 1}, {0.5, 1, 1}},
    {"blue", {0, 0, 1}, {2.0 / 3, 1, 1}},
    {"magenta", {1, 0, 1}, {5.0 / 6, 1, 1}},
    {"grey", {0.5f, 0.5f, 0.5f}, {0, 0, 0.5}},
    {"black", {0, 0, 0}, {0, 0, 0}},
    {"brown", {0.6f, 0.4f, 0.2f}, {1.0 / 12, 2.0 / 3, 0.6}},
};

TEST(Color, HsvOfKnownColors) {
  for (const auto& color : kHsv) {
    SCOPED_TRACE(color.name);
    expect_near(device::rgb_to_hsv(color.rgb), color.hsv, 1e-6);
    const float3 back = device::hsv_to_rgb(
        {static_cast<float>(color.hsv[0]), static_cast<float>(color.hsv[1]), static_cast<float>(color.hsv[2])});
    expect_near(back, {color.rgb.x, color.rgb.y, color.rgb.z}, 1e-6);
  }
}

// By sectors of the hue circle, as Smith writes it.
Triple expected_hsv_to_rgb(double h, double s, double v) {
  const double turned = (h - std::floor(h)) * 6, fraction = turned - std::floor(turned);
  const double p = v * (1 - s), q = v * (1 - s * fraction), t = v * (1 - s * (1 - fraction));
  switch (static_cast<int>(turned) % 6) {
    case 0:
      return {v, t, p};
    case 1:
      return {q, v, p};
    case 2:
      return {p, v, t};
    case 3:
      return {p, q, v};
    case 4:
      return {t, p, v};
    default:
      return {v, p, q};
  }
}

TEST(Color, HsvToRgbFollowsTheSectorsForEveryHue) {
  Inputs inputs(1);
  for (int i = 0; i < 2000; ++i) {
    const float3 hsv{inputs.in(-3, 3), inputs.in(0, 1), inputs.in(0, 1)};
    expect_near(device::hsv_to_rgb(hsv), expected_hsv_to_rgb(hsv.x, hsv.y, hsv.z), 3e-6);
  }
}

TEST(Color, HsvAndBackGivesTheColor) {
  Inputs inputs(2);
  for (int i = 0; i < 2000; ++i) {
    const float3 rgb{inputs.in(0, 1), inputs.in(0, 1), inputs.in(0, 1)};
    const float3 hsv = device::rgb_to_hsv(rgb);
    ASSERT_GE(hsv.x, 0.0f);
    ASSERT_LT(hsv.x, 1.0f);
    expect_near(device::hsv_to_rgb(hsv), {rgb.x, rgb.y, rgb.z}, 2e-6);
  }
  // Just below red: the hue must not round up to a whole turn.
  EXPECT_LT(device::rgb_to_hsv({1.0f, 0.0f, 1e-9f}).x, 1.0f);
}

struct NamedLab {
  const char* name;
  float3 light;
  Triple lab;
};

// sRGB primaries in OKLab (CSS Color Module Level 4, sample colours).
constexpr NamedLab kLab[] = {
    {"white", {1, 1, 1}, {1, 0, 0}},
    {"black", {0, 0, 0}, {0, 0, 0}},
    {"red", {1, 0, 0}, {0.62796, 0.22486, 0.12585}},
    {"green", {0, 1, 0}, {0.86644, -0.23389, 0.17950}},
    {"blue", {0, 0, 1}, {0.45201, -0.03246, -0.31153}},
};

TEST(Color, OklabOfThePrimaries) {
  for (const auto& color : kLab) {
    SCOPED_TRACE(color.name);
    expect_near(device::linear_to_oklab(color.light), color.lab, 3e-5);
  }
}

TEST(Color, OklabAndBackGivesTheColor) {
  Inputs inputs(3);
  for (int i = 0; i < 2000; ++i) {
    const float3 light{inputs.in(0, 1), inputs.in(0, 1), inputs.in(0, 1)};
    const float3 lab = device::linear_to_oklab(light);
    expect_near(device::oklab_to_linear(lab), {light.x, light.y, light.z}, 1e-5);
    const float3 lch = device::oklab_to_oklch(lab);
    EXPECT_NEAR(lch.y, std::hypot(lab.y, lab.z), 1e-6);
    EXPECT_NEAR(lch.z, std::atan2(static_cast<double>(lab.z), static_cast<double>(lab.y)), 1e-5);
    expect_near(device::oklch_to_oklab(lch), {lab.x, lab.y, lab.z}, 1e-6);
  }
}

TEST(Color, CosinePaletteFollowsItsFormula) {
  Inputs inputs(4);
  const float3 base{0.5f, 0.4f, 0.3f}, amplitude{0.5f, 0.2f, 0.7f}, frequency{1, 2, 0.5f}, phase{0, 0.33f, 0.67f};
  for (int i = 0; i < 2000; ++i) {
    const double t = inputs.in(-10, 10);
    const float3 color = device::cosine_palette(static_cast<float>(t), base, amplitude, frequency, phase);
    expect_near(color,
                {base.x + amplitude.x * std::cos(2 * pi * (frequency.x * t + phase.x)),
                 base.y + amplitude.y * std::cos(2 * pi * (frequency.y * t + phase.y)),
                 base.z + amplitude.z * std::cos(2 * pi * (frequency.z * t + phase.z))},
                1e-5);
    expect_near(device::rainbow(static_cast<float>(t)),
                {0.5 + 0.5 * std::cos(2 * pi * t), 0.5 + 0.5 * std::cos(2 * pi * (t + 1.0 / 3)),
                 0.5 + 0.5 * std::cos(2 * pi * (t + 2.0 / 3))},
                1e-5);
  }
}

}  // namespace
}  // namespace cudahot::kernels
