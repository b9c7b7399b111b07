// Contexts: what calls refer to by the calling thread, and what is lost when a kernel faults.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "lib/cpu_device/device_heap.hpp"
#include "lib/cpu_device/driver_api.hpp"
#include "lib/cpu_device/grid.hpp"
#include "lib/cpu_device/handles.hpp"
#include "lib/cpu_device/stream.hpp"

namespace cudahot::cpu {

class Context : public std::enable_shared_from_this<Context> {
 public:
  static std::shared_ptr<Context> create(unsigned flags);

  CUcontext handle = nullptr;

  // CUDA_SUCCESS, or the error that every call returns from now on.
  CUresult state() const { return static_cast<CUresult>(lost_.load(std::memory_order_acquire)); }
  void lose(CUresult code, std::string_view reason);

  StreamPointer add_stream(unsigned flags, int priority);
  void remove_stream(const StreamPointer& stream);
  // nullptr and CU_STREAM_LEGACY: the default stream; CU_STREAM_PER_THREAD: the calling thread's.
  // nullptr: no stream of this context.
  StreamPointer stream(CUstream handle);
  const StreamPointer& default_stream() const { return default_stream_; }
  std::vector<StreamPointer> streams() const;

  // Waits for what is queued at this moment.
  void drain() const;
  bool busy() const { return !pending().empty(); }

  // Held while work is put into a stream, which orders the work of all streams of the context.
  std::mutex& submission() const { return submission_; }
  // What `stream` has to wait for by the rules of the default stream; under submission().
  void add_implicit_dependencies(const Stream& stream, std::vector<TicketPointer>& after) const;

  std::atomic<unsigned> flags{0};
  std::atomic<std::size_t> stack_bytes{kDefaultStackBytes};
  std::atomic<std::size_t> printf_bytes{std::size_t{1} << 20};
  std::atomic<std::size_t> heap_bytes{std::size_t{8} << 20};  // counts when a kernel first allocates
  DeviceHeap heap;

 private:
  Context() = default;
  std::vector<TicketPointer> pending() const;

  std::atomic<int> lost_{CUDA_SUCCESS};
  mutable std::mutex submission_;
  mutable std::mutex streams_mutex_;
  StreamPointer default_stream_;
  std::vector<StreamPointer> streams_;  // without the default stream
};
using ContextPointer = std::shared_ptr<Context>;

// Frees all that belongs to the context after its work is done. Its handle is gone already.
void destroy_context_contents(Context& context);

// The contexts of the calling thread; the last one is current.
std::vector<CUcontext>& context_stack();

// Begins every driver call: CUDA is initialised, the thread may call, and for those that need
// one there is a current context in good state.
class Entry {
 public:
  enum class Needs { nothing, initialised, context };
  explicit Entry(Needs needs = Needs::context);

  bool refused() const { return error_ != CUDA_SUCCESS; }
  CUresult error() const { return error_; }
  Context* operator->() const { return context_.get(); }
  Context& operator*() const { return *context_; }
  const ContextPointer& context() const { return context_; }

 private:
  CUresult error_ = CUDA_SUCCESS;
  ContextPointer context_;
};

void set_initialised();
bool is_device(CUdevice device);

}  // namespace cudahot::cpu
