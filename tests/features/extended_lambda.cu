// Extended lambdas: device lambdas of host code as kernel arguments
// flags: --extended-lambda
template <typename Function>
__global__ void for_each(int* data, Function function) {
#pragma cudahot begin(body)
  data[threadIdx.x] = function(data[threadIdx.x]);
#pragma cudahot end
}

void launch(int* data, int by) {
  for_each<<<1, 32>>>(data, [=] __device__(int x) { return x * by; });
}
