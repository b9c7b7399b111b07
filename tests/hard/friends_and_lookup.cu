// Friend functions, argument-dependent lookup, operators, namespaces within namespaces, aliases, using.
#include <ostream>

namespace geometry {
inline namespace v2 {
struct Vec {
  float x, y;
  friend __host__ __device__ Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y}; }
  friend __device__ float dot(Vec a, Vec b);
  friend std::ostream& operator<<(std::ostream& out, const Vec& v) { return out << v.x << ' ' << v.y; }
};
__device__ float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y; }
}  // namespace v2
namespace detail::deep {
__device__ float twist(Vec v) { return v.y - v.x; }
}  // namespace detail::deep
}  // namespace geometry
namespace g = geometry::detail::deep;
using geometry::Vec;
using Point = geometry::Vec;
typedef geometry::v2::Vec Place;

__global__ void looked_up(float* out, Vec a, Point b, Place c) {
  using namespace geometry;
  using g::twist;
  out[0] = dot(a + b, c) + twist(a) + g::twist(b);
}
