// Value noise, simplex noise and their fractal sums.
#pragma once

namespace cudahot::device {
namespace detail {

CUDAHOT_DEVICE_LOCAL unsigned cell(float floored) { return static_cast<unsigned>(static_cast<int>(floored)); }

CUDAHOT_DEVICE_LOCAL unsigned cell_hash(unsigned seed, unsigned x, unsigned y) {
  return pcg_hash(x + pcg_hash(y + pcg_hash(seed)));
}
CUDAHOT_DEVICE_LOCAL unsigned cell_hash(unsigned seed, unsigned x, unsigned y, unsigned z) {
  return pcg_hash(x + pcg_hash(y + pcg_hash(z + pcg_hash(seed))));
}

CUDAHOT_DEVICE_LOCAL float fade(float t) { return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f); }

CUDAHOT_DEVICE_LOCAL float lerp(float a, float b, float t) { return a + t * (b - a); }

// One of eight unit gradients, 45 degrees apart, times d.
CUDAHOT_DEVICE_LOCAL float gradient_dot(unsigned hash, float2 d) {
  const float x = (hash & 1u) ? -d.x : d.x;
  const float y = (hash & 2u) ? -d.y : d.y;
  if (hash & 4u) return 0.70710678f * (x + y);
  return (hash & 8u) ? x : y;
}

// One of the twelve edge directions of a cube, of length sqrt(2), times d; four of them twice.
CUDAHOT_DEVICE_LOCAL float gradient_dot(unsigned hash, float3 d) {
  const unsigned h = hash & 15u;
  const float u = h < 8u ? d.x : d.y;
  const float v = h < 4u ? d.y : (h == 12u || h == 14u) ? d.x : d.z;
  return ((h & 1u) ? -u : u) + ((h & 2u) ? -v : v);
}

template <typename Vector>
CUDAHOT_DEVICE_LOCAL float corner(unsigned hash, Vector d) {
  const float t = fmaxf(0.5f - dot(d, d), 0.0f);
  return t * t * t * t * gradient_dot(hash, d);
}

}  // namespace detail

CUDAHOT_DEVICE float value_noise(float2 p, unsigned seed) {
  const float fx = floorf(p.x), fy = floorf(p.y);
  const unsigned x = detail::cell(fx), y = detail::cell(fy);
  const float tx = detail::fade(p.x - fx), ty = detail::fade(p.y - fy);
  float row[2];
  for (unsigned j = 0; j < 2; ++j) {
    const float left = uniform_signed(detail::cell_hash(seed, x, y + j));
    const float right = uniform_signed(detail::cell_hash(seed, x + 1u, y + j));
    row[j] = detail::lerp(left, right, tx);
  }
  return detail::lerp(row[0], row[1], ty);
}

CUDAHOT_DEVICE float value_noise(float3 p, unsigned seed) {
  const float fx = floorf(p.x), fy = floorf(p.y), fz = floorf(p.z);
  const unsigned x = detail::cell(fx), y = detail::cell(fy), z = detail::cell(fz);
  const float tx = detail::fade(p.x - fx), ty = detail::fade(p.y - fy), tz = detail::fade(p.z - fz);
  float plane[2];
  for (unsigned k = 0; k < 2; ++k) {
    float row[2];
    for (unsigned j = 0; j < 2; ++j) {
      const float left = uniform_signed(detail::cell_hash(seed, x, y + j, z + k));
      const float right = uniform_signed(detail::cell_hash(seed, x + 1u, y + j, z + k));
      row[j] = detail::lerp(left, right, tx);
    }
    plane[k] = detail::lerp(row[0], row[1], ty);
  }
  return detail::lerp(plane[0], plane[1], tz);
}

CUDAHOT_DEVICE float simplex_noise(float2 p, unsigned seed) {
  constexpr float kSkew = 0.366025404f;    // (sqrt(3) - 1) / 2
  constexpr float kUnskew = 0.211324865f;  // (3 - sqrt(3)) / 6
  constexpr float kScale = 99.2f;          // 1 / largest sum over corners for unit gradients: 1 / 99.2043
  const float skew = (p.x + p.y) * kSkew;
  const float fx = floorf(p.x + skew), fy = floorf(p.y + skew);
  const unsigned x = detail::cell(fx), y = detail::cell(fy);
  const float unskew = (fx + fy) * kUnskew;
  const float2 d0 = detail::vec(p.x - (fx - unskew), p.y - (fy - unskew));
  const bool right = d0.x > d0.y;
  const float2 d1 = detail::vec(d0.x - (right ? 1.0f : 0.0f) + kUnskew, d0.y - (right ? 0.0f : 1.0f) + kUnskew);
  const float2 d2 = detail::vec(d0.x - 1.0f + 2.0f * kUnskew, d0.y - 1.0f + 2.0f * kUnskew);
  const unsigned h0 = detail::cell_hash(seed, x, y);
  const unsigned h1 = detail::cell_hash(seed, x + (right ? 1u : 0u), y + (right ? 0u : 1u));
  const unsigned h2 = detail::cell_hash(seed, x + 1u, y + 1u);
  return kScale * (detail::corner(h0, d0) + detail::corner(h1, d1) + detail::corner(h2, d2));
}

