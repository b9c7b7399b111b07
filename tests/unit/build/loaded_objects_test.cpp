// What the process has mapped: a hit must load neither NVRTC nor nvJitLink.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/files.hpp"
#include "lib/build/builder.hpp"
#include "lib/build/helper_library.hpp"
#include "tests/unit/build/slices.hpp"

namespace cudahot::build {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string loaded_objects() {
  const auto maps = base::read_file("/proc/self/maps");
  return maps ? *maps : "";
}

// One test: the order matters.
TEST(LoadedObjects, HitLoadsNeitherNvrtcNorNvJitLink) {
  const auto slice = testing::shade_slice().make();
  const auto toolchain = std::make_shared<Toolchain>();
  const auto identity = toolchain->identity();
  ASSERT_TRUE(identity) << identity.error().message;
  const auto layers = std::make_shared<cache::Layers>(cache::LayersOptions{});
  cache::Artifact artifact;
  artifact.blob = "known";
  layers->insert(cache::cubin_key(slice, {90}, region::Tier::full, *identity, helper_library_digest()), artifact);

  Builder builder(layers, toolchain);
  const auto hit = builder.find_or_build(slice, {90}, region::Tier::full);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->artifact->blob, "known");
  EXPECT_THAT(loaded_objects(), Not(HasSubstr("libnvrtc")));
  EXPECT_THAT(loaded_objects(), Not(HasSubstr("libnvJitLink")));

  // The same look finds them after a miss, so it would have seen them.
  ASSERT_TRUE(builder.find_or_build(slice, {90}, region::Tier::quick));
  EXPECT_THAT(loaded_objects(), HasSubstr("libnvrtc"));
  EXPECT_THAT(loaded_objects(), HasSubstr("libnvJitLink"));
}

}  // namespace
}  // namespace cudahot::build
