#include "tools/cudahot-extract/run.hpp"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "tools/cudahot-extract/environment.hpp"
#include "tools/cudahot-extract/flags.hpp"
#include "tools/cudahot-extract/outputs.hpp"
#include "tools/cudahot-extract/parallel.hpp"

namespace cudahot::extract_tool {
namespace {

namespace fs = std::filesystem;

bool has_error(const std::vector<Diagnostic>& diagnostics) {
  return std::ranges::any_of(diagnostics,
                             [](const Diagnostic& diagnostic) { return diagnostic.severity == Severity::error; });
}

// Clang names files as the flags and includes do, the device compiler's messages are mapped to absolute paths.
void make_absolute(std::vector<Diagnostic>& diagnostics, const fs::path& folder) {
  for (Diagnostic& diagnostic : diagnostics) {
    std::string& file = diagnostic.location.file;
    if (!file.empty()) file = (folder / file).lexically_normal().string();
  }
}

class Run {
 public:
  Run(const Options& options, LogCallback log, Progress progress)
      : options_(options), log_(std::move(log)), progress_(std::move(progress)) {}

  Outcome take() && { return std::move(outcome_); }

  Status all() {
    toolchain_ = std::make_shared<build::Toolchain>(options_.toolkit);
    if (auto done = prepare(); !done) return done;
    for_each_index(requests_.size(), options_.jobs, [&](std::size_t i) { extract_one(i); });
    if (!extracted()) return options_.depfile && options_.slice_folder ? write_depfile(options_, outcome_) : Status();
    if (options_.compiles()) {
      if (auto done = compile_all(); !done) return done;
    }
    return store();
  }

 private:
  Status prepare() {
    const auto toolkit = toolchain_->toolkit();
    if (!toolkit) return fail(toolkit.error());
    progress_(fmt::format("CUDA toolkit {}.{} in '{}' (from {})", (*toolkit)->version_major, (*toolkit)->version_minor,
                          (*toolkit)->root.string(), (*toolkit)->found_by));
    const auto resource_dir = find_resource_dir(options_.resource_dir);
    if (!resource_dir) return fail(resource_dir.error());
    if (auto writable = check_outputs(options_); !writable) return writable;
    for (const fs::path& file : options_.files) {
      auto request = make_request(file, **toolkit, *resource_dir);
      if (!request) return fail(std::move(request.error()));
      requests_.push_back(std::move(*request));
      outcome_.files.push_back({file, {}, std::nullopt, {}});
    }
    return {};
  }

  Result<extract::ExtractRequest> make_request(const fs::path& file, const cuda::Toolkit& toolkit,
                                               const fs::path& resource_dir) {
    extract::ExtractRequest request;
    std::error_code error;
    request.working_directory = fs::current_path(error);
    request.file = file;
    if (options_.compile_commands_folder) {
      auto known = flags_from_database(*options_.compile_commands_folder, file);
      if (!known) return fail(std::move(known.error()));
      request.file = fs::absolute(file, error);
      request.flags = std::move(known->flags);
      request.working_directory = std::move(known->working_directory);
    }
    request.flags.insert(request.flags.end(), options_.flags.begin(), options_.flags.end());
    auto architectures = architectures_for(request.flags);
    if (!architectures) return fail(std::move(architectures.error()));
    request.architectures = std::move(*architectures);
    request.cuda_root = toolkit.root;
    request.cuda_major = toolkit.version_major;
    request.cuda_minor = toolkit.version_minor;
    request.device_runtime = toolkit.device_runtime;
    request.resource_dir = resource_dir;
    request.extract_arguments = arguments_for_again(request);
    return request;
  }

  // What a later run needs to make the same slice, behind the name of the file.
  std::vector<std::string> arguments_for_again(const extract::ExtractRequest& request) {
    std::string list;
    for (const auto& arch : request.architectures)
      list += fmt::format("{}{}", list.empty() ? "" : ",", region::to_string(arch));
    std::vector<std::string> arguments = {"--arch", list};
    std::error_code error;
    if (options_.toolkit)
      arguments.insert(arguments.end(), {"--toolkit", fs::absolute(*options_.toolkit, error).string()});
    if (!request.flags.empty()) arguments.emplace_back("--");
    arguments.insert(arguments.end(), request.flags.begin(), request.flags.end());
    return arguments;
  }

  Result<std::vector<region::SmArch>> architectures_for(const std::vector<std::string>& flags) {
    std::vector<region::SmArch> architectures =
        options_.architectures ? *options_.architectures : architectures_in(flags);
    // A run that compiles nothing is one that a program waits for: it does not load NVRTC.
    if (!options_.compiles()) return architectures.empty() ? default_architectures(nullptr) : architectures;
    if (std::ranges::any_of(architectures, region::is_cpu)) {
      if (const auto clang = toolchain_->identity(region::kCpuX86_64); !clang) return fail(clang.error());
    }
    if (!architectures.empty() && std::ranges::all_of(architectures, region::is_cpu)) return architectures;
    const auto nvrtc = toolchain_->nvrtc();
    if (!nvrtc) return fail(nvrtc.error());
    if (architectures.empty()) return default_architectures(*nvrtc);
    if (auto known = check_architectures(architectures, **nvrtc); !known) return fail(std::move(known.error()));
    return architectures;
  }

