// How the device calls a kernel, and where shared memory comes from.
#pragma once

#include "cudahot_cpu/threads.h"

namespace cudahot_cpu {

struct DynamicShared {
  template <typename T>
  operator T*() const {
    return static_cast<T*>(services->dynamic_shared());
  }
};

// `extern __shared__ T name[];` at namespace scope: a pointer that every kernel sets when it starts.
struct DynamicSharedName {
  inline static DynamicSharedName* first = nullptr;
  void (*set)(void* memory);
  DynamicSharedName* next;

  explicit DynamicSharedName(void (*function)(void*)) : set(function), next(first) { first = this; }

  static void set_all() {
    for (const DynamicSharedName* name = first; name != nullptr; name = name->next) {
      name->set(services->dynamic_shared());
    }
  }
};

// What code for a thread-local variable passes.
struct SharedPlace {
  unsigned long module;
  unsigned long offset;
};

template <int... i>
struct Indices {};
template <typename T, T... i>
using IndexSequence = Indices<i...>;

// Offsets as the GPU's compiler lays out a parameter block.
template <typename... Parameters>
struct ParameterBlock {
  CudahotCpuParameter parameters[sizeof...(Parameters) + 1];

  constexpr ParameterBlock() : parameters{} {
    const unsigned int sizes[] = {sizeof(Parameters)..., 0};
    const unsigned int alignments[] = {alignof(Parameters)..., 1};
    unsigned int offset = 0;
    for (unsigned int i = 0; i < sizeof...(Parameters); ++i) {
      offset = (offset + alignments[i] - 1) / alignments[i] * alignments[i];
      parameters[i] = {offset, sizes[i]};
      offset += sizes[i];
    }
  }
};

template <auto kernel>
struct Entry;

template <typename... Parameters, void (*kernel)(Parameters...)>
struct Entry<kernel> {
  static constexpr ParameterBlock<Parameters...> block;
  static constexpr unsigned int parameter_count = sizeof...(Parameters);

  static constexpr bool has_parameter(unsigned int index, unsigned int offset, unsigned int size) {
    return index < parameter_count && block.parameters[index].offset == offset && block.parameters[index].size == size;
  }

  static void run(void** arguments) {
    DynamicSharedName::set_all();
    call(arguments, __make_integer_seq<IndexSequence, int, sizeof...(Parameters)>{});
  }

  template <int... i>
  static void call([[maybe_unused]] void** arguments, Indices<i...>) {
    kernel(*static_cast<typename Plain<Parameters>::type*>(arguments[i])...);
  }
};

}  // namespace cudahot_cpu

// Found by the linker before the one of the C library, which would give memory between that of the program.
extern "C" __attribute__((used, visibility("hidden"))) inline void* __tls_get_addr(cudahot_cpu::SharedPlace* place) {
  return static_cast<char*>(cudahot_cpu::services->static_shared()) + place->offset;
}
