#include "lib/build/builder.hpp"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/files.hpp"
#include "lib/build/helper_library.hpp"
#include "tests/unit/build/slices.hpp"

namespace cudahot::build {
namespace {

using region::SmArch;
using region::Tier;
using testing::shade_slice;

constexpr SmArch kArch{90};

std::shared_ptr<Toolchain> shared_toolchain() {
  static const auto toolchain = std::make_shared<Toolchain>();
  return toolchain;
}

Builder builder_without_cache() {
  return Builder(std::make_shared<cache::Layers>(cache::LayersOptions{}), shared_toolchain());
}

TEST(Builder, SecondCallIsAHitOfTheSameBytes) {
  auto builder = builder_without_cache();
  const auto slice = shade_slice().make();
  const auto first = builder.find_or_build(slice, kArch, Tier::full);
  const auto second = builder.find_or_build(slice, kArch, Tier::full);
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_TRUE(second);
  EXPECT_TRUE(first->compiled);
  EXPECT_GT(first->timings.compile, 0);
  EXPECT_FALSE(second->compiled);
  EXPECT_EQ(second->timings.compile, 0);
  EXPECT_EQ(second->origin, cache::Layers::Origin::memory);
  EXPECT_EQ(first->key, second->key);
  EXPECT_EQ(first->artifact->blob, second->artifact->blob);
}

// `content`: what the slice says of cuda_fp16.h, which is wherever its toolkit was.
region::Slice slice_with_device_header(const base::Digest& content) {
  region::Slice slice = shade_slice().make();
  slice.uses_device_headers = true;
  region::FileRecord header;
  header.path = "/home/include/toolkit/include/cuda_fp16.h";
  header.role = region::FileRecord::Role::device_header;
  header.content = content;
  slice.files.push_back(header);
  return slice;
}

TEST(Builder, KeepsCodeWhoseDeviceHeadersAreThoseOfItsKey) {
  auto builder = builder_without_cache();
  const auto toolkit = shared_toolchain()->toolkit();
  ASSERT_TRUE(toolkit);
  const auto slice = slice_with_device_header(base::digest(*base::read_file((*toolkit)->include / "cuda_fp16.h")));
  ASSERT_TRUE(builder.find_or_build(slice, kArch, Tier::full));
  EXPECT_FALSE(builder.find_or_build(slice, kArch, Tier::full)->compiled);
}

TEST(Builder, KeepsNoCodeThatWasMadeWithOtherDeviceHeadersThanItsKeySays) {
  auto builder = builder_without_cache();
  const auto slice = slice_with_device_header(base::digest("of another toolkit"));
  ASSERT_TRUE(builder.find_or_build(slice, kArch, Tier::full));
  EXPECT_TRUE(builder.find_or_build(slice, kArch, Tier::full)->compiled);
}

TEST(Builder, ArtifactSaysWhatIsInIt) {
  auto builder = builder_without_cache();
  const auto built = builder.find_or_build(shade_slice().make(), kArch, Tier::full);
  ASSERT_TRUE(built);
  const cache::Artifact& artifact = *built->artifact;
  EXPECT_EQ(artifact.kind, cache::ArtifactKind::cubin);
  EXPECT_EQ(artifact.arch, kArch);
  EXPECT_EQ(artifact.name, "Shade");
  EXPECT_EQ(artifact.regions, "shade");
  EXPECT_EQ(artifact.source, "/home/user/shade.cu");
  ASSERT_EQ(artifact.kernels.size(), 1u);
  EXPECT_GT(artifact.kernels.front().registers, 0u);
}

TEST(Builder, EditedRegionArchitectureAndTierAreOtherKeys) {
  auto builder = builder_without_cache();
  const auto slice = shade_slice().make();
  const auto first = builder.find_or_build(slice, kArch, Tier::full);
  const auto edited = builder.find_or_build(shade_slice("  value = 3;\n").make(), kArch, Tier::full);
  const auto other_arch = builder.find_or_build(slice, SmArch{80}, Tier::full);
  const auto quick = builder.find_or_build(slice, kArch, Tier::quick);
  ASSERT_TRUE(first && edited && other_arch && quick);
  EXPECT_TRUE(edited->compiled && other_arch->compiled && quick->compiled);
  EXPECT_NE(first->key, edited->key);
  EXPECT_NE(first->key, other_arch->key);
  EXPECT_NE(first->key, quick->key);
}

TEST(Builder, ConcurrentCallsForOneKeyCompileOnce) {
  auto builder = builder_without_cache();
  const auto slice = shade_slice("  value = 4;\n").make();
  std::vector<Result<BuiltCubin>> outcomes(8, fail(ErrorCode::internal, "not run"));
  {
    std::vector<std::jthread> threads;
    for (auto& outcome : outcomes) {
      threads.emplace_back([&] { outcome = builder.find_or_build(slice, kArch, Tier::full); });
    }
  }
  // Who waited for a compile shares its artifact; who came later found it in memory.
  std::set<const std::string*> compiled;
  for (const auto& outcome : outcomes) {
    ASSERT_TRUE(outcome) << outcome.error().message;
    if (outcome->compiled) compiled.insert(&outcome->artifact->blob);
    EXPECT_EQ(outcome->artifact->blob, outcomes.front()->artifact->blob);
  }
  EXPECT_EQ(compiled.size(), 1u);
}

TEST(Builder, FailedCompileIsNotRemembered) {
  auto builder = builder_without_cache();
  EXPECT_FALSE(builder.find_or_build(shade_slice("  value = nope;\n").make(), kArch, Tier::full));
  EXPECT_FALSE(builder.find_or_build(shade_slice("  value = nope;\n").make(), kArch, Tier::full));
  EXPECT_TRUE(builder.find_or_build(shade_slice("  value = 1;\n").make(), kArch, Tier::full));
}

TEST(Builder, BrokenCacheIsNoReasonToFail) {
  const auto folder = base::TemporaryFolder::create("cudahot_builder");
  ASSERT_TRUE(folder);
  const auto file = folder->path() / "cache.db";
  ASSERT_TRUE(base::write_file_atomically(file, "this is not a database, but a text of some length"));
  std::atomic<int> warnings = 0;
  cache::LayersOptions options;
  options.user_cache = file;
  options.log = [&](LogLevel level, std::string_view) { warnings += level == LogLevel::warning; };
  Builder builder(std::make_shared<cache::Layers>(options), shared_toolchain());
  const auto built = builder.find_or_build(shade_slice().make(), kArch, Tier::full);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_TRUE(built->compiled);
  EXPECT_GE(warnings, 1);
}

TEST(Builder, KeyOfTheShippedToolkitNeedsNoToolkit) {
  const auto slice = shade_slice().make();
  auto layers = std::make_shared<cache::Layers>(cache::LayersOptions{});
  const base::ToolkitIdentity shipped{"12.9.1", "id:11+id:22", "id:33"};
  cache::Artifact artifact;
  artifact.blob = "shipped";
  layers->insert(cache::cubin_key(slice, kArch, Tier::full, shipped, helper_library_digest()), artifact);
  Builder builder(layers, std::make_shared<Toolchain>("/no/toolkit/here"));
  const auto built = builder.find_or_build(slice, kArch, Tier::full, &shipped);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->artifact->blob, "shipped");

