// Generation: one version of the code of a source file's hot kernels, loaded into the context.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/base/digest.hpp"
#include "lib/base/kernel_facts.hpp"
#include "lib/build/builder.hpp"
#include "lib/region/slice.hpp"
#include "lib/runtime/context.hpp"

namespace cudahot::runtime {

// Owner of a loaded library. Unloading waits for the queued work of the context (the driver's
// doing: docs/adr/0005-unload-drains.md) and must not happen while a thread launches from it or
// a graph holds it.
class LoadedLibrary {
 public:
  // The driver copies `cubin`. Errors: driver.
  static Result<LoadedLibrary> load(std::shared_ptr<Context> context, const std::string& cubin);
  ~LoadedLibrary();
  LoadedLibrary(LoadedLibrary&& other) noexcept;
  LoadedLibrary& operator=(LoadedLibrary&&) = delete;

  // Makes the kernel resident: waits for queued work of the context. Errors: not_found, driver.
  Result<CUfunction> resolve(const std::string& symbol) const;

 private:
  LoadedLibrary(std::shared_ptr<Context> context, CUlibrary handle) : context_(std::move(context)), handle_(handle) {}
  std::shared_ptr<Context> context_;
  CUlibrary handle_ = nullptr;
};

// What describes a generation and does not change with its kernels.
struct GenerationFacts {
  std::uint64_t number = 0;
  std::string source;
  std::string architecture;
  std::string tier;
  base::Digest key;
  base::Digest content;   // of the CUBIN
  std::size_t bytes = 0;  // of the CUBIN
};

// What a slot points to: immutable, lives as long as its generation.
struct KernelCode {
  std::string kernel;  // qualified name
  CUfunction function = nullptr;
  base::KernelFacts facts;
  std::shared_ptr<const GenerationFacts> generation;
  std::atomic<bool>* captured = nullptr;  // of the generation: set before a launch that a graph records
};

class Generation {
 public:
  // A library without its functions. Nothing waits.
  static Result<std::unique_ptr<Generation>> load(std::shared_ptr<Context> context, std::string source,
                                                  const std::vector<region::Kernel>& kernels,
                                                  const build::BuiltCubin& built, std::uint64_t number);
  // Finds the function of every kernel. Waits for queued work of the context.
  Status resolve();

  const GenerationFacts& facts() const { return *facts_; }
  const KernelCode* find(std::string_view kernel) const;
  const std::vector<KernelCode>& codes() const { return codes_; }
  // By a launching thread, or for good because a graph may hold it.
  bool pinned() const;
  bool launching() const;  // a thread is in the middle of a launch of it

 private:
  Generation(LoadedLibrary library, std::shared_ptr<const cache::Artifact> artifact,
             std::shared_ptr<const GenerationFacts> facts)
      : library_(std::move(library)), artifact_(std::move(artifact)), facts_(std::move(facts)) {}
  LoadedLibrary library_;
  std::shared_ptr<const cache::Artifact> artifact_;  // kept, so that its entry counts as in use
  std::shared_ptr<const GenerationFacts> facts_;
  std::vector<KernelCode> codes_;
  std::atomic<bool> captured_ = false;
};

// The facts of one of the slice's kernels in what was built. Errors: internal, naming the kernel.
Result<base::KernelFacts> facts_of(const cache::Artifact& artifact, const region::Kernel& kernel);

}  // namespace cudahot::runtime
