// Rotations in the plane and in space.
#pragma once

namespace cudahot::device {

CUDAHOT_DEVICE float2 rotate(float2 p, float angle) {
  const float s = sinf(angle), c = cosf(angle);
  return detail::vec(p.x * c - p.y * s, p.x * s + p.y * c);
}

CUDAHOT_DEVICE float3 rotate(float3 p, float3 axis, float angle) {
  const float s = sinf(angle), c = cosf(angle);
  const float along = detail::dot(axis, p) * (1.0f - c);
  const float3 across = detail::cross(axis, p);
  return detail::vec(p.x * c + across.x * s + axis.x * along, p.y * c + across.y * s + axis.y * along,
                     p.z * c + across.z * s + axis.z * along);
}

CUDAHOT_DEVICE float3 rotate(float3 p, Quaternion q) {
  const float3 v = detail::vec(q.x, q.y, q.z);
  const float3 once = detail::cross(v, p);
  const float3 twice = detail::cross(v, once);
  return detail::vec(p.x + 2.0f * (q.w * once.x + twice.x), p.y + 2.0f * (q.w * once.y + twice.y),
                     p.z + 2.0f * (q.w * once.z + twice.z));
}

CUDAHOT_DEVICE Quaternion quaternion(float3 axis, float angle) {
  const float s = sinf(0.5f * angle);
  return Quaternion{axis.x * s, axis.y * s, axis.z * s, cosf(0.5f * angle)};
}

CUDAHOT_DEVICE Quaternion multiply(Quaternion a, Quaternion b) {
  return Quaternion{a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                    a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

CUDAHOT_DEVICE Quaternion conjugate(Quaternion q) { return Quaternion{-q.x, -q.y, -q.z, q.w}; }

CUDAHOT_DEVICE Quaternion normalize(Quaternion q) {
  const float norm = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  if (!(norm > 0.0f)) return Quaternion{};
  return Quaternion{q.x / norm, q.y / norm, q.z / norm, q.w / norm};
}

CUDAHOT_DEVICE Quaternion slerp(Quaternion a, Quaternion b, float t) {
  const float dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  const float sign = dot < 0.0f ? -1.0f : 1.0f;
  float weight_a = 1.0f - t, weight_b = t;
  // Above the limit sin(angle) has few digits left, and arc and chord agree to about 1e-7.
  if (dot * sign < 0.9999995f) {
    const float angle = acosf(dot * sign);
    const float scale = 1.0f / sinf(angle);
    weight_a = sinf(weight_a * angle) * scale;
    weight_b = sinf(weight_b * angle) * scale;
  }
  weight_b *= sign;
  return normalize(Quaternion{weight_a * a.x + weight_b * b.x, weight_a * a.y + weight_b * b.y,
                              weight_a * a.z + weight_b * b.z, weight_a * a.w + weight_b * b.w});
}

}  // namespace cudahot::device
