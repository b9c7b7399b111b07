#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "host_device.hpp"
#include "inputs.hpp"

namespace cudahot::kernels {
namespace {

using Vector = std::array<double, 3>;

float3 random_axis(Inputs& inputs) {
  for (;;) {
    const float3 v{inputs.in(-1, 1), inputs.in(-1, 1), inputs.in(-1, 1)};
    const double length = std::hypot(v.x, v.y, v.z);
    if (length > 0.1 && length < 1) {
      return {static_cast<float>(v.x / length), static_cast<float>(v.y / length), static_cast<float>(v.z / length)};
    }
  }
}

// The rotation matrix of an axis and an angle times p.
Vector expected_rotation(float3 p, float3 axis, double angle) {
  const double x = axis.x, y = axis.y, z = axis.z, c = std::cos(angle), s = std::sin(angle), k = 1 - c;
  return {(c + x * x * k) * p.x + (x * y * k - z * s) * p.y + (x * z * k + y * s) * p.z,
          (y * x * k + z * s) * p.x + (c + y * y * k) * p.y + (y * z * k - x * s) * p.z,
          (z * x * k - y * s) * p.x + (z * y * k + x * s) * p.y + (c + z * z * k) * p.z};
}

void expect_near(float3 found, const Vector& expected, double tolerance) {
  EXPECT_NEAR(found.x, expected[0], tolerance);
  EXPECT_NEAR(found.y, expected[1], tolerance);
  EXPECT_NEAR(found.z, expected[2], tolerance);
}

TEST(Rotation, AQuarterTurnGoesCounterClockwise) {
  constexpr float kQuarter = 1.57079633f;
  const float2 turned = device::rotate(float2{1, 0}, kQuarter);
  EXPECT_NEAR(turned.x, 0, 1e-6);
  EXPECT_NEAR(turned.y, 1, 1e-6);
  expect_near(device::rotate(float3{1, 0, 0}, float3{0, 0, 1}, kQuarter), {0, 1, 0}, 1e-6);
  expect_near(device::rotate(float3{0, 1, 0}, float3{1, 0, 0}, kQuarter), {0, 0, 1}, 1e-6);
  expect_near(device::rotate(float3{0, 0, 1}, device::quaternion({0, 1, 0}, kQuarter)), {1, 0, 0}, 1e-6);
}

TEST(Rotation, InThePlaneFollowsTheMatrix) {
  Inputs inputs(1);
  for (int i = 0; i < 1000; ++i) {
    const float2 p{inputs.in(-5, 5), inputs.in(-5, 5)};
    const float angle = inputs.in(-10, 10);
    const double c = std::cos(static_cast<double>(angle)), s = std::sin(static_cast<double>(angle));
    const float2 turned = device::rotate(p, angle);
    EXPECT_NEAR(turned.x, p.x * c - p.y * s, 3e-6);
    EXPECT_NEAR(turned.y, p.x * s + p.y * c, 3e-6);
  }
}

TEST(Rotation, AxisAngleAndQuaternionFollowTheMatrix) {
  Inputs inputs(2);
  for (int i = 0; i < 1000; ++i) {
    const float3 p{inputs.in(-5, 5), inputs.in(-5, 5), inputs.in(-5, 5)}, axis = random_axis(inputs);
    const float angle = inputs.in(-7, 7);
    const Vector expected = expected_rotation(p, axis, angle);
    expect_near(device::rotate(p, axis, angle), expected, 1e-5);
    expect_near(device::rotate(p, device::quaternion(axis, angle)), expected, 1e-5);
  }
}

TEST(Rotation, MultiplyAppliesTheRightFactorFirst) {
  Inputs inputs(3);
  for (int i = 0; i < 500; ++i) {
    const float3 p{inputs.in(-2, 2), inputs.in(-2, 2), inputs.in(-2, 2)};
    const float3 axis_a = random_axis(inputs), axis_b = random_axis(inputs);
    const float angle_a = inputs.in(-3, 3), angle_b = inputs.in(-3, 3);
    const Vector first = expected_rotation(p, axis_b, angle_b);
    const Vector both = expected_rotation(
        {static_cast<float>(first[0]), static_cast<float>(first[1]), static_cast<float>(first[2])}, axis_a, angle_a);
    const auto product = device::multiply(device::quaternion(axis_a, angle_a), device::quaternion(axis_b, angle_b));
    expect_near(device::rotate(p, product), both, 1e-5);
  }
}

TEST(Rotation, ConjugateUndoesTheRotation) {
  Inputs inputs(4);
  for (int i = 0; i < 500; ++i) {
    const float3 p{inputs.in(-2, 2), inputs.in(-2, 2), inputs.in(-2, 2)};
    const auto q = device::quaternion(random_axis(inputs), inputs.in(-3, 3));
    expect_near(device::rotate(device::rotate(p, q), device::conjugate(q)), {p.x, p.y, p.z}, 1e-5);
  }
}

TEST(Rotation, NormalizeGivesUnitLengthAndTheIdentityForZero) {
  const auto q = device::normalize({1, 2, 3, 4});
  const double norm = std::sqrt(30.0);
  EXPECT_NEAR(q.x, 1 / norm, 1e-6);
  EXPECT_NEAR(q.y, 2 / norm, 1e-6);
  EXPECT_NEAR(q.z, 3 / norm, 1e-6);
  EXPECT_NEAR(q.w, 4 / norm, 1e-6);
  EXPECT_EQ(device::normalize({0, 0, 0, 0}).w, 1.0f);
}

TEST(Rotation, SlerpTurnsAtConstantSpeedAlongTheShorterArc) {
  Inputs inputs(5);
  for (int i = 0; i < 500; ++i) {
    const float3 axis = random_axis(inputs), p{inputs.in(-1, 1), inputs.in(-1, 1), inputs.in(-1, 1)};
    const float start = inputs.in(-1, 1), turn = inputs.in(-3, 3), t = inputs.in(0, 1);
    const auto a = device::quaternion(axis, start);
    auto b = device::quaternion(axis, start + turn);
    if (i % 2 == 0) b = {-b.x, -b.y, -b.z, -b.w};  // the same rotation
    const Vector expected = expected_rotation(p, axis, static_cast<double>(start) + static_cast<double>(t) * turn);
    expect_near(device::rotate(p, device::slerp(a, b, t)), expected, 2e-5);
  }
}

TEST(Rotation, SlerpOfNearlyEqualRotationsStaysAccurate) {
  const float3 axis{0, 0, 1}, p{1, 0, 0};
  for (const float turn : {0.0f, 1e-7f, 1e-5f, 1e-4f, 1e-3f, 3e-3f}) {
    const auto q = device::slerp(device::quaternion(axis, 0.5f), device::quaternion(axis, 0.5f + turn), 0.25f);
    expect_near(device::rotate(p, q), expected_rotation(p, axis, 0.5 + 0.25 * static_cast<double>(turn)), 1e-6);
  }
}

}  // namespace
}  // namespace cudahot::kernels
