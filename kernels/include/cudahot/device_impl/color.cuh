// Colour spaces and palettes.
#pragma once

namespace cudahot::device {

CUDAHOT_DEVICE float srgb_to_linear(float encoded) {
  return encoded <= 0.04045f ? encoded * (1.0f / 12.92f) : powf((encoded + 0.055f) * (1.0f / 1.055f), 2.4f);
}

CUDAHOT_DEVICE float3 srgb_to_linear(float3 encoded) {
  return detail::vec(srgb_to_linear(encoded.x), srgb_to_linear(encoded.y), srgb_to_linear(encoded.z));
}

CUDAHOT_DEVICE float4 srgb_to_linear(float4 encoded) {
  return detail::vec(srgb_to_linear(encoded.x), srgb_to_linear(encoded.y), srgb_to_linear(encoded.z), encoded.w);
}

CUDAHOT_DEVICE float linear_to_srgb(float light) {
  return light <= 0.0031308f ? light * 12.92f : 1.055f * powf(light, 1.0f / 2.4f) - 0.055f;
}

CUDAHOT_DEVICE float3 linear_to_srgb(float3 light) {
  return detail::vec(linear_to_srgb(light.x), linear_to_srgb(light.y), linear_to_srgb(light.z));
}

CUDAHOT_DEVICE float4 linear_to_srgb(float4 light) {
  return detail::vec(linear_to_srgb(light.x), linear_to_srgb(light.y), linear_to_srgb(light.z), light.w);
}

CUDAHOT_DEVICE float luminance(float3 light) { return 0.2126f * light.x + 0.7152f * light.y + 0.0722f * light.z; }

namespace detail {

// How much of the saturation a channel loses; `offset` in sixths of the hue circle: 5 red, 3 green, 1 blue.
CUDAHOT_DEVICE_LOCAL float hue_distance(float hue, float offset) {
  const float k = (hue - floorf(hue)) * 6.0f + offset;
  const float m = k >= 6.0f ? k - 6.0f : k;
  return clamp(fminf(m, 4.0f - m), 0.0f, 1.0f);
}

}  // namespace detail

CUDAHOT_DEVICE float3 hsv_to_rgb(float3 hsv) {
  const float span = hsv.z * hsv.y;
  return detail::vec(hsv.z - span * detail::hue_distance(hsv.x, 5.0f), hsv.z - span * detail::hue_distance(hsv.x, 3.0f),
                     hsv.z - span * detail::hue_distance(hsv.x, 1.0f));
}

CUDAHOT_DEVICE float3 rgb_to_hsv(float3 rgb) {
  const float high = fmaxf(rgb.x, fmaxf(rgb.y, rgb.z));
  const float low = fminf(rgb.x, fminf(rgb.y, rgb.z));
  const float span = high - low;
  float sector = 0.0f;
  if (span > 0.0f) {
    if (high == rgb.x) sector = (rgb.y - rgb.z) / span;
    else if (high == rgb.y) sector = (rgb.z - rgb.x) / span + 2.0f;
    else sector = (rgb.x - rgb.y) / span + 4.0f;
  }
  const float hue = sector * (1.0f / 6.0f) + (sector < 0.0f ? 1.0f : 0.0f);
  // A tiny negative sector rounds up to a whole turn.
  return detail::vec(hue >= 1.0f ? 0.0f : hue, high > 0.0f ? span / high : 0.0f, high);
}

CUDAHOT_DEVICE float3 linear_to_oklab(float3 light) {
  const float l = cbrtf(detail::dot(light, detail::vec(0.4122214708f, 0.5363325363f, 0.0514459929f)));
  const float m = cbrtf(detail::dot(light, detail::vec(0.2119034982f, 0.6806995451f, 0.1073969566f)));
  const float s = cbrtf(detail::dot(light, detail::vec(0.0883024619f, 0.2817188376f, 0.6299787005f)));
  return detail::vec(0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s,
                     1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s,
                     0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s);
}

CUDAHOT_DEVICE float3 oklab_to_linear(float3 lab) {
  const float l = lab.x + 0.3963377774f * lab.y + 0.2158037573f * lab.z;
  const float m = lab.x - 0.1055613458f * lab.y - 0.0638541728f * lab.z;
  const float s = lab.x - 0.0894841775f * lab.y - 1.2914855480f * lab.z;
  const float3 cone = detail::vec(l * l * l, m * m * m, s * s * s);
  return detail::vec(detail::dot(cone, detail::vec(4.0767416621f, -3.3077115913f, 0.2309699292f)),
                     detail::dot(cone, detail::vec(-1.2684380046f, 2.6097574011f, -0.3413193965f)),
                     detail::dot(cone, detail::vec(-0.0041960863f, -0.7034186147f, 1.7076147010f)));
}

CUDAHOT_DEVICE float3 oklab_to_oklch(float3 lab) {
  return detail::vec(lab.x, detail::length(detail::vec(lab.y, lab.z)), atan2f(lab.z, lab.y));
}

CUDAHOT_DEVICE float3 oklch_to_oklab(float3 lch) {
  return detail::vec(lch.x, lch.y * cosf(lch.z), lch.y * sinf(lch.z));
}

namespace detail {

CUDAHOT_DEVICE_LOCAL float cosine_wave(float t, float base, float amplitude, float frequency, float phase) {
  // Whole turns are taken off first: cosf of large arguments is slow and loses digits.
  const float turns = frequency * t + phase;
  return base + amplitude * cosf(6.28318531f * (turns - floorf(turns)));
}

}  // namespace detail

CUDAHOT_DEVICE float3 cosine_palette(float t, float3 base, float3 amplitude, float3 frequency, float3 phase) {
  return detail::vec(detail::cosine_wave(t, base.x, amplitude.x, frequency.x, phase.x),
                     detail::cosine_wave(t, base.y, amplitude.y, frequency.y, phase.y),
                     detail::cosine_wave(t, base.z, amplitude.z, frequency.z, phase.z));
}

CUDAHOT_DEVICE float3 rainbow(float t) {
  return detail::vec(detail::cosine_wave(t, 0.5f, 0.5f, 1.0f, 0.0f),
                     detail::cosine_wave(t, 0.5f, 0.5f, 1.0f, 1.0f / 3.0f),
                     detail::cosine_wave(t, 0.5f, 0.5f, 1.0f, 2.0f / 3.0f));
}

}  // namespace cudahot::device
