#include "tools/cudahot-extract/requests.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lib/base/files.hpp"
#include "lib/base/paths.hpp"
#include "lib/extract/flag_words.hpp"
#include "lib/region/manifest.hpp"
#include "tools/cudahot-extract/architectures.hpp"

namespace cudahot::extract_tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNoRegion = "source_without_regions";

std::vector<std::string> flags_of_variable(const char* name) {
  const auto text = base::environment(name);
  return text ? extract::split_environment_flags(*text) : std::vector<std::string>();
}

extract::NvccVariables nvcc_variables() {
  return {flags_of_variable("NVCC_PREPEND_FLAGS"), flags_of_variable("NVCC_APPEND_FLAGS")};
}

Diagnostic stray_word(const std::string& word) {
  Diagnostic diagnostic;
  diagnostic.severity = Severity::warning;
  diagnostic.text = fmt::format("'{}' stands among the compiler flags and is none: it is ignored", word);
  diagnostic.hint = word.find(".cu") != std::string::npos
                        ? "name source files before --"
                        : "attach the value of a flag to it, as in -flag=value; name source files before --";
  return diagnostic;
}

// What a later run needs to make the same slice, behind the name of the file.
std::vector<std::string> arguments_for_again(const Options& options, const extract::ExtractRequest& request) {
  std::string list;
  for (const auto& arch : request.architectures)
    list += fmt::format("{}{}", list.empty() ? "" : ",", region::to_string(arch));
  std::vector<std::string> arguments = {"--arch", list, "--no-nvcc-variables"};
  std::error_code error;
  if (options.toolkit) arguments.insert(arguments.end(), {"--toolkit", fs::absolute(*options.toolkit, error).string()});
  if (!request.flags.empty()) arguments.emplace_back("--");
  arguments.insert(arguments.end(), request.flags.begin(), request.flags.end());
  return arguments;
}

// There is one architecture to a CUBIN here, in its key, in the choice at run time and in an edit's compile.
Error crossed(const extract::WantedArchitectures::Crossed& pair) {
  const std::string text = region::to_string(pair.text).substr(std::string_view("sm_").size());
  const std::string code = region::to_string(pair.code).substr(std::string_view("sm_").size());
  return {ErrorCode::usage,
          fmt::format("arch=compute_{0},code=sm_{1}: code for sm_{1} of the text as compute_{0} sees it (__CUDA_ARCH__ "
                      "{2}0) cannot be made here; write arch=compute_{1},code=sm_{1}, or --arch {1} for cudahot alone",
                      text, code, pair.text.number),
          {},
          {}};
}

}  // namespace

Result<std::vector<region::SmArch>> architectures_of(const Options& options, const extract::WantedArchitectures& wanted,
                                                     build::Toolchain& toolchain) {
  if (!wanted.crossed.empty()) return fail(crossed(wanted.crossed.front()));
  const bool none = wanted.named.empty() && wanted.open.empty();
  if (!options.compiles()) {
    // Nobody compiles for those of a list of regions, and a program that waits for a slice names all: no NVRTC is
    // loaded.
    if (!options.slice_folder) return wanted.named.empty() ? default_architectures(nullptr) : wanted.named;
    if (!none && wanted.open.empty()) return wanted.named;
  }
  if (std::ranges::any_of(wanted.named, region::is_cpu)) {
    if (const auto clang = toolchain.identity(region::kCpuX86_64); !clang) return fail(clang.error());
  }
  if (!none && wanted.open.empty() && std::ranges::all_of(wanted.named, region::is_cpu)) return wanted.named;
  const auto nvrtc = toolchain.nvrtc();
  if (!nvrtc) return fail(nvrtc.error());
  if (none) return default_architectures(*nvrtc);
  auto architectures = resolve_architectures(wanted, **nvrtc);
  if (!architectures) return architectures;
  if (auto known = check_architectures(*architectures, **nvrtc); !known) return fail(std::move(known.error()));
  return architectures;
}

Result<FileRequest> make_request(const RequestContext& context, const fs::path& file) {
  const Options& options = context.options;
  FileRequest request;
  extract::ExtractRequest& extraction = request.extraction;
  std::error_code error;
  extraction.working_directory = fs::current_path(error);
  extraction.file = file;
  std::vector<std::string> flags;
  if (context.database != nullptr) {
    auto known = context.database->flags_of(file);
    if (!known) return fail(std::move(known.error()));
    extraction.file = fs::absolute(file, error);
    extraction.working_directory = std::move(known->working_directory);
    flags = std::move(known->flags);
    request.database_entries = known->entries;
    request.read.push_back(context.database->path());
  }
  const std::size_t of_database = flags.size();
  flags.insert(flags.end(), options.flags.begin(), options.flags.end());
  auto plan = extract::plan_flags(flags, extraction.working_directory,
                                  options.nvcc_variables ? nvcc_variables() : extract::NvccVariables());
  if (!plan) return fail(std::move(plan.error()));
  for (const std::string& word : plan->stray) {
    if (std::ranges::find(options.flags, word) == options.flags.end() && of_database != 0) {
      request.ignored_words.push_back(word);
    } else {
      request.remarks.push_back(stray_word(word));
    }
  }
  request.read.insert(request.read.end(), plan->files.begin(), plan->files.end());
  extraction.flags = std::move(plan->words);
  auto architectures = architectures_of(options, options.architectures ? *options.architectures : plan->architectures,
                                        context.toolchain);
  if (!architectures) return fail(std::move(architectures.error()));
  extraction.architectures = std::move(*architectures);
  extraction.cuda_root = context.toolkit.root;
  extraction.cuda_include = context.toolkit.include;
  extraction.cuda_major = context.toolkit.version_major;
  extraction.cuda_minor = context.toolkit.version_minor;
  extraction.device_runtime = context.toolkit.device_runtime;
  extraction.resource_dir = context.resource_dir;
  extraction.extract_arguments = arguments_for_again(options, extraction);
  return request;
}

Result<ReadSlice> read_slice(const fs::path& file) {
  const auto text = base::read_file(file);
  if (!text) return fail(text.error());
  const auto document = nlohmann::json::parse(*text, nullptr, false);
  if (document.is_object() && document.contains(kNoRegion) && document[kNoRegion].is_string()) {
    return ReadSlice{document[kNoRegion].get<std::string>(), std::nullopt};
  }
  auto slice = region::from_manifest(*text);
  if (!slice) {
    return fail(slice.error().code, fmt::format("'{}' is not a slice: {}; make it again with --emit-slice",
                                                file.string(), slice.error().message));
  }
  fs::path source = region::main_file(*slice).path;
  return ReadSlice{std::move(source), std::move(*slice)};
}

std::string no_slice_document(const fs::path& source) {
  std::error_code error;
  const nlohmann::json document = {{kNoRegion, fs::absolute(source, error).lexically_normal().string()}};
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace cudahot::extract_tool
