#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>

#include "host_device.hpp"
#include "inputs.hpp"

namespace cudahot::kernels {
namespace {

std::uint32_t lattice_hash(std::uint32_t seed, std::initializer_list<std::int64_t> coordinates_from_last) {
  std::uint32_t hash = device::pcg_hash(seed);
  for (const std::int64_t coordinate : coordinates_from_last) {
    hash = device::pcg_hash(static_cast<std::uint32_t>(coordinate) + hash);
  }
  return hash;
}

double lattice_value(std::uint32_t hash) { return (hash >> 8) / 8388608.0 - 1.0; }

double quintic(double t) { return 6 * std::pow(t, 5) - 15 * std::pow(t, 4) + 10 * std::pow(t, 3); }

// The weighted mean of all lattice values around p.
double expected_value_noise(double x, double y, std::uint32_t seed) {
  double sum = 0;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const double cx = std::floor(x) + i, cy = std::floor(y) + j;
      const double weight = quintic(1 - std::abs(x - cx)) * quintic(1 - std::abs(y - cy));
      sum += weight * lattice_value(lattice_hash(seed, {static_cast<std::int64_t>(cy), static_cast<std::int64_t>(cx)}));
    }
  }
  return sum;
}

double expected_value_noise(double x, double y, double z, std::uint32_t seed) {
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const double cx = std::floor(x) + corner % 2, cy = std::floor(y) + corner / 2 % 2, cz = std::floor(z) + corner / 4;
    const double weight = quintic(1 - std::abs(x - cx)) * quintic(1 - std::abs(y - cy)) * quintic(1 - std::abs(z - cz));
    sum += weight * lattice_value(lattice_hash(seed, {static_cast<std::int64_t>(cz), static_cast<std::int64_t>(cy),
                                                      static_cast<std::int64_t>(cx)}));
  }
  return sum;
}

double corner_weight(double squared_distance) { return std::pow(std::max(0.5 - squared_distance, 0.0), 4); }

// The sum over all lattice points nearby, whether or not they are corners of p's simplex: those
// that are not must be out of reach.
double expected_simplex_noise(double x, double y, std::uint32_t seed) {
  const double unskew = (3 - std::sqrt(3.0)) / 6, skew = (std::sqrt(3.0) - 1) / 2, diagonal = std::sqrt(0.5);
  const std::int64_t near_i = std::llround(x + (x + y) * skew), near_j = std::llround(y + (x + y) * skew);
  double sum = 0;
  for (std::int64_t i = near_i - 2; i <= near_i + 2; ++i) {
    for (std::int64_t j = near_j - 2; j <= near_j + 2; ++j) {
      const double shift = static_cast<double>(i + j) * unskew;
      const double dx = x - (static_cast<double>(i) - shift), dy = y - (static_cast<double>(j) - shift);
      const std::uint32_t hash = lattice_hash(seed, {j, i});
      const double sx = hash & 1 ? -1 : 1, sy = hash & 2 ? -1 : 1;
      const double along = hash & 4 ? diagonal * (sx * dx + sy * dy) : hash & 8 ? sx * dx : sy * dy;
      sum += corner_weight(dx * dx + dy * dy) * along;
    }
  }
  return 99.2 * sum;
}

// Perlin's sixteen: the twelve edges of a cube, four of them twice.
constexpr std::array<std::array<int, 3>, 16> kEdges = {{{1, 1, 0},
                                                        {-1, 1, 0},
                                                        {1, -1, 0},
                                                        {-1, -1, 0},
                                                        {1, 0, 1},
                                                        {-1, 0, 1},
                                                        {1, 0, -1},
                                                        {-1, 0, -1},
                                                        {0, 1, 1},
                                                        {0, -1, 1},
                                                        {0, 1, -1},
                                                        {0, -1, -1},
                                                        {1, 1, 0},
                                                        {0, -1, 1},
                                                        {-1, 1, 0},
                                                        {0, -1, -1}}};

double expected_simplex_noise(double x, double y, double z, std::uint32_t seed) {
  const double skew = (x + y + z) / 3;
  const std::int64_t near_i = std::llround(x + skew), near_j = std::llround(y + skew), near_k = std::llround(z + skew);
  double sum = 0;
  for (std::int64_t i = near_i - 2; i <= near_i + 2; ++i) {
    for (std::int64_t j = near_j - 2; j <= near_j + 2; ++j) {
      for (std::int64_t k = near_k - 2; k <= near_k + 2; ++k) {
        const double shift = static_cast<double>(i + j + k) / 6;
        const double dx = x - (static_cast<double>(i) - shift), dy = y - (static_cast<double>(j) - shift),
                     dz = z - (static_cast<double>(k) - shift);
        const auto& edge = kEdges[lattice_hash(seed, {k, j, i}) % 16];
        sum += corner_weight(dx * dx + dy * dy + dz * dz) * (edge[0] * dx + edge[1] * dy + edge[2] * dz);
      }
    }
  }
  return 76.1 * sum;
}

