#include "lib/build/cpu_code.hpp"

#include <utility>

#include "lib/build/std_shims.hpp"
#include "lib/cpu_device/code/cpu_compile.hpp"
#include "lib/cpu_device/code/module_file.hpp"

namespace cudahot::build {
namespace {

cuda::CubinInfo as_cubin_info(cpu_device::ModuleContent content) {
  using Space = cuda::DeviceVariable::Space;
  cuda::CubinInfo info;
  for (auto& variable : content.variables) {
    info.variables.push_back(
        {std::move(variable.name), variable.constant ? Space::constant : Space::global, variable.size});
  }
  info.kernels = std::move(content.kernels);
  return info;
}

}  // namespace

Result<CompiledProgram> compile_for_cpu_device(const region::Slice& slice, Toolchain& toolchain) {
  const auto compiler = toolchain.cpu_compiler();
  if (!compiler) return fail(compiler.error());
  cpu_device::CpuCompileOptions options;
  options.headers = std_shims();
  options.cancelled = [&] { return toolchain.cancelled(); };
  auto object = cpu_device::compile_for_cpu(slice, **compiler, options);
  if (!object) return fail(std::move(object.error()));
  CompiledProgram program;
  program.form = CompiledProgram::Form::cpu_object;
  program.blob = std::move(object->blob);
  program.lowered_names = std::move(object->lowered_names);
  program.warnings = std::move(object->warnings);
  return program;
}

Result<cuda::CubinInfo> read_code(std::string_view bytes) {
  if (!cpu_device::is_module_file(bytes)) return cuda::read_cubin(bytes);
  auto content = cpu_device::read_module_file(bytes);
  if (!content) return fail(std::move(content.error()));
  return as_cubin_info(std::move(*content));
}

}  // namespace cudahot::build
