// A device for tests of compiled slices: one thread, blocks one after the other, threads of a block as fibers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/base/files.hpp"
#include "lib/cpu_device/code/cpu_compile.hpp"
#include "lib/cpu_device/module_abi.h"

namespace cudahot::test {

// A surface, or a texture that is read by element (`linear`: filtered) with clamped, not normalised coordinates.
struct Picture {
  std::vector<unsigned char> bytes;
  int width_bytes = 0;
  int height = 0;
  int channels = 1;  // of float
  bool linear = false;

  std::uint64_t handle() { return reinterpret_cast<std::uint64_t>(this); }
};

struct Launch {
  CudahotCpuDim3 grid{1, 1, 1};
  CudahotCpuDim3 block{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
};

// What a launch did besides writing memory.
struct Outcome {
  std::string fault;    // "file:line: message"; "deadlock" if threads waited for ever
  std::string printed;  // by printf
};

class TinyModule {
 public:
  static std::unique_ptr<TinyModule> load(std::string_view elf, std::string& problem);
  ~TinyModule();
  TinyModule(const TinyModule&) = delete;
  TinyModule& operator=(const TinyModule&) = delete;

  const CudahotCpuModule& table() const { return *module_; }
  const CudahotCpuKernel* kernel(std::string_view name) const;
  const CudahotCpuVariable* variable(std::string_view name) const;

  template <typename... Arguments>
  Outcome launch(std::string_view name, const Launch& launch, Arguments... arguments) {
    void* pointers[] = {static_cast<void*>(&arguments)..., nullptr};
    return run(name, launch, pointers);
  }

 private:
  TinyModule() = default;
  Outcome run(std::string_view name, const Launch& launch, void** arguments);

  void* library_ = nullptr;
  const CudahotCpuModule* module_ = nullptr;
};

// A slice of one file, shade.cu, with kernels of the given names and no parameter facts. Names are source names;
// templates as "scale<float>".
region::Slice make_slice(std::string text, const std::vector<std::string>& kernels);

// Compiles and loads; a failure is reported to GoogleTest with its diagnostics, and gives nullptr.
std::unique_ptr<TinyModule> build(const region::Slice& slice);
Result<cpu_device::CpuObject> compile(const region::Slice& slice);

}  // namespace cudahot::test
