#include "lib/runtime/launch_records.hpp"

#include <cstddef>

namespace cudahot::runtime {
namespace {

struct alignas(64) LaunchRecord {
  std::atomic<const KernelCode*> pinned{nullptr};
  std::atomic<bool> taken{true};
  LaunchRecord* next = nullptr;  // set once, before the record is published
};

// Records are never freed: a scan may be reading any of them.
std::atomic<LaunchRecord*> all_records{nullptr};

LaunchRecord* take_record() {
  for (LaunchRecord* record = all_records.load(std::memory_order_acquire); record != nullptr; record = record->next) {
    bool taken = false;
    if (record->taken.compare_exchange_strong(taken, true, std::memory_order_acq_rel)) return record;
  }
  auto* const record = new LaunchRecord;
  record->next = all_records.load(std::memory_order_relaxed);
  while (!all_records.compare_exchange_weak(record->next, record, std::memory_order_seq_cst)) {
  }
  return record;
}

thread_local LaunchRecord* this_thread_record = nullptr;

// Gives the record back when the thread ends.
struct RecordReturn {
  ~RecordReturn() {
    if (this_thread_record == nullptr) return;
    this_thread_record->taken.store(false, std::memory_order_release);
    this_thread_record = nullptr;
  }
};

[[gnu::noinline]] LaunchRecord* first_record() {
  thread_local RecordReturn give_back;
  static_cast<void>(give_back);
  this_thread_record = take_record();
  return this_thread_record;
}

LaunchRecord& record_of_this_thread() {
  LaunchRecord* const record = this_thread_record;
  return record != nullptr ? *record : *first_record();
}

}  // namespace

Pin::Pin(const std::atomic<const KernelCode*>& current) noexcept : slot_(record_of_this_thread().pinned) {
  code_ = current.load(std::memory_order_acquire);
  for (;;) {
    // The store is seen by whoever unpublishes this code later; if it was unpublished before,
    // the second load tells.
    slot_.store(code_, std::memory_order_seq_cst);
    const KernelCode* const again = current.load(std::memory_order_seq_cst);
    if (again == code_) return;
    code_ = again;
  }
}

bool is_pinned(const KernelCode* code) noexcept {
  for (LaunchRecord* record = all_records.load(std::memory_order_seq_cst); record != nullptr; record = record->next) {
    if (record->pinned.load(std::memory_order_seq_cst) == code) return true;
  }
  return false;
}

std::size_t launch_record_count() noexcept {
  std::size_t count = 0;
  for (LaunchRecord* record = all_records.load(std::memory_order_acquire); record != nullptr; record = record->next) {
    ++count;
  }
  return count;
}

}  // namespace cudahot::runtime
