#include "lib/runtime/swapper.hpp"

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cudahot::runtime {
namespace {

// Unloading from a thread in this mode does not disturb captures of other threads' streams.
class RelaxedCaptureMode {
 public:
  explicit RelaxedCaptureMode(const Context& context) : context_(context) { exchange(); }
  ~RelaxedCaptureMode() { exchange(); }
  RelaxedCaptureMode(const RelaxedCaptureMode&) = delete;
  RelaxedCaptureMode& operator=(const RelaxedCaptureMode&) = delete;

 private:
  void exchange() { context_.driver().thread_exchange_capture_mode(&mode_); }
  const Context& context_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

std::string running_before(const std::vector<region::Kernel>& kernels, std::uint64_t number) {
  if (number == 0) return "the program's own work";
  std::vector<std::string> names;
  for (const auto& kernel : kernels) names.push_back(kernel.name);
  return fmt::format("{} generation {}", fmt::join(names, ", "), number - 1);
}

}  // namespace

Swapper::Swapper(std::shared_ptr<Context> context, RetirementLimits limits)
    : context_(std::move(context)), retired_(limits) {}

Swapper::~Swapper() {
  const CurrentContext current(*context_);
  const RelaxedCaptureMode relaxed(*context_);
  for (const auto& generation : retired_.take_all()) {
    while (generation->launching()) std::this_thread::yield();
  }
}

Result<std::unique_ptr<Generation>> Swapper::load(const std::string& source, const std::vector<region::Kernel>& kernels,
                                                  const build::BuiltCubin& built, std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  if (capture_is_open(*context_)) {
    return fail(ErrorCode::busy,
                "new code waits to be loaded: a stream is being captured into a graph, and loading would end the "
                "capture; it is taken up when the capture has ended");
  }
  const CurrentContext current(*context_);
  const RelaxedCaptureMode relaxed(*context_);
  const std::string running = running_before(kernels, number);
  auto generation = Generation::load(context_, source, kernels, built, number);
  Status done = generation ? (*generation)->resolve() : Status(fail(generation.error()));
  // The driver drains the context for each of them: all that is due goes now. A synchronisation
  // would do no more, and would end captures that the program has open.
  if (done) retired_.take_due().clear();
  if (done) return generation;
  // A context that died says so to every call: was this failure its own?
  context_->note_result(context_->driver().context_synchronize(), running);
  if (auto cause = context_->cause_of_death()) return fail(std::move(*cause));
  return fail(std::move(done.error()));
}

void Swapper::retire(std::unique_ptr<Generation> generation) {
  const std::lock_guard lock(mutex_);
  retired_.add(std::move(generation));
}

}  // namespace cudahot::runtime
