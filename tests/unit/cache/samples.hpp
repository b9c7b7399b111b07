// Artifacts, keys and places that the tests of the cache share.
#pragma once

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cache/layers.hpp"
#include "cache/store.hpp"
#include "lib/base/files.hpp"
#include "tests/unit/region/example_slice.hpp"

namespace cudahot::cache {

inline base::ToolkitIdentity example_toolkit() { return {"13.0.88", "nvrtc-build-1", "nvjitlink-build-1"}; }
inline base::Digest example_helper_library() { return {0x1111, 0x2222}; }

inline CacheKey example_key(std::string_view text = "kernel text") {
  Preimage preimage;
  preimage.add("text", text);
  return make_key(preimage);
}

inline Artifact example_artifact(std::string blob = std::string("\x7f"
                                                                "ELF\0binary",
                                                                11)) {
  Artifact artifact;
  artifact.kind = ArtifactKind::cubin;
  artifact.arch = {90, region::SmArch::Suffix::architecture};
  artifact.tier = region::Tier::quick;
  artifact.name = "UpdateSurface, scene::shade";
  artifact.regions = "shade";
  artifact.source =
      "/home/user/my project/sh\xc3\xa4"
      "de.cu";
  artifact.kernels = {{"UpdateSurface", 32, 1024, 16, 580, 256, {{0, 8}, {8, 4}, {12, 4}, {16, 4}}},
                      {"_ZN5scene5shadeEv", 40, 512, 0, 4, 0, {}}};
  artifact.lowered_names = {{"UpdateSurface", "UpdateSurface"}, {"scene::shade", "_ZN5scene5shadeEv"}};
  artifact.toolkit_version = "13.0.88";
  artifact.blob = std::move(blob);
  return artifact;
}

// A folder of its own for each test, whose name needs escaping in a URI.
class CacheTest : public testing::Test {
 protected:
  CacheTest() {
    auto folder = base::TemporaryFolder::create("cudahot cache%20test?a#b");
    EXPECT_TRUE(folder) << folder.error().message;
    folder_.emplace(std::move(*folder));
  }

  std::filesystem::path path(const std::string& name) const { return folder_->path() / name; }

  std::vector<std::string> files(const std::string& folder = {}) const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path(folder))) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  // A store that must open.
  Store open(const std::string& name, Store::Mode mode) {
    auto store = Store::open(path(name), mode, [this](LogLevel, std::string_view text) { log.emplace_back(text); });
    if (!store) throw std::runtime_error(store.error().message);
    return std::move(*store);
  }

  void make_bundle(const std::string& name, const CacheKey& key = example_key(),
                   const Artifact& artifact = example_artifact()) {
    Store bundle = open(name, Store::Mode::create_bundle);
    ASSERT_TRUE(bundle.insert(key, artifact));
    ASSERT_TRUE(bundle.put_slice({region::example_slice(), example_toolkit(), example_helper_library()}));
    ASSERT_TRUE(bundle.finish());
  }

  std::vector<std::string> log;

 private:
  std::optional<base::TemporaryFolder> folder_;
};

}  // namespace cudahot::cache
