#include "cache/lease.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace cudahot::cache {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{1};
constexpr milliseconds kLongestPause{16};

constexpr std::uint64_t kRecords = 1024;
constexpr std::uint64_t kRecordBytes = 32;
constexpr off_t kCompileBase = off_t{1} << 60;
constexpr off_t kUseBase = off_t{1} << 61;
constexpr off_t kCleanUp = off_t{1} << 62;
// The key that stands for the right to clean up; no digest of a preimage is ever asked for by it.
constexpr base::Digest kCleanUpKey{~std::uint64_t{0}, ~std::uint64_t{0}};

off_t offset_of(off_t area, const base::Digest& key) {
  if (key == kCleanUpKey) return kCleanUp;
  return area + static_cast<off_t>(key.low & (static_cast<std::uint64_t>(kCompileBase) - 1));
}

int set_lock(int descriptor, int command, short type, off_t offset) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = offset;
  lock.l_len = 1;
  int rc = 0;
  do {
    rc = ::fcntl(descriptor, command, &lock);
  } while (rc != 0 && errno == EINTR);
  if (rc != 0) return -1;
  return command == F_OFD_GETLK ? lock.l_type : 0;
}

std::uint64_t nanoseconds_of(std::chrono::nanoseconds time) { return static_cast<std::uint64_t>(time.count()); }

int open_file(const std::filesystem::path& file, LeaseFile::Open how) {
  int flags = O_RDWR | O_CLOEXEC | O_NONBLOCK;  // opening a pipe would wait
  if (how == LeaseFile::Open::create) {
    std::error_code ignored;  // opening tells
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), ignored);
    flags |= O_CREAT;
  }
  return ::open(file.c_str(), flags, 0666);
}

// Since the machine started: the same clock for all its processes.
std::uint64_t now_ns() { return nanoseconds_of(std::chrono::steady_clock::now().time_since_epoch()); }

}  // namespace

struct LeaseFile::Record {
  enum State : std::uint64_t { compiling = 1, stored = 2, not_stored = 3 };

  std::uint64_t key_high = 0;
  std::uint64_t key_low = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t state = 0;

  bool is_of(const base::Digest& key) const { return key_high == key.high && key_low == key.low; }
};

Lease::Lease(Lease&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)), key_(other.key_), stored_(other.stored_) {}

Lease& Lease::operator=(Lease&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(key_, other.key_);
  std::swap(stored_, other.stored_);
  return *this;
}

void Lease::release() {
  if (file_) std::exchange(file_, nullptr)->release(key_, stored_);
}

UseMark::UseMark(UseMark&& other) noexcept : file_(std::exchange(other.file_, nullptr)), key_(other.key_) {}

UseMark& UseMark::operator=(UseMark&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(key_, other.key_);
  return *this;
}

UseMark::~UseMark() {
  if (file_) file_->release_mark(key_);
}

Result<std::shared_ptr<LeaseFile>> LeaseFile::open(const std::filesystem::path& file, Open how,
                                                   const LeaseTimes& times) {
  std::error_code error;
  const auto path = std::filesystem::absolute(file, error);  // the working directory may be another one later
  const int descriptor = open_file(error ? file : path, how);
  if (descriptor < 0) {
    return fail(errno == ENOENT ? ErrorCode::not_found : ErrorCode::environment,
                fmt::format("cannot use '{}': {}", file.string(), std::strerror(errno)));
  }
  return std::shared_ptr<LeaseFile>(new LeaseFile(error ? file : path, descriptor, times));
}

LeaseFile::LeaseFile(std::filesystem::path path, int descriptor, const LeaseTimes& times)
    : path_(std::move(path)), times_(times), process_(::getpid()), descriptor_(descriptor) {}

LeaseFile::~LeaseFile() {
  if (!is_inherited()) {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_->notify_all();
    if (beating_.joinable()) beating_.join();
  } else {
    if (beating_.joinable()) beating_.detach();
    (void)changed_.release();  // destroying it would wait for the thread
  }
  ::close(descriptor_);
}

bool LeaseFile::make_anew_if_gone() {
  struct stat opened{};
  struct stat named{};
  if (is_inherited() || ::fstat(descriptor_, &opened) != 0) return false;
  if (::stat(path_.c_str(), &named) == 0 && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino) {
    return false;
  }
  const int made = open_file(path_, Open::create);
  if (made < 0) return false;
  // Before the earlier ones go: who waits for one of them finds the new one taken.
  for (const base::Digest& key : held_) set_lock(made, F_OFD_SETLK, F_WRLCK, offset_of(kCompileBase, key));
  for (const auto& [key, count] : marks_) set_lock(made, F_OFD_SETLK, F_RDLCK, offset_of(kUseBase, key));
  ::close(std::exchange(descriptor_, made));
  for (const base::Digest& key : held_) {
    if (key != kCleanUpKey) write_record(key, Record::compiling);
  }
  return true;
}

