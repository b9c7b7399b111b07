#include "lib/runtime/checks.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "lib/build/symbols.hpp"

namespace cudahot::runtime {
namespace {

std::string parameter_name(const region::Kernel& kernel, std::size_t index) {
  if (index >= kernel.parameters.size()) return fmt::format("parameter {}", index + 1);
  const region::KernelParameter& parameter = kernel.parameters[index];
  return fmt::format("parameter {} ({} {})", index + 1, parameter.type, parameter.name);
}

// "'float'", "'Real', which is 'float'".
std::string type_in_full(const region::KernelParameter& parameter) {
  if (parameter.canonical == "pointer") return fmt::format("'{}'", parameter.type);
  if (parameter.canonical.starts_with(parameter.type)) return fmt::format("'{}'", parameter.canonical);
  return fmt::format("'{}', which is '{}'", parameter.type, parameter.canonical);
}

std::uint32_t round_up(std::uint32_t value, std::uint32_t step) {
  return step == 0 ? value : (value + step - 1) / step * step;
}

// "scene::lut" of a symbol; variables with internal linkage have the file's name in front of it.
std::string source_name(const std::string& symbol) {
  std::string name = build::demangle(symbol);
  constexpr std::string_view kSeparator = "::";
  if (name.starts_with("_INTERNAL_")) name.erase(0, name.find(kSeparator) + kSeparator.size());
  return name;
}

// CUDA's own headers define variables, too: tags such as cuda::std::in_place, strings of assert.
// Nobody writes them.
bool is_of_the_toolkit(std::string_view name) {
  constexpr std::array<std::string_view, 6> kPrefixes = {
      "__", "cuda::", "cub::", "thrust::", "cooperative_groups::", "nv::"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

constexpr std::uint32_t kWarpSize = 32;
constexpr std::uint32_t kRegisterStep = 8;  // registers a thread is given at a time

}  // namespace

std::vector<base::ParameterFacts> parameter_block(const std::vector<detail::ParameterLayout>& layout) {
  std::vector<base::ParameterFacts> block;
  std::uint32_t end = 0;
  for (const detail::ParameterLayout& parameter : layout) {
    const std::uint32_t offset = round_up(end, parameter.alignment);
    block.push_back({offset, parameter.size});
    end = offset + parameter.size;
  }
  return block;
}

namespace {

// Where the two part, if they do.
std::string parameter_difference(const region::Kernel& kernel, const std::vector<base::ParameterFacts>& wanted,
                                 const std::vector<base::ParameterFacts>& passed) {
  for (std::size_t i = 0; i < std::max(wanted.size(), passed.size()); ++i) {
    if (i >= passed.size()) {
      return fmt::format("{} has {} bytes, but the program does not pass it", parameter_name(kernel, i),
                         wanted[i].size);
    }
    if (i >= wanted.size()) {
      return fmt::format("there is no parameter {}, but the program passes {} bytes for it", i + 1, passed[i].size);
    }
    if (wanted[i].size != passed[i].size) {
      return fmt::format("{} has {} bytes, but the program passes {} bytes for it", parameter_name(kernel, i),
                         wanted[i].size, passed[i].size);
    }
    if (wanted[i].offset != passed[i].offset) {
      return fmt::format(
          "{} lies at byte {} of the parameters, but the program passes it at byte {} (its alignment "
          "differs)",
          parameter_name(kernel, i), wanted[i].offset, passed[i].offset);
    }
  }
  return {};
}

}  // namespace

Status check_parameters(const region::Kernel& kernel, const base::KernelFacts& facts,
                        const std::vector<detail::ParameterLayout>& passed) {
  const auto block = parameter_block(passed);
  const std::string difference = parameter_difference(kernel, facts.parameters, block);
  if (difference.empty()) return {};
  if (block.size() == facts.parameters.size()) {
    return fail(ErrorCode::mismatch, fmt::format("kernel '{}': {}", kernel.name, difference));
  }
  return fail(ErrorCode::mismatch,
              fmt::format("kernel '{}' takes {} parameters, but the program passes {}: {}. Change the program's "
                          "signature for it and rebuild, or take the parameter list back",
                          kernel.name, facts.parameters.size(), block.size(), difference));
}

Status check_parameter_types(const region::Kernel& kernel, const region::Kernel& built) {
  const std::size_t count = std::min(kernel.parameters.size(), built.parameters.size());
  for (std::size_t i = 0; i < count; ++i) {
    const region::KernelParameter& now = kernel.parameters[i];
    const region::KernelParameter& was = built.parameters[i];
    const bool known = !now.canonical.empty() && !was.canonical.empty();
    if (!known || now.canonical == was.canonical) continue;
    return fail(ErrorCode::mismatch,
                fmt::format("kernel '{}': parameter {} was {}, now {}; the program passes what it was when the program "
                            "was built. Change the program's signature for it and rebuild, or take the type back",
                            kernel.name, i + 1, type_in_full(was), type_in_full(now)));
  }
  return {};
}

Status check_resources(const std::string& kernel, const base::KernelFacts& facts, const detail::LaunchShape& seen,
                       const DeviceFacts& device) {
  const std::uint64_t shared = std::uint64_t{facts.static_shared_bytes} + seen.dynamic_shared_bytes;
  if (shared > device.shared_bytes_per_block) {
    return fail(ErrorCode::mismatch,
                fmt::format("kernel '{}' needs {} bytes of shared memory in a block ({} static and the {} dynamic that "
                            "the program launches with); {} has {}",
                            kernel, shared, facts.static_shared_bytes, seen.dynamic_shared_bytes, device.name,
                            device.shared_bytes_per_block));
  }
  const std::uint32_t thread_limit =
      facts.max_threads == 0 ? device.threads_per_block : std::min(facts.max_threads, device.threads_per_block);
  if (seen.threads_per_block > thread_limit) {
    return fail(ErrorCode::mismatch,
                fmt::format("kernel '{}' allows {} threads in a block (its launch bounds or the device), but the "
                            "program launches it with {}",
                            kernel, thread_limit, seen.threads_per_block));
  }
  const std::uint64_t registers =
      std::uint64_t{round_up(facts.registers, kRegisterStep)} * round_up(seen.threads_per_block, kWarpSize);
  if (registers > device.registers_per_block) {
    return fail(ErrorCode::mismatch,
                fmt::format("kernel '{}' needs {} registers a thread; with the {} threads in a block that the program "
                            "launches that is {}, and {} has {} a block: use fewer, or __launch_bounds__({})",
                            kernel, facts.registers, seen.threads_per_block, registers, device.name,
                            device.registers_per_block, seen.threads_per_block));
  }
  return {};
}

Status check_state(const std::vector<cuda::DeviceVariable>& variables, const std::string& source) {
  std::vector<std::string> names;
  for (const cuda::DeviceVariable& variable : variables) {
    const std::string name = source_name(variable.name);
    if (is_of_the_toolkit(name)) continue;
    names.push_back(fmt::format("{} '{}' ({} bytes)",
                                variable.space == cuda::DeviceVariable::Space::constant ? "__constant__" : "__device__",
                                name, variable.size));
  }
  if (names.empty()) return {};
  return fail(ErrorCode::mismatch,
              fmt::format("code of '{}' defines device variables, and what the program keeps in them would be lost "
                          "with the new code: {}. Pass them to the kernel as parameters to edit it while it runs",
                          source, fmt::join(names, ", ")));
}

}  // namespace cudahot::runtime
