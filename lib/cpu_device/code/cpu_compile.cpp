#include "lib/cpu_device/code/cpu_compile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>

#include "kernels/helper_library_source.hpp"
#include "lib/base/files.hpp"
#include "lib/base/processes.hpp"
#include "lib/cpu_device/code/clang_log.hpp"
#include "lib/cpu_device/code/host_functions.hpp"
#include "lib/cpu_device/code/host_source.hpp"
#include "lib/cpu_device/code/object_file.hpp"
#include "lib/cpu_device/code/prelude.hpp"
#include "lib/cpu_device/code/tool.hpp"
#include "lib/cpu_device/code/unsupported.hpp"
#include "lib/region/time_macros.hpp"

namespace cudahot::cpu_device {
namespace {

namespace fs = std::filesystem;

// Names below the temporary folder; commands run in it, so that no path of it reaches the object.
constexpr const char* kHeaders = "headers";
constexpr const char* kPrelude = "prelude";
constexpr const char* kUserMacros = "macros.h";
constexpr const char* kSlice = "slice";
constexpr const char* kHelpers = "helpers";
constexpr const char* kObject = "module.so";

std::string source_name(const std::string& name) { return name + ".cpp"; }
std::string object_name(const std::string& name) { return name + ".o"; }

Status write(const fs::path& path, std::string_view text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file.fail()) {
    return fail(ErrorCode::environment, fmt::format("cannot write {}: is the disk full?", path.string()));
  }
  return {};
}

// Of the user's options those that change the meaning of the text; the others choose how a GPU's code is made.
struct UserOptions {
  std::vector<std::string> arguments;
  std::string macros;  // as directives, to be read behind the prelude, which has names of its own
};

UserOptions user_options(const region::Slice& slice) {
  UserOptions options;
  for (std::size_t i = 0; i < slice.options.size(); ++i) {
    const std::string_view option = slice.options[i];
    if (option == "-use_fast_math" || option == "--use_fast_math") {
      options.arguments.emplace_back("-D__USE_FAST_MATH__=1");
    }
    if (!option.starts_with("-D") && !option.starts_with("-U") && !option.starts_with("-I")) continue;
    const bool apart = option.size() == 2 && i + 1 < slice.options.size();
    const std::string value =
        region::with_time_stand_ins(std::string(apart ? std::string_view(slice.options[++i]) : option.substr(2)));
    // What the prelude asks for: NDEBUG, and names that are reserved.
    if (option[1] == 'I' || value.starts_with("NDEBUG") || value.starts_with('_')) {
      options.arguments.push_back(fmt::format("-{}{}", option[1], value));
      continue;
    }
    const std::size_t equals = std::min(value.find('='), value.size());
    const std::string name = value.substr(0, equals);
    options.macros += fmt::format("#undef {}\n", name.substr(0, name.find('(')));
    if (option[1] == 'U') continue;
    options.macros += fmt::format("#define {} {}\n", name, equals == value.size() ? "1" : value.substr(equals + 1));
  }
  return options;
}

Status write_sources(const fs::path& folder, const region::Slice& slice, const std::vector<region::TextRange>& unused,
                     const CpuCompileOptions& options) {
  for (const auto& file : prelude_files()) {
    if (auto status = write(folder / kPrelude / file.name, file.text); !status) return status;
  }
  for (const auto& [name, text] : options.headers) {
    if (auto status = write(folder / kHeaders / name, text); !status) return status;
  }
  for (const auto& header : kernels::headers()) {
    if (auto status = write(folder / kHeaders / header.name, header.text); !status) return status;
  }
  if (auto status = write(folder / kUserMacros, user_options(slice).macros); !status) return status;
  const std::string helpers = source_name(kHelpers);
  if (auto status = write(folder / helpers, kernels::helper_library_source().text); !status) return status;
  return write(folder / source_name(kSlice), host_source(slice, unused));
}

// NVRTC compiles C++17 unless told otherwise, and the prelude needs it.
std::string language_level(const region::Slice& slice) {
  std::string level = "17";
  for (const auto& option : slice.options) {
    const std::size_t mark = option.find("std=c++");
    if (mark == std::string::npos) continue;
    const std::string asked = option.substr(mark + 7);
    if (asked == "20" || asked == "23") level = asked;
  }
  return "-std=gnu++" + level;
}

std::vector<std::string> compile_arguments(const region::Slice& slice, const CpuCompiler& compiler,
                                           const CpuCompileOptions& options, const std::string& name) {
  std::vector<std::string> arguments{
      compiler.clang.string(), "--no-default-config", "--target=x86_64-linux-gnu", "-x", "c++", "-c", source_name(name),
      "-o", object_name(name), language_level(slice),
      // Baseline x86-64 without fused multiply-add: the same results on every machine.
      "-O2", "-ffp-contract=off", "-fno-math-errno", "-fno-strict-float-cast-overflow", "-fPIC", "-fvisibility=hidden",
      "-fvisibility-global-new-delete=force-hidden", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics",
      "-fno-asynchronous-unwind-tables", "-fno-ident", "-fno-stack-protector", "-fstack-clash-protection",
      "-ffunction-sections", "-fdata-sections", "-fdeclspec", "-fno-strict-aliasing", "-fwrapv", "-nostdinc++",
      "-nostdlibinc", "-fno-color-diagnostics", "-fno-diagnostics-show-option", "-ferror-limit=20",
      "-Wno-unknown-pragmas", "-Wno-pragma-once-outside-header", "-Wno-pass-failed", "-D__CUDAHOT__=1"};
  std::ranges::copy(user_options(slice).arguments, std::back_inserter(arguments));
  // Messages of running code name files as people do, where the slice has numbered them.
  for (std::size_t i = 0; i < slice.files.size(); ++i) {
    const std::string& file = slice.files[i].virtual_name;
    const std::string number = fmt::format("{}/", i);
    if (file.starts_with(number)) {
      arguments.push_back(fmt::format("-fmacro-prefix-map={}={}", file, file.substr(number.size())));
    }
  }
  for (const auto* folder : {kHeaders, kPrelude}) {
    arguments.emplace_back("-isystem");
    arguments.emplace_back(folder);
  }
  for (const auto& folder : options.include_folders) {
    arguments.emplace_back("-isystem");
    arguments.push_back(folder.string());
  }
  arguments.emplace_back("-include");
  arguments.emplace_back(kPreludeHeader);
  if (name == kSlice) {
    arguments.emplace_back("-include");
    arguments.emplace_back(kUserMacros);
  }
  return arguments;
}

std::vector<std::string> link_arguments(const CpuCompiler& compiler, const std::vector<std::string>& objects) {
  std::vector<std::string> arguments{compiler.linker.string(),
                                     "-m",
                                     "elf_x86_64",
                                     "-shared",
                                     "--no-undefined",
                                     "--build-id=none",
                                     "--gc-sections",
                                     "--strip-all",
                                     "--hash-style=gnu",
                                     "-soname",
                                     "cudahot-cpu-module",
                                     "-o",
                                     kObject};
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  for (const auto& library : compiler.libraries) arguments.push_back(library.string());
  return arguments;
}

Result<base::ProcessOutcome> run(const fs::path& folder, std::vector<std::string> arguments,
                                 const CpuCompileOptions& options) {
  base::ProcessRequest request;
  request.arguments = std::move(arguments);
  request.working_directory = folder;
  return run_tool(std::move(request), options.cancelled);
}

std::size_t count_errors(const std::vector<Diagnostic>& diagnostics) {
  return static_cast<std::size_t>(
      std::ranges::count(diagnostics, Severity::error, [](const Diagnostic& d) { return d.severity; }));
}

// The error that carries `diagnostics`, placed at the first one of severity error.
Error error_with(ErrorCode code, std::vector<Diagnostic> diagnostics) {
  const auto first = std::ranges::find(diagnostics, Severity::error, &Diagnostic::severity);
  Error error;
  error.code = code;
  error.message = first->text;
  if (const std::size_t count = count_errors(diagnostics); count > 1) {
    error.message += fmt::format(" (and {} more)", count - 1);
  }
  error.location = first->location;
  error.diagnostics = std::move(diagnostics);
  return error;
}

Status compile(const fs::path& folder, const region::Slice& slice, const CpuCompiler& compiler,
               const CpuCompileOptions& options, const std::string& name, std::vector<Diagnostic>& warnings) {
  const auto outcome = run(folder, compile_arguments(slice, compiler, options, name), options);
  if (!outcome) return tl::unexpected<Error>(outcome.error());
  auto diagnostics = parse_clang_log(region::with_time_names(outcome->err), slice);
  if (outcome->exit_code == 0) {
    warnings.insert(warnings.end(), diagnostics.begin(), diagnostics.end());
    return {};
  }
  if (count_errors(diagnostics) == 0) {
    return tool_failed(compiler.clang.string(), *outcome);
  }
  return fail(error_with(ErrorCode::source, std::move(diagnostics)));
}

Status link(const fs::path& folder, const region::Slice& slice, const CpuCompiler& compiler,
            const CpuCompileOptions& options, const std::vector<std::string>& objects) {
  const auto outcome = run(folder, link_arguments(compiler, objects), options);
  if (!outcome) return tl::unexpected<Error>(outcome.error());
  if (outcome->exit_code == 0) return {};
  auto diagnostics = parse_link_log(outcome->err, slice);
  if (diagnostics.empty()) {
    return tool_failed(compiler.linker.string(), *outcome);
  }
  return fail(error_with(ErrorCode::link, std::move(diagnostics)));
}

base::KernelFacts facts_of(const region::Kernel& kernel, const KernelNeeds& needs) {
  base::KernelFacts facts;
  facts.lowered_name = lowered_name(kernel);
  facts.max_threads = needs.max_threads;
  facts.static_shared_bytes = needs.static_shared_bytes;
  for (const auto& parameter : kernel.parameters) {
    facts.parameters.push_back({parameter.offset, parameter.size});
    facts.constant_bytes = std::max(facts.constant_bytes, parameter.offset + parameter.size);
  }
  return facts;
}

// Fills in what the object of the slice had to be compiled for, and gives it.
Result<ObjectNeeds> complete_object(const fs::path& path, std::size_t kernel_count) {
  auto object = base::read_file(path);
  if (!object) return tl::unexpected<Error>(object.error());
  auto needs = complete_kernel_table(*object, kernel_count);
  if (!needs) return needs;
  if (auto written = write(path, *object); !written) return tl::unexpected<Error>(written.error());
  return needs;
}

bool misses_helper(const Error& error) {
  return std::ranges::any_of(error.diagnostics,
                             [](const Diagnostic& d) { return d.text.starts_with("cudahot::device::"); });
}

}  // namespace

