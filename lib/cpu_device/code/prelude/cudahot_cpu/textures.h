// Surfaces and textures by handle: 2D surfaces, 2D textures, linear 1D textures.
#pragma once

#include "cudahot_cpu/threads.h"

typedef unsigned long long cudaSurfaceObject_t;
typedef unsigned long long cudaTextureObject_t;

// Names of the runtime's that device code may carry along.
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2, cudaErrorUnknown = 999 };
typedef enum cudaError cudaError_t;
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };

enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };

namespace cudahot_cpu {

inline int boundary(cudaSurfaceBoundaryMode mode) { return 2 - static_cast<int>(mode); }

template <typename T>
struct Texel;  // component type and count of what a texture can hold

#define CUDAHOT_CPU_TEXEL(name, T)  \
  template <>                       \
  struct Texel<T> {                 \
    using Component = T;            \
    static constexpr int count = 1; \
  };                                \
  template <>                       \
  struct Texel<name##1> {           \
    using Component = T;            \
    static constexpr int count = 1; \
  };                                \
  template <>                       \
  struct Texel<name##2> {           \
    using Component = T;            \
    static constexpr int count = 2; \
  };                                \
  template <>                       \
  struct Texel<name##4> {           \
    using Component = T;            \
    static constexpr int count = 4; \
  };
CUDAHOT_CPU_TEXEL(char, signed char)
CUDAHOT_CPU_TEXEL(uchar, unsigned char)
CUDAHOT_CPU_TEXEL(short, short)
CUDAHOT_CPU_TEXEL(ushort, unsigned short)
CUDAHOT_CPU_TEXEL(int, int)
CUDAHOT_CPU_TEXEL(uint, unsigned int)
CUDAHOT_CPU_TEXEL(float, float)
#undef CUDAHOT_CPU_TEXEL

// Integer types take the low bits of a raw component; float takes the bits, which are a float's whenever the texture
// is read as float.
template <typename T>
T to_texel(const unsigned int components[4]) {
  using Component = typename Texel<T>::Component;
  T texel;
  Component parts[Texel<T>::count];
  for (int i = 0; i < Texel<T>::count; ++i) __builtin_memcpy(&parts[i], &components[i], sizeof(Component));
  __builtin_memcpy(&texel, parts, sizeof(texel));
  return texel;
}

}  // namespace cudahot_cpu

template <typename T>
void surf2Dread(T* value, cudaSurfaceObject_t surface, int x, int y,
                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  cudahot_cpu::services->surface_read_2d(surface, x, y, sizeof(T), cudahot_cpu::boundary(mode), value);
}
template <typename T>
T surf2Dread(cudaSurfaceObject_t surface, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  T value;
  surf2Dread(&value, surface, x, y, mode);
  return value;
}
template <typename T>
void surf2Dwrite(T value, cudaSurfaceObject_t surface, int x, int y,
                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  cudahot_cpu::services->surface_write_2d(surface, x, y, sizeof(T), cudahot_cpu::boundary(mode), &value);
}

template <typename T>
T tex2D(cudaTextureObject_t texture, float x, float y) {
  unsigned int components[4];
  int raw = 0;
  cudahot_cpu::services->texture_fetch_2d(texture, x, y, components, &raw);
  return cudahot_cpu::to_texel<T>(components);
}
template <typename T>
void tex2D(T* value, cudaTextureObject_t texture, float x, float y) {
  *value = tex2D<T>(texture, x, y);
}
template <typename T>
T tex1Dfetch(cudaTextureObject_t texture, int x) {
  unsigned int components[4];
  int raw = 0;
  cudahot_cpu::services->texture_fetch_1d_linear(texture, x, components, &raw);
  return cudahot_cpu::to_texel<T>(components);
}
template <typename T>
void tex1Dfetch(T* value, cudaTextureObject_t texture, int x) {
  *value = tex1Dfetch<T>(texture, x);
}