TEST(Noise, ValueNoiseIsTheWeightedMeanOfLatticeValues) {
  Inputs inputs(1);
  for (int i = 0; i < 4000; ++i) {
    const float3 p{inputs.in(-20, 20), inputs.in(-20, 20), inputs.in(-20, 20)};
    const unsigned seed = inputs.word() % 4;
    ASSERT_NEAR(device::value_noise(float2{p.x, p.y}, seed), expected_value_noise(p.x, p.y, seed), 1e-5);
    ASSERT_NEAR(device::value_noise(p, seed), expected_value_noise(p.x, p.y, p.z, seed), 1e-5);
  }
}

TEST(Noise, SimplexNoiseIsTheSumOverAllLatticePointsInReach) {
  Inputs inputs(2);
  for (int i = 0; i < 4000; ++i) {
    const float3 p{inputs.in(-20, 20), inputs.in(-20, 20), inputs.in(-20, 20)};
    const unsigned seed = inputs.word() % 4;
    ASSERT_NEAR(device::simplex_noise(float2{p.x, p.y}, seed), expected_simplex_noise(p.x, p.y, seed), 5e-5);
    ASSERT_NEAR(device::simplex_noise(p, seed), expected_simplex_noise(p.x, p.y, p.z, seed), 5e-5);
  }
}

struct NamedNoise {
  const char* name;
  std::function<float(float3, unsigned)> at;
  double spread;     // the larger of |minimum| and maximum that is reached at least
  double curvature;  // bound of the second derivative along a line
};

const NamedNoise kNoises[] = {
    {"value 2D", [](float3 p, unsigned seed) { return device::value_noise(float2{p.x, p.y}, seed); }, 0.9, 45},
    {"value 3D", [](float3 p, unsigned seed) { return device::value_noise(p, seed); }, 0.9, 60},
    {"simplex 2D", [](float3 p, unsigned seed) { return device::simplex_noise(float2{p.x, p.y}, seed); }, 0.8, 60},
    {"simplex 3D", [](float3 p, unsigned seed) { return device::simplex_noise(p, seed); }, 0.7, 60},
    {"value fBm 2D", [](float3 p, unsigned seed) { return device::value_fbm(float2{p.x, p.y}, {.count = 2}, seed); },
     0.7, 90},
    {"simplex fBm 3D", [](float3 p, unsigned seed) { return device::simplex_fbm(p, {.count = 2}, seed); }, 0.5, 120},
};

TEST(Noise, StaysInItsRangeWithMeanZero) {
  for (const auto& noise : kNoises) {
    Inputs inputs(3);
    double sum = 0, largest = 0;
    constexpr int kPoints = 100000;
    for (int i = 0; i < kPoints; ++i) {
      const float value = noise.at({inputs.in(-500, 500), inputs.in(-500, 500), inputs.in(-500, 500)}, 0);
      sum += value;
      largest = std::max<double>(largest, std::abs(value));
    }
    EXPECT_LE(largest, 1.0) << noise.name;
    EXPECT_GE(largest, noise.spread) << noise.name;
    EXPECT_NEAR(sum / kPoints, 0, 0.01) << noise.name;
  }
}

TEST(Noise, HasAContinuousGradient) {
  // A jump of the gradient by g shows as a second difference of g / step.
  constexpr double kStep = 1.0 / 1024;
  for (const auto& noise : kNoises) {
    Inputs inputs(4);
    double largest = 0;
    for (int line = 0; line < 20; ++line) {
      const float3 start{inputs.in(-9, 9), inputs.in(-9, 9), inputs.in(-9, 9)};
      double direction[3] = {inputs.in(-1, 1), inputs.in(-1, 1), inputs.in(-1, 1)};
      const double length = std::hypot(direction[0], direction[1], direction[2]);
      double before = 0, here = 0;
      for (int i = 0; i < 4096; ++i) {
        const double s = i * kStep / length;
        const float after =
            noise.at({static_cast<float>(start.x + s * direction[0]), static_cast<float>(start.y + s * direction[1]),
                      static_cast<float>(start.z + s * direction[2])},
                     0);
        if (i >= 2) largest = std::max(largest, std::abs(after - 2 * here + before) / (kStep * kStep));
        before = here;
        here = after;
      }
    }
    EXPECT_LE(largest, noise.curvature) << noise.name;
  }
}

