#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "host_device.hpp"
#include "inputs.hpp"

namespace cudahot::kernels {
namespace {

constexpr double kTolerance = 3e-6;

// Outside: to the nearest point of the box; inside: to the nearest face.
template <std::size_t N>
double expected_box(const std::array<double, N>& p, const std::array<double, N>& half) {
  double outside = 0, to_face = 1e30;
  for (std::size_t i = 0; i < N; ++i) {
    const double nearest = std::clamp(p[i], -half[i], half[i]);
    outside += (p[i] - nearest) * (p[i] - nearest);
    to_face = std::min({to_face, half[i] - p[i], p[i] + half[i]});
  }
  return outside > 0 ? std::sqrt(outside) : -to_face;
}

// Squared distance along a line is a parabola: its minimum on [0, 1] by ternary search.
template <typename Distance>
double smallest_on_unit_interval(Distance distance) {
  double low = 0, high = 1;
  for (int i = 0; i < 100; ++i) {
    const double third = (high - low) / 3;
    if (distance(low + third) < distance(high - third)) high -= third;
    else low += third;
  }
  return distance((low + high) / 2);
}

TEST(Distance, CirclesAndSpheres) {
  EXPECT_NEAR(device::sd_circle({3, 4}, 2), 3, kTolerance);
  EXPECT_NEAR(device::sd_circle({0, 0}, 2), -2, kTolerance);
  EXPECT_NEAR(device::sd_sphere({2, 3, 6}, 5), 2, kTolerance);
  EXPECT_NEAR(device::sd_sphere({0, 0, 0}, 5), -5, kTolerance);
  EXPECT_NEAR(device::sd_sphere({0, 5, 0}, 5), 0, kTolerance);
}

TEST(Distance, BoxesInsideAndOutside) {
  Inputs inputs(1);
  for (int i = 0; i < 2000; ++i) {
    const float3 p{inputs.in(-3, 3), inputs.in(-3, 3), inputs.in(-3, 3)};
    const float3 half{inputs.in(0, 2), inputs.in(0, 2), inputs.in(0, 2)};
    ASSERT_NEAR(device::sd_box(p, half), expected_box<3>({p.x, p.y, p.z}, {half.x, half.y, half.z}), kTolerance);
    ASSERT_NEAR(device::sd_box(float2{p.x, p.y}, float2{half.x, half.y}), expected_box<2>({p.x, p.y}, {half.x, half.y}),
                kTolerance);
  }
}

TEST(Distance, RoundedBoxesKeepTheirFacesAndRoundTheirCorners) {
  const float3 half{2, 1, 1.5f};
  EXPECT_NEAR(device::sd_rounded_box(float3{3, 0, 0}, half, 0.5f), 1, kTolerance) << "a face stays where it was";
  EXPECT_NEAR(device::sd_rounded_box(float3{0, 0, 0}, half, 0.5f), -1, kTolerance);
  // Beyond the corner: the distance to the sphere that rounds it, centre (1.5, 0.5, 1).
  EXPECT_NEAR(device::sd_rounded_box(float3{3.5f, 1.5f, 3}, half, 0.5f), 3 - 0.5, kTolerance);
  EXPECT_NEAR(device::sd_rounded_box(float2{4.5f, 4.5f}, float2{2, 1}, 0.5f), 5 - 0.5, kTolerance);
  EXPECT_NEAR(device::sd_rounded_box(float2{0.25f, -3}, float2{2, 1}, 0.5f), 2, kTolerance);
}

TEST(Distance, SegmentsAndCapsules) {
  Inputs inputs(2);
  for (int i = 0; i < 1000; ++i) {
    const float3 p{inputs.in(-3, 3), inputs.in(-3, 3), inputs.in(-3, 3)};
    const float3 a{inputs.in(-2, 2), inputs.in(-2, 2), inputs.in(-2, 2)};
    const float3 b{inputs.in(-2, 2), inputs.in(-2, 2), inputs.in(-2, 2)};
    const auto along = [](double from, double to, double t) { return from + (to - from) * t; };
    const double in_space = smallest_on_unit_interval([&](double t) {
      return std::hypot(p.x - along(a.x, b.x, t), p.y - along(a.y, b.y, t), p.z - along(a.z, b.z, t));
    });
    const double in_plane = smallest_on_unit_interval(
        [&](double t) { return std::hypot(p.x - along(a.x, b.x, t), p.y - along(a.y, b.y, t)); });
    ASSERT_NEAR(device::sd_segment(p, a, b), in_space, 1e-5);
    ASSERT_NEAR(device::sd_capsule(p, a, b, 0.75f), in_space - 0.75, 1e-5);
    ASSERT_NEAR(device::sd_segment(float2{p.x, p.y}, float2{a.x, a.y}, float2{b.x, b.y}), in_plane, 1e-5);
    ASSERT_NEAR(device::sd_capsule(float2{p.x, p.y}, float2{a.x, a.y}, float2{b.x, b.y}, 0.75f), in_plane - 0.75, 1e-5);
  }
}

TEST(Distance, ASegmentOfNoLengthIsAPoint) {
  EXPECT_NEAR(device::sd_segment(float2{3, 4}, float2{0, 0}, float2{0, 0}), 5, kTolerance);
  EXPECT_NEAR(device::sd_segment(float3{3, 4, 1}, float3{0, 0, 1}, float3{0, 0, 1}), 5, kTolerance);
}

TEST(Distance, ATorusIsATubeAroundItsRing) {
  Inputs inputs(3);
  for (int i = 0; i < 200; ++i) {
    const float3 p{inputs.in(-4, 4), inputs.in(-2, 2), inputs.in(-4, 4)};
    double to_ring = 1e30;
    for (int step = 0; step < 20000; ++step) {
      const double angle = 2 * std::numbers::pi * step / 20000;
      to_ring = std::min(to_ring, std::hypot(p.x - 2 * std::cos(angle), p.y, p.z - 2 * std::sin(angle)));
    }
    ASSERT_NEAR(device::sd_torus(p, 2, 0.5f), to_ring - 0.5, 1e-4);
  }
}

TEST(Distance, SmoothMinimumBlendsOnlyWhereTheDistancesAreClose) {
  EXPECT_EQ(device::smooth_min(1.0f, 3.0f, 2.0f), 1.0f) << "as far apart as k";
  EXPECT_EQ(device::smooth_min(5.0f, 1.0f, 2.0f), 1.0f);
  EXPECT_NEAR(device::smooth_min(1.0f, 1.0f, 2.0f), 1 - 2 / 4.0, kTolerance) << "equal: k / 4 below";
  EXPECT_EQ(device::smooth_min(1.0f, 2.0f, 0.0f), 1.0f) << "no blending for k = 0";
  EXPECT_EQ(device::smooth_min(1.0f, 2.0f, -1.0f), 1.0f);
  Inputs inputs(4);
  for (int i = 0; i < 1000; ++i) {
    const double a = inputs.in(-2, 2), b = inputs.in(-2, 2), k = inputs.in(0.01f, 2);
    const double h = std::max(k - std::abs(a - b), 0.0) / k;
    const auto fa = static_cast<float>(a), fb = static_cast<float>(b), fk = static_cast<float>(k);
    ASSERT_NEAR(device::smooth_min(fa, fb, fk), std::min(a, b) - h * h * k / 4, kTolerance);
    ASSERT_NEAR(device::smooth_max(fa, fb, fk), std::max(a, b) + h * h * k / 4, kTolerance);
    ASSERT_EQ(device::smooth_min(fa, fb, fk), device::smooth_min(fb, fa, fk)) << "symmetric";
  }
}

}  // namespace
}  // namespace cudahot::kernels