Result<CpuObject> compile_for_cpu(const region::Slice& slice, const CpuCompiler& compiler,
                                  const CpuCompileOptions& options) {
  Unsupported unsupported = find_unsupported(slice);
  if (!unsupported.refusals.empty()) return fail(error_with(ErrorCode::source, std::move(unsupported.refusals)));
  const auto folder = base::TemporaryFolder::create("cudahot-cpu");
  if (!folder) return tl::unexpected<Error>(folder.error());
  const fs::path& place = folder->path();
  if (auto status = write_sources(place, slice, unsupported.unused, options); !status)
    return tl::unexpected<Error>(status.error());

  CpuObject object;
  const auto compile_one = [&](const char* name) {
    return compile(place, slice, compiler, options, name, object.warnings);
  };
  const auto link_with_helpers = [&]() -> Status {
    if (auto status = compile_one(kHelpers); !status) return status;
    return link(place, slice, compiler, options, {object_name(kSlice), object_name(kHelpers)});
  };
  if (auto status = compile_one(kSlice); !status) return tl::unexpected<Error>(status.error());
  const auto needs = complete_object(place / object_name(kSlice), slice.kernels.size());
  if (!needs) return tl::unexpected<Error>(needs.error());
  auto linked =
      slice.uses_helper_library ? link_with_helpers() : link(place, slice, compiler, options, {object_name(kSlice)});
  // An edit may have begun to use the helper library.
  if (!linked && !slice.uses_helper_library && misses_helper(linked.error())) linked = link_with_helpers();
  if (!linked) return tl::unexpected<Error>(linked.error());
  if (auto refusals = refuse_host_functions(needs->undefined, slice); !refusals.empty()) {
    return fail(error_with(ErrorCode::link, std::move(refusals)));
  }

  auto blob = base::read_file(place / kObject);
  if (!blob) return tl::unexpected<Error>(blob.error());
  object.blob = std::move(*blob);
  for (std::size_t i = 0; i < slice.kernels.size(); ++i) {
    object.lowered_names.emplace_back(slice.kernels[i].name, lowered_name(slice.kernels[i]));
    object.kernels.push_back(facts_of(slice.kernels[i], needs->kernels[i]));
  }
  return object;
}

}  // namespace cudahot::cpu_device
