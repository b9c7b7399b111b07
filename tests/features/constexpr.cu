// Constant expressions: constexpr functions, if constexpr, tables
struct Table {
  int values[8];
};
__host__ __device__ constexpr Table squares() {
  Table table{};
  for (int i = 0; i < 8; ++i) table.values[i] = i * i;
  return table;
}
__constant__ constexpr Table kSquares = squares();

template <bool kAdd>
__device__ int apply(int a, int b) {
  if constexpr (kAdd) return a + b;
  else return a - b;
}

__global__ void use(int* data) {
#pragma cudahot begin(body)
  constexpr int kThree = squares().values[1] + 2;
  data[threadIdx.x] = apply<true>(kThree, kSquares.values[threadIdx.x % 8]);
#pragma cudahot end
}
