// A CUDA driver made of memory: records what is called and notes every misuse. Launched work
// stays "running" until something drains the context (a synchronisation, making a function
// resident, an unload) or the test finishes it. A CUBIN is any
// text; it has the kernels whose names occur in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lib/cuda/driver.hpp"

namespace cudahot::runtime::testing {

class FakeDriver {
 public:
  struct Launch {
    std::string cubin;
    std::string kernel;
    unsigned block_threads = 0;
    CUstream stream = nullptr;
    void** arguments = nullptr;
  };

  // One at a time: the driver's functions have no object.
  FakeDriver();
  ~FakeDriver();
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;

  std::shared_ptr<const cuda::DriverTable> table() const { return table_; }
  CUcontext context() const;  // the primary context of the one device
  // A thread's own context, as a program that uses CUDA has it.
  void make_current(CUcontext context);

  // What went wrong in the use of the driver; must be empty.
  std::vector<std::string> misuses() const;

  std::vector<Launch> launches() const;
  Launch last_launch() const;
  std::size_t launch_count() const;
  std::size_t live_libraries() const;
  std::size_t most_live_libraries() const;
  std::size_t loads() const;
  std::size_t unloads() const;
  std::size_t synchronisations() const;
  std::size_t primary_contexts_retained() const;

  void finish_work();           // what is running ends
  void set_capture(bool open);  // of a stream that synchronises with the legacy default stream
  // From now on launches into `stream` are recorded, and a synchronisation ends the capture.
  void capture(CUstream stream);
  void forget_graphs();  // as if all were destroyed
  void fail_loads(CUresult result);
  void fail_launches(CUresult result);
  // Called in the middle of every launch, in the launching thread.
  void set_on_launch(std::function<void()> on_launch);
  // Keep a list of launches (default) or only count them.
  void keep_launches(bool keep);

 private:
  friend struct FakeFunctions;
  struct Library {
    std::string cubin;
    bool loaded = true;
    std::size_t running = 0;
    std::size_t launching = 0;
    bool in_graph = false;
  };
  struct Function {
    Library* library = nullptr;
    std::string kernel;
    bool resolved = false;
  };

  void misuse(std::string text) { misuses_.push_back(std::move(text)); }

  mutable std::mutex mutex_;
  std::shared_ptr<cuda::DriverTable> table_;
  std::vector<std::unique_ptr<Library>> libraries_;  // never freed: handles stay tellable
  std::vector<std::unique_ptr<Function>> functions_;
  std::vector<Launch> launches_;
  std::vector<std::string> misuses_;
  std::function<void()> on_launch_;
  CUresult load_result_ = CUDA_SUCCESS;
  CUresult launch_result_ = CUDA_SUCCESS;
  bool capture_ = false;
  CUstream captured_stream_ = nullptr;
  bool keep_ = true;
  bool initialised_ = false;
  std::size_t launch_count_ = 0;
  std::size_t live_ = 0;
  std::size_t most_live_ = 0;
  std::size_t loads_ = 0;
  std::size_t unloads_ = 0;
  std::size_t synchronisations_ = 0;
  std::size_t retained_ = 0;
};

}  // namespace cudahot::runtime::testing
