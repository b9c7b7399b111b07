// Hashes and counter-based random numbers.
#pragma once

namespace cudahot::device {
namespace detail {

CUDAHOT_DEVICE_LOCAL void add_products(uint3& v) {
  v.x += v.y * v.z;
  v.y += v.z * v.x;
  v.z += v.x * v.y;
}

CUDAHOT_DEVICE_LOCAL void add_products(uint4& v) {
  v.x += v.y * v.w;
  v.y += v.z * v.x;
  v.z += v.x * v.y;
  v.w += v.y * v.z;
}

}  // namespace detail

CUDAHOT_DEVICE unsigned pcg_hash(unsigned value) {
  const unsigned state = value * 747796405u + 2891336453u;
  const unsigned word = ((state >> ((state >> 28) + 4u)) ^ state) * 277803737u;
  return (word >> 22) ^ word;
}

CUDAHOT_DEVICE uint2 pcg_hash(uint2 value) {
  uint2 v = value;
  v.x = v.x * 1664525u + 1013904223u;
  v.y = v.y * 1664525u + 1013904223u;
  for (int round = 0; round < 2; ++round) {
    v.x += v.y * 1664525u;
    v.y += v.x * 1664525u;
    v.x ^= v.x >> 16;
    v.y ^= v.y >> 16;
  }
  return v;
}

CUDAHOT_DEVICE uint3 pcg_hash(uint3 value) {
  uint3 v = value;
  v.x = v.x * 1664525u + 1013904223u;
  v.y = v.y * 1664525u + 1013904223u;
  v.z = v.z * 1664525u + 1013904223u;
  detail::add_products(v);
  v.x ^= v.x >> 16;
  v.y ^= v.y >> 16;
  v.z ^= v.z >> 16;
  detail::add_products(v);
  return v;
}

CUDAHOT_DEVICE uint4 pcg_hash(uint4 value) {
  uint4 v = value;
  v.x = v.x * 1664525u + 1013904223u;
  v.y = v.y * 1664525u + 1013904223u;
  v.z = v.z * 1664525u + 1013904223u;
  v.w = v.w * 1664525u + 1013904223u;
  detail::add_products(v);
  v.x ^= v.x >> 16;
  v.y ^= v.y >> 16;
  v.z ^= v.z >> 16;
  v.w ^= v.w >> 16;
  detail::add_products(v);
  return v;
}

CUDAHOT_DEVICE unsigned murmur_hash(unsigned value) {
  value ^= value >> 16;
  value *= 0x85ebca6bu;
  value ^= value >> 13;
  value *= 0xc2b2ae35u;
  value ^= value >> 16;
  return value;
}

CUDAHOT_DEVICE unsigned long long murmur_hash(unsigned long long value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdull;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53ull;
  value ^= value >> 33;
  return value;
}

CUDAHOT_DEVICE unsigned low_bias_hash(unsigned value) {
  value ^= value >> 16;
  value *= 0x7feb352du;
  value ^= value >> 15;
  value *= 0x846ca68bu;
  value ^= value >> 16;
  return value;
}

CUDAHOT_DEVICE uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long even = 0xd2511f53ull * counter.x;
    const unsigned long long odd = 0xcd9e8d57ull * counter.z;
    uint4 next;
    next.x = static_cast<unsigned>(odd >> 32) ^ counter.y ^ key.x;
    next.y = static_cast<unsigned>(odd);
    next.z = static_cast<unsigned>(even >> 32) ^ counter.w ^ key.y;
    next.w = static_cast<unsigned>(even);
    counter = next;
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}

CUDAHOT_DEVICE float uniform(unsigned bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }

CUDAHOT_DEVICE float uniform_above_zero(unsigned bits) { return static_cast<float>((bits >> 8) + 1u) * 0x1p-24f; }

CUDAHOT_DEVICE float uniform_signed(unsigned bits) {
  return static_cast<float>(static_cast<int>(bits >> 8) - (1 << 23)) * 0x1p-23f;
}

CUDAHOT_DEVICE unsigned uniform_below(unsigned bits, unsigned bound) {
  return static_cast<unsigned>((static_cast<unsigned long long>(bits) * bound) >> 32);
}

CUDAHOT_DEVICE float2 normal(uint2 bits) {
  const float radius = sqrtf(-2.0f * logf(uniform_above_zero(bits.x)));
  const float angle = 6.28318531f * uniform(bits.y);
  return detail::vec(radius * cosf(angle), radius * sinf(angle));
}

CUDAHOT_DEVICE float4 philox_uniform(uint4 counter, uint2 key) {
  const uint4 words = philox(counter, key);
  return detail::vec(uniform(words.x), uniform(words.y), uniform(words.z), uniform(words.w));
}

}  // namespace cudahot::device
