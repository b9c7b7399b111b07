// Leases: which process compiles what, and which entries are in use, told between the processes of one machine by locks
// in one small file beside the user cache. Knows nothing of what is stored.
//
// All locks are those of an open file description (fcntl, F_OFD_SETLK): the system lets go of them when the process
// that holds them ends, however it ends. Byte offsets in the file, only some of which exist:
//   0 ... 32 KiB        1024 records of 32 bytes, by key: who compiles it tells here that it is alive
//   2^60 + key          locked for writing by who compiles the key (its low 60 bits)
//   2^61 + key          locked for reading by each process that uses the entry
//   2^62                locked for writing by who cleans up
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "cudahot/result.hpp"
#include "lib/base/digest.hpp"

namespace cudahot::cache {

class LeaseFile;

struct LeaseTimes {
  std::chrono::milliseconds beat{1000};  // a holder gives a sign of life so often
  // A holder that gave none for so long is stopped or in trouble. Many beats: a machine may be busy.
  std::chrono::milliseconds silence{8000};
  std::chrono::milliseconds longest_wait{300'000};  // however alive the holder is
};

// The right to compile one key, held until it goes. Who waits for it then looks into the cache again.
class Lease {
 public:
  Lease() = default;  // of nothing
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease() { release(); }

  explicit operator bool() const { return file_ != nullptr; }
  // The result is in the cache. Without it, those who wait compile for themselves, all at once.
  void set_stored() { stored_ = true; }
  void release();

 private:
  friend class LeaseFile;
  Lease(std::shared_ptr<LeaseFile> file, const base::Digest& key) : file_(std::move(file)), key_(key) {}
  std::shared_ptr<LeaseFile> file_;
  base::Digest key_;
  bool stored_ = false;
};

// Tells other processes that an entry is in use, until it goes.
class UseMark {
 public:
  UseMark() = default;
  UseMark(UseMark&& other) noexcept;
  UseMark& operator=(UseMark&& other) noexcept;
  ~UseMark();

 private:
  friend class LeaseFile;
  UseMark(std::shared_ptr<LeaseFile> file, const base::Digest& key) : file_(std::move(file)), key_(key) {}
  std::shared_ptr<LeaseFile> file_;
  base::Digest key_;
};

// Where the leases of a user cache are.
inline std::filesystem::path lease_file_of(const std::filesystem::path& user_cache) {
  return user_cache.native() + "-leases";
}

// Thread safe. Owned by shared pointers: leases and marks keep it. When the file is removed or replaced, the next lease
// or mark, or the next sign of life, makes it anew, with all that this process holds.
class LeaseFile : public std::enable_shared_from_this<LeaseFile> {
 public:
  enum class Open { existing, create };  // create: with its folder

  // Errors: not_found (existing), environment.
  static Result<std::shared_ptr<LeaseFile>> open(const std::filesystem::path& file, Open how,
                                                 const LeaseTimes& times = {});
  ~LeaseFile();
  LeaseFile(const LeaseFile&) = delete;
  LeaseFile& operator=(const LeaseFile&) = delete;

  // Waits while another compiles the key. A lease of nothing means: compile without one, since the holder gives no
  // sign of life, could not store its result, takes too long, `cancelled` (asked every few ms) says so, or the file
  // system has no such locks.
  Lease acquire(const base::Digest& key, const std::function<bool()>& cancelled = {});

  UseMark mark_in_use(const base::Digest& key);
  bool in_use(const base::Digest& key) const;  // by this process or another

  // The right to clean up; of nothing when another has it.
  Lease try_clean_up();

 private:
  friend class Lease;
  friend class UseMark;
  struct Record;
  LeaseFile(std::filesystem::path path, int descriptor, const LeaseTimes& times);

  enum class Attempt { held, taken, impossible };
  Attempt try_lock(const base::Digest& key);
  void release(const base::Digest& key, bool stored);
  void release_mark(const base::Digest& key);
  bool is_inherited() const;
  bool make_anew_if_gone();  // true: it was, and is there now
  void write_record(const base::Digest& key, std::uint64_t state) const;
  Record read_record(const base::Digest& key) const;
  void beat();

  const std::filesystem::path path_;
  const LeaseTimes times_;
  const int process_;         // a child that was forked off has no thread
  mutable std::mutex mutex_;  // guards what follows
  int descriptor_;
  std::unordered_set<base::Digest> held_;        // leases
  std::unordered_map<base::Digest, int> marks_;  // how often each is marked in this process
  std::unique_ptr<std::condition_variable> changed_ =
      std::make_unique<std::condition_variable>();  // held_ or stopping_
  bool stopping_ = false;
  std::thread beating_;  // started with the first lease
};

}  // namespace cudahot::cache
