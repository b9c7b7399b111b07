// The little vector arithmetic that the definitions need.
#pragma once

namespace cudahot::device::detail {

CUDAHOT_DEVICE_LOCAL float2 vec(float x, float y) {
  float2 v;
  v.x = x, v.y = y;
  return v;
}
CUDAHOT_DEVICE_LOCAL float3 vec(float x, float y, float z) {
  float3 v;
  v.x = x, v.y = y, v.z = z;
  return v;
}
CUDAHOT_DEVICE_LOCAL float4 vec(float x, float y, float z, float w) {
  float4 v;
  v.x = x, v.y = y, v.z = z, v.w = w;
  return v;
}

CUDAHOT_DEVICE_LOCAL float2 sub(float2 a, float2 b) { return vec(a.x - b.x, a.y - b.y); }
CUDAHOT_DEVICE_LOCAL float3 sub(float3 a, float3 b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }

CUDAHOT_DEVICE_LOCAL float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
CUDAHOT_DEVICE_LOCAL float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

CUDAHOT_DEVICE_LOCAL float length(float2 a) { return sqrtf(dot(a, a)); }
CUDAHOT_DEVICE_LOCAL float length(float3 a) { return sqrtf(dot(a, a)); }

CUDAHOT_DEVICE_LOCAL float3 cross(float3 a, float3 b) {
  return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

}  // namespace cudahot::device::detail
