// cubin_facts FILE...: what the CUBINs' kernels need, as JSON: registers, shared memory, parameter
// layout. For comparing with what another compiler made of the same source.
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lib/base/files.hpp"
#include "lib/cuda/cubin.hpp"

int main(int argc, char** argv) {
  nlohmann::json kernels = nlohmann::json::array();
  for (int i = 1; i < argc; ++i) {
    const auto bytes = cudahot::base::read_file(argv[i]);
    const auto cubin = bytes ? cudahot::cuda::read_cubin(*bytes)
                             : cudahot::Result<cudahot::cuda::CubinInfo>(cudahot::fail(bytes.error()));
    if (!cubin) {
      fmt::print(stderr, "cubin_facts: {}: {}\n", argv[i], cubin.error().message);
      return 1;
    }
    for (const auto& kernel : cubin->kernels) {
      nlohmann::json parameters = nlohmann::json::array();
      for (const auto& parameter : kernel.parameters) parameters.push_back({parameter.offset, parameter.size});
      kernels.push_back({{"name", kernel.lowered_name},
                         {"registers", kernel.registers},
                         {"static_shared_bytes", kernel.static_shared_bytes},
                         {"local_bytes", kernel.local_bytes},
                         {"max_threads", kernel.max_threads},
                         {"parameters", std::move(parameters)}});
    }
  }
  fmt::print("{}\n", kernels.dump(2));
}
