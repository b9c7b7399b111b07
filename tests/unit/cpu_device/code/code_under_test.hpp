// Compiled slices as programs meet them: loaded and launched by the CPU device, through the driver's symbols.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/cpu_device/code/cpu_compile.hpp"

namespace cudahot::test {

struct Size {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
};

struct Launch {
  Size grid;
  Size block;
  unsigned dynamic_shared_bytes = 0;
};

// What a launch did besides writing memory.
struct Outcome {
  std::string fault;    // what the device logged; empty when the launch ended well
  std::string printed;  // on standard output
};

struct Variable {
  void* address = nullptr;
  std::size_t size = 0;
};

// A loaded object. Kernels may be given pointers to memory of the test. After a fault everything is set up afresh.
class Code {
 public:
  explicit Code(std::string blob);
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  // What the device logs when it refuses to load the object.
  static std::string refusal(const std::string& blob);

  template <typename... Arguments>
  Outcome launch(const std::string& name, const Launch& launch, Arguments... arguments) {
    void* pointers[] = {static_cast<void*>(&arguments)..., nullptr};
    return run(name, launch, pointers);
  }

  int attribute(const std::string& kernel, CUfunction_attribute which) const;
  std::vector<std::pair<std::size_t, std::size_t>> parameters(const std::string& kernel) const;  // offset, size
  Variable variable(const std::string& name) const;  // also __constant__; no address when there is none
  Variable managed(const std::string& name) const;

 private:
  void load();
  void unload();
  CUkernel kernel(const std::string& name) const;
  Variable find(decltype(&cuLibraryGetGlobal) get, const std::string& name) const;
  Outcome run(const std::string& name, const Launch& launch, void** arguments);

  std::string blob_;
  CUcontext context_ = nullptr;
  CUlibrary library_ = nullptr;
};

// A slice of one file, shade.cu, with kernels of the given names and no parameter facts. Names are source names;
// templates as "scale<float>".
region::Slice make_slice(std::string text, const std::vector<std::string>& kernels);

Result<cpu_device::CpuObject> compile(const region::Slice& slice, const cpu_device::CpuCompileOptions& options = {});

// Compiles and loads; a failure is reported to GoogleTest with its diagnostics, and gives nullptr.
std::unique_ptr<Code> build(const region::Slice& slice, const cpu_device::CpuCompileOptions& options = {});

}  // namespace cudahot::test
