// Evaluates every function of cudahot/device.cuh on arguments made from an index. One text for
// both sides: the host build and the device must come to the same numbers. Arguments are
// multiples of 1/1024, so they are the same bits on both.
#pragma once

namespace cudahot::kernels {

// Room for the results of one index.
constexpr int kMostResults = 256;

class Evaluation {
 public:
  __device__ Evaluation(unsigned index, float* results) : state_(index * 2654435761u + 12345u), results_(results) {}

  __device__ unsigned word() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_;
  }
  __device__ float in(int low, int high) {
    const int steps = static_cast<int>(word() >> 8) % ((high - low) * 1024);
    return static_cast<float>(low * 1024 + steps) / 1024.0f;
  }
  __device__ float2 in2(int low, int high) {
    float2 v;
    v.x = in(low, high), v.y = in(low, high);
    return v;
  }
  __device__ float3 in3(int low, int high) {
    float3 v;
    v.x = in(low, high), v.y = in(low, high), v.z = in(low, high);
    return v;
  }
  __device__ float4 in4(int low, int high) {
    float4 v;
    v.x = in(low, high), v.y = in(low, high), v.z = in(low, high), v.w = in(low, high);
    return v;
  }
  __device__ uint2 word2() {
    uint2 v;
    v.x = word(), v.y = word();
    return v;
  }
  __device__ uint3 word3() {
    uint3 v;
    v.x = word(), v.y = word(), v.z = word();
    return v;
  }
  __device__ uint4 word4() {
    uint4 v;
    v.x = word(), v.y = word(), v.z = word(), v.w = word();
    return v;
  }

  __device__ void add(float value) { results_[count_++] = value; }
  __device__ void add(float2 v) { add(v.x), add(v.y); }
  __device__ void add(float3 v) { add(v.x), add(v.y), add(v.z); }
  __device__ void add(float4 v) { add(v.x), add(v.y), add(v.z), add(v.w); }
  __device__ void add(device::Quaternion q) { add(q.x), add(q.y), add(q.z), add(q.w); }
  // Halves of words are exact in a float.
  __device__ void add(unsigned word) {
    add(static_cast<float>(word >> 16));
    add(static_cast<float>(word & 0xffffu));
  }
  __device__ void add(unsigned long long wide) {
    add(static_cast<unsigned>(wide >> 32));
    add(static_cast<unsigned>(wide));
  }
  __device__ void add(uint2 v) { add(v.x), add(v.y); }
  __device__ void add(uint3 v) { add(v.x), add(v.y), add(v.z); }
  __device__ void add(uint4 v) { add(v.x), add(v.y), add(v.z), add(v.w); }

  __device__ int count() const { return count_; }

 private:
  unsigned state_;
  float* results_;
  int count_ = 0;
};

__device__ inline void evaluate_hashes(Evaluation& e) {
  e.add(device::pcg_hash(e.word()));
  e.add(device::pcg_hash(e.word2()));
  e.add(device::pcg_hash(e.word3()));
  e.add(device::pcg_hash(e.word4()));
  e.add(device::murmur_hash(e.word()));
  e.add(device::murmur_hash(static_cast<unsigned long long>(e.word()) << 32 | 0x9e3779b9u));
  e.add(device::low_bias_hash(e.word()));
}

// Integers, and floats made from them without rounding.
__device__ inline void evaluate_random(Evaluation& e) {
  const uint4 counter = e.word4();
  const uint2 key = e.word2();
  e.add(device::philox(counter, key));
  e.add(device::philox_uniform(counter, key));
  e.add(device::uniform(counter.x));
  e.add(device::uniform_above_zero(counter.x));
  e.add(device::uniform_signed(counter.x));
  e.add(device::uniform_below(counter.x, key.x));
}

__device__ inline void evaluate_noise(Evaluation& e) {
  e.add(device::normal(e.word2()));
  const float3 p = e.in3(-50, 50);
  float2 q;
  q.x = p.x, q.y = p.y;
  const unsigned seed = e.word();
  device::Octaves octaves;
  octaves.count = static_cast<int>(seed % 6u);
  e.add(device::value_noise(q, seed));
  e.add(device::value_noise(p, seed));
  e.add(device::simplex_noise(q, seed));
  e.add(device::simplex_noise(p, seed));
  e.add(device::value_fbm(q, octaves, seed));
  e.add(device::value_fbm(p, octaves, seed));
  e.add(device::simplex_fbm(q, octaves, seed));
  e.add(device::simplex_fbm(p, octaves, seed));
}