  const auto edited = builder.find_or_build(shade_slice("  value = 9;\n").make(), kArch, Tier::full, &shipped);
  ASSERT_FALSE(edited);
  EXPECT_EQ(edited.error().code, ErrorCode::environment);
}

TEST(HelperLibrary, IsCompiledOnceAndFoundAgain) {
  cache::Layers layers{cache::LayersOptions{}};
  for (const HelperForm form : {HelperForm::cubin, HelperForm::ltoir}) {
    const auto first = helper_library(form, kArch, *shared_toolchain(), layers);
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_FALSE(first->artifact->blob.empty());
    const auto hit = layers.find(first->key);
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->artifact->blob, first->artifact->blob);
  }
}

region::Slice slice_with_time(const std::string& statement) {
  region::Slice slice;
  slice.files = {{"/a.cu", "0/a.cu", region::FileRecord::Role::main, {}, {}}};
  slice.text = "#define _ch_TIME \"01:46:40\"\n__global__ void k(const char** p) { " + statement + " }\n";
  slice.kernels = {{"k", "k", "_Z1kPPKc", 0, 1, {}, {}}};
  return slice;
}

TEST(Time, IsThatOfTheTextWheneverItIsCompiled) {
  auto builder = builder_without_cache();
  for (const SmArch& arch : {kArch, region::kCpuX86_64}) {
    const auto built = builder.find_or_build(slice_with_time("p[0] = __TIME__;"), arch, Tier::full);
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_THAT(built->artifact->blob, ::testing::HasSubstr("01:46:40")) << region::to_string(arch);
  }
}

TEST(Time, IsCalledByItsNameInMessages) {
  auto builder = builder_without_cache();
  for (const SmArch& arch : {kArch, region::kCpuX86_64}) {
    const auto built = builder.find_or_build(slice_with_time("p[0] = __TIME__ unknown;"), arch, Tier::full);
    ASSERT_FALSE(built);
    ASSERT_FALSE(built.error().diagnostics.empty());
    EXPECT_THAT(built.error().diagnostics[0].frame, ::testing::HasSubstr("p[0] = __TIME__ unknown;"));
  }
}

}  // namespace
}  // namespace cudahot::build
