// Loads and stores with hints: plain loads and stores here.
#pragma once

#include "cudahot_cpu/words.h"

#define CUDAHOT_CPU_LOAD(name) \
  template <typename T>        \
  T name(const T* address) {   \
    return *address;           \
  }
CUDAHOT_CPU_LOAD(__ldg)
CUDAHOT_CPU_LOAD(__ldca)
CUDAHOT_CPU_LOAD(__ldcg)
CUDAHOT_CPU_LOAD(__ldcs)
CUDAHOT_CPU_LOAD(__ldcv)
CUDAHOT_CPU_LOAD(__ldlu)
#undef CUDAHOT_CPU_LOAD

#define CUDAHOT_CPU_STORE(name)                       \
  template <typename T>                               \
  void name(T* address, cudahot_cpu::Same<T> value) { \
    *address = value;                                 \
  }
CUDAHOT_CPU_STORE(__stcg)
CUDAHOT_CPU_STORE(__stcs)
CUDAHOT_CPU_STORE(__stwb)
CUDAHOT_CPU_STORE(__stwt)
#undef CUDAHOT_CPU_STORE
