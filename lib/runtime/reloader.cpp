#include "lib/runtime/reloader.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lib/region/text_map.hpp"
#include "lib/runtime/checks.hpp"
#include "lib/runtime/reslice.hpp"

namespace cudahot::runtime {
namespace {

double milliseconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

// Adds the time of a scope to a stage.
class StageTimer {
 public:
  explicit StageTimer(double& stage) : stage_(stage) {}
  ~StageTimer() { stage_ += milliseconds_between(start_, Clock::now()); }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  double& stage_;
  const Clock::time_point start_ = Clock::now();
};

// Whether the compiler missed a name. A device view leaves out declarations of host and system
// headers that nothing used when it was made; an edited region may be the first to use one.
bool misses_a_name(const Error& error) {
  return std::any_of(error.diagnostics.begin(), error.diagnostics.end(), [](const Diagnostic& diagnostic) {
    constexpr std::array<std::string_view, 6> kMessages = {" is undefined",
                                                           " has no member ",
                                                           "required runtime APIs are not declared",  // NVRTC
                                                           "use of undeclared identifier ",
                                                           "no member named ",
                                                           "unknown type name "};  // Clang
    return std::any_of(kMessages.begin(), kMessages.end(),
                       [&](std::string_view message) { return diagnostic.text.find(message) != std::string::npos; });
  });
}

// A failure that may pass without an edit: the same text is worth another attempt.
bool is_transient(const Error& error) { return error.code == ErrorCode::environment || error.code == ErrorCode::busy; }

}  // namespace

ReloadEvent death_event(const Context& context, const std::vector<HotSource*>& sources) {
  ReloadEvent event;
  event.kind = ReloadEvent::Kind::failed;
  if (auto cause = context.cause_of_death()) event.error = std::move(*cause);
  for (HotSource* source : sources) {
    const std::lock_guard lock(source->state_mutex);
    if (source->running.generation == nullptr) continue;
    if (!event.kernel.empty()) event.kernel += ", ";
    event.kernel += source->bound_kernels();
    event.generation = std::max(event.generation, source->running.generation->facts().number);
  }
  return event;
}

Reloader::Reloader(const Suppliers& suppliers, Swapper& swapper, Reporter& reporter, region::Tier tier)
    : suppliers_(suppliers), swapper_(swapper), reporter_(reporter), tier_(tier) {}

Status Reloader::start(HotSource& source) {
  auto built = suppliers_.find_shipped(source.shipped, source.arch, tier_);
  if (!built) {
    if (auto followed = follow(source); !followed) return followed;
    auto made = suppliers_.find_or_build(source.edit.recent.front(), source.arch, tier_, &source.shipped.toolkit);
    if (!made) return fail(std::move(made.error()));
    built = std::move(*made);
  }
  auto generation = swapper_.load(source.path(), source.shipped.head.kernels, *built, 0);
  if (!generation) return fail(std::move(generation.error()));
  const std::lock_guard lock(source.state_mutex);
  source.running.generation = std::move(*generation);
  return {};
}

Status Reloader::follow(HotSource& source) {
  if (!source.edit.recent.empty()) return {};
  auto slice = suppliers_.slice(source.shipped);
  if (!slice) return fail(std::move(slice.error()));
  source.edit.view.adopt(*slice);
  source.edit.attempted = source.edit.view.fingerprint();
  source.edit.recent.push_front(*slice);
  const std::lock_guard lock(source.state_mutex);
  source.running.slice = std::make_shared<const region::Slice>(std::move(*slice));
  return {};
}

ReloadResult Reloader::take_up(HotSource& source, const ReloadRequest& request) {
  EditState& edit = source.edit;
  if (auto cause = swapper_.context()->cause_of_death()) return {ReloadOutcome::nothing, fail(std::move(*cause))};
  const base::Digest fingerprint = edit.view.fingerprint();
  if (edit.prepared && edit.prepared->fingerprint == fingerprint) {
    return swap(source, std::move(*std::exchange(edit.prepared, std::nullopt)), request);
  }
  edit.prepared.reset();
  if (edit.attempted == fingerprint && !(edit.failure && is_transient(*edit.failure))) {
    return {ReloadOutcome::nothing, edit.failure ? Status(fail(*edit.failure)) : Status()};
  }

  ReloadTimings timings;
  timings.read = milliseconds_between(request.seen, request.stable);
  auto made = make_slice(source, request, timings);
  if (request.superseded()) return {ReloadOutcome::superseded, {}};
  edit.attempted = edit.view.fingerprint();  // extraction may have added files
  if (!made) return refuse(source, std::move(made.error()), {}, timings, request.seen);
  if (made->is_running) return settle(source, std::move(made->slice));

  auto regions = made->regions;
  const bool spliced = !made->extracted;
  const std::string text = made->slice.text;
  auto code = prepare(source, std::move(*made), timings);
  if (!code && spliced && misses_a_name(code.error()) && !request.superseded()) {
    auto again = extract(source, request, timings);
    edit.attempted = edit.view.fingerprint();
    if (again && again->slice.text != text) {
      again->regions = regions;
      code = prepare(source, std::move(*again), timings);
    }
  }
  if (request.superseded()) {
    edit.attempted.reset();
    return {ReloadOutcome::superseded, {}};
  }
  if (!code) return refuse(source, std::move(code.error()), std::move(regions), timings, request.seen);
  return swap(source, std::move(*code), request);
}

Status Reloader::lose(HotSource& source, const FileChange& change) {
  Error error = *change.lost;
  error.message =
      fmt::format("{}: its kernels go on as they are, and edits of it are taken up when it is back", error.message);
  if (source.edit.lost.insert(change.file).second) report(source, ReloadEvent::Kind::failed, error);
  return fail(std::move(error));
}

void Reloader::find_again(HotSource& source) {
  if (!source.edit.failure) report(source, ReloadEvent::Kind::restored, {});
}

void Reloader::report(HotSource& source, ReloadEvent::Kind kind, Error error) {
  ReloadEvent event;
  event.kind = kind;
  event.error = std::move(error);
  {
    const std::lock_guard lock(source.state_mutex);
    event.kernel = source.bound_kernels();
    event.generation = source.running.generation->facts().number;
  }
  reporter_.event(event);
}

Result<Reloader::NewSlice> Reloader::make_slice(HotSource& source, const ReloadRequest& request,
                                                ReloadTimings& timings) {
  EditState& edit = source.edit;
  const auto running = source.running.slice;
  {
    const StageTimer timer(timings.splice);
    auto onto_running = reslice(*running, edit.view);
    if (!onto_running) return fail(std::move(onto_running.error()));
    using Kind = region::SpliceOutcome::Kind;
    if (onto_running->kind != Kind::needs_extraction) {
      return NewSlice{std::move(onto_running->slice), std::move(onto_running->regions),
                      onto_running->kind == Kind::unchanged};
    }
    // Text outside the regions is as it was in an earlier extraction: one whose code did not get
    // to run, or one that is returned to.
    for (const region::Slice& candidate : edit.recent) {
      auto onto = reslice(candidate, edit.view);
      if (onto && onto->kind != Kind::needs_extraction) {
        return NewSlice{std::move(onto->slice), std::move(onto->regions), false};
      }
    }
  }
  return extract(source, request, timings);
}

Result<Reloader::NewSlice> Reloader::extract(HotSource& source, const ReloadRequest& request, ReloadTimings& timings) {
  const StageTimer timer(timings.extract);
  EditState& edit = source.edit;
  ExtractOutcome outcome = suppliers_.extract(edit.recent.front(), request.superseded);
  if (outcome.slice) {
    edit.view.adopt(*outcome.slice);
    edit.recent.push_front(*outcome.slice);
    if (edit.recent.size() > kRecentSlices) edit.recent.pop_back();
  }
  // After a failure this is all that is known of new files.
  edit.view.add(outcome.dependencies, outcome.lookups);
  if (request.watch) request.watch();
  if (!outcome.slice) return fail(std::move(outcome.slice.error()));
  auto regions = changed_regions(*source.running.slice, *outcome.slice);
  return NewSlice{std::move(*outcome.slice), std::move(regions), false, true};
}

Result<PreparedCode> Reloader::prepare(HotSource& source, NewSlice made, ReloadTimings timings) {
  auto built = suppliers_.find_or_build(made.slice, source.arch, tier_, &source.shipped.toolkit);
  if (!built) return fail(std::move(built.error()));
  timings.find = built->timings.key + built->timings.find;
  timings.compile = built->timings.compile;
  timings.link = built->timings.link;
  timings.store = built->timings.store;
  return PreparedCode{source.edit.view.fingerprint(), std::move(made.slice), std::move(*built), std::move(made.regions),
                      timings};
}

Status Reloader::check(HotSource& source, const PreparedCode& code) {
  auto info = suppliers_.read_cubin(code.built.artifact->blob);
  if (!info) return fail(std::move(info.error()));
  if (auto fits = check_state(info->variables, source.path()); !fits) return fits;
  for (const auto& [name, slot] : source.running.slots) {
    const region::Kernel* const kernel = region::find_kernel(code.slice.kernels, name);
    if (kernel == nullptr) {
      return fail(ErrorCode::mismatch,
                  fmt::format("kernel '{}', which the program launches, is no longer hot in '{}': it was renamed or "
                              "removed, or its region was",
                              name, source.path()));
    }
    auto facts = facts_of(*code.built.artifact, *kernel);
    if (!facts) return fail(std::move(facts.error()));
    Status fits = check_parameters(*kernel, *facts, slot->layout());
    const region::Kernel* const built = region::find_kernel(source.shipped.head.kernels, name);
    if (fits && built != nullptr) fits = check_parameter_types(*kernel, *built);
    if (fits) fits = check_resources(name, *facts, slot->shape_seen(), swapper_.context()->device());
    if (fits) continue;
    fits.error().location = region::location_of(code.slice, *kernel);
    return fits;
  }
  return {};
}

ReloadResult Reloader::swap(HotSource& source, PreparedCode code, const ReloadRequest& request) {
  ReloadTimings timings = code.timings;
  const GenerationFacts& running = source.running.generation->facts();
  const std::uint64_t number = running.number + 1;
  // Only text that does not reach the device changed. An edit of a region always gets its generation: its author waits
  // for an answer.
  const bool same_code = running.content == base::digest(code.built.artifact->blob);
  if (running.key == code.built.key || (same_code && code.regions.empty())) {
    return settle(source, std::move(code.slice));
  }

  Status fits;
  {
    const StageTimer timer(timings.check);
    const std::lock_guard lock(source.state_mutex);
    fits = check(source, code);
  }
  if (!fits) return refuse(source, std::move(fits.error()), code.regions, timings, request.seen);

  Result<std::unique_ptr<Generation>> generation;
  {
    const StageTimer timer(timings.load);
    generation = swapper_.load(source.path(), code.slice.kernels, code.built, number);
  }
  if (!generation && generation.error().code == ErrorCode::busy) {
    Error wait = std::move(generation.error());
    source.edit.prepared = std::move(code);
    return {ReloadOutcome::deferred, fail(std::move(wait))};
  }
  if (!generation) return refuse(source, std::move(generation.error()), code.regions, timings, request.seen);

  ReloadEvent event;
  std::unique_ptr<Generation> unused = std::move(*generation);
  {
    const std::lock_guard lock(source.state_mutex);
    // A kernel may have been bound since the first check.
    fits = check(source, code);
    if (fits) {
      std::swap(source.running.generation, unused);
      source.running.slice = std::make_shared<const region::Slice>(code.slice);
      for (const auto& [name, slot] : source.running.slots) slot->publish(source.running.generation->find(name));
      event.kernel = source.bound_kernels();
    }
  }
  timings.total = milliseconds_between(request.seen, Clock::now());
  swapper_.retire(std::move(unused));
  if (!fits) return refuse(source, std::move(fits.error()), code.regions, timings, request.seen);
  source.edit.failure.reset();
  event.kind = ReloadEvent::Kind::live;
  event.generation = number;
  event.regions = std::move(code.regions);
  event.cached = !code.built.compiled;
  event.timings = timings;
  reporter_.event(event);
  return {ReloadOutcome::live, {}};
}

ReloadResult Reloader::settle(HotSource& source, region::Slice slice) {
  ReloadEvent event;
  {
    const std::lock_guard lock(source.state_mutex);
    source.running.slice = std::make_shared<const region::Slice>(std::move(slice));
    event.kernel = source.bound_kernels();
    event.generation = source.running.generation->facts().number;
  }
  if (!source.edit.failure) return {ReloadOutcome::nothing, {}};
  source.edit.failure.reset();
  event.kind = ReloadEvent::Kind::restored;
  reporter_.event(event);
  return {ReloadOutcome::restored, {}};
}

ReloadResult Reloader::refuse(HotSource& source, Error error, std::vector<std::string> regions, ReloadTimings timings,
                              Clock::time_point seen) {
  timings.total = milliseconds_between(seen, Clock::now());
  ReloadEvent event;
  event.kind = ReloadEvent::Kind::failed;
  event.regions = std::move(regions);
  event.timings = timings;
  event.error = std::move(error);
  const bool reported =
      source.edit.failure && is_transient(*source.edit.failure) && source.edit.failure->message == event.error.message;
  source.edit.failure = event.error;
  {
    const std::lock_guard lock(source.state_mutex);
    event.kernel = source.bound_kernels();
    event.generation = source.running.generation->facts().number;
  }
  if (!reported) reporter_.event(event);
  return {ReloadOutcome::failed, fail(*source.edit.failure)};
}

}  // namespace cudahot::runtime
