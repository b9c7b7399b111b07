#include "lib/runtime/watcher.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <fmt/format.h>

#include "lib/base/files.hpp"
#include "lib/runtime/directory_watch.hpp"

namespace cudahot::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFallbackPoll{200};
// For a writer that has the file open: its content counts when it has rested for this long.
constexpr milliseconds kOpenWriterRest{50};
// A file without a text is one that a writer has truncated, until it has stayed so for this long.
constexpr milliseconds kEmptyRest{500};
// Programs that save a file may move it away first: it is lost when it has stayed away for this long.
constexpr milliseconds kAwayRest{500};

// One watched file, or a place where something may be.
struct Watched {
  std::string file;
  bool lookup = false;  // only whether something is there counts
  base::Digest known;
  std::optional<base::FileStamp> stamp;   // at the last look, when polling
  std::optional<Clock::time_point> seen;  // first event since the last report; set: dirty
  Clock::time_point due;                  // dirty: when to read
  bool there = false;                     // at the last look, or to be expected
  bool lost = false;                      // it was there, and its loss is reported
};

}  // namespace

class Watcher::Loop {
 public:
  Loop(WatcherOptions options, Callback on_change);
  ~Loop();
  struct Request {
    std::string file;
    base::Digest known;
    bool look_now = false;
    std::optional<bool> found{};  // set: of a lookup
  };
  void watch(Request request);

 private:
  void run();
  void wake() const;
  bool take_requests();  // false: stop
  void add(Request request);
  void follow(std::size_t index);
  void look_at_directories();
  void look_at_stamps();
  void look_at(std::size_t index);
  void look_at_rights(std::size_t index);
  void touch(std::size_t index, milliseconds rest);
  void read_due();
  void read_one(Watched& watched);
  void look_for(Watched& watched);
  void report_lost(Watched& watched, Error why);
  int wait_milliseconds() const;

  const WatcherOptions options_;
  const Callback on_change_;
  DirectoryWatch directories_;
  std::optional<milliseconds> poll_;  // of stamps
  Clock::time_point next_poll_;
  int wake_ = -1;

  std::mutex mutex_;
  bool stop_ = false;              // guarded by mutex_
  std::vector<Request> requests_;  // guarded by mutex_

  // Only the thread touches these.
  std::vector<Watched> files_;
  std::map<std::pair<std::string, bool>, std::size_t> index_;  // the second: a lookup
  std::thread thread_;
};

Watcher::Loop::Loop(WatcherOptions options, Callback on_change)
    : options_(std::move(options)), on_change_(std::move(on_change)), poll_(options_.poll) {
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (!poll_ && !directories_.usable()) {
    poll_ = kFallbackPoll;
    if (options_.log) {
      options_.log(LogLevel::warning,
                   "inotify cannot be used (fs.inotify.max_user_instances?): source files are "
                   "looked at every 200 ms");
    }
  }
  thread_ = std::thread([this] { run(); });
}

Watcher::Loop::~Loop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake();
  thread_.join();
  ::close(wake_);
}

void Watcher::Loop::wake() const {
  const std::uint64_t one = 1;
  // Full means that a wake-up is pending already.
  [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof(one));
}

void Watcher::Loop::watch(Request request) {
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(request));
  }
  wake();
}

void Watcher::Loop::run() {
  while (take_requests()) {
    if (poll_ && Clock::now() >= next_poll_) look_at_stamps();
    read_due();
    std::array<pollfd, 2> waiting{pollfd{wake_, POLLIN, 0},
                                  pollfd{options_.poll ? -1 : directories_.descriptor(), POLLIN, 0}};
    ::poll(waiting.data(), waiting.size(), wait_milliseconds());
    if (waiting[0].revents != 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const ssize_t got = ::read(wake_, &count, sizeof(count));
    }
    if (waiting[1].revents != 0) look_at_directories();
  }
}

bool Watcher::Loop::take_requests() {
  std::vector<Request> requests;
  {
    const std::lock_guard lock(mutex_);
    if (stop_) return false;
    requests.swap(requests_);
  }
  for (Request& request : requests) add(std::move(request));
  return true;
}

void Watcher::Loop::add(Request request) {
  const bool lookup = request.found.has_value();
  const auto [entry, is_new] = index_.emplace(std::pair(request.file, lookup), files_.size());
  const std::size_t index = entry->second;
  if (is_new) {
    files_.push_back({std::move(request.file), lookup, request.known, std::nullopt, std::nullopt, {}});
    Watched& watched = files_[index];
    if (auto stamp = base::stamp_file(watched.file); stamp && !lookup) watched.stamp = *stamp;
    watched.there = request.look_now || watched.stamp.has_value();
    follow(index);
  }
  if (lookup) {
    files_[index].there = *request.found;
    if (!files_[index].seen) look_for(files_[index]);  // else it is being saved, and looked at soon
  }
  if (request.look_now) touch(index, milliseconds(0));
}

void Watcher::Loop::follow(std::size_t index) {
  if (options_.poll || !directories_.usable()) return;
  std::filesystem::path path = files_[index].file;
  // Nothing appears in a folder before the folder does.
  while (files_[index].lookup && path.has_relative_path() && !is_there(path.parent_path())) path = path.parent_path();
  if (directories_.add(index, path) || poll_) return;
  poll_ = kFallbackPoll;
  next_poll_ = Clock::now() + kFallbackPoll;
  if (options_.log) {
    options_.log(LogLevel::info, fmt::format("the folder of '{}' cannot be watched (it is missing, or "
                                             "fs.inotify.max_user_watches is reached): source files are looked at "
                                             "every 200 ms as well",
                                             files_[index].file));
  }
}

