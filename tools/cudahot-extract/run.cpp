#include "tools/cudahot-extract/run.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "tools/cudahot-extract/environment.hpp"
#include "tools/cudahot-extract/outputs.hpp"
#include "tools/cudahot-extract/parallel.hpp"
#include "tools/cudahot-extract/requests.hpp"

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
  Run(const Options& options, LogCallback log, Progress& progress)
      : options_(options), log_(std::move(log)), progress_(progress) {
    outcome_.allows_no_region = options.allow_no_region;
  }

  Outcome take() && { return std::move(outcome_); }

  Status all() {
    toolchain_ = std::make_shared<build::Toolchain>(options_.toolkit);
    if (auto done = prepare(); !done) return done;
    progress_.expect(
        static_cast<std::size_t>(std::ranges::count_if(requests_, &std::optional<FileRequest>::has_value)));
    for_each_index(requests_.size(), options_.jobs, [&](std::size_t i) { extract_one(i); });
    if (options_.compiles()) compile_all();
    const Status done =
        exit_code(outcome_) == 0 ? write_outputs(options_, outcome_, builder_ ? &*builder_ : nullptr) : Status();
    if (builder_) builder_->layers().flush();
    // A failure says itself what is wrong with the cache.
    for (const std::string& warning : cache_warnings_) {
      if (done) log_(LogLevel::warning, warning);
    }
    return done;
  }

 private:
  Status prepare() {
    const auto toolkit = toolchain_->toolkit();
    if (!toolkit) return fail(toolkit.error());
    progress_.say(fmt::format("CUDA toolkit {}.{} in '{}' (from {})", (*toolkit)->version_major,
                              (*toolkit)->version_minor, (*toolkit)->root.string(), (*toolkit)->found_by));
    const auto resource_dir = find_resource_dir(options_.resource_dir);
    if (!resource_dir) return fail(resource_dir.error());
    if (auto writable = check_outputs(options_); !writable) return writable;
    std::optional<CompilationDatabase> database;
    if (options_.compile_commands_folder) {
      auto read = CompilationDatabase::read(*options_.compile_commands_folder);
      if (!read) return fail(std::move(read.error()));
      database = std::move(*read);
    }
    const RequestContext context{options_, database ? &*database : nullptr, **toolkit, *resource_dir, *toolchain_};
    requests_.resize(options_.files.size());
    for (std::size_t i = 0; i < options_.files.size(); ++i) {
      const fs::path& file = options_.files[i];
      outcome_.files.push_back({file, {}, std::nullopt, {}, {}});
      if (is_slice_file(file)) {
        if (auto read = take_slice(file, outcome_.files.back()); !read) {
          outcome_.files.back().error = std::move(read.error());
        }
        continue;
      }
      auto request = make_request(context, file);
      if (!request) return fail(std::move(request.error()));
      outcome_.files.back().architectures = request->extraction.architectures;
      requests_[i] = std::move(*request);
    }
    return {};
  }

  // What was extracted before.
  Status take_slice(const fs::path& file, FileOutcome& outcome) {
    auto read = read_slice(file);
    if (!read) return fail(std::move(read.error()));
    std::error_code error;
    outcome.file = std::move(read->source);
    outcome.report.dependencies = {fs::absolute(file, error).lexically_normal().string()};
    outcome.report.region_count = read->slice ? read->slice->regions.size() : 0;
    outcome.report.slice = std::move(read->slice);
    if (!outcome.report.slice) return {};
    extract::WantedArchitectures wanted;
    if (options_.architectures) wanted = *options_.architectures;
    else wanted.named = outcome.report.slice->architectures;
    auto architectures = architectures_of(options_, wanted, *toolchain_);
    if (!architectures) return fail(std::move(architectures.error()));
    outcome.architectures = std::move(*architectures);
    return {};
  }

  void extract_one(std::size_t i) {
    if (!requests_[i]) return;
    const FileRequest& request = *requests_[i];
    FileOutcome& outcome = outcome_.files[i];
    const ProgressStep step(progress_, fmt::format("reading {}", outcome.file.string()));
    auto report = extract::extract(request.extraction);
    if (!report) {
      outcome.error = std::move(report.error());
      return;
    }
    outcome.report = std::move(*report);
    make_absolute(outcome.report.diagnostics, request.extraction.working_directory);
    for (const std::vector<std::string>* list :
         {&std::as_const(outcome.report.ignored_flags), &request.ignored_words}) {
      for (const auto& flag : *list) {
        progress_.say(fmt::format("{}: flag '{}' has no meaning here", outcome.file.string(), flag));
      }
    }
    if (request.database_entries > 1) {
      progress_.say(fmt::format("{}: the compilation database has {} entries for it; the flags of the first count",
                                outcome.file.string(), request.database_entries));
    }
    const bool refused = has_error(outcome.report.diagnostics) || outcome.report.region_count == 0;
    if (!outcome.report.slice && !refused) {
      outcome.error =
          Error{ErrorCode::internal, "no slice was made, and nothing says why", {outcome.file.string(), 0, 0}, {}};
    }
    auto& diagnostics = outcome.report.diagnostics;
    diagnostics.insert(diagnostics.begin(), request.remarks.begin(), request.remarks.end());
    for (const fs::path& read : request.read) outcome.report.dependencies.push_back(read.string());
  }

  // Also where another file is refused: people want to know of all faults at once.
  void compile_all() {
    cache::LayersOptions layers;
    layers.log = log_;
    if (options_.cache) layers.log = [this](LogLevel, std::string_view text) { cache_warnings_.emplace_back(text); };
    if (options_.bundle && is_old_bundle(*options_.bundle)) layers.bundles.push_back(*options_.bundle);
    layers.user_cache = options_.cache;
    layers.gc.max_bytes = std::nullopt;  // it is asked for by name: what a build puts there stays
    builder_.emplace(std::make_shared<cache::Layers>(std::move(layers)), toolchain_);

    struct Job {
      FileOutcome* file;
      std::size_t cubin;
    };
    std::vector<Job> jobs;
    for (FileOutcome& file : outcome_.files) {
      if (!file.report.slice) continue;
      for (const auto& arch : file.architectures) {
        for (const region::Tier tier : options_.tiers) {
          if (region::is_cpu(arch) && tier == region::Tier::quick) continue;  // one tier
          jobs.push_back({&file, file.cubins.size()});
          file.cubins.push_back({arch, tier, fail(ErrorCode::internal, "not compiled")});
        }
      }
    }
    progress_.expect(jobs.size());
    for_each_index(jobs.size(), options_.jobs, [&](std::size_t i) {
      CubinOutcome& cubin = jobs[i].file->cubins[jobs[i].cubin];
      const ProgressStep step(
          progress_, fmt::format("compiling {} for {}", jobs[i].file->file.string(), region::to_string(cubin.arch)));
      cubin.built = builder_->find_or_build(*jobs[i].file->report.slice, cubin.arch, cubin.tier);
      if (cubin.built) tell_about(*jobs[i].file, cubin);
    });
  }

  void tell_about(const FileOutcome& file, const CubinOutcome& cubin) {
    const build::BuildTimings& timings = cubin.built->timings;
    const std::string what =
        fmt::format("{}: {} {}", file.file.string(), region::to_string(cubin.arch), region::to_string(cubin.tier));
    if (cubin.built->compiled)
      progress_.say(fmt::format("{}: compiled in {:.0f} ms, linked in {:.0f} ms", what, timings.compile, timings.link));
    else progress_.say(fmt::format("{}: unchanged, taken from the {}", what, cache::to_string(cubin.built->origin)));
  }

  const Options& options_;
  LogCallback log_;
  Progress& progress_;
  std::shared_ptr<build::Toolchain> toolchain_;
  std::vector<std::string> cache_warnings_;  // they come one at a time
  std::optional<build::Builder> builder_;
  std::vector<std::optional<FileRequest>> requests_;  // none for a slice
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

Outcome run(const Options& options, const LogCallback& log, Progress& progress) {
  Run run(options, log, progress);
  const Status done = run.all();
  Outcome outcome = std::move(run).take();
  if (!done) outcome.error = done.error();
  return outcome;
}

int exit_code(const Outcome& outcome) {
  int code = outcome.error ? exit_code_of(*outcome.error) : 0;
  bool any_region = outcome.files.empty() || outcome.allows_no_region;
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