LeaseFile::Attempt LeaseFile::try_lock(const base::Digest& key) {
  const std::lock_guard lock(mutex_);
  if (held_.contains(key)) return Attempt::taken;
  const auto lock_it = [&] { return set_lock(descriptor_, F_OFD_SETLK, F_WRLCK, offset_of(kCompileBase, key)) == 0; };
  if (!lock_it() || (make_anew_if_gone() && !lock_it())) {
    return errno == EAGAIN || errno == EACCES ? Attempt::taken : Attempt::impossible;
  }
  held_.insert(key);
  return Attempt::held;
}

Lease LeaseFile::acquire(const base::Digest& key, const std::function<bool()>& cancelled) {
  if (is_inherited()) return {};
  const std::uint64_t start = now_ns();
  std::uint64_t last_sign = start;
  milliseconds pause = kFirstPause;
  for (;;) {
    const Attempt attempt = try_lock(key);
    if (attempt == Attempt::impossible) return {};
    std::unique_lock lock(mutex_);
    const Record record = read_record(key);
    const bool ours = record.is_of(key);
    if (attempt == Attempt::held) {
      // Compiled while this one waited, and not to be found: one after the other would take as long as all of them.
      const bool in_vain = ours && record.state == Record::not_stored && record.time_ns > start;
      if (!in_vain) {
        write_record(key, Record::compiling);
        if (!beating_.joinable()) beating_ = std::thread([this] { beat(); });
        changed_->notify_all();
      }
      lock.unlock();
      Lease lease(shared_from_this(), key);
      return in_vain ? Lease() : std::move(lease);
    }
    lock.unlock();
    if (ours) last_sign = std::max(last_sign, record.time_ns);
    const std::uint64_t now = now_ns();
    if (now - last_sign > nanoseconds_of(times_.silence)) return {};
    if (now - start > nanoseconds_of(times_.longest_wait)) return {};
    if (cancelled && cancelled()) return {};
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

// A child that was forked off shares the locks of its parent, who alone lets go of them. A thread that the child has
// not may have held the mutex when it was made.
bool LeaseFile::is_inherited() const { return process_ != ::getpid(); }

void LeaseFile::release(const base::Digest& key, bool stored) {
  if (is_inherited()) return;
  const std::lock_guard lock(mutex_);
  held_.erase(key);
  if (key != kCleanUpKey) write_record(key, stored ? Record::stored : Record::not_stored);
  set_lock(descriptor_, F_OFD_SETLK, F_UNLCK, offset_of(kCompileBase, key));
}

UseMark LeaseFile::mark_in_use(const base::Digest& key) {
  if (is_inherited()) return {};
  const std::lock_guard lock(mutex_);
  if (++marks_[key] == 1) set_lock(descriptor_, F_OFD_SETLK, F_RDLCK, offset_of(kUseBase, key));
  make_anew_if_gone();
  return UseMark(shared_from_this(), key);
}

void LeaseFile::release_mark(const base::Digest& key) {
  if (is_inherited()) return;
  const std::lock_guard lock(mutex_);
  const auto found = marks_.find(key);
  if (found == marks_.end() || --found->second > 0) return;
  marks_.erase(found);
  set_lock(descriptor_, F_OFD_SETLK, F_UNLCK, offset_of(kUseBase, key));
}

bool LeaseFile::in_use(const base::Digest& key) const {
  const std::lock_guard lock(mutex_);
  if (marks_.contains(key)) return true;
  return set_lock(descriptor_, F_OFD_GETLK, F_WRLCK, offset_of(kUseBase, key)) != F_UNLCK;
}

Lease LeaseFile::try_clean_up() {
  if (try_lock(kCleanUpKey) != Attempt::held) return {};
  return Lease(shared_from_this(), kCleanUpKey);
}

// A record that cannot be written or read only means that a silent holder is found out later, or sooner.
void LeaseFile::write_record(const base::Digest& key, std::uint64_t state) const {
  const Record record{key.high, key.low, now_ns(), state};
  static_assert(sizeof(record) == kRecordBytes);
  const auto place = static_cast<off_t>(key.high % kRecords * kRecordBytes);
  [[maybe_unused]] const auto written = ::pwrite(descriptor_, &record, sizeof(record), place);
}

LeaseFile::Record LeaseFile::read_record(const base::Digest& key) const {
  Record record;
  const auto place = static_cast<off_t>(key.high % kRecords * kRecordBytes);
  if (::pread(descriptor_, &record, sizeof(record), place) != static_cast<ssize_t>(sizeof(record))) return {};
  return record;
}

void LeaseFile::beat() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (held_.empty()) {
      changed_->wait(lock);
      continue;
    }
    changed_->wait_for(lock, times_.beat);
    make_anew_if_gone();
    for (const base::Digest& key : held_) {
      if (key != kCleanUpKey) write_record(key, Record::compiling);
    }
  }
}

}  // namespace cudahot::cache
