#include "lib/build/identified.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/build/builder.hpp"
#include "tests/unit/base/scoped_environment.hpp"
#include "tests/unit/build/slices.hpp"

namespace cudahot::build {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class IdentifiedTest : public ::testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_.path() / name; }

  // As an installer does: another file under the name.
  void replace(const fs::path& file, std::string_view content) const {
    ASSERT_TRUE(base::write_file_atomically(file, content));
  }

  base::TemporaryFolder folder_ = base::TemporaryFolder::create("cudahot_identified").value();
};

class Library : public IdentifiedTest {
 protected:
  Library() { replace(files_[0], "one"); }
  std::string identity() { return identified_.identity(files_, identify_).value(); }
  void replace(const fs::path& file, std::string_view content) { IdentifiedTest::replace(file, content); }

  const Identified::Files files_{path("library.so")};
  int asked_ = 0;
  const Identified::Identify identify_ = [this] {
    ++asked_;
    return base::read_file(files_[0]);
  };
  Identified identified_;
};

TEST_F(Library, IsIdentifiedOnceWhileItStays) {
  EXPECT_EQ(identity(), "one");
  EXPECT_EQ(identity(), "one");
  EXPECT_EQ(asked_, 1);
}

TEST_F(Library, IsIdentifiedAgainWhenItIsReplacedBeforeItIsLoaded) {
  EXPECT_EQ(identity(), "one");
  replace(files_[0], "two");
  EXPECT_EQ(identity(), "two");
}

TEST_F(Library, IsIdentifiedAgainWithTheSameSizeAndTime) {
  EXPECT_EQ(identity(), "one");
  const auto time = fs::last_write_time(files_[0]);
  replace(files_[0], "two");
  fs::last_write_time(files_[0], time);
  EXPECT_EQ(identity(), "two");
}

TEST_F(Library, StaysWhatWasLoadedWhateverReplacesTheFile) {
  identified_.begin_load(files_, identify_);
  identified_.end_load(files_);
  replace(files_[0], "two");
  EXPECT_EQ(identity(), "one");
}

TEST_F(Library, IsTheNewOneWhenItWasReplacedBetweenTheFirstKeyAndTheLoad) {
  EXPECT_EQ(identity(), "one");
  replace(files_[0], "two");
  identified_.begin_load(files_, identify_);
  identified_.end_load(files_);
  EXPECT_EQ(identity(), "two");
}

TEST_F(Library, IsNeitherWhenItWasReplacedWhileItWasLoaded) {
  identified_.begin_load(files_, identify_);
  replace(files_[0], "two");
  identified_.end_load(files_);
  EXPECT_THAT(identity(), HasSubstr("replaced while it was loaded"));
}

// A toolkit of links to the real one, but for NVRTC's builtins library, a copy with a build id of its own.
class ReplacedToolkit : public IdentifiedTest {
 protected:
  ReplacedToolkit() {
    const cuda::Toolkit real = cuda::find_toolkit().value();
    fs::create_directories(path("cuda/lib64"));
    fs::create_directory_symlink(real.include, path("cuda/include"));
    for (const fs::path& library : {real.nvrtc, real.nvjitlink}) {
      fs::create_symlink(library, path("cuda/lib64") / library.filename());
    }
    builtins_ = path("cuda/lib64") / real.nvrtc_builtins.filename();
    fs::create_symlink(real.nvrtc_builtins, builtins_);
    upgraded_ = base::read_file(real.nvrtc_builtins).value();
    const std::size_t note = upgraded_.find(std::string("GNU\0", 4));
    EXPECT_NE(note, std::string::npos);
    upgraded_[note + 4] = static_cast<char>(upgraded_[note + 4] + 1);
  }
  void upgrade() const { replace(builtins_, upgraded_); }

  fs::path builtins_;
  std::string upgraded_;
};

