// In the manner of GLM and Eigen: everything is a template, host and device come out of a macro.
#pragma once
#include <cmath>
#include <iosfwd>
#include <string>
#if defined(__CUDACC__)
#define VEC_FUNCTION __host__ __device__
#else
#define VEC_FUNCTION
#endif
namespace vec {
template <typename Derived>
struct Expression {
  VEC_FUNCTION const Derived& self() const { return static_cast<const Derived&>(*this); }
};
template <typename T, int N>
struct Vector : Expression<Vector<T, N>> {
  T at[N];
  VEC_FUNCTION Vector() : at{} {}
  template <typename E>
  VEC_FUNCTION Vector(const Expression<E>& expression) {
    for (int i = 0; i < N; ++i) at[i] = expression.self()[i];
  }
  VEC_FUNCTION T operator[](int i) const { return at[i]; }
  VEC_FUNCTION T& operator[](int i) { return at[i]; }
  std::string text() const;
};
template <typename A, typename B>
struct Sum : Expression<Sum<A, B>> {
  const A& a;
  const B& b;
  VEC_FUNCTION Sum(const A& left, const B& right) : a(left), b(right) {}
  VEC_FUNCTION auto operator[](int i) const { return a[i] + b[i]; }
};
template <typename A, typename B>
VEC_FUNCTION Sum<A, B> operator+(const Expression<A>& a, const Expression<B>& b) {
  return {a.self(), b.self()};
}
template <typename T, int N>
VEC_FUNCTION T norm(const Vector<T, N>& v) {
  using std::sqrt;
  T sum{};
  for (int i = 0; i < N; ++i) sum += v[i] * v[i];
  return sqrt(sum);
}
template <typename T, int N>
std::ostream& operator<<(std::ostream& out, const Vector<T, N>& v);
}  // namespace vec
