// Writer: what goes into the user cache, and what goes out of it again, off the threads that compile and launch.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "cache/gc.hpp"
#include "cache/lease.hpp"
#include "cache/store_layer.hpp"

namespace cudahot::cache {

// Thread safe. Its thread starts with the first job.
class Writer {
 public:
  Writer(std::filesystem::path file, GcPolicy policy, std::shared_ptr<TroubleReport> report, MountProbe network_mount);
  ~Writer();  // writes what is left, and ends a garbage collection at its next step
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  struct Job {
    CacheKey key;
    std::shared_ptr<const Artifact> artifact;  // without a blob: it could not be compiled, only the miss is noted
    Provenance provenance;
    std::optional<MissReason> reason;   // why it missed, where that is known
    Lease lease;                        // goes when the job is done
    std::shared_ptr<LeaseFile> leases;  // says what is in use; may be none
    std::optional<HealingMark> damage;  // that a reader found, of the cache as a whole
  };
  void add(Job job);

  // Until all that was added is written or has failed, and a garbage collection that it made due is done.
  void flush();

 private:
  void run();
  void perform(Job& job);
  void collect(LeaseFile* leases);
  bool collection_is_due(std::uint64_t new_bytes);

  StoreLayer layer_;
  const GcPolicy policy_;
  const int process_;  // a child that was forked off has no thread
  std::mutex mutex_;   // guards what follows
  std::unique_ptr<std::condition_variable> changed_ = std::make_unique<std::condition_variable>();
  std::deque<Job> jobs_;
  std::size_t queued_bytes_ = 0;
  bool working_ = false;
  bool stopping_ = false;
  std::thread thread_;
  std::uint64_t bytes_until_collection_ = 0;  // of the thread alone
};

}  // namespace cudahot::cache
