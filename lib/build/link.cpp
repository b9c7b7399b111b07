#include <algorithm>

#include <fmt/format.h>

#include "lib/base/files.hpp"
#include "lib/build/compile.hpp"
#include "lib/build/cpu_code.hpp"
#include "lib/build/diagnostics.hpp"
#include "lib/build/helper_library.hpp"
#include "lib/build/options.hpp"
#include "lib/build/symbols.hpp"

namespace cudahot::build {
namespace {

using Form = CompiledProgram::Form;

// Whether the user wrote the name, so that its absence is theirs to mend. Others are names of the device runtime,
// which the linker knows better.
bool is_from_source(const SymbolProblem& problem, const region::Slice& slice) {
  return problem.kind == SymbolProblem::Kind::duplicate || problem.symbol.starts_with("_Z") ||
         slice.text.find(problem.symbol) != std::string::npos;
}

// A function of the device runtime's library, which only the linker reads.
bool is_of_device_runtime(const SymbolProblem& problem) {
  return problem.kind == SymbolProblem::Kind::unresolved &&
         (problem.symbol.starts_with("cuda") || problem.symbol.starts_with("__cuda"));
}

bool has_unresolved(const std::vector<SymbolProblem>& problems) {
  return std::ranges::any_of(problems,
                             [](const auto& problem) { return problem.kind == SymbolProblem::Kind::unresolved; });
}

Result<SymbolInput> symbols_of(std::string name, std::string_view blob) {
  auto info = cuda::read_cubin(blob);
  if (!info) return fail(std::move(info.error()));
  return SymbolInput{std::move(name), std::move(*info)};
}

// The quoted symbol of the linker's "Undefined reference to 'X' in 'Y'" or ptxas' "Unresolved extern function 'X'".
std::vector<SymbolProblem> unresolved_in_log(const std::string& log) {
  std::vector<SymbolProblem> problems;
  for (const std::string_view start :
       {std::string_view("Undefined reference to '"), std::string_view("Unresolved extern function '"),
        std::string_view("Unresolved extern variable '")}) {
    for (std::size_t at = log.find(start); at != std::string::npos; at = log.find(start, at + 1)) {
      const std::size_t begin = at + start.size();
      const std::size_t end = log.find('\'', begin);
      if (end == std::string::npos) break;
      problems.push_back({SymbolProblem::Kind::unresolved, log.substr(begin, end - begin), "the kernels", {}});
    }
  }
  return problems;
}

class Linking {
 public:
  Linking(const region::Slice& slice, const region::SmArch& arch, const CompiledProgram& program, Toolchain& toolchain,
          cache::Layers& layers)
      : slice_(slice), arch_(arch), program_(program), toolchain_(toolchain), layers_(layers) {}

  Result<std::string> relocatable() {
    auto kernels = symbols_of("the kernels", program_.blob);
    if (!kernels) return fail(std::move(kernels.error()));
    std::vector<SymbolInput> symbols = {std::move(*kernels)};
    std::vector<cuda::LinkInput> inputs = {{cuda::LinkInputKind::cubin, program_.blob, "kernels"}};
    if (!program_.helpers_blob.empty()) {
      auto helpers = symbols_of("the helpers", program_.helpers_blob);
      if (!helpers) return fail(std::move(helpers.error()));
      symbols.push_back(std::move(*helpers));
      inputs.push_back({cuda::LinkInputKind::cubin, program_.helpers_blob, "helpers"});
    }
    std::shared_ptr<const cache::Artifact> library;
    if (has_unresolved(problems_of(symbols))) {
      auto found = helper_library(HelperForm::cubin, arch_, toolchain_, layers_);
      if (!found) return fail(std::move(found.error()));
      library = std::move(found->artifact);
      auto of_library = symbols_of("the helper library", library->blob);
      if (!of_library) return fail(std::move(of_library.error()));
      symbols.push_back(std::move(*of_library));
      inputs.push_back({cuda::LinkInputKind::cubin, library->blob, "helper library"});
    }
    auto problems = problems_of(symbols);
    std::erase_if(problems, [&](const SymbolProblem& problem) { return !is_from_source(problem, slice_); });
    if (!problems.empty()) return fail(symbol_error(problems, slice_));
    return run(std::move(inputs));
  }

