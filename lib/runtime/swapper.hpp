// Swapper: the driver's side of a swap. One load at a time; loads, resolves and unloads happen
// together, because each of them makes the driver drain the context.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/build/builder.hpp"
#include "lib/region/slice.hpp"
#include "lib/runtime/context.hpp"
#include "lib/runtime/generation.hpp"
#include "lib/runtime/retirement.hpp"

namespace cudahot::runtime {

// Thread safe.
class Swapper {
 public:
  Swapper(std::shared_ptr<Context> context, RetirementLimits limits);
  // Unloads what is retired; the driver waits for the queued work of the context. Graphs that
  // hold hot kernels must be gone.
  ~Swapper();

  // Loads what was built and resolves its kernels; unloads what is due. Publishes nothing.
  // Errors: busy (a stream capture is open: try again when it has ended), driver.
  Result<std::unique_ptr<Generation>> load(const std::string& source, const std::vector<region::Kernel>& kernels,
                                           const build::BuiltCubin& built, std::uint64_t number);

  // Takes a generation that no slot points to any more.
  void retire(std::unique_ptr<Generation> generation);

  const std::shared_ptr<Context>& context() const { return context_; }

 private:
  std::shared_ptr<Context> context_;
  std::mutex mutex_;
  RetiredGenerations retired_;
};

}  // namespace cudahot::runtime
