// Constructors and destructors for host, device and both, inside and outside their class.
#include <stdexcept>
#include <string>
#include <vector>

class Color {
 public:
  Color() = default;
  explicit Color(const std::string& name);
  Color(const std::vector<float>& channels) : Color(channels.at(0), channels.at(1)) {}
  __host__ __device__ Color(float red, float green) : red_(red), green_(green) {}
  __device__ explicit Color(float gray);
  __host__ __device__ ~Color() {}
  Color(const Color&) = default;
  Color& operator=(const Color&) = default;
  __host__ __device__ float sum() const { return red_ + green_; }
  std::string name() const { return std::to_string(red_); }

 private:
  float red_ = 0;
  float green_ = 0;
};

Color::Color(const std::string& name) {
  if (name.empty()) throw std::invalid_argument("no name");
}
__device__ Color::Color(float gray) : red_(gray), green_(gray) {}

struct Shade : Color {
  using Color::Color;
  __device__ Shade(float a, float b, float c) : Color(a, b), extra(c) {}
  float extra = 1;
};

__global__ void colors(float* out, float a) {
  const Color gray(a);
  const Color both(a, 2 * a);
  const Shade shade(a, a, 3);
  Color copy = both;
  copy = gray;
  out[threadIdx.x] = gray.sum() + both.sum() + shade.sum() + shade.extra + copy.sum();
}
