// Interpolation and easing.
#pragma once

namespace cudahot::device {

// fminf and fmaxf return the other argument for a NaN.
CUDAHOT_DEVICE float clamp(float x, float low, float high) { return fminf(fmaxf(x, low), high); }

CUDAHOT_DEVICE float mix(float a, float b, float t) { return a + t * (b - a); }

CUDAHOT_DEVICE float2 mix(float2 a, float2 b, float t) { return detail::vec(mix(a.x, b.x, t), mix(a.y, b.y, t)); }

CUDAHOT_DEVICE float3 mix(float3 a, float3 b, float t) {
  return detail::vec(mix(a.x, b.x, t), mix(a.y, b.y, t), mix(a.z, b.z, t));
}

CUDAHOT_DEVICE float4 mix(float4 a, float4 b, float t) {
  return detail::vec(mix(a.x, b.x, t), mix(a.y, b.y, t), mix(a.z, b.z, t), mix(a.w, b.w, t));
}

CUDAHOT_DEVICE float linear_step(float from, float to, float x) {
  if (from == to) return x < from ? 0.0f : 1.0f;
  return clamp((x - from) / (to - from), 0.0f, 1.0f);
}

CUDAHOT_DEVICE float smoothstep(float from, float to, float x) {
  const float t = linear_step(from, to, x);
  return t * t * (3.0f - 2.0f * t);
}

CUDAHOT_DEVICE float smootherstep(float from, float to, float x) {
  const float t = linear_step(from, to, x);
  return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

namespace detail {

CUDAHOT_DEVICE_LOCAL float unit(float t) { return clamp(t, 0.0f, 1.0f); }

// The other two members of a family from its "in".
template <float (*In)(float)>
CUDAHOT_DEVICE_LOCAL float ease_out(float t) {
  return 1.0f - In(1.0f - unit(t));
}

template <float (*In)(float)>
CUDAHOT_DEVICE_LOCAL float ease_in_out(float t) {
  t = unit(t);
  return t <= 0.5f ? 0.5f * In(2.0f * t) : 1.0f - 0.5f * In(2.0f - 2.0f * t);
}

}  // namespace detail

CUDAHOT_DEVICE float ease_in_quadratic(float t) {
  t = detail::unit(t);
  return t * t;
}
CUDAHOT_DEVICE float ease_out_quadratic(float t) { return detail::ease_out<ease_in_quadratic>(t); }
CUDAHOT_DEVICE float ease_in_out_quadratic(float t) { return detail::ease_in_out<ease_in_quadratic>(t); }

CUDAHOT_DEVICE float ease_in_cubic(float t) {
  t = detail::unit(t);
  return t * t * t;
}
CUDAHOT_DEVICE float ease_out_cubic(float t) { return detail::ease_out<ease_in_cubic>(t); }
CUDAHOT_DEVICE float ease_in_out_cubic(float t) { return detail::ease_in_out<ease_in_cubic>(t); }

CUDAHOT_DEVICE float ease_in_sine(float t) {
  // 1 - cos(2 a) = 2 sin^2(a): no cancellation near 0.
  const float s = sinf(0.785398163f * detail::unit(t));
  return 2.0f * s * s;
}
CUDAHOT_DEVICE float ease_out_sine(float t) { return detail::ease_out<ease_in_sine>(t); }
CUDAHOT_DEVICE float ease_in_out_sine(float t) { return detail::ease_in_out<ease_in_sine>(t); }

CUDAHOT_DEVICE float ease_in_exponential(float t) { return (exp2f(10.0f * detail::unit(t)) - 1.0f) * (1.0f / 1023.0f); }
CUDAHOT_DEVICE float ease_out_exponential(float t) { return detail::ease_out<ease_in_exponential>(t); }
CUDAHOT_DEVICE float ease_in_out_exponential(float t) { return detail::ease_in_out<ease_in_exponential>(t); }

CUDAHOT_DEVICE float ease_in_back(float t) {
  t = detail::unit(t);
  return t * t * (2.70158f * t - 1.70158f);
}
CUDAHOT_DEVICE float ease_out_back(float t) { return detail::ease_out<ease_in_back>(t); }
CUDAHOT_DEVICE float ease_in_out_back(float t) { return detail::ease_in_out<ease_in_back>(t); }

CUDAHOT_DEVICE float ease_out_elastic(float t) {
  t = detail::unit(t);
  const float swing = exp2f(-10.0f * t) * sinf((10.0f * t - 0.75f) * 2.09439510f);
  // The last term takes off what is left of the swing at t = 1.
  return 1.0f + swing - t * (1.0f / 2048.0f);
}

CUDAHOT_DEVICE float ease_out_bounce(float t) {
  t = detail::unit(t);
  float centre = 0.0f, base = 0.0f;
  if (t >= 2.5f / 2.75f) {
    centre = 2.625f / 2.75f, base = 0.984375f;
  } else if (t >= 2.0f / 2.75f) {
    centre = 2.25f / 2.75f, base = 0.9375f;
  } else if (t >= 1.0f / 2.75f) {
    centre = 1.5f / 2.75f, base = 0.75f;
  }
  return 7.5625f * (t - centre) * (t - centre) + base;
}

}  // namespace cudahot::device
