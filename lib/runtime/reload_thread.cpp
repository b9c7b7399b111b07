#include "lib/runtime/reload_thread.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace cudahot::runtime {
namespace {

// How long a swap that waits for the end of a stream capture waits before it looks again.
constexpr std::chrono::milliseconds kRetry{10};

}  // namespace

ReloadThread::ReloadThread(Reloader& reloader, Reporter& reporter, std::shared_ptr<Context> context,
                           WatcherOptions options)
    : reloader_(reloader), reporter_(reporter), context_(std::move(context)) {
  watcher_ = std::make_unique<Watcher>(std::move(options), [this](FileChange change) {
    const std::lock_guard lock(mutex_);
    changes_.push_back(std::move(change));
    changed_.notify_one();
  });
  context_->set_on_death([this] {
    const std::lock_guard lock(mutex_);
    died_ = true;
    changed_.notify_one();
  });
  thread_ = std::thread([this] { run(); });
}

ReloadThread::~ReloadThread() {
  context_->set_on_death(nullptr);
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void ReloadThread::follow(HotSource& source) {
  {
    const std::lock_guard lock(mutex_);
    sources_.push_back(&source);
  }
  watch_files(source);
}

void ReloadThread::watch_files(HotSource& source) {
  using Role = region::FileRecord::Role;
  const SourceView& view = source.edit.view;
  for (const std::string& file : view.files()) {
    const auto& records = source.edit.recent.front().files;
    const auto record = std::find_if(records.begin(), records.end(),
                                     [&](const region::FileRecord& candidate) { return candidate.path == file; });
    // What the user may have saved since it was read. Only a failed extraction knows files without a record.
    const bool look_now = record == records.end() || record->role == Role::main || record->role == Role::user_header;
    watcher_->watch(file, *view.digest(file), look_now);
  }
  for (const auto& [path, found] : view.lookups()) watcher_->watch_for(path, found);
}

bool ReloadThread::superseded(const HotSource& source) {
  const std::lock_guard lock(mutex_);
  return stop_ || std::any_of(changes_.begin(), changes_.end(),
                              [&](const FileChange& change) { return source.edit.view.concerns(change); });
}

void ReloadThread::run() {
  for (;;) {
    std::vector<FileChange> changes;
    std::vector<HotSource*> sources;
    bool died = false;
    {
      std::unique_lock lock(mutex_);
      const auto ready = [&] { return stop_ || died_ || !changes_.empty(); };
      if (deferred_.empty()) changed_.wait(lock, ready);
      else changed_.wait_for(lock, kRetry, ready);
      if (stop_) return;
      changes.swap(changes_);
      sources = sources_;
      died = died_;
    }
    if (died) {
      // Nothing is reloaded after this.
      reporter_.event(death_event(*context_, sources));
      return;
    }
    std::vector<Deferred> again = std::exchange(deferred_, {});
    for (HotSource* source : sources) {
      const std::lock_guard lock(source->reload_mutex);
      std::vector<FileChange> own;
      std::copy_if(changes.begin(), changes.end(), std::back_inserter(own),
                   [&](const FileChange& change) { return source->edit.view.concerns(change); });
      const auto waiting =
          std::find_if(again.begin(), again.end(), [&](const Deferred& deferred) { return deferred.source == source; });
      if (!own.empty()) {
        bool back = false;
        for (const FileChange& change : own) {
          if (change.lost && source->edit.view.is_other_answer(change)) continue;  // told on its own
          if (change.lost) {
            static_cast<void>(reloader_.lose(*source, change));
          } else {
            back = source->edit.lost.erase(change.file) != 0 || back;
            source->edit.view.apply(change);
          }
        }
        const ReloadOutcome outcome = take_up(*source, own.back().seen, own.back().stable);
        if (back && outcome == ReloadOutcome::nothing) reloader_.find_again(*source);
      } else if (waiting != again.end()) {
        take_up(*source, waiting->seen, waiting->stable);
      }
    }
  }
}

ReloadOutcome ReloadThread::take_up(HotSource& source, Clock::time_point seen, Clock::time_point stable) {
  const ReloadRequest request{seen, stable, [&] { return superseded(source); }, [&] { watch_files(source); }};
  const bool waited = source.edit.prepared.has_value();
  const ReloadResult result = reloader_.take_up(source, request);
  if (result.outcome != ReloadOutcome::deferred) return result.outcome;
  deferred_.push_back({&source, seen, stable});
  if (!waited) reporter_.log(LogLevel::info, fmt::format("cudahot: {}", result.status.error().message));
  return result.outcome;
}

}  // namespace cudahot::runtime