TEST_F(ReplacedToolkit, GivesAnotherIdentityBeforeItIsLoadedAndTheSameAfterIt) {
  Toolchain toolchain(path("cuda"));
  const auto before = toolchain.identity().value();
  upgrade();
  const auto upgraded = toolchain.identity().value();
  EXPECT_NE(upgraded.nvrtc, before.nvrtc);
  EXPECT_EQ(upgraded.nvjitlink, before.nvjitlink);
  ASSERT_TRUE(toolchain.nvrtc());
  fs::remove(builtins_);
  EXPECT_EQ(toolchain.identity().value(), upgraded);
}

TEST_F(ReplacedToolkit, StoresNoCodeUnderTheKeyOfTheOldOne) {
  // The warning comes between the key and the load: of the first look into a bundle that is none.
  cache::LayersOptions options;
  options.bundles = {path("none.cudahot")};
  replace(options.bundles[0], "no bundle");
  bool upgraded = false;
  options.log = [&](LogLevel, std::string_view) {
    if (!std::exchange(upgraded, true)) upgrade();
  };
  Builder builder(std::make_shared<cache::Layers>(std::move(options)), std::make_shared<Toolchain>(path("cuda")));
  const auto slice = testing::shade_slice().make();
  const auto build = [&] { return builder.find_or_build(slice, {90}, region::Tier::full).value(); };
  const auto first = build();
  ASSERT_TRUE(upgraded);
  EXPECT_TRUE(first.compiled);
  EXPECT_FALSE(first.keyed);
  const auto second = build();
  EXPECT_TRUE(second.compiled);
  EXPECT_TRUE(second.keyed);
  EXPECT_NE(second.key, first.key);
  EXPECT_FALSE(build().compiled);
}

TEST_F(ReplacedToolkit, LeavesNoCodeOfOtherHeadersForWhatIsCompiledLater) {
  fs::create_directories(path("headers/include"));
  fs::create_directory_symlink(path("cuda/lib64"), path("headers/lib64"));
  replace(path("headers/include/cuda.h"), base::read_file(path("cuda/include/cuda.h")).value());
  const fs::path header = path("headers/include/gain.h");
  const std::string recorded = "#define GAIN 2.0f\n";
  const auto slice_with = [&](const std::string& region) {
    testing::SliceMaker maker;
    maker.prefix("#include <gain.h>\n")
        .helper("__device__ __noinline__ float gained(float x) ", "{ return GAIN * x; }\n")
        .kernel("Shade", "__global__ void Shade(float* out) {\n", region, "}\n");
    region::Slice slice = maker.make();
    slice.uses_device_headers = true;
    const base::Digest content = base::digest(recorded);
    slice.files.push_back({header.string(), "1/gain.h", region::FileRecord::Role::device_header, content, content});
    return slice;
  };
  const auto fresh_builder = [&] {
    return Builder(std::make_shared<cache::Layers>(cache::LayersOptions{}),
                   std::make_shared<Toolchain>(path("headers")));
  };
  Builder builder = fresh_builder();
  replace(header, "#define GAIN 3.0f\n");
  const auto first = builder.find_or_build(slice_with("out[0] = gained(out[1]);\n"), {90}, region::Tier::quick);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_FALSE(first->keyed);
  replace(header, recorded);
  const auto slice = slice_with("out[0] = gained(out[2]);\n");
  const auto second = builder.find_or_build(slice, {90}, region::Tier::quick);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_TRUE(second->keyed);
  Builder other = fresh_builder();
  EXPECT_EQ(second->artifact->blob, other.find_or_build(slice, {90}, region::Tier::quick).value().artifact->blob);
}

TEST(CompilerEnvironment, IsPartOfTheIdentity) {
  Toolchain toolchain;
  const auto plain = toolchain.identity().value();
  EXPECT_THAT(plain.nvrtc, Not(HasSubstr("NV_NVVM_VERSION")));
  const base::ScopedEnvironment other("NV_NVVM_VERSION", "nvvm-latest");
  const auto changed = toolchain.identity().value();
  EXPECT_NE(changed.nvrtc, plain.nvrtc);
  EXPECT_NE(changed.nvjitlink, plain.nvjitlink);
}

}  // namespace
}  // namespace cudahot::build
