// nvcc: --extended-lambda
// A file that is mostly host code: threads, streams, exceptions, thrust, globals, classes with device members.
#include <atomic>
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <regex>
#include <thread>
#include <unordered_map>

#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

static std::mutex lock;
std::unordered_map<int, std::unique_ptr<int>> objects;
const std::string kName = "host";
static const float kOnBoth = 1.25f;

class Simulation {
 public:
  explicit Simulation(int size) : data_(size) {}
  void step();
  __host__ __device__ static float force(float x) { return -x * kOnBoth; }

 private:
  thrust::device_vector<float> data_;
  std::chrono::steady_clock::time_point begin_;
  std::thread worker_;
};

__global__ void advance(float* x, float dt, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += dt * Simulation::force(x[i]);
}

void Simulation::step() {
  const std::lock_guard<std::mutex> guard(lock);
  try {
    advance<<<1, 256>>>(thrust::raw_pointer_cast(data_.data()), 0.1f, static_cast<int>(data_.size()));
    thrust::transform(data_.begin(), data_.end(), data_.begin(), [] __host__ __device__(float v) { return v * 2; });
    if (cudaDeviceSynchronize() != cudaSuccess) throw std::runtime_error(kName);
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
  }
}

int main(int argc, char** argv) {
  Simulation simulation(argc > 1 ? std::stoi(argv[1]) : 100);
  simulation.step();
  return std::regex_match(kName, std::regex("h.*")) ? 0 : 1;
}
