// Integer intrinsics.
#pragma once

#include "cudahot_cpu/vectors.h"

inline constexpr int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned int>(x)); }
inline constexpr int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x)); }
inline constexpr int __ffs(int x) { return __builtin_ffs(x); }
inline constexpr int __ffsll(long long x) { return __builtin_ffsll(x); }
inline constexpr int __popc(unsigned int x) { return __builtin_popcount(x); }
inline constexpr int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline constexpr unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
inline constexpr unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

inline constexpr int __mulhi(int a, int b) { return static_cast<int>((static_cast<long long>(a) * b) >> 32); }
inline constexpr unsigned int __umulhi(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) * b) >> 32);
}
inline constexpr long long __mul64hi(long long a, long long b) {
  return static_cast<long long>((static_cast<__int128>(a) * b) >> 64);
}
inline constexpr unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}
inline constexpr int mulhi(int a, int b) { return __mulhi(a, b); }
inline constexpr unsigned int mulhi(unsigned int a, unsigned int b) { return __umulhi(a, b); }
inline constexpr long long mul64hi(long long a, long long b) { return __mul64hi(a, b); }
inline constexpr unsigned long long mul64hi(unsigned long long a, unsigned long long b) { return __umul64hi(a, b); }

namespace cudahot_cpu {
inline constexpr int low_24_bits(int x) { return static_cast<int>(static_cast<unsigned int>(x) << 8) >> 8; }
inline constexpr int byte_of(int word, int i) { return static_cast<signed char>(word >> (8 * i)); }
inline constexpr unsigned int byte_of(unsigned int word, int i) { return (word >> (8 * i)) & 0xff; }
inline constexpr int half_of(int word, int i) { return static_cast<short>(word >> (16 * i)); }
inline constexpr unsigned int half_of(unsigned int word, int i) { return (word >> (16 * i)) & 0xffff; }
}  // namespace cudahot_cpu

// Of 24-bit factors the low 32 bits of the product.
inline constexpr int __mul24(int a, int b) {
  return static_cast<int>(static_cast<long long>(cudahot_cpu::low_24_bits(a)) * cudahot_cpu::low_24_bits(b));
}
inline constexpr unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffff) * (b & 0xffffff); }
inline constexpr int mul24(int a, int b) { return __mul24(a, b); }
inline constexpr unsigned int umul24(unsigned int a, unsigned int b) { return __umul24(a, b); }

inline constexpr unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
  return (a > b ? a - b : b - a) + c;
}
inline constexpr unsigned int __sad(int a, int b, unsigned int c) {
  return (a > b ? static_cast<unsigned int>(a) - static_cast<unsigned int>(b)
                : static_cast<unsigned int>(b) - static_cast<unsigned int>(a)) +
         c;
}
// Averages without overflow, towards minus infinity, or (r) up.
inline constexpr int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
inline constexpr int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
inline constexpr unsigned int __uhadd(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b) >> 1);
}
inline constexpr unsigned int __urhadd(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

// The upper (l) or lower (r) word of high:low shifted; the count is taken modulo 32, or (c) at most 32.
inline constexpr unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int count) {
  const unsigned long long both = (static_cast<unsigned long long>(high) << 32) | low;
  return static_cast<unsigned int>((both << (count & 31)) >> 32);
}
inline constexpr unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int count) {
  return count >= 32 ? low : __funnelshift_l(low, high, count);
}
inline constexpr unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int count) {
  const unsigned long long both = (static_cast<unsigned long long>(high) << 32) | low;
  return static_cast<unsigned int>(both >> (count & 31));
}
inline constexpr unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int count) {
  return count >= 32 ? high : __funnelshift_r(low, high, count);
}

// Each digit of the selector chooses one of the eight bytes of b:a; its highest bit asks for copies of the sign.
inline constexpr unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
  const unsigned long long both = (static_cast<unsigned long long>(b) << 32) | a;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned int byte = (selector >> (4 * i)) & 7;
    result |= (static_cast<unsigned int>(both >> (8 * byte)) & 0xff) << (8 * i);
  }
  return result;
}

#define CUDAHOT_CPU_DOT(C, A, B)                                                                        \
  inline constexpr C __dp4a(A a, B b, C c) {                                                            \
    for (int i = 0; i < 4; ++i)                                                                         \
      c += static_cast<C>(cudahot_cpu::byte_of(a, i)) * static_cast<C>(cudahot_cpu::byte_of(b, i));     \
    return c;                                                                                           \
  }                                                                                                     \
  inline constexpr C __dp2a_lo(A a, B b, C c) {                                                         \
    for (int i = 0; i < 2; ++i)                                                                         \
      c += static_cast<C>(cudahot_cpu::half_of(a, i)) * static_cast<C>(cudahot_cpu::byte_of(b, i));     \
    return c;                                                                                           \
  }                                                                                                     \
  inline constexpr C __dp2a_hi(A a, B b, C c) {                                                         \
    for (int i = 0; i < 2; ++i)                                                                         \
      c += static_cast<C>(cudahot_cpu::half_of(a, i)) * static_cast<C>(cudahot_cpu::byte_of(b, i + 2)); \
    return c;                                                                                           \
  }
CUDAHOT_CPU_DOT(int, int, int)
CUDAHOT_CPU_DOT(unsigned int, unsigned int, unsigned int)
#undef CUDAHOT_CPU_DOT
inline constexpr int __dp4a(char4 a, char4 b, int c) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w + c; }
inline constexpr unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return static_cast<unsigned int>(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w) + c;
}
