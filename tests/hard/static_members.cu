// Static members, constexpr functions and tables, enums, bit fields, unions, nested classes.
#include <cstdint>
#include <functional>

enum Plain { kRed, kGreen = 4, kBlue };
enum class Mode : std::uint8_t { off, on = 3 };
struct Settings {
  static constexpr float kScale = 1.5f;
  static constexpr int kTable[4] = {1, 1, 2, 3};
  static int instances;
  std::function<void()> on_change;
  enum { kCount = 5 };
  struct Inner {
    unsigned low : 3;
    unsigned high : 5;
  };
  static __host__ __device__ constexpr int squared(int x) { return x * x; }
  static __device__ float scaled(float x) { return x * kScale; }
};
int Settings::instances = 0;
union Bits {
  float number;
  std::uint32_t word;
};
constexpr int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
constexpr int kTenth = fibonacci(10);

__global__ void members(float* out, Mode mode, Settings::Inner inner) {
  Bits bits{};
  bits.number = Settings::scaled(static_cast<float>(Settings::kTable[2]));
  int shared_size[Settings::squared(3)] = {kTenth, kGreen, Settings::kCount};
  switch (mode) {
    case Mode::off: shared_size[0] = 1; break;
    case Mode::on: shared_size[1] = static_cast<int>(bits.word >> 20); break;
  }
  out[threadIdx.x] = static_cast<float>(shared_size[threadIdx.x % 9] + inner.low + inner.high + kBlue);
}