__device__ inline void evaluate_easing(Evaluation& e) {
  const float t = e.in(-1, 2);
  e.add(device::clamp(t, 0.25f, 0.75f));
  // One a statement: compilers differ in the order in which they evaluate arguments.
  const float from = e.in(-2, 2);
  const float to = e.in(-2, 2);
  e.add(device::mix(from, to, t));
  const float2 from2 = e.in2(-2, 2);
  const float2 to2 = e.in2(-2, 2);
  e.add(device::mix(from2, to2, t));
  const float3 from3 = e.in3(-2, 2);
  const float3 to3 = e.in3(-2, 2);
  e.add(device::mix(from3, to3, t));
  const float4 from4 = e.in4(-2, 2);
  const float4 to4 = e.in4(-2, 2);
  e.add(device::mix(from4, to4, t));
  e.add(device::linear_step(-0.5f, 1.5f, t));
  e.add(device::smoothstep(-0.5f, 1.5f, t));
  e.add(device::smootherstep(-0.5f, 1.5f, t));
  e.add(device::ease_in_quadratic(t));
  e.add(device::ease_out_quadratic(t));
  e.add(device::ease_in_out_quadratic(t));
  e.add(device::ease_in_cubic(t));
  e.add(device::ease_out_cubic(t));
  e.add(device::ease_in_out_cubic(t));
  e.add(device::ease_in_sine(t));
  e.add(device::ease_out_sine(t));
  e.add(device::ease_in_out_sine(t));
  e.add(device::ease_in_exponential(t));
  e.add(device::ease_out_exponential(t));
  e.add(device::ease_in_out_exponential(t));
  e.add(device::ease_in_back(t));
  e.add(device::ease_out_back(t));
  e.add(device::ease_in_out_back(t));
  e.add(device::ease_out_elastic(t));
  e.add(device::ease_out_bounce(t));
}

__device__ inline void evaluate_color(Evaluation& e) {
  const float3 color = e.in3(0, 1);
  float4 with_alpha;
  with_alpha.x = color.x, with_alpha.y = color.y, with_alpha.z = color.z, with_alpha.w = 0.5f;
  e.add(device::srgb_to_linear(color.x));
  e.add(device::srgb_to_linear(color));
  e.add(device::srgb_to_linear(with_alpha));
  e.add(device::linear_to_srgb(color.x));
  e.add(device::linear_to_srgb(color));
  e.add(device::linear_to_srgb(with_alpha));
  e.add(device::luminance(color));
  e.add(device::hsv_to_rgb(color));
  e.add(device::rgb_to_hsv(color));
  e.add(device::linear_to_oklab(color));
  e.add(device::oklab_to_linear(color));
  // The hue jumps where b is 0 and a negative: keep b away from 0.
  float3 lab = e.in3(0, 1);
  lab.y -= 0.5f, lab.z += 0.125f;
  e.add(device::oklab_to_oklch(lab));
  e.add(device::oklch_to_oklab(color));
  const float t = e.in(-4, 4);
  const float3 frequency = e.in3(0, 2);
  const float3 phase = e.in3(0, 1);
  e.add(device::cosine_palette(t, color, lab, frequency, phase));
  e.add(device::rainbow(t));
}

__device__ inline void evaluate_rotation(Evaluation& e) {
  float3 axis;
  axis.x = 0.48f, axis.y = -0.6f, axis.z = 0.64f;
  const float3 p = e.in3(-3, 3);
  float2 q;
  q.x = p.x, q.y = p.y;
  const float angle = e.in(-4, 4);
  e.add(device::rotate(q, angle));
  e.add(device::rotate(p, axis, angle));
  const device::Quaternion a = device::quaternion(axis, angle), b = device::quaternion(axis, angle + 1.0f);
  e.add(a);
  e.add(device::rotate(p, a));
  e.add(device::multiply(a, b));
  e.add(device::conjugate(a));
  e.add(device::normalize(device::Quaternion{p.x, p.y, p.z, 1.0f}));
  e.add(device::slerp(a, b, 0.375f));
  e.add(device::slerp(a, device::Quaternion{-b.x, -b.y, -b.z, -b.w}, 0.375f));
}

__device__ inline void evaluate_distance(Evaluation& e) {
  const float3 p = e.in3(-3, 3), half_size = e.in3(1, 3), a = e.in3(-2, 2), b = e.in3(-2, 2);
  float2 p2, half2, a2, b2;
  p2.x = p.x, p2.y = p.y;
  half2.x = half_size.x, half2.y = half_size.y;
  a2.x = a.x, a2.y = a.y;
  b2.x = b.x, b2.y = b.y;
  e.add(device::sd_circle(p2, 1.5f));
  e.add(device::sd_sphere(p, 1.5f));
  e.add(device::sd_box(p2, half2));
  e.add(device::sd_box(p, half_size));
  e.add(device::sd_rounded_box(p2, half2, 0.25f));
  e.add(device::sd_rounded_box(p, half_size, 0.25f));
  e.add(device::sd_segment(p2, a2, b2));
  e.add(device::sd_segment(p, a, b));
  e.add(device::sd_capsule(p2, a2, b2, 0.5f));
  e.add(device::sd_capsule(p, a, b, 0.5f));
  e.add(device::sd_torus(p, 1.5f, 0.5f));
  e.add(device::smooth_min(p.x, p.y, 0.75f));
  e.add(device::smooth_max(p.x, p.y, 0.75f));
}

// The functions whose results are the same bits everywhere; returns how many.
__device__ inline int evaluate_exact(Evaluation& evaluation) {
  evaluate_hashes(evaluation);
  evaluate_random(evaluation);
  return evaluation.count();
}

// Writes the results for `index`, the exact ones first; returns how many: the same for every index.
__device__ inline int evaluate_all(unsigned index, float* results) {
  Evaluation evaluation(index, results);
  evaluate_exact(evaluation);
  evaluate_noise(evaluation);
  evaluate_easing(evaluation);
  evaluate_color(evaluation);
  evaluate_rotation(evaluation);
  evaluate_distance(evaluation);
  return evaluation.count();
}

}  // namespace cudahot::kernels
