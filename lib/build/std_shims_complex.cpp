#include "lib/build/std_shims.hpp"

namespace cudahot::build {
namespace {

// As large and aligned as the host's, since kernels take it as a parameter: cuda::std::complex<float> is aligned to 8.
constexpr const char* kComplex = R"(#pragma once
#include <cmath>
#include <type_traits>
namespace std {
template <class T> class complex {
 public:
  using value_type = T;
  constexpr complex(const T& real = T(), const T& imag = T()) : real_(real), imag_(imag) {}
  template <class U, enable_if_t<!is_floating_point_v<T> || (sizeof(U) <= sizeof(T)), int> = 0>
  constexpr complex(const complex<U>& other) : real_(T(other.real())), imag_(T(other.imag())) {}
  template <class U, enable_if_t<is_floating_point_v<T> && (sizeof(U) > sizeof(T)), long> = 0>
  constexpr explicit complex(const complex<U>& other) : real_(T(other.real())), imag_(T(other.imag())) {}
  constexpr T real() const { return real_; }
  constexpr T imag() const { return imag_; }
  constexpr void real(T value) { real_ = value; }
  constexpr void imag(T value) { imag_ = value; }
  constexpr complex& operator=(const T& value) {
    real_ = value;
    imag_ = T();
    return *this;
  }
  template <class U> constexpr complex& operator=(const complex<U>& other) {
    real_ = T(other.real());
    imag_ = T(other.imag());
    return *this;
  }
  constexpr complex& operator+=(const T& value) {
    real_ += value;
    return *this;
  }
  constexpr complex& operator-=(const T& value) {
    real_ -= value;
    return *this;
  }
  constexpr complex& operator*=(const T& value) {
    real_ *= value;
    imag_ *= value;
    return *this;
  }
  constexpr complex& operator/=(const T& value) {
    real_ /= value;
    imag_ /= value;
    return *this;
  }
  template <class U> constexpr complex& operator+=(const complex<U>& other) {
    real_ += other.real();
    imag_ += other.imag();
    return *this;
  }
  template <class U> constexpr complex& operator-=(const complex<U>& other) {
    real_ -= other.real();
    imag_ -= other.imag();
    return *this;
  }
  template <class U> constexpr complex& operator*=(const complex<U>& other) {
    const T real = real_ * other.real() - imag_ * other.imag();
    imag_ = real_ * other.imag() + imag_ * other.real();
    real_ = real;
    return *this;
  }
  template <class U> constexpr complex& operator/=(const complex<U>& other) {
    const T squared = other.real() * other.real() + other.imag() * other.imag();
    const T real = (real_ * other.real() + imag_ * other.imag()) / squared;
    imag_ = (imag_ * other.real() - real_ * other.imag()) / squared;
    real_ = real;
    return *this;
  }

 private:
  T real_, imag_;
};
#define CUDAHOT_COMPLEX_OPERATOR(operation)                                                        \
  template <class T> constexpr complex<T> operator operation(const complex<T>& a, const complex<T>& b) { \
    complex<T> result = a;                                                                         \
    return result operation##= b;                                                                  \
  }                                                                                                \
  template <class T> constexpr complex<T> operator operation(const complex<T>& a, const T& b) {    \
    complex<T> result = a;                                                                         \
    return result operation##= b;                                                                  \
  }                                                                                                \
  template <class T> constexpr complex<T> operator operation(const T& a, const complex<T>& b) {    \
    complex<T> result = a;                                                                         \
    return result operation##= b;                                                                  \
  }
CUDAHOT_COMPLEX_OPERATOR(+)
CUDAHOT_COMPLEX_OPERATOR(-)
CUDAHOT_COMPLEX_OPERATOR(*)
CUDAHOT_COMPLEX_OPERATOR(/)
#undef CUDAHOT_COMPLEX_OPERATOR
template <class T> constexpr complex<T> operator+(const complex<T>& z) { return z; }
template <class T> constexpr complex<T> operator-(const complex<T>& z) { return {-z.real(), -z.imag()}; }
template <class T> constexpr bool operator==(const complex<T>& a, const complex<T>& b) {
  return a.real() == b.real() && a.imag() == b.imag();
}
template <class T> constexpr bool operator==(const complex<T>& a, const T& b) { return a == complex<T>(b); }
template <class T> constexpr bool operator!=(const complex<T>& a, const complex<T>& b) { return !(a == b); }
template <class T> constexpr bool operator!=(const complex<T>& a, const T& b) { return !(a == b); }
#if __cplusplus < 202002L
template <class T> constexpr bool operator==(const T& a, const complex<T>& b) { return b == a; }
template <class T> constexpr bool operator!=(const T& a, const complex<T>& b) { return !(b == a); }
#endif
template <class T> constexpr T real(const complex<T>& z) { return z.real(); }
template <class T> constexpr T imag(const complex<T>& z) { return z.imag(); }
template <class T> constexpr complex<T> conj(const complex<T>& z) { return {z.real(), -z.imag()}; }
template <class T> constexpr T norm(const complex<T>& z) { return z.real() * z.real() + z.imag() * z.imag(); }
template <class T> T abs(const complex<T>& z) { return hypot(z.real(), z.imag()); }
template <class T> T arg(const complex<T>& z) { return atan2(z.imag(), z.real()); }
template <class T> complex<T> polar(const T& radius, const T& angle = T()) {
  return {radius * cos(angle), radius * sin(angle)};
}
}
)";

}  // namespace

const char* complex_shim() { return kComplex; }

}  // namespace cudahot::build
