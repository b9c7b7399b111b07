#include "lib/runtime/engine.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "lib/runtime/checks.hpp"

namespace cudahot::runtime {
namespace {

// What was built, and what edits have added.
bool has_kernel(HotSource& source, std::string_view name) {
  if (region::find_kernel(source.shipped.head.kernels, name) != nullptr) return true;
  const std::lock_guard lock(source.state_mutex);
  return region::find_kernel(source.running_kernels(), name) != nullptr;
}

// What kernel() is asked for: "KERNEL", or "FILE:KERNEL" with the end of the file's path.
struct Wanted {
  std::string_view file;
  std::string_view kernel;
};

Wanted parse_wanted(std::string_view name) {
  for (std::size_t at = name.rfind(':'); at != std::string_view::npos && at > 0; at = name.rfind(':', at - 1)) {
    if (name[at - 1] != ':') return {name.substr(0, at), name.substr(at + 1)};
    if (--at == 0) break;  // the second colon of "::"
  }
  return {{}, name};
}

bool is_file(std::string_view path, std::string_view wanted) {
  if (!path.ends_with(wanted)) return false;
  return wanted.empty() || path.size() == wanted.size() || path[path.size() - wanted.size() - 1] == '/';
}

tl::unexpected<Error> ambiguous(std::string_view kernel, const std::string& one, const std::string& other) {
  std::string file = std::filesystem::path(one).filename().string();
  if (is_file(other, file)) file = one;
  return fail(ErrorCode::usage,
              fmt::format("kernel '{0}' is in '{1}' and in '{2}': ask for one of them, as in \"{3}:{0}\"", kernel, one,
                          other, file));
}

bool exists(const std::string& file) {
  std::error_code error;
  return std::filesystem::exists(file, error);
}

}  // namespace

Engine::Engine(EngineSettings settings, Suppliers suppliers, std::shared_ptr<Reporter> reporter)
    : settings_(std::move(settings)), suppliers_(std::move(suppliers)), reporter_(std::move(reporter)) {}

Engine::~Engine() {
  thread_.reset();
  for (const auto& source : sources_) {
    const std::lock_guard lock(source->state_mutex);
    for (const auto& [name, slot] : source->running.slots) slot->publish(nullptr);
    if (source->running.generation) swapper_->retire(std::move(source->running.generation));
  }
}

Status Engine::open() {
  if (swapper_) return {};
  if (sources_.empty()) {
    for (auto& shipped : suppliers_.slices()) sources_.push_back(std::make_unique<HotSource>(std::move(shipped)));
  }
  auto driver = suppliers_.driver();
  if (!driver) return fail(std::move(driver.error()));
  auto context = Context::open(std::move(*driver), settings_.context);
  if (!context) return fail(std::move(context.error()));
  swapper_ = std::make_unique<Swapper>(*context, settings_.retirement);
  reloader_ = std::make_unique<Reloader>(suppliers_, *swapper_, *reporter_, settings_.tier);
  return {};
}

Result<HotSource*> Engine::find(std::string_view kernel, std::string_view file) {
  const std::lock_guard lock(mutex_);
  if (auto opened = open(); !opened) return fail(std::move(opened.error()));
  HotSource* found = nullptr;
  std::vector<std::string> known;
  for (const auto& source : sources_) {
    for (const region::Kernel& other : source->shipped.head.kernels) {
      if (std::find(known.begin(), known.end(), other.name) == known.end()) known.push_back(other.name);
    }
    if (!is_file(source->path(), file) || !has_kernel(*source, kernel)) continue;
    if (found == nullptr) {
      found = source.get();
    } else if (found->shipped.bundle == source->shipped.bundle) {  // else the earlier bundle wins
      return ambiguous(kernel, found->path(), source->path());
    }
  }
  if (found != nullptr) return found;
  const std::string place = file.empty() ? "there" : fmt::format("in a file '{}'", file);
  if (known.empty()) {
    return fail(ErrorCode::not_found, fmt::format("kernel '{}' is not {}: no hot kernel in {}. Make a bundle with "
                                                  "`cudahot-extract --bundle FILE SOURCE.cu` and name it in "
                                                  "RuntimeOptions::bundles or CUDAHOT_BUNDLE",
                                                  kernel, place, suppliers_.bundles));
  }
  return fail(ErrorCode::not_found, fmt::format("kernel '{}' is not {}; {} has: {}", kernel, place, suppliers_.bundles,
                                                fmt::join(known, ", ")));
}

Result<std::shared_ptr<detail::Slot>> Engine::bind(std::string_view name, std::vector<detail::ParameterLayout> layout) {
  const auto [file, kernel] = parse_wanted(name);
  auto source = find(kernel, file);
  if (!source) return fail(std::move(source.error()));
  if (settings_.mode != Mode::manual) {
    // Does not wait for an edit that is being compiled.
    const std::lock_guard lock((*source)->state_mutex);
    if ((*source)->running.generation) return bind_in(**source, kernel, std::move(layout));
  }
  const std::lock_guard lock((*source)->reload_mutex);
  if (auto started = start(**source); !started) return fail(std::move(started.error()));
  Result<std::shared_ptr<detail::Slot>> slot;
  {
    const std::lock_guard state_lock((*source)->state_mutex);
    slot = bind_in(**source, kernel, std::move(layout));
  }
  // What is wrong with an edit is an event; the kernel runs as it was built.
  if (slot && settings_.mode == Mode::manual) static_cast<void>(reload_now(**source));
  return slot;
}

Status Engine::start(HotSource& source) {
  if (source.running.generation) return {};
  const region::SmArch device = swapper_->context()->device().arch;
  const region::SmArch* const best = region::best_for(device, source.shipped.head.architectures);
  source.arch = best != nullptr ? *best : device;
  if (auto started = reloader_->start(source); !started) return started;
  if (settings_.mode != Mode::automatic) return {};
  if (!exists(source.path())) {
    reporter_->log(LogLevel::info, fmt::format("cudahot: '{}' is not on this machine: its kernels run as they were "
                                               "built, and edits are not looked for",
                                               source.path()));
    return {};
  }
  if (!follow(source)) return {};
  const std::lock_guard lock(mutex_);
  if (!thread_) {
    WatcherOptions options;
    options.poll = settings_.poll;
    options.log = [reporter = reporter_](LogLevel level, std::string_view text) { reporter->log(level, text); };
    thread_ = std::make_unique<ReloadThread>(*reloader_, *reporter_, swapper_->context(), std::move(options));
  }
  thread_->follow(source);
  return {};
}

Status Engine::follow(HotSource& source) {
  Status followed = reloader_->follow(source);
  if (followed) return followed;
  const std::string& reason = followed.error().message;
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = told_.insert(reason).second;
    if (!told_.insert(source.path() + ": " + reason).second) return followed;
  }
  reporter_->log(first ? LogLevel::warning : LogLevel::info,
                 fmt::format("cudahot: edits of '{}' are not taken up, its kernels run as they were built: {}",
                             source.path(), reason));
  return followed;
}