  Result<std::string> lto() {
    const auto library = helper_library(HelperForm::ltoir, arch_, toolchain_, layers_);
    if (!library) return fail(library.error());
    return run({{cuda::LinkInputKind::ltoir, program_.blob, "kernels"},
                {cuda::LinkInputKind::ltoir, library->artifact->blob, "helper library"}});
  }

 private:
  std::vector<SymbolProblem> problems_of(const std::vector<SymbolInput>& symbols) const {
    auto problems = check_symbols(symbols);
    if (region::device_runtime(slice_) != nullptr) std::erase_if(problems, is_of_device_runtime);
    return problems;
  }

  // libcudadevrt.a of the toolkit that links.
  Result<std::string> device_runtime() {
    const auto toolkit = toolchain_.toolkit();
    if (!toolkit) return fail(toolkit.error());
    const std::filesystem::path& library = (*toolkit)->device_runtime;
    if (!library.empty()) return base::read_file(library);
    return fail(ErrorCode::environment,
                fmt::format("'{}' launches kernels from device code or calls functions of the device runtime, and the "
                            "CUDA toolkit in '{}' lacks its library, libcudadevrt.a: install it, or name a complete "
                            "toolkit in CUDAHOT_TOOLKIT",
                            region::main_file(slice_).path, (*toolkit)->root.string()));
  }

  Result<std::string> run(std::vector<cuda::LinkInput> inputs) {
    const auto linker = toolchain_.nvjitlink();
    if (!linker) return fail(linker.error());
    std::string runtime;
    if (region::device_runtime(slice_) != nullptr) {
      auto read = device_runtime();
      if (!read) return fail(std::move(read.error()));
      runtime = std::move(*read);
      inputs.push_back({cuda::LinkInputKind::archive, runtime, "libcudadevrt.a"});
    }
    auto blob = (*linker)->link(inputs, link_options(slice_, arch_, program_.form));
    if (blob || blob.error().code != ErrorCode::link) return blob;
    const auto missing = unresolved_in_log(blob.error().message);
    if (!missing.empty()) return fail(symbol_error(missing, slice_));
    Error error = std::move(blob.error());
    error.diagnostics = parse_compiler_log(error.message, slice_);
    return fail(std::move(error));
  }

  const region::Slice& slice_;
  const region::SmArch& arch_;
  const CompiledProgram& program_;
  Toolchain& toolchain_;
  cache::Layers& layers_;
};

Status check_kernels(const Cubin& cubin) {
  for (const auto& [name, symbol] : cubin.lowered_names) {
    if (std::ranges::find(cubin.info.kernels, symbol, &base::KernelFacts::lowered_name) == cubin.info.kernels.end()) {
      return fail(ErrorCode::link, fmt::format("the compiled code holds no kernel '{}' (symbol '{}')", name, symbol));
    }
  }
  return {};
}

}  // namespace

Result<Cubin> link(const region::Slice& slice, const region::SmArch& arch, CompiledProgram program,
                   Toolchain& toolchain, cache::Layers& layers) {
  Cubin cubin;
  if (program.form == Form::cubin || program.form == Form::cpu_object) {
    cubin.blob = std::move(program.blob);
  } else {
    Linking linking(slice, arch, program, toolchain, layers);
    auto blob = program.form == Form::ltoir ? linking.lto() : linking.relocatable();
    if (!blob) return fail(std::move(blob.error()));
    cubin.blob = std::move(*blob);
  }
  auto info = read_code(cubin.blob);
  if (!info) return fail(std::move(info.error()));
  cubin.info = std::move(*info);
  cubin.lowered_names = std::move(program.lowered_names);
  cubin.warnings = std::move(program.warnings);
  if (auto present = check_kernels(cubin); !present) return fail(std::move(present.error()));
  return cubin;
}

}  // namespace cudahot::build