void Watcher::Loop::look_at_directories() {
  for (const DirectoryEvent& event : directories_.read()) {
    switch (event.kind) {
      case DirectoryEvent::Kind::overflow:
        for (std::size_t i = 0; i < files_.size(); ++i) {
          follow(i);
          touch(i, options_.settle);
        }
        break;
      case DirectoryEvent::Kind::writing:
        follow(event.file);
        look_at(event.file);
        break;
      case DirectoryEvent::Kind::settled:
        follow(event.file);
        touch(event.file, options_.settle);
        break;
      case DirectoryEvent::Kind::gone:
        touch(event.file, kAwayRest);  // what replaces it will be told, and read sooner
        break;
      case DirectoryEvent::Kind::rights:
        look_at_rights(event.file);
        break;
    }
  }
}

// A link is complete when it appears; a file that is being written is not.
void Watcher::Loop::look_at(std::size_t index) {
  std::error_code error;
  const bool is_link = std::filesystem::is_symlink(files_[index].file, error);
  touch(index, is_link ? options_.settle : kOpenWriterRest);
}

// They matter where they keep the file from being read.
void Watcher::Loop::look_at_rights(std::size_t index) {
  const bool readable = ::access(files_[index].file.c_str(), R_OK) == 0;
  if (readable == files_[index].lost) touch(index, readable ? options_.settle : kAwayRest);
}

void Watcher::Loop::look_at_stamps() {
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].lookup) {
      const bool there = is_there(files_[i].file);
      if (there != files_[i].there && !files_[i].seen) touch(i, there ? kOpenWriterRest : kAwayRest);
      continue;
    }
    const auto stamp = base::stamp_file(files_[i].file);
    if (!stamp && std::exchange(files_[i].stamp, std::nullopt)) touch(i, kAwayRest);
    if (!stamp || files_[i].stamp == *stamp) continue;
    files_[i].stamp = *stamp;
    touch(i, std::max(options_.settle, std::min(*poll_, kOpenWriterRest)));
  }
  next_poll_ = Clock::now() + *poll_;
}

void Watcher::Loop::touch(std::size_t index, milliseconds rest) {
  Watched& watched = files_[index];
  const auto now = Clock::now();
  if (!watched.seen) watched.seen = now;
  watched.due = now + rest;
}

void Watcher::Loop::read_due() {
  const auto now = Clock::now();
  for (Watched& watched : files_) {
    if (!watched.seen || watched.due > now) continue;
    if (watched.lookup) look_for(watched);
    else read_one(watched);
  }
}

void Watcher::Loop::look_for(Watched& watched) {
  const auto now = Clock::now();
  const auto seen = std::exchange(watched.seen, std::nullopt).value_or(now);
  const bool there = is_there(watched.file);
  if (there == watched.there) return;
  watched.there = there;
  on_change_(FileChange{watched.file, {}, seen, now, std::nullopt, there});
}

void Watcher::Loop::read_one(Watched& watched) {
  const auto before = base::stamp_file(watched.file);
  auto content = read_source(watched.file);
  const auto after = base::stamp_file(watched.file);
  if (!before || !content || !after) {
    if (watched.there && Clock::now() < *watched.seen + kAwayRest) {
      watched.due = *watched.seen + kAwayRest;
      return;
    }
    report_lost(watched, content ? Error(before ? after.error() : before.error()) : std::move(content.error()));
    return;
  }
  if (*before != *after) {
    watched.due = Clock::now() + options_.settle;
    return;
  }
  if (content->text.empty() && content->digest != watched.known && Clock::now() < *watched.seen + kEmptyRest) {
    watched.due = *watched.seen + kEmptyRest;
    return;
  }
  const auto seen = *std::exchange(watched.seen, std::nullopt);
  watched.there = true;
  const bool back = std::exchange(watched.lost, false);
  if (content->digest == watched.known && !back) return;
  watched.known = content->digest;
  on_change_(FileChange{watched.file, std::move(*content), seen, Clock::now()});
}

void Watcher::Loop::report_lost(Watched& watched, Error why) {
  const auto seen = *std::exchange(watched.seen, std::nullopt);
  if (!std::exchange(watched.there, false)) return;
  watched.lost = true;
  on_change_(FileChange{watched.file, {}, seen, Clock::now(), std::move(why)});
}

int Watcher::Loop::wait_milliseconds() const {
  std::optional<Clock::time_point> next;
  if (poll_) next = next_poll_;
  for (const Watched& watched : files_) {
    if (watched.seen && (!next || watched.due < *next)) next = watched.due;
  }
  if (!next) return -1;
  const auto left = std::chrono::ceil<milliseconds>(*next - Clock::now());
  return static_cast<int>(std::max<milliseconds::rep>(left.count(), 0));
}

Watcher::Watcher(WatcherOptions options, Callback on_change)
    : loop_(std::make_unique<Loop>(std::move(options), std::move(on_change))) {}

Watcher::~Watcher() = default;

void Watcher::watch(const std::string& file, const base::Digest& known, bool look_now) {
  loop_->watch({file, known, look_now});
}

void Watcher::watch_for(const std::string& path, bool found) { loop_->watch({path, {}, false, found}); }

}  // namespace cudahot::runtime
