// ReloadThread: watches the files of sources and takes up what changes, newest text first.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "lib/runtime/hot_source.hpp"
#include "lib/runtime/reloader.hpp"
#include "lib/runtime/reporter.hpp"
#include "lib/runtime/watcher.hpp"

namespace cudahot::runtime {

// Thread safe.
class ReloadThread {
 public:
  ReloadThread(Reloader& reloader, Reporter& reporter, std::shared_ptr<Context> context, WatcherOptions options);
  ~ReloadThread();
  ReloadThread(const ReloadThread&) = delete;
  ReloadThread& operator=(const ReloadThread&) = delete;

  // Follows the files of `source`, which must outlive this object. Called under its reload_mutex.
  void follow(HotSource& source);

  // Watches files that source.edit.view has gained. Called under its reload_mutex.
  void watch_files(HotSource& source);

 private:
  void run();
  ReloadOutcome take_up(HotSource& source, Clock::time_point seen, Clock::time_point stable);
  bool superseded(const HotSource& source);

  Reloader& reloader_;
  Reporter& reporter_;
  const std::shared_ptr<Context> context_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  bool died_ = false;
  std::vector<HotSource*> sources_;
  std::vector<FileChange> changes_;
  struct Deferred {
    HotSource* source = nullptr;
    Clock::time_point seen;
    Clock::time_point stable;
  };
  std::vector<Deferred> deferred_;  // the thread's own

  std::unique_ptr<Watcher> watcher_;
  std::thread thread_;
};

}  // namespace cudahot::runtime
