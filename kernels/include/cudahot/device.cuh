// cudahot device functions: hashes, noise, easing, colour, rotations, signed distances and
// counter-based random numbers for shading and simulation kernels. C++17, no other header needed.
//
// In an ordinary build by nvcc or Clang all functions are inline device functions: there is
// nothing to link and no -rdc. When cudahot compiles an edit (__CUDAHOT__ is defined) only the
// declarations are seen and the definitions come, compiled once, from the helper library.
//
// Unless stated otherwise lengths are in the unit of the argument, angles in radians, colours
// in [0, 1] per channel, and a function is defined for every finite input. "In [a, b]" means up
// to the rounding of float. Results may differ in the last bits between a build with and one
// without fused multiply-add.
#pragma once

#if !defined(__CUDACC__) && !defined(__CUDA__) && !defined(__CUDACC_RTC__) && !defined(__device__)
#error "cudahot/device.cuh is device code: include it in a file that a CUDA compiler compiles"
#endif

// CUDAHOT_DEVICE_LIBRARY: this is the helper library itself, all definitions become symbols.
#if defined(CUDAHOT_DEVICE_LIBRARY) || defined(__CUDAHOT__)
#define CUDAHOT_DEVICE __device__
#else
#define CUDAHOT_DEVICE __device__ inline
#endif

