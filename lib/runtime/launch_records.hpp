// Launch records: which code each thread is launching at this moment. A thread has one record,
// made at its first launch and reused after its end; making sure that a generation can be
// unloaded only reads the records. No thread ever waits for another here.
#pragma once

#include <atomic>

namespace cudahot::runtime {

struct KernelCode;

// While a Pin lives, the code it holds is not unloaded. One Pin a thread at a time.
class Pin {
 public:
  // Pins what `current` points to; code() is nullptr if that is nothing.
  explicit Pin(const std::atomic<const KernelCode*>& current) noexcept;
  ~Pin() { slot_.store(nullptr, std::memory_order_release); }
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;

  const KernelCode* code() const { return code_; }

 private:
  std::atomic<const KernelCode*>& slot_;
  const KernelCode* code_ = nullptr;
};

// Whether any thread has `code` pinned. Meaningful once no slot points to it any more: then a
// `false` stays so.
bool is_pinned(const KernelCode* code) noexcept;

// Records made so far; bounded by the largest number of threads that lived at one time.
std::size_t launch_record_count() noexcept;

}  // namespace cudahot::runtime
