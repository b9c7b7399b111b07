#include "cache/writer.hpp"

#include <chrono>
#include <utility>

#include <unistd.h>

#include "lib/base/unix_time.hpp"

namespace cudahot::cache {
namespace {

// What waits for a slow disk may take so much memory; more is compiled again another time.
constexpr std::size_t kMostQueuedBytes = std::size_t{128} << 20;
// The size is looked at with the first insert of a process, and after so much more.
constexpr std::uint64_t kCollectEvery = std::uint64_t{16} << 20;
// Where nobody can say what is in use, what was used so lately may be.
constexpr std::chrono::hours kMayBeInUse{24};

std::size_t size_of(const Writer::Job& job) { return job.artifact->blob.size() + job.key.preimage.size(); }

}  // namespace

Writer::Writer(std::filesystem::path file, GcPolicy policy, std::shared_ptr<TroubleReport> report,
               MountProbe network_mount)
    : layer_(std::move(file), Store::Mode::read_write, std::move(report), {kLongWait, network_mount}),
      policy_(policy),
      process_(::getpid()) {}

Writer::~Writer() {
  if (process_ != ::getpid()) {
    if (thread_.joinable()) thread_.detach();
    (void)changed_.release();  // destroying it would wait for the thread
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_->notify_all();
  if (thread_.joinable()) thread_.join();
}

void Writer::add(Job job) {
  if (process_ != ::getpid()) return;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t bytes = size_of(job);
    if (queued_bytes_ != 0 && queued_bytes_ + bytes > kMostQueuedBytes) return;
    queued_bytes_ += bytes;
    jobs_.push_back(std::move(job));
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  changed_->notify_all();
}

void Writer::flush() {
  if (process_ != ::getpid()) return;
  std::unique_lock lock(mutex_);
  changed_->wait(lock, [this] { return jobs_.empty() && !working_; });
}

void Writer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_->wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    working_ = true;
    lock.unlock();
    const std::uint64_t bytes = size_of(job);
    perform(job);
    job.lease.release();
    if (collection_is_due(bytes)) collect(job.leases.get());
    job = {};
    lock.lock();
    queued_bytes_ -= bytes;
    working_ = false;
    changed_->notify_all();
  }
}

void Writer::perform(Job& job) {
  const bool compiled = !job.artifact->blob.empty();
  const auto written = layer_.write([&](Store& store) {
    if (job.damage) store.report_damage(*job.damage);
    return compiled ? store.insert_missed(job.key, *job.artifact, job.provenance, job.reason)
                    : store.note_miss(job.key, *job.artifact, job.reason);
  });
  if (written && compiled) job.lease.set_stored();
}

bool Writer::collection_is_due(std::uint64_t new_bytes) {
  if (new_bytes < bytes_until_collection_) {
    bytes_until_collection_ -= new_bytes;
    return false;
  }
  bytes_until_collection_ = kCollectEvery;
  return policy_.max_bytes || policy_.max_age;
}

// Trouble with it shows at the next insert, too, which tells.
void Writer::collect(LeaseFile* leases) {
  const Lease right = leases != nullptr ? leases->try_clean_up() : Lease();
  if (leases != nullptr && !right) return;
  GcPolicy policy = policy_;
  if (leases == nullptr) policy.keep_at_least = kMayBeInUse;
  const auto in_use = [leases](const base::Digest& key) { return leases != nullptr && leases->in_use(key); };
  const auto stop = [this] {
    const std::lock_guard lock(mutex_);
    return stopping_;
  };
  (void)layer_.read([&](Store& store) -> Status {
    const auto size = store.size();
    if (!size) return {};
    const bool too_large = policy_.max_bytes && size->file_bytes - size->free_bytes > *policy_.max_bytes;
    if (!too_large && !policy_.max_age && size->free_bytes == 0) return {};
    auto entries = store.list();
    if (!entries) return {};
    (void)run_gc(store, plan_gc(std::move(*entries), policy, base::now_unix(), in_use), in_use, stop);
    return {};
  });
}

}  // namespace cudahot::cache
