// cudahot: change a CUDA kernel while the program that runs it keeps running.
//
//   cudahot::Runtime runtime{{.bundles = {"shade.cudahot"}}};
//   auto kernel = runtime.kernel<void(cudaSurfaceObject_t, unsigned, unsigned, float)>("UpdateSurface");
//   kernel.launch({.grid = grid, .block = block, .stream = stream}, surface, width, height, time);
//
// The kernel was marked with `#pragma cudahot begin(NAME)` / `#pragma cudahot end` in its .cu
// file and extracted into the bundle by cudahot-extract. Edit the region and save: the next
// launch runs the new code. An edit that does not compile, or does not fit, leaves the running
// generation in place and is reported through the callbacks.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "cudahot/log.hpp"
#include "cudahot/result.hpp"

// The driver's own handle types, declared as <cuda.h> does, so that it need not be included.
struct CUstream_st;
struct CUctx_st;

namespace cudahot {

// When edits are taken up.
enum class Mode {
  automatic,  // source files are watched; edits go live by themselves
  manual,     // only when reload() is called
  off,        // never: kernels of the bundle run, no file is watched, no thread is started
};

// What kernels run on.
enum class Device {
  gpu,
  cpu,  // the CPU device, for machines without a GPU and for tests: right, not fast
};

// Blocks in a grid or threads in a block. Converts from a number and from CUDA's dim3 and uint3.
struct Dim3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;

  constexpr Dim3(unsigned x_size = 1, unsigned y_size = 1, unsigned z_size = 1) : x(x_size), y(y_size), z(z_size) {}
  template <typename Vector>
    requires(std::is_same_v<decltype(Vector::x), unsigned> && std::is_same_v<decltype(Vector::y), unsigned> &&
             std::is_same_v<decltype(Vector::z), unsigned>)
  constexpr Dim3(const Vector& size) : x(size.x), y(size.y), z(size.z) {}
};

struct LaunchConfig {
  Dim3 grid{};
  Dim3 block{};
  unsigned dynamic_shared_bytes = 0;  // per block
  CUstream_st* stream = nullptr;      // CUstream or cudaStream_t; nullptr: the legacy default stream
};

// Where the time of one reload went, in milliseconds; 0 where a stage did not run.
struct ReloadTimings {
  double read = 0;     // first event of the change to stable text
  double splice = 0;   // text of the regions put into the slice
  double extract = 0;  // cudahot-extract, when more than regions changed
  double find = 0;     // key and cache
  double compile = 0;  // NVRTC
  double link = 0;     // nvJitLink
  double store = 0;    // cache insert
  double check = 0;    // against the launch side
  double load = 0;     // driver: load, resolve (waits for queued work of the context)
  double total = 0;    // first event of the change to live (or to the failure)
};

struct ReloadEvent {
  enum class Kind {
    live,      // a new generation is what the next launch runs
    failed,    // the running generation stays; `error` says why
    restored,  // after a failure the text is what the running generation was built from
  };

  Kind kind = Kind::live;
  std::string kernel;                // qualified name; several bound kernels of one file: ", " between them
  std::uint64_t generation = 0;      // live: the new one; failed, restored: the one that goes on running
  std::vector<std::string> regions;  // whose text changed; empty when the file changed elsewhere
  bool cached = false;               // live: nothing was compiled
  ReloadTimings timings;
  Error error;  // failed
};

// Called one at a time: from cudahot's own thread, or from the thread that is in reload() or, in
// manual mode, in kernel(). Must not call back into the Runtime.
using EventCallback = std::function<void(const ReloadEvent& event)>;

// "cudahot: UpdateSurface generation 7 live in 41 ms (compile 38, link 0.4, load 0.1; region shade)".
// A failure is followed by its diagnostics, "shade.cu:12:3: error: ..." with the source line.
std::string to_string(const ReloadEvent& event);

struct RuntimeOptions {
  // Cache files made by cudahot-extract. $CUDAHOT_BUNDLE (':' between entries) is looked at first.
  std::vector<std::filesystem::path> bundles{};
  // Where compiled edits are kept. Default: $CUDAHOT_CACHE, else $XDG_CACHE_HOME/cudahot/cache.db,
  // else ~/.cache/cudahot/cache.db. Bounded by $CUDAHOT_CACHE_SIZE (1 GiB) and $CUDAHOT_CACHE_AGE.
  std::optional<std::filesystem::path> user_cache{};
  // Default: $CUDAHOT_MODE (auto, manual, off), else automatic.
  std::optional<Mode> mode{};
  // Default: $CUDAHOT_DEVICE (gpu, cpu), else gpu.
  std::optional<Device> device{};
  // Default: $CUDAHOT_TOOLKIT and the places named in the README. Looked for on the first miss.
  std::optional<std::filesystem::path> toolkit{};
  // Default: beside the running program, then on PATH. Used when more than regions changed.
  std::optional<std::filesystem::path> extractor{};
  // Default: the context that is current in the thread that first calls kernel(), else the
  // primary context of device 0.
  CUctx_st* context = nullptr;
  // Receives every event as text, too. Nothing is written anywhere unless it is set, or
  // $CUDAHOT_LOG (debug, info, warning, error) is: then lines of that level go to standard error.
  LogCallback log{};
  EventCallback on_event{};
};

