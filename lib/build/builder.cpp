#include "lib/build/builder.hpp"

#include <chrono>
#include <cmath>
#include <exception>
#include <future>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "lib/build/helper_library.hpp"
#include "lib/build/recorded_headers.hpp"

namespace cudahot::build {
namespace {

class Stopwatch {
 public:
  // Milliseconds since construction or the last call.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(start_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::string joined(std::string text, const std::string& more) { return text.empty() ? more : text + ", " + more; }

// What is known of an artifact before it is compiled.
cache::Artifact describe_artifact(const region::Slice& slice, const region::SmArch& arch, region::Tier tier,
                                  const base::ToolkitIdentity& identity) {
  cache::Artifact artifact;
  artifact.kind = cache::ArtifactKind::cubin;
  artifact.arch = arch;
  artifact.tier = tier;
  for (const auto& kernel : slice.kernels) artifact.name = joined(std::move(artifact.name), kernel.name);
  for (const auto& region : slice.regions) artifact.regions = joined(std::move(artifact.regions), region.name);
  if (!slice.files.empty()) artifact.source = region::main_file(slice).path;
  artifact.toolkit_version = identity.version;
  return artifact;
}

cache::Provenance provenance_of(const region::Slice& slice, const BuildTimings& timings) {
  cache::Provenance provenance;
  provenance.build_us = std::llround((timings.compile + timings.link) * 1000);
  for (const region::FileRecord& file : slice.files) {
    if (file.role == region::FileRecord::Role::other) continue;  // Clang alone read it
    provenance.files.push_back({file.virtual_name, file.path, std::string(region::to_string(file.role)), file.content});
  }
  return provenance;
}

// Whatever happens, those who wait for the outcome get one.
template <typename Build>
Result<BuiltCubin> guarded(Build& build_now) {
  try {
    return build_now();
  } catch (const std::exception& exception) {
    return fail(ErrorCode::internal, std::string("the build of a kernel ended early: ") + exception.what());
  }
}

}  // namespace

struct Builder::State {
  std::shared_ptr<cache::Layers> layers;
  std::shared_ptr<Toolchain> toolchain;
  std::mutex mutex;
  std::unordered_map<base::Digest, std::shared_future<Result<BuiltCubin>>> in_flight;

  std::optional<BuiltCubin> find(const cache::CacheKey& key, BuildTimings& timings) {
    Stopwatch watch;
    auto hit = layers->find(key);
    timings.find += watch.lap();
    if (!hit) return std::nullopt;
    return hit_of(std::move(*hit), key, timings);
  }

  static BuiltCubin hit_of(cache::Layers::Hit hit, const cache::CacheKey& key, const BuildTimings& timings) {
    return {std::move(hit.artifact), key.digest, false, true, hit.origin, {}, timings};
  }

  // The key holds headers and the device runtime as they were at the extraction, and compilers as they were when it was
  // made. Where others were read, by another toolkit or an edit since, the code is right for now, and under no key. For
  // the CPU device no header of a toolkit is read.
  bool read_what_the_key_holds(const region::Slice& slice, const region::SmArch& arch,
                               const base::ToolkitIdentity& identity) {
    if (const auto now = toolchain->identity(arch); !now || *now != identity) return false;
    if (region::is_cpu(arch)) return true;
    const auto toolkit = toolchain->toolkit();
    return toolkit && has_recorded_files(slice, **toolkit);
  }

  Result<BuiltCubin> build(const region::Slice& slice, const region::SmArch& arch, region::Tier tier,
                           const cache::CacheKey& key, const base::ToolkitIdentity& identity, BuildTimings timings) {
    auto claim = layers->claim(key, [this] { return toolchain->cancelled(); });
    if (claim.hit) return hit_of(std::move(*claim.hit), key, timings);
    cache::Artifact artifact = describe_artifact(slice, arch, tier, identity);
    auto cubin = compile_and_link(slice, arch, tier, timings);
    if (!cubin) {
      const bool cancelled = cubin.error().code == ErrorCode::busy;
      if (!cancelled) layers->note_failed(key, std::move(artifact), std::move(claim.lease));
      return fail(std::move(cubin.error()));
    }
    Stopwatch watch;
    artifact.kernels = std::move(cubin->info.kernels);
    artifact.lowered_names = std::move(cubin->lowered_names);
    artifact.blob = std::move(cubin->blob);
    BuiltCubin built;
    built.key = key.digest;
    built.compiled = true;
    built.warnings = std::move(cubin->warnings);
    built.keyed = read_what_the_key_holds(slice, arch, identity);
    if (built.keyed) {
      built.artifact = layers->insert(key, std::move(artifact), provenance_of(slice, timings), std::move(claim.lease));
    } else {
      built.artifact = std::make_shared<const cache::Artifact>(std::move(artifact));
    }
    timings.store = watch.lap();
    built.timings = timings;
    return built;
  }