CUDAHOT_DEVICE float simplex_noise(float3 p, unsigned seed) {
  constexpr float kSkew = 1.0f / 3.0f;
  constexpr float kUnskew = 1.0f / 6.0f;
  constexpr float kScale = 76.1f;  // 1 / (sqrt(2) * largest sum over corners for unit gradients): 107.6547 / sqrt(2)
  const float skew = (p.x + p.y + p.z) * kSkew;
  const float fx = floorf(p.x + skew), fy = floorf(p.y + skew), fz = floorf(p.z + skew);
  const unsigned x = detail::cell(fx), y = detail::cell(fy), z = detail::cell(fz);
  const float unskew = (fx + fy + fz) * kUnskew;
  const float3 d = detail::vec(p.x - (fx - unskew), p.y - (fy - unskew), p.z - (fz - unskew));
  // The walk from corner (0,0,0) to (1,1,1) takes the axes in order of falling distance: an axis
  // is stepped first when it beats both others, and is still unstepped last when it beats none.
  const bool xy = d.x >= d.y, yz = d.y >= d.z, xz = d.x >= d.z;
  const unsigned x1 = (xy && xz) ? 1u : 0u, y1 = (!xy && yz) ? 1u : 0u, z1 = (!xz && !yz) ? 1u : 0u;
  const unsigned x2 = (xy || xz) ? 1u : 0u, y2 = (!xy || yz) ? 1u : 0u, z2 = (!xz || !yz) ? 1u : 0u;
  float sum = 0.0f;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned ix = i == 0 ? 0u : i == 1 ? x1 : i == 2 ? x2 : 1u;
    const unsigned iy = i == 0 ? 0u : i == 1 ? y1 : i == 2 ? y2 : 1u;
    const unsigned iz = i == 0 ? 0u : i == 1 ? z1 : i == 2 ? z2 : 1u;
    const float offset = static_cast<float>(i) * kUnskew;
    const float3 e = detail::vec(d.x - static_cast<float>(ix) + offset, d.y - static_cast<float>(iy) + offset,
                                 d.z - static_cast<float>(iz) + offset);
    sum += detail::corner(detail::cell_hash(seed, x + ix, y + iy, z + iz), e);
  }
  return kScale * sum;
}

namespace detail {

CUDAHOT_DEVICE_LOCAL float2 scale(float2 p, float factor) { return vec(p.x * factor, p.y * factor); }
CUDAHOT_DEVICE_LOCAL float3 scale(float3 p, float factor) { return vec(p.x * factor, p.y * factor, p.z * factor); }

struct ValueNoise {
  template <typename Vector>
  static CUDAHOT_DEVICE_LOCAL float at(Vector p, unsigned seed) {
    return value_noise(p, seed);
  }
};

struct SimplexNoise {
  template <typename Vector>
  static CUDAHOT_DEVICE_LOCAL float at(Vector p, unsigned seed) {
    return simplex_noise(p, seed);
  }
};

template <typename Noise, typename Vector>
CUDAHOT_DEVICE_LOCAL float fbm(Vector p, Octaves octaves, unsigned seed) {
  if (octaves.count < 1) return 0.0f;
  const unsigned count = octaves.count < 16 ? static_cast<unsigned>(octaves.count) : 16u;
  float sum = 0.0f, weight = 1.0f, weights = 0.0f;
#pragma unroll 1
  for (unsigned i = 0; i < count; ++i) {
    sum += weight * Noise::at(p, seed + i);
    weights += weight;
    weight *= octaves.gain;
    p = scale(p, octaves.lacunarity);
  }
  return sum / weights;
}

}  // namespace detail

CUDAHOT_DEVICE float value_fbm(float2 p, Octaves octaves, unsigned seed) {
  return detail::fbm<detail::ValueNoise>(p, octaves, seed);
}

CUDAHOT_DEVICE float value_fbm(float3 p, Octaves octaves, unsigned seed) {
  return detail::fbm<detail::ValueNoise>(p, octaves, seed);
}

CUDAHOT_DEVICE float simplex_fbm(float2 p, Octaves octaves, unsigned seed) {
  return detail::fbm<detail::SimplexNoise>(p, octaves, seed);
}

CUDAHOT_DEVICE float simplex_fbm(float3 p, Octaves octaves, unsigned seed) {
  return detail::fbm<detail::SimplexNoise>(p, octaves, seed);
}

}  // namespace cudahot::device
