// Signed distances and smooth minima.
#pragma once

namespace cudahot::device {

CUDAHOT_DEVICE float sd_circle(float2 p, float radius) { return detail::length(p) - radius; }

CUDAHOT_DEVICE float sd_sphere(float3 p, float radius) { return detail::length(p) - radius; }

CUDAHOT_DEVICE float sd_box(float2 p, float2 half_size) {
  const float x = fabsf(p.x) - half_size.x, y = fabsf(p.y) - half_size.y;
  return detail::length(detail::vec(fmaxf(x, 0.0f), fmaxf(y, 0.0f))) + fminf(fmaxf(x, y), 0.0f);
}

CUDAHOT_DEVICE float sd_box(float3 p, float3 half_size) {
  const float x = fabsf(p.x) - half_size.x, y = fabsf(p.y) - half_size.y, z = fabsf(p.z) - half_size.z;
  return detail::length(detail::vec(fmaxf(x, 0.0f), fmaxf(y, 0.0f), fmaxf(z, 0.0f))) +
         fminf(fmaxf(x, fmaxf(y, z)), 0.0f);
}

CUDAHOT_DEVICE float sd_rounded_box(float2 p, float2 half_size, float radius) {
  return sd_box(p, detail::vec(half_size.x - radius, half_size.y - radius)) - radius;
}

CUDAHOT_DEVICE float sd_rounded_box(float3 p, float3 half_size, float radius) {
  return sd_box(p, detail::vec(half_size.x - radius, half_size.y - radius, half_size.z - radius)) - radius;
}

namespace detail {

// Where on a segment from 0 to `line` the point nearest to p lies, in [0, 1].
template <typename Vector>
CUDAHOT_DEVICE_LOCAL float nearest(Vector p, Vector line) {
  const float squared = dot(line, line);
  return squared > 0.0f ? clamp(dot(p, line) / squared, 0.0f, 1.0f) : 0.0f;
}

}  // namespace detail

CUDAHOT_DEVICE float sd_segment(float2 p, float2 a, float2 b) {
  const float2 from_a = detail::sub(p, a), line = detail::sub(b, a);
  const float t = detail::nearest(from_a, line);
  return detail::length(detail::vec(from_a.x - line.x * t, from_a.y - line.y * t));
}

CUDAHOT_DEVICE float sd_segment(float3 p, float3 a, float3 b) {
  const float3 from_a = detail::sub(p, a), line = detail::sub(b, a);
  const float t = detail::nearest(from_a, line);
  return detail::length(detail::vec(from_a.x - line.x * t, from_a.y - line.y * t, from_a.z - line.z * t));
}

CUDAHOT_DEVICE float sd_capsule(float2 p, float2 a, float2 b, float radius) { return sd_segment(p, a, b) - radius; }

CUDAHOT_DEVICE float sd_capsule(float3 p, float3 a, float3 b, float radius) { return sd_segment(p, a, b) - radius; }

CUDAHOT_DEVICE float sd_torus(float3 p, float ring_radius, float tube_radius) {
  const float from_ring = detail::length(detail::vec(p.x, p.z)) - ring_radius;
  return detail::length(detail::vec(from_ring, p.y)) - tube_radius;
}

CUDAHOT_DEVICE float smooth_min(float a, float b, float k) {
  if (!(k > 0.0f)) return fminf(a, b);
  const float h = fmaxf(k - fabsf(a - b), 0.0f) / k;
  return fminf(a, b) - h * h * k * 0.25f;
}

CUDAHOT_DEVICE float smooth_max(float a, float b, float k) { return -smooth_min(-a, -b, k); }

}  // namespace cudahot::device