  Result<Cubin> compile_and_link(const region::Slice& slice, const region::SmArch& arch, region::Tier tier,
                                 BuildTimings& timings) {
    Stopwatch watch;
    auto program = compile(slice, arch, tier, *toolchain);
    timings.compile = watch.lap();
    if (!program) return fail(std::move(program.error()));
    auto cubin = link(slice, arch, std::move(*program), *toolchain, *layers);
    timings.link = watch.lap();
    return cubin;
  }

  // One build per key at a time: whoever comes second gets the first one's outcome.
  template <typename Build>
  Result<BuiltCubin> single_flight(const base::Digest& key, Build&& build_now) {
    std::promise<Result<BuiltCubin>> promise;
    {
      std::unique_lock lock(mutex);
      if (const auto running = in_flight.find(key); running != in_flight.end()) {
        const auto outcome = running->second;
        lock.unlock();
        return outcome.get();
      }
      in_flight.emplace(key, promise.get_future().share());
    }
    Result<BuiltCubin> outcome = guarded(build_now);
    {
      const std::lock_guard lock(mutex);
      in_flight.erase(key);
    }
    promise.set_value(outcome);
    return outcome;
  }
};

Builder::Builder(std::shared_ptr<cache::Layers> layers, std::shared_ptr<Toolchain> toolchain)
    : state_(std::make_unique<State>()) {
  state_->layers = std::move(layers);
  state_->toolchain = std::move(toolchain);
}

Builder::~Builder() = default;

cache::Layers& Builder::layers() { return *state_->layers; }
Toolchain& Builder::toolchain() { return *state_->toolchain; }

Result<BuiltCubin> Builder::find_or_build(const region::Slice& slice, const region::SmArch& arch, region::Tier tier,
                                          const base::ToolkitIdentity* built_with) {
  if (region::is_cpu(arch)) tier = region::Tier::full;
  BuildTimings timings;
  Stopwatch watch;
  const base::Digest library = helper_library_digest();
  if (built_with != nullptr) {
    const cache::CacheKey shipped = cache::cubin_key(slice, arch, tier, *built_with, library);
    timings.key += watch.lap();
    if (auto hit = state_->find(shipped, timings)) return std::move(*hit);
    watch.lap();
  }
  const auto identity = state_->toolchain->identity(arch);
  if (!identity) return fail(identity.error());
  const cache::CacheKey key = cache::cubin_key(slice, arch, tier, *identity, library);
  timings.key += watch.lap();
  // Asked even where the identities are equal: meanwhile another caller may have built it.
  return state_->single_flight(key.digest, [&]() -> Result<BuiltCubin> {
    if (auto hit = state_->find(key, timings)) return std::move(*hit);
    return state_->build(slice, arch, tier, key, *identity, timings);
  });
}

std::optional<BuiltCubin> Builder::find_shipped(const cache::Store::ShippedSlice& shipped, const region::SmArch& arch,
                                                region::Tier tier) {
  if (region::is_cpu(arch)) tier = region::Tier::full;
  BuildTimings timings;
  Stopwatch watch;
  auto hit = state_->layers->find_shipped(shipped, arch, tier, helper_library_digest());
  timings.find = watch.lap();
  if (!hit) return std::nullopt;
  return BuiltCubin{std::move(hit->artifact), hit->key, false, true, cache::Layers::Origin::bundle, {}, timings};
}

}  // namespace cudahot::build