TEST(Noise, SeedsGiveUncorrelatedFunctions) {
  for (const auto& noise : kNoises) {
    Inputs inputs(5);
    double product = 0, square = 0;
    for (int i = 0; i < 20000; ++i) {
      const float3 p{inputs.in(-300, 300), inputs.in(-300, 300), inputs.in(-300, 300)};
      const double a = noise.at(p, 0), b = noise.at(p, 1);
      product += a * b;
      square += (a * a + b * b) / 2;
    }
    EXPECT_LE(std::abs(product / square), 0.05) << noise.name;
  }
}

TEST(Noise, SimplexNoiseIsZeroAtLatticePointsOfThePlane) {
  const double unskew = (3 - std::sqrt(3.0)) / 6;
  for (int i = -3; i <= 3; ++i) {
    for (int j = -3; j <= 3; ++j) {
      const float2 p{static_cast<float>(i - (i + j) * unskew), static_cast<float>(j - (i + j) * unskew)};
      EXPECT_NEAR(device::simplex_noise(p), 0, 1e-5) << i << ' ' << j;
    }
  }
}

template <typename Noise, typename Vector, typename Scale>
double expected_fbm(Noise noise, Vector p, Scale scale, int count, double lacunarity, double gain, unsigned seed) {
  double sum = 0, weights = 0;
  for (int i = 0; i < count; ++i) {
    const double weight = std::pow(gain, i);
    sum += weight * noise(scale(p, std::pow(lacunarity, i)), seed + static_cast<unsigned>(i));
    weights += weight;
  }
  return sum / weights;
}

TEST(Noise, FbmIsTheNormalisedSumOfItsOctaves) {
  const auto value2 = [](float2 p, unsigned seed) { return device::value_noise(p, seed); };
  const auto value3 = [](float3 p, unsigned seed) { return device::value_noise(p, seed); };
  const auto simplex2 = [](float2 p, unsigned seed) { return device::simplex_noise(p, seed); };
  const auto simplex3 = [](float3 p, unsigned seed) { return device::simplex_noise(p, seed); };
  const auto scale2 = [](float2 p, double s) {
    return float2{static_cast<float>(p.x * s), static_cast<float>(p.y * s)};
  };
  const auto scale3 = [](float3 p, double s) {
    return float3{static_cast<float>(p.x * s), static_cast<float>(p.y * s), static_cast<float>(p.z * s)};
  };
  Inputs inputs(6);
  for (int i = 0; i < 500; ++i) {
    const int count = 1 + i % 5;
    const device::Octaves octaves{count, 2.0f, 0.6f};
    const float3 p{inputs.in(-5, 5), inputs.in(-5, 5), inputs.in(-5, 5)};
    const float2 q{p.x, p.y};
    ASSERT_NEAR(device::value_fbm(q, octaves, 9), expected_fbm(value2, q, scale2, count, 2.0, 0.6, 9), 1e-5);
    ASSERT_NEAR(device::value_fbm(p, octaves, 9), expected_fbm(value3, p, scale3, count, 2.0, 0.6, 9), 1e-5);
    ASSERT_NEAR(device::simplex_fbm(q, octaves, 9), expected_fbm(simplex2, q, scale2, count, 2.0, 0.6, 9), 1e-5);
    ASSERT_NEAR(device::simplex_fbm(p, octaves, 9), expected_fbm(simplex3, p, scale3, count, 2.0, 0.6, 9), 1e-5);
  }
}

TEST(Noise, FbmSumsFromNoneToSixteenOctaves) {
  const float2 p{0.3f, 0.7f};
  EXPECT_EQ(device::value_fbm(p, {.count = 0}), 0.0f);
  EXPECT_EQ(device::value_fbm(p, {.count = -3}), 0.0f);
  EXPECT_EQ(device::value_fbm(p, {.count = 1}, 4), device::value_noise(p, 4));
  EXPECT_EQ(device::value_fbm(p, {.count = 1000000}), device::value_fbm(p, {.count = 16}));
  EXPECT_NE(device::value_fbm(p, {.count = 16, .gain = 0.9f}), device::value_fbm(p, {.count = 15, .gain = 0.9f}));
}

}  // namespace
}  // namespace cudahot::kernels
