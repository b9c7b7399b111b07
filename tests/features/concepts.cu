// C++20: concepts, requires, abbreviated templates, three-way comparison
// flags: -std=c++20
template <typename T>
concept Addable = requires(T a, T b) { a + b; };

template <Addable T>
__device__ T add(T a, T b) {
  return a + b;
}
__device__ auto twice(Addable auto x) { return add(x, x); }

struct Point {
  int x = 0, y = 0;
  __device__ constexpr bool operator==(const Point&) const = default;
};

__global__ void use(int* data) {
#pragma cudahot begin(body)
  const Point point{.x = twice(data[threadIdx.x]), .y = 1};
  if (point == Point{.x = 2, .y = 1}) [[likely]] data[threadIdx.x] = point.x;
#pragma cudahot end
}