// What a generation of a kernel is made of, for display.
struct KernelInfo {
  std::string name;
  std::string source;        // path of the .cu
  std::string architecture;  // "sm_90", "cpu-x86-64"
  std::string tier;          // "full"
  std::uint64_t generation = 0;
  std::uint32_t registers = 0;
  std::uint32_t static_shared_bytes = 0;
  std::string key;  // of the cache entry, 32 hexadecimal digits
};

namespace detail {

class Slot;  // lib/runtime: the current generation of one kernel

struct ParameterLayout {
  std::uint32_t size = 0;
  std::uint32_t alignment = 0;
};

Status launch(Slot& slot, const LaunchConfig& config, void** arguments) noexcept;
KernelInfo info(const Slot& slot);

// An argument is accepted when it has the parameter's type, or converts to it without narrowing
// (so an `int` literal may not stand for a `float`, nor a `size_t` for an `unsigned`).
template <typename Argument, typename Parameter>
concept FitsParameter = requires(Argument&& argument) { Parameter{std::forward<Argument>(argument)}; };

}  // namespace detail

template <typename Signature>
class Kernel;

// A handle to a hot kernel. Cheap to copy; its launches fail once the Runtime is gone. All member
// functions are thread safe.
template <typename... Parameters>
class Kernel<void(Parameters...)> {
 public:
  // Whether the kernel was found, loaded and fits the signature; otherwise error() says why and
  // launches return it.
  explicit operator bool() const { return slot_ != nullptr; }
  const Error& error() const { return error_; }

  // A handle to nothing yet.
  Kernel() : error_{ErrorCode::usage, "this cudahot::Kernel was not obtained from a Runtime", {}, {}} {}

  // Enqueues one launch of the current generation. No lock is shared with other launching
  // threads and nothing is allocated on success (but a record at a thread's first launch). A
  // thread without a current CUDA context gets that of the Runtime. Errors: driver, with its name
  // for the code; usage after the Runtime's end.
  template <typename... Arguments>
  Status launch(const LaunchConfig& config, Arguments&&... arguments) const {
    static_assert(sizeof...(Arguments) == sizeof...(Parameters), "cudahot: wrong number of kernel arguments");
    static_assert((detail::FitsParameter<Arguments, Parameters> && ...),
                  "cudahot: an argument does not fit its kernel parameter without narrowing; convert it explicitly");
    if (slot_ == nullptr) return fail(error_);
    std::tuple<Parameters...> values{Parameters{std::forward<Arguments>(arguments)}...};
    return std::apply(
        [&](auto&... value) {
          std::array<void*, sizeof...(Parameters) + 1> pointers{static_cast<void*>(&value)..., nullptr};
          return detail::launch(*slot_, config, pointers.data());
        },
        values);
  }

  // Number of the current generation; 0 is what the program was built with.
  std::uint64_t generation() const { return info().generation; }
  KernelInfo info() const { return slot_ ? detail::info(*slot_) : KernelInfo{}; }

 private:
  friend class Runtime;
  explicit Kernel(Result<std::shared_ptr<detail::Slot>> slot) {
    if (slot) slot_ = std::move(*slot);
    else error_ = std::move(slot.error());
  }
  std::shared_ptr<detail::Slot> slot_;
  Error error_;
};

// Owns the hot kernels of a program. Destroy it after the last launch has been made; destruction
// waits for queued work of the context before it unloads.
class Runtime {
 public:
  // Never throws and never fails: what is wrong is reported by the first kernel() that needs it.
  explicit Runtime(RuntimeOptions options = {});
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Finds the kernel by its qualified source name in the bundles and loads generation 0: "scene::shade<float>", or
  // "left.cu:shade<float>" with the end of its file's path where several files of a bundle have one. Where the
  // source on disk differs from the bundle's, it is taken up as generation 1: right after, in
  // cudahot's own thread, or in manual mode before this returns. Blocks for a load (about 0.1 ms)
  // on a hit, for a compile on a miss. Thread safe. Errors (in the handle): not_found (no bundle has
  // the kernel: names those it has), usage (several files have it), mismatch (count or sizes of parameters), driver,
  // environment.
  template <typename Signature>
  Kernel<Signature> kernel(std::string_view name) {
    return bind_as(name, static_cast<Signature*>(nullptr));
  }

  // Looks at all source files now and takes up what changed before it returns. For Mode::manual
  // and for tests; also waits for a reload that is under way. Mode off: does nothing. Errors: that
  // of the last failure; busy when loading has to wait for the end of a stream capture.
  Status reload();

 private:
  template <typename... Parameters>
  Kernel<void(Parameters...)> bind_as(std::string_view name, void (*)(Parameters...)) {
    static_assert((std::is_trivially_copyable_v<Parameters> && ...),
                  "cudahot: kernel parameters are copied byte by byte");
    return Kernel<void(Parameters...)>(
        bind(name, {detail::ParameterLayout{sizeof(Parameters), alignof(Parameters)}...}));
  }
  Result<std::shared_ptr<detail::Slot>> bind(std::string_view name, std::vector<detail::ParameterLayout> layout);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cudahot
