// Classes: inheritance, virtual functions, operators, friends, static members
struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  static constexpr int kCorners = 4;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
  __device__ friend Square operator*(const Square& square, float by) { return Square(square.side * by); }
};

__global__ void measure(float* out) {
#pragma cudahot begin(body)
  const Square square = Square(2.0f) * 3.0f;
  const Shape& shape = square;
  out[threadIdx.x] = shape.area() + Square::kCorners;
#pragma cudahot end
}
