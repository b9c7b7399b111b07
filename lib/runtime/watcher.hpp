// Watcher: tells when files have new content, when they cannot be read any more, and when something appears where
// headers are looked for. Directories are watched, because
// editors replace files; a file is read when it is at rest, and compared by content.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cudahot/log.hpp"
#include "lib/base/digest.hpp"
#include "lib/runtime/source_view.hpp"

namespace cudahot::runtime {

struct WatcherOptions {
  // Look at every file at this interval instead of being told by the kernel. Also what happens
  // (at 200 ms) when inotify cannot be had.
  std::optional<std::chrono::milliseconds> poll;
  // A file is read when nothing has happened to it for this long.
  std::chrono::milliseconds settle{3};
  LogCallback log;  // thread safe
};

// Thread safe. Has a thread of its own.
class Watcher {
 public:
  // Called from the watcher's thread.
  using Callback = std::function<void(FileChange change)>;

  Watcher(WatcherOptions options, Callback on_change);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  // Watches `file`, whose content is `known`, from now on; a content that differs is reported. So is, once, that it
  // cannot be read any more, and then its content when it is back, changed or not.
  // `look_now`: also compare it at once, with what it is at this moment. The file need not exist; with `look_now` it is
  // lost then.
  void watch(const std::string& file, const base::Digest& known, bool look_now);

  // Reports when there is something at `path`, where there was nothing, or the other way round: as against `found`, at
  // once, and from then on.
  void watch_for(const std::string& path, bool found);

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace cudahot::runtime
