#include "lib/build/compile.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "kernels/helper_library_source.hpp"
#include "lib/build/cpu_code.hpp"
#include "lib/build/diagnostics.hpp"
#include "lib/build/lambda_annotations.hpp"
#include "lib/build/options.hpp"
#include "lib/build/quick_split.hpp"
#include "lib/build/recorded_headers.hpp"
#include "lib/build/std_shims.hpp"
#include "lib/build/symbols.hpp"
#include "lib/build/toolkit_shims.hpp"
#include "lib/region/time_macros.hpp"

namespace cudahot::build {
namespace {

using Form = CompiledProgram::Form;

constexpr std::string_view kUnresolved = "Unresolved extern ";

// One call of compile(): what all its NVRTC runs share.
class Compilation {
 public:
  Compilation(const region::Slice& slice, const region::SmArch& arch, const cuda::Toolkit& toolkit,
              const cuda::Nvrtc& nvrtc, HelperMemo& memo)
      : slice_(slice), arch_(arch), toolkit_(toolkit), nvrtc_(nvrtc), memo_(memo) {}

  Result<CompiledProgram> full() {
    if (slice_.uses_helper_library) return whole(Form::ltoir);
    if (region::device_runtime(slice_) != nullptr) return whole(Form::relocatable_cubin);
    return whole_or_linked(Form::ltoir);
  }

  Result<CompiledProgram> quick() {
    if (const auto texts = split_for_quick_tier(slice_)) {
      if (auto program = split(*texts)) return program;
      // What fails in two halves may do so because it was halved; the whole text decides, and its messages are those
      // that make sense to the user.
    }
    const bool linked = slice_.uses_helper_library || region::device_runtime(slice_) != nullptr;
    if (linked) return whole(Form::relocatable_cubin);
    return whole_or_linked(Form::relocatable_cubin);
  }

 private:
  // Straight to a CUBIN, unless that lacks a function: an edit may have begun to use the helper library.
  Result<CompiledProgram> whole_or_linked(Form linked_form) {
    auto program = whole(Form::cubin);
    if (program || program.error().code != ErrorCode::source) return program;
    for (const Diagnostic& diagnostic : program.error().diagnostics) {
      if (diagnostic.text.starts_with(kUnresolved)) return whole(linked_form);
    }
    return program;
  }

  Result<CompiledProgram> whole(Form form) {
    auto compiled = run(slice_.text, form, true);
    if (!compiled) return fail(std::move(compiled.error()));
    return finish(form, std::move(*compiled), {});
  }

  Result<CompiledProgram> split(const QuickTexts& texts) {
    auto kernels = run(texts.kernels, Form::relocatable_cubin, true);
    if (!kernels) return fail(std::move(kernels.error()));
    auto helpers = compile_helpers(texts.helpers);
    if (!helpers) return fail(std::move(helpers.error()));
    if (auto separate = check_halves(kernels->blob, *helpers); !separate) return fail(std::move(separate.error()));
    return finish(Form::relocatable_cubin, std::move(*kernels), std::move(*helpers));
  }

  // What both halves would hold: text that has to be compiled as one.
  static Status check_halves(std::string_view kernels, std::string_view helpers) {
    auto kernels_info = cuda::read_cubin(kernels);
    if (!kernels_info) return fail(std::move(kernels_info.error()));
    auto helpers_info = cuda::read_cubin(helpers);
    if (!helpers_info) return fail(std::move(helpers_info.error()));
    if (!split_variables(*kernels_info, *helpers_info).empty()) {
      return fail(ErrorCode::link, "a variable with internal linkage is used by the kernels and by the helpers");
    }
    for (const SymbolProblem& problem :
         check_symbols({{"the kernels", std::move(*kernels_info)}, {"the helpers", std::move(*helpers_info)}})) {
      if (problem.kind == SymbolProblem::Kind::duplicate) return fail(ErrorCode::link, problem.symbol);
    }
    return {};
  }

  Result<std::string> compile_helpers(const std::string& text) {
    base::Digester digester;
    digester.add(text);
    for (const auto& option : compile_options(slice_, arch_, Form::relocatable_cubin, toolkit_)) {
      digester.add(std::string_view(option.c_str(), option.size() + 1));
    }
    for (const auto& file : slice_.files) {
      if (file.role == region::FileRecord::Role::device_header) digester.add(base::to_hex(file.content));
    }
    const base::Digest source = digester.finish();
    if (const auto known = memo_.find(source)) return *known;
    auto compiled = run(text, Form::relocatable_cubin, false);
    if (!compiled) return fail(std::move(compiled.error()));
    // What other headers gave belongs to this compile alone.
    if (has_recorded_files(slice_, toolkit_)) memo_.insert(source, compiled->blob);
    return std::move(compiled->blob);
  }

  Result<cuda::NvrtcResult> run(const std::string& text, Form form, bool with_kernels) {
    cuda::NvrtcRequest request;
    request.source = region::with_time_stand_ins(without_lambda_annotations(text));
    request.name = slice_.files.empty() ? "kernel.cu" : region::main_file(slice_).virtual_name;
    request.options = compile_options(slice_, arch_, form, toolkit_);
    request.headers = std_shims();
    if (slice_.uses_device_headers) std::ranges::move(toolkit_shims(toolkit_), std::back_inserter(request.headers));
    for (const kernels::SourceFile& header : kernels::headers()) request.headers.emplace_back(header.name, header.text);
    request.output = form == Form::ltoir ? cuda::NvrtcOutput::ltoir : cuda::NvrtcOutput::cubin;
    for (const auto& kernel : slice_.kernels) {
      if (with_kernels && !kernel.name_expression.empty()) request.name_expressions.push_back(kernel.name_expression);
    }
    auto compiled = nvrtc_.compile(request);
    if (!compiled && compiled.error().code == ErrorCode::source) {
      return fail(source_error(region::with_time_names(compiled.error().message), slice_));
    }
    return compiled;
  }

  Result<CompiledProgram> finish(Form form, cuda::NvrtcResult compiled, std::string helpers) {
    CompiledProgram program;
    program.form = form;
    program.blob = std::move(compiled.blob);
    program.helpers_blob = std::move(helpers);
    program.warnings = parse_compiler_log(region::with_time_names(std::move(compiled.log)), slice_);
    for (const auto& kernel : slice_.kernels) {
      std::string symbol = kernel.name;
      for (const auto& [expression, lowered] : compiled.lowered_names) {
        if (expression == kernel.name_expression) symbol = lowered;
      }
      program.lowered_names.emplace_back(kernel.name, std::move(symbol));
    }
    return program;
  }

  const region::Slice& slice_;
  const region::SmArch& arch_;
  const cuda::Toolkit& toolkit_;
  const cuda::Nvrtc& nvrtc_;
  HelperMemo& memo_;
};

}  // namespace

Result<CompiledProgram> compile(const region::Slice& slice, const region::SmArch& arch, region::Tier tier,
                                Toolchain& toolchain) {
  if (region::is_cpu(arch)) return compile_for_cpu_device(slice, toolchain);
  const auto toolkit = toolchain.toolkit();
  if (!toolkit) return fail(toolkit.error());
  const auto nvrtc = toolchain.nvrtc();
  if (!nvrtc) return fail(nvrtc.error());
  Compilation compilation(slice, arch, **toolkit, **nvrtc, toolchain.helper_memo());
  return tier == region::Tier::quick ? compilation.quick() : compilation.full();
}

}  // namespace cudahot::build