  void extract_one(std::size_t i) {
    FileOutcome& outcome = outcome_.files[i];
    auto report = extract::extract(requests_[i]);
    if (!report) {
      outcome.error = std::move(report.error());
      return;
    }
    outcome.report = std::move(*report);
    make_absolute(outcome.report.diagnostics, requests_[i].working_directory);
    for (const auto& flag : outcome.report.ignored_flags) {
      say(fmt::format("{}: flag '{}' has no meaning here", outcome.file.string(), flag));
    }
    const bool refused = has_error(outcome.report.diagnostics) || outcome.report.region_count == 0;
    if (!outcome.report.slice && !refused) {
      outcome.error =
          Error{ErrorCode::internal, "no slice was made, and nothing says why", {outcome.file.string(), 0, 0}, {}};
    }
  }

  // Whether there is something to go on with: no file is refused, and one at least has a region.
  bool extracted() {
    bool any = false;
    for (const FileOutcome& file : outcome_.files) {
      if (file.error || has_error(file.report.diagnostics)) return false;
      any = any || file.report.slice.has_value();
    }
    return any;
  }

  Status compile_all() {
    cache::LayersOptions layers;
    layers.log = log_;
    if (options_.bundle && is_old_bundle(*options_.bundle)) layers.bundles.push_back(*options_.bundle);
    layers.user_cache = options_.cache;
    builder_.emplace(std::make_shared<cache::Layers>(std::move(layers)), toolchain_);

    struct Job {
      FileOutcome* file;
      std::size_t cubin;
    };
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < outcome_.files.size(); ++i) {
      FileOutcome& file = outcome_.files[i];
      if (!file.report.slice) continue;
      for (const auto& arch : requests_[i].architectures) {
        for (const region::Tier tier : options_.tiers) {
          if (region::is_cpu(arch) && tier == region::Tier::quick) continue;  // one tier
          jobs.push_back({&file, file.cubins.size()});
          file.cubins.push_back({arch, tier, fail(ErrorCode::internal, "not compiled")});
        }
      }
    }
    for_each_index(jobs.size(), options_.jobs, [&](std::size_t i) {
      CubinOutcome& cubin = jobs[i].file->cubins[jobs[i].cubin];
      cubin.built = builder_->find_or_build(*jobs[i].file->report.slice, cubin.arch, cubin.tier);
      if (cubin.built) tell_about(*jobs[i].file, cubin);
    });
    return {};
  }

  void tell_about(const FileOutcome& file, const CubinOutcome& cubin) {
    const build::BuildTimings& timings = cubin.built->timings;
    const std::string what =
        fmt::format("{}: {} {}", file.file.string(), region::to_string(cubin.arch), region::to_string(cubin.tier));
    if (cubin.built->compiled)
      say(fmt::format("{}: compiled in {:.0f} ms, linked in {:.0f} ms", what, timings.compile, timings.link));
    else say(fmt::format("{}: unchanged, taken from the {}", what, cache::to_string(cubin.built->origin)));
  }

  Status store() {
    for (const FileOutcome& file : outcome_.files) {
      if (!std::ranges::all_of(file.cubins, [](const auto& cubin) { return cubin.built.has_value(); })) return {};
    }
    auto written = write_outputs(options_, outcome_, builder_ ? &*builder_ : nullptr);
    return written && options_.depfile ? write_depfile(options_, outcome_) : written;
  }

  void say(const std::string& line) {
    const std::lock_guard lock(mutex_);
    progress_(line);
  }

  const Options& options_;
  LogCallback log_;
  Progress progress_;
  std::mutex mutex_;
  std::shared_ptr<build::Toolchain> toolchain_;
  std::optional<build::Builder> builder_;
  std::vector<extract::ExtractRequest> requests_;
  Outcome outcome_;
};

int exit_code_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::source:
      return 1;
    case ErrorCode::link:
      return error.diagnostics.empty() ? 3 : 1;  // diagnostics name symbols of the user's source
    case ErrorCode::usage:
      return 2;
    default:
      return 3;
  }
}

}  // namespace

Outcome run(const Options& options, const LogCallback& log, const Progress& progress) {
  Run run(options, log, progress);
  const Status done = run.all();
  Outcome outcome = std::move(run).take();
  if (!done) outcome.error = done.error();
  return outcome;
}

int exit_code(const Outcome& outcome) {
  int code = outcome.error ? exit_code_of(*outcome.error) : 0;
  bool any_region = outcome.files.empty();
  for (const FileOutcome& file : outcome.files) {
    if (file.error) code = std::max(code, file.error->code == ErrorCode::not_found ? 2 : exit_code_of(*file.error));
    if (has_error(file.report.diagnostics)) code = std::max(code, 1);
    any_region = any_region || file.report.region_count > 0;
    for (const CubinOutcome& cubin : file.cubins) {
      if (!cubin.built) code = std::max(code, exit_code_of(cubin.built.error()));
    }
  }
  return any_region || outcome.error ? code : std::max(code, 1);
}

}  // namespace cudahot::extract_tool
