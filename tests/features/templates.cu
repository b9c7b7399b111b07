// Templates: partial and explicit specialisation, variadic, folds
template <typename T, int kSize>
struct Box {
  T items[kSize];
  __device__ T first() const { return items[0]; }
};
template <int kSize>
struct Box<bool, kSize> {
  __device__ bool first() const { return true; }
};
template <typename... Ts>
__device__ auto sum(Ts... values) {
  return (values + ...);
}
template <typename T>
__device__ T twice(T x) {
  return x + x;
}
template <>
__device__ float twice<float>(float x) {
  return 2.0f * x;
}

template <typename T>
__global__ void use(T* data) {
#pragma cudahot begin(body)
  const Box<T, 4> box{{data[0], data[1], data[2], data[3]}};
  data[threadIdx.x] = sum(box.first(), twice(data[threadIdx.x]), T(Box<bool, 2>().first()));
#pragma cudahot end
}

template __global__ void use<float>(float*);
template __global__ void use<int>(int*);