Result<std::shared_ptr<detail::Slot>> Engine::bind_in(HotSource& source, std::string_view kernel,
                                                      std::vector<detail::ParameterLayout> layout) {
  const KernelCode* const code = source.running.generation->find(kernel);
  const region::Kernel* const described = region::find_kernel(source.running_kernels(), kernel);
  if (code == nullptr || described == nullptr) {
    return fail(ErrorCode::not_found,
                fmt::format("kernel '{}' was edited away: '{}' no longer has it", kernel, source.path()));
  }
  Status fits = check_parameters(*described, code->facts, layout);
  const region::Kernel* const built = region::find_kernel(source.shipped.head.kernels, kernel);
  if (fits && built != nullptr) fits = check_parameter_types(*described, *built);
  if (!fits) return fail(std::move(fits.error()));
  std::shared_ptr<detail::Slot>& slot = source.running.slots[std::string(kernel)];
  if (!slot) {
    slot = std::make_shared<detail::Slot>(std::string(kernel), std::move(layout), swapper_->context());
    slot->publish(code);
  }
  return slot;
}

Status Engine::reload_now(HotSource& source) {
  if (source.edit.recent.empty()) {
    if (!exists(source.path())) return {};
    if (auto followed = follow(source); !followed) return followed;
  }
  const auto seen = Clock::now();
  const std::vector<FileChange> lost = source.edit.view.refresh();
  Status unread;
  for (const FileChange& change : lost) unread = reloader_->lose(source, change);
  if (!exists(source.path())) return unread;
  const bool back = settings_.mode == Mode::manual &&  // else the reloading thread knows
                    std::erase_if(source.edit.lost, [&](const std::string& file) {
                      return std::ranges::find(lost, file, &FileChange::file) == lost.end();
                    }) != 0;
  const ReloadRequest request{seen, Clock::now(), [] { return false; },
                              [&] {
                                const std::lock_guard lock(mutex_);
                                if (thread_) thread_->watch_files(source);
                              }};
  ReloadResult result = reloader_->take_up(source, request);
  if (back && result.outcome == ReloadOutcome::nothing) reloader_->find_again(source);
  return result.status ? unread : result.status;
}

Status Engine::reload() {
  std::vector<HotSource*> sources;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& source : sources_) sources.push_back(source.get());
  }
  if (settings_.mode == Mode::off) return {};
  Status last;
  for (HotSource* source : sources) {
    const std::lock_guard lock(source->reload_mutex);
    if (!source->running.generation) continue;
    if (auto done = reload_now(*source); !done) last = std::move(done);
  }
  if (settings_.mode == Mode::manual) report_death(sources);
  return last;
}

// In automatic mode the reloading thread does.
void Engine::report_death(const std::vector<HotSource*>& sources) {
  const std::lock_guard lock(mutex_);
  if (death_reported_ || !swapper_ || !swapper_->context()->dead()) return;
  death_reported_ = true;
  reporter_->event(death_event(*swapper_->context(), sources));
}

}  // namespace cudahot::runtime