namespace cudahot::device {

// ---- Hashes -------------------------------------------------------------------------------
// All are bijections of their whole input range, so they lose no information.

// PCG-RXS-M-XS-32 used as a hash (O'Neill 2014; Jarzynski and Olano, "Hash Functions for GPU
// Rendering", JCGT 9(3), 2020). pcg_hash(0) is not 0.
CUDAHOT_DEVICE unsigned pcg_hash(unsigned value);

// Two, three and four words mixed into as many (Jarzynski and Olano 2020): a linear congruential
// step, then words added to each other in products, shifted by 16, and again.
CUDAHOT_DEVICE uint2 pcg_hash(uint2 value);
CUDAHOT_DEVICE uint3 pcg_hash(uint3 value);
CUDAHOT_DEVICE uint4 pcg_hash(uint4 value);

// The finalisers fmix32 and fmix64 of MurmurHash3 (Appleby 2011): xor-shifts and multiplications.
// 0 is a fixed point.
CUDAHOT_DEVICE unsigned murmur_hash(unsigned value);
CUDAHOT_DEVICE unsigned long long murmur_hash(unsigned long long value);

// The finaliser "lowbias32" (Wellons, "Prospecting for Hash Functions", 2018): the shape of
// fmix32 with constants searched for low avalanche bias. 0 is a fixed point.
CUDAHOT_DEVICE unsigned low_bias_hash(unsigned value);

// ---- Random numbers -----------------------------------------------------------------------

// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3",
// SC11, 2011): ten rounds that map a counter to four independent words under a key. Use the
// counter for pixel, particle and step, the key for the seed. Agrees with Random123 and cuRAND.
CUDAHOT_DEVICE uint4 philox(uint4 counter, uint2 key);

// Word to float, from its upper 24 bits: in [0, 1), all multiples of 2^-24 equally likely.
CUDAHOT_DEVICE float uniform(unsigned bits);

// The same in (0, 1]: safe for logf.
CUDAHOT_DEVICE float uniform_above_zero(unsigned bits);

// The same in [-1, 1).
CUDAHOT_DEVICE float uniform_signed(unsigned bits);

// Word to an integer in [0, bound) by the upper half of bits * bound (Lemire, "Fast Random
// Integer Generation in an Interval", 2019, without its rejection: the probability of a value
// is off by at most 2^-32). 0 when bound is 0.
CUDAHOT_DEVICE unsigned uniform_below(unsigned bits, unsigned bound);

// Two independent normal numbers of mean 0 and variance 1 (Box and Muller 1958):
// sqrt(-2 ln u) (cos 2 pi v, sin 2 pi v), u in (0, 1], v in [0, 1). |x| is below 5.8.
CUDAHOT_DEVICE float2 normal(uint2 bits);

// Four uniform numbers in [0, 1): philox, then uniform.
CUDAHOT_DEVICE float4 philox_uniform(uint4 counter, uint2 key);

// ---- Noise --------------------------------------------------------------------------------
// Smooth functions of space with one feature per unit length, values in [-1, 1], mean 0. Seeds
// give unrelated functions. Lattice points are numbered by int: |coordinate| below 2^22 keeps
// two bits of fraction.

// Lattice values hashed by pcg_hash, interpolated by the quintic 6t^5 - 15t^4 + 10t^3 (Perlin,
// "Improving Noise", 2002). Second derivatives are continuous.
CUDAHOT_DEVICE float value_noise(float2 p, unsigned seed = 0);
CUDAHOT_DEVICE float value_noise(float3 p, unsigned seed = 0);

// Simplex noise (Perlin 2001; Gustavson, "Simplex Noise Demystified", 2005): the sum over the
// corners of a simplex of (1/2 - d^2)^4 (g . d), scaled by the largest possible sum, with 8
// gradients in the plane and the 12 edge directions in space. Third derivatives are continuous;
// 0 at lattice points in the plane.
CUDAHOT_DEVICE float simplex_noise(float2 p, unsigned seed = 0);
CUDAHOT_DEVICE float simplex_noise(float3 p, unsigned seed = 0);

// Octaves of a fractal sum: octave i has frequency lacunarity^i and weight gain^i.
struct Octaves {
  int count = 5;            // at most 16 are summed; 0 below 1
  float lacunarity = 2.0f;  // above 1
  float gain = 0.5f;        // above 0
};

// Fractional Brownian motion (Musgrave, in "Texturing and Modeling", 1994): the weighted sum of
// octaves of noise, divided by the sum of weights: in [-1, 1]. Each octave has its own seed.
CUDAHOT_DEVICE float value_fbm(float2 p, Octaves octaves = {}, unsigned seed = 0);
CUDAHOT_DEVICE float value_fbm(float3 p, Octaves octaves = {}, unsigned seed = 0);
CUDAHOT_DEVICE float simplex_fbm(float2 p, Octaves octaves = {}, unsigned seed = 0);
CUDAHOT_DEVICE float simplex_fbm(float3 p, Octaves octaves = {}, unsigned seed = 0);

// ---- Interpolation and easing -------------------------------------------------------------

// x limited to [low, high]; low when x is not a number.
CUDAHOT_DEVICE float clamp(float x, float low, float high);

// a + t (b - a): a at t = 0, b at t = 1; t is not limited.
CUDAHOT_DEVICE float mix(float a, float b, float t);
CUDAHOT_DEVICE float2 mix(float2 a, float2 b, float t);
CUDAHOT_DEVICE float3 mix(float3 a, float3 b, float t);
CUDAHOT_DEVICE float4 mix(float4 a, float4 b, float t);

// (x - from) / (to - from) limited to [0, 1]; a step at `from` when from == to.
CUDAHOT_DEVICE float linear_step(float from, float to, float x);

// t = linear_step: 3t^2 - 2t^3 (Hermite; RenderMan, 1988) in [0, 1]. First derivative continuous.
CUDAHOT_DEVICE float smoothstep(float from, float to, float x);

// 6t^5 - 15t^4 + 10t^3 (Perlin 2002) in [0, 1]. Second derivative continuous.
CUDAHOT_DEVICE float smootherstep(float from, float to, float x);

// Easing (Penner, "Programming Macromedia Flash MX", 2002). t is limited to [0, 1]; 0 gives 0 and
// 1 gives 1. With f below for "in": out(t) = 1 - f(1 - t), in_out(t) = f(2t) / 2 up to t = 1/2
// and 1 - f(2 - 2t) / 2 above. In [0, 1] but for back and elastic.
CUDAHOT_DEVICE float ease_in_quadratic(float t);  // t^2
CUDAHOT_DEVICE float ease_out_quadratic(float t);
CUDAHOT_DEVICE float ease_in_out_quadratic(float t);
CUDAHOT_DEVICE float ease_in_cubic(float t);  // t^3
CUDAHOT_DEVICE float ease_out_cubic(float t);
CUDAHOT_DEVICE float ease_in_out_cubic(float t);
CUDAHOT_DEVICE float ease_in_sine(float t);  // 1 - cos(pi t / 2)
CUDAHOT_DEVICE float ease_out_sine(float t);
CUDAHOT_DEVICE float ease_in_out_sine(float t);     // (1 - cos(pi t)) / 2
CUDAHOT_DEVICE float ease_in_exponential(float t);  // (2^(10 t) - 1) / 1023: reaches 0 exactly
CUDAHOT_DEVICE float ease_out_exponential(float t);
CUDAHOT_DEVICE float ease_in_out_exponential(float t);
CUDAHOT_DEVICE float ease_in_back(float t);  // t^2 (2.70158 t - 1.70158): down to -0.10001
CUDAHOT_DEVICE float ease_out_back(float t);
CUDAHOT_DEVICE float ease_in_out_back(float t);
CUDAHOT_DEVICE float ease_out_elastic(float t);  // 1 + 2^(-10 t) sin(2 pi (10 t - 3/4) / 3) - t / 2048: up to 1.3736
CUDAHOT_DEVICE float ease_out_bounce(float t);   // four parabolas 7.5625 (t - c)^2 + d

// ---- Colour -------------------------------------------------------------------------------

// Transfer function of sRGB (IEC 61966-2-1:1999): encoded to light, c / 12.92 up to 0.04045,
// ((c + 0.055) / 1.055)^2.4 above; and back, with the limit at 0.0031308. Negative values take
// the linear part; values above 1 are allowed. float4: w (alpha) is passed through.
CUDAHOT_DEVICE float srgb_to_linear(float encoded);
CUDAHOT_DEVICE float3 srgb_to_linear(float3 encoded);
CUDAHOT_DEVICE float4 srgb_to_linear(float4 encoded);
CUDAHOT_DEVICE float linear_to_srgb(float light);
CUDAHOT_DEVICE float3 linear_to_srgb(float3 light);
CUDAHOT_DEVICE float4 linear_to_srgb(float4 light);

// Relative luminance of linear RGB (ITU-R BT.709): 0.2126 r + 0.7152 g + 0.0722 b.
CUDAHOT_DEVICE float luminance(float3 light);

// Hue, saturation, value (Smith, "Color Gamut Transform Pairs", 1978). x: hue in turns, red 0,
// green 1/3, blue 2/3; any value to RGB, in [0, 1) from RGB. y, z: saturation and value in
// [0, 1]. Greys have hue 0, black has saturation 0.
CUDAHOT_DEVICE float3 hsv_to_rgb(float3 hsv);
CUDAHOT_DEVICE float3 rgb_to_hsv(float3 rgb);

// OKLab (Ottosson, "A perceptual color space for image processing", 2020, matrices of 2021) from
// and to linear RGB. x: lightness in [0, 1]; y (green to red) and z (blue to yellow) within
// about 0.4 of 0. Colours outside sRGB give channels outside [0, 1].
CUDAHOT_DEVICE float3 linear_to_oklab(float3 light);
CUDAHOT_DEVICE float3 oklab_to_linear(float3 lab);

// OKLab in polar form. y: chroma sqrt(a^2 + b^2), z: hue atan2(b, a) in radians, (-pi, pi].
CUDAHOT_DEVICE float3 oklab_to_oklch(float3 lab);
CUDAHOT_DEVICE float3 oklch_to_oklab(float3 lch);

// Cosine palette (Quilez, "Procedural color palettes", 1999): base + amplitude
// cos(2 pi (frequency t + phase)) by channel; phase in turns. In base +- amplitude, not limited.
CUDAHOT_DEVICE float3 cosine_palette(float t, float3 base, float3 amplitude, float3 frequency, float3 phase);

// The same, through all hues: base and amplitude 1/2, frequency 1, phases 0, 1/3, 2/3.
CUDAHOT_DEVICE float3 rainbow(float t);

// ---- Rotations ----------------------------------------------------------------------------
// Right-handed: counter-clockwise when the axis points at the viewer.

// Rotation x, y, z (sine of half the angle times the axis), w (cosine of half the angle)
// (Hamilton 1843). Unit length unless stated otherwise.
struct Quaternion {
  float x = 0.0f;
  float y = 0.0f;
  float z = 0.0f;
  float w = 1.0f;
};

// (x cos - y sin, x sin + y cos).
CUDAHOT_DEVICE float2 rotate(float2 p, float angle);

// About an axis through the origin (Rodrigues 1840): p cos + (k x p) sin + k (k . p)(1 - cos).
// The axis has unit length.
CUDAHOT_DEVICE float3 rotate(float3 p, float3 axis, float angle);

// By a unit quaternion q: p + 2 w (v x p) + 2 v x (v x p), v = (q.x, q.y, q.z).
CUDAHOT_DEVICE float3 rotate(float3 p, Quaternion q);

// The axis has unit length.
CUDAHOT_DEVICE Quaternion quaternion(float3 axis, float angle);

// Hamilton product: rotate(p, multiply(a, b)) is rotate(rotate(p, b), a). Any length.
CUDAHOT_DEVICE Quaternion multiply(Quaternion a, Quaternion b);

// The inverse rotation of a unit quaternion.
CUDAHOT_DEVICE Quaternion conjugate(Quaternion q);

// q / |q|; the identity when |q| is 0.
CUDAHOT_DEVICE Quaternion normalize(Quaternion q);

// Spherical interpolation along the shorter arc (Shoemake 1985): a at t = 0, b or -b at t = 1,
// with constant angular speed. Nearly equal rotations are interpolated linearly.
CUDAHOT_DEVICE Quaternion slerp(Quaternion a, Quaternion b, float t);

// ---- Signed distances ---------------------------------------------------------------------
// Distance from p to the surface of a shape at the origin: negative inside, 0 on the surface,
// exact inside and outside (Quilez, "Distance functions", 2008, and "2D distance functions").
// Radii and half sizes are at least 0.

CUDAHOT_DEVICE float sd_circle(float2 p, float radius);  // |p| - radius
CUDAHOT_DEVICE float sd_sphere(float3 p, float radius);

// q = |p| - half_size by axis: |max(q, 0)| + min(largest of q, 0).
CUDAHOT_DEVICE float sd_box(float2 p, float2 half_size);
CUDAHOT_DEVICE float sd_box(float3 p, float3 half_size);

// half_size is that of the whole shape; radius of its rounding, at most the smallest half size.
CUDAHOT_DEVICE float sd_rounded_box(float2 p, float2 half_size, float radius);
CUDAHOT_DEVICE float sd_rounded_box(float3 p, float3 half_size, float radius);

// Distance to the segment from a to b (unsigned: a line has no inside); a == b is allowed.
CUDAHOT_DEVICE float sd_segment(float2 p, float2 a, float2 b);
CUDAHOT_DEVICE float sd_segment(float3 p, float3 a, float3 b);

// All points within `radius` of the segment.
CUDAHOT_DEVICE float sd_capsule(float2 p, float2 a, float2 b, float radius);
CUDAHOT_DEVICE float sd_capsule(float3 p, float3 a, float3 b, float radius);

// Ring in the xz plane: ring_radius from the centre to the middle of the tube.
CUDAHOT_DEVICE float sd_torus(float3 p, float ring_radius, float tube_radius);

// Smooth union of two distances (Quilez, "Smooth minimum", 2013, quadratic): with
// h = max(k - |a - b|, 0) / k: min(a, b) - h^2 k / 4. Equal to min(a, b) where |a - b| >= k, below
// it by at most k / 4. k above 0, in the unit of the distances; exactly min(a, b) otherwise.
CUDAHOT_DEVICE float smooth_min(float a, float b, float k);

// Smooth intersection: -smooth_min(-a, -b, k).
CUDAHOT_DEVICE float smooth_max(float a, float b, float k);

}  // namespace cudahot::device

#if defined(CUDAHOT_DEVICE_LIBRARY) || !defined(__CUDAHOT__)
#include "cudahot/device_impl.cuh"
#endif
#undef CUDAHOT_DEVICE
