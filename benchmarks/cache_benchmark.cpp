// What the cache costs, by the number of entries in it. benchmarks/cache runs it and prints ratios.
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "cache/gc.hpp"
#include "cache/layers.hpp"
#include "cache/store.hpp"
#include "lib/base/files.hpp"

namespace cudahot::cache {
namespace {

constexpr std::size_t kCubinBytes = 6'000;  // about that of the sample

[[noreturn]] void stop(const Error& error) {
  fmt::print(stderr, "cache_benchmark: {}\n", error.message);
  std::exit(3);
}

template <typename T>
T checked(Result<T> result) {
  if (!result) stop(result.error());
  return std::move(*result);
}

void checked(const Status& status) {
  if (!status) stop(status.error());
}

CacheKey key_of(std::size_t i) {
  Preimage preimage;
  preimage.add("text", std::string(8'000, static_cast<char>('a' + i % 26)) + std::to_string(i));
  return make_key(preimage);
}

Artifact artifact_of(std::size_t i) {
  Artifact artifact;
  artifact.arch = {90};
  artifact.name = fmt::format("scene::Shade{}", i % 100);
  artifact.regions = "shade";
  artifact.source = fmt::format("/home/user/project/shade_{}.cu", i % 100);
  artifact.kernels = {{artifact.name, 32, 0, 0, 580, 0, {{0, 8}, {8, 4}, {12, 4}, {16, 4}}}};
  artifact.lowered_names = {{artifact.name, artifact.name}};
  artifact.toolkit_version = "13.0.88";
  artifact.blob.assign(kCubinBytes, static_cast<char>('a' + i % 26));
  return artifact;
}

// A cache of so many entries, made once.
const std::filesystem::path& cache_of(std::size_t count) {
  static const base::TemporaryFolder folder = checked(base::TemporaryFolder::create("cudahot_benchmark"));
  static std::map<std::size_t, std::filesystem::path> files;
  auto& file = files[count];
  if (!file.empty()) return file;
  file = folder.path() / fmt::format("{}.db", count);
  Store store = checked(Store::open(file, Store::Mode::read_write));
  for (std::size_t i = 0; i < count; ++i) checked(store.insert(key_of(i), artifact_of(i)));
  checked(store.shrink(0));  // so that the log is empty
  return file;
}

std::size_t entries_of(const benchmark::State& state) { return static_cast<std::size_t>(state.range(0)); }

// Opening, reading and closing a plain file with the same CUBIN: the least that a start can take.
void plain_file(benchmark::State& state) {
  const base::TemporaryFolder folder = checked(base::TemporaryFolder::create("cudahot_benchmark"));
  const auto file = folder.path() / "shade.cubin";
  checked(base::write_file_atomically(file, artifact_of(0).blob));
  for (auto _ : state) benchmark::DoNotOptimize(checked(base::read_file(file)));
}
BENCHMARK(plain_file)->Unit(benchmark::kMicrosecond);

void find_on_a_fresh_open(benchmark::State& state) {
  const auto& file = cache_of(entries_of(state));
  const CacheKey key = key_of(entries_of(state) / 2);
  for (auto _ : state) {
    Store store = checked(Store::open(file, Store::Mode::inspect));
    if (!checked(store.find(key))) stop({ErrorCode::internal, "not found", {}, {}});
  }
}
BENCHMARK(find_on_a_fresh_open)->Arg(1)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

void find_in_an_open_database(benchmark::State& state) {
  Store store = checked(Store::open(cache_of(entries_of(state)), Store::Mode::inspect));
  const CacheKey key = key_of(entries_of(state) / 2);
  for (auto _ : state) {
    if (!checked(store.find(key))) stop({ErrorCode::internal, "not found", {}, {}});
  }
}
BENCHMARK(find_in_an_open_database)->Arg(1)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMicrosecond);

// A process that finds one kernel in a bundle, through all layers.
void find_in_fresh_layers(benchmark::State& state) {
  const base::TemporaryFolder folder = checked(base::TemporaryFolder::create("cudahot_benchmark"));
  const auto file = folder.path() / "app.cudahot";
  {
    Store bundle = checked(Store::open(file, Store::Mode::create_bundle));
    checked(bundle.insert(key_of(0), artifact_of(0)));
    checked(bundle.finish());
  }
  const CacheKey key = key_of(0);
  for (auto _ : state) {
    LayersOptions options;
    options.bundles = {file};
    options.user_cache = folder.path() / "cache.db";
    Layers layers(std::move(options));
    if (!layers.find(key)) stop({ErrorCode::internal, "not found", {}, {}});
  }
}
BENCHMARK(find_in_fresh_layers)->Unit(benchmark::kMicrosecond);

void insert(benchmark::State& state) {
  const base::TemporaryFolder folder = checked(base::TemporaryFolder::create("cudahot_benchmark"));
  Store store = checked(Store::open(folder.path() / "cache.db", Store::Mode::read_write));
  const auto present = entries_of(state);
  for (std::size_t i = 0; i < present; ++i) checked(store.insert(key_of(i), artifact_of(i)));
  std::size_t next = present;
  for (auto _ : state) checked(store.insert(key_of(next), artifact_of(next))), ++next;
}
BENCHMARK(insert)->Arg(1)->Arg(1'000)->Arg(100'000)->Iterations(2'000)->Unit(benchmark::kMicrosecond);

void list(benchmark::State& state) {
  Store store = checked(Store::open(cache_of(entries_of(state)), Store::Mode::inspect));
  for (auto _ : state) benchmark::DoNotOptimize(checked(store.list()));
}
BENCHMARK(list)->Arg(1)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

// 10,000 of 20,000 entries go, and the file becomes shorter.
void collect_10000(benchmark::State& state) {
  const base::TemporaryFolder folder = checked(base::TemporaryFolder::create("cudahot_benchmark"));
  for (auto _ : state) {
    state.PauseTiming();
    const auto file = folder.path() / "cache.db";
    std::filesystem::copy_file(cache_of(20'000), file, std::filesystem::copy_options::overwrite_existing);
    {
      Store store = checked(Store::open(file, Store::Mode::read_write));
      state.ResumeTiming();
      GcPlan plan = plan_gc(checked(store.list()), GcPolicy{0, std::nullopt}, 0, {});
      plan.remove.resize(10'000);
      if (checked(run_gc(store, plan, {})).removed != 10'000) stop({ErrorCode::internal, "not removed", {}, {}});
      state.PauseTiming();
    }
    std::filesystem::remove(file);
    state.ResumeTiming();
  }
}
BENCHMARK(collect_10000)->Iterations(3)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cudahot::cache

BENCHMARK_MAIN();
