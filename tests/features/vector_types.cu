// Vector types, dim3, user operators on them
__host__ __device__ inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }

__global__ void add(const float3* in, float3* out, double2* wide, uchar4* bytes) {
#pragma cudahot begin(body)
  const dim3 size(4, 5);
  out[threadIdx.x] = in[threadIdx.x] + make_float3(static_cast<float>(size.x), 0, 0);
  wide[threadIdx.x] = double2{1.0, 2.0};
  bytes[threadIdx.x] = make_uchar4(1, 2, 3, 4);
#pragma cudahot end
}
