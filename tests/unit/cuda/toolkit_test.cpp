#include "lib/cuda/toolkit.hpp"

#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/files.hpp"
#include "lib/base/paths.hpp"
#include "lib/base/toolkit_identity.hpp"
#include "tests/unit/cuda/compiled.hpp"

namespace cudahot::cuda {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// Sets variables for one test and puts them back.
class ScopedEnvironment {
 public:
  ScopedEnvironment() = default;
  ~ScopedEnvironment() {
    for (const auto& [name, value] : old_) {
      if (value) ::setenv(name.c_str(), value->c_str(), 1);
      else ::unsetenv(name.c_str());
    }
  }
  ScopedEnvironment(const ScopedEnvironment&) = delete;
  ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

  void set(const std::string& name, const std::string& value) {
    old_.emplace_back(name, base::environment(name.c_str()));
    ::setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> old_;
};

base::ToolkitIdentity identity_of(const Toolkit& toolkit) {
  return {version_of(toolkit), identify_nvrtc(toolkit).value(), identify_nvjitlink(toolkit).value()};
}

class FindToolkit : public ::testing::Test {
 protected:
  FindToolkit() {
    for (const char* name : {"CUDAHOT_TOOLKIT", "CUDA_HOME", "CUDA_PATH"}) environment_.set(name, "");
    environment_.set("PATH", (folder_.path() / "empty").string());
  }

  fs::path write(const fs::path& file, std::string_view content = "") const {
    const fs::path path = folder_.path() / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << content;
    return path;
  }

  // A toolkit of 13.0 with headers in `include` and libraries in `libraries`.
  fs::path make_toolkit(const fs::path& root, const fs::path& include, const fs::path& libraries) const {
    write(root / include / "cuda.h", "/* */\n#define CUDA_VERSION 13000\n");
    for (const char* name :
         {"libnvrtc.so.13", "libnvrtc.alt.so.13", "libnvrtc-builtins.so.13.0", "libnvJitLink.so.13"}) {
      write(root / libraries / name, name);
    }
    return folder_.path() / root;
  }

  base::TemporaryFolder folder_ = base::TemporaryFolder::create("cudahot_toolkit").value();
  ScopedEnvironment environment_;
};

TEST_F(FindToolkit, KnowsTheClassicLayout) {
  const fs::path root = make_toolkit("cuda", "include", "lib64");
  fs::create_directories(root / "include/cccl");
  const auto toolkit = find_toolkit(root);
  ASSERT_TRUE(toolkit) << toolkit.error().message;
  EXPECT_EQ(toolkit->root, root);
  EXPECT_EQ(toolkit->include, root / "include");
  EXPECT_EQ(toolkit->cccl, root / "include/cccl");
  EXPECT_EQ(toolkit->nvrtc, root / "lib64/libnvrtc.so.13");
  EXPECT_EQ(toolkit->nvrtc_builtins, root / "lib64/libnvrtc-builtins.so.13.0");
  EXPECT_EQ(toolkit->nvjitlink, root / "lib64/libnvJitLink.so.13");
  EXPECT_EQ(toolkit->version_major, 13u);
  EXPECT_EQ(toolkit->version_minor, 0u);
}

TEST_F(FindToolkit, KnowsTheLayoutOfWheels) {
  const fs::path root = make_toolkit("nvidia/cu13", "include", "lib");
  const auto toolkit = find_toolkit(root);
  ASSERT_TRUE(toolkit) << toolkit.error().message;
  EXPECT_EQ(toolkit->nvrtc, root / "lib/libnvrtc.so.13");
  EXPECT_TRUE(toolkit->cccl.empty());
}

TEST_F(FindToolkit, KnowsTheLayoutOfTargets) {
  const fs::path root = make_toolkit("cuda", "targets/x86_64-linux/include", "targets/x86_64-linux/lib");
  const auto toolkit = find_toolkit(root);
  ASSERT_TRUE(toolkit) << toolkit.error().message;
  EXPECT_EQ(toolkit->include, root / "targets/x86_64-linux/include");
}

// As Debian and Conda lay toolkits out: what root has are links.
TEST_F(FindToolkit, KnowsToolkitsThatAreMadeOfLinks) {
  const fs::path real = make_toolkit("real", "headers", "libraries");
  const fs::path root = folder_.path() / "cuda";
  fs::create_directories(root);
  fs::create_directory_symlink(real / "headers", root / "include");
  fs::create_directory_symlink("../real/libraries", root / "lib64");
  const auto toolkit = find_toolkit(root);
  ASSERT_TRUE(toolkit) << toolkit.error().message;
  EXPECT_EQ(toolkit->include, root / "include");
  EXPECT_EQ(toolkit->nvrtc_builtins, root / "lib64/libnvrtc-builtins.so.13.0");
  const auto identity = identity_of(*toolkit);

  fs::remove(root / "lib64");
  for (const char* name : {"libnvrtc.so.13", "libnvJitLink.so.13"}) {
    fs::create_directories(root / "lib");
    fs::create_symlink(real / "libraries" / name, root / "lib" / name);
  }
  const auto single = find_toolkit(root);
  ASSERT_TRUE(single) << single.error().message;
  EXPECT_EQ(single->nvrtc, root / "lib/libnvrtc.so.13");
  EXPECT_EQ(single->nvrtc_builtins, real / "libraries/libnvrtc-builtins.so.13.0");
  EXPECT_EQ(identity_of(*single), identity);
}

TEST_F(FindToolkit, FolderMayHaveSpaces) {
  EXPECT_TRUE(find_toolkit(make_toolkit("my cuda (old)", "include", "lib64")));
}

TEST_F(FindToolkit, NamedPlaceThatIsNoToolkitIsAnErrorThatSaysWhatIsMissing) {
  make_toolkit("good", "include", "lib64");
  environment_.set("CUDA_HOME", (folder_.path() / "good").string());
  const auto none = find_toolkit(folder_.path() / "nowhere");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::environment);
  EXPECT_THAT(none.error().message, HasSubstr("no such folder"));

  const fs::path root = make_toolkit("half", "include", "lib64");
  fs::remove(root / "lib64/libnvJitLink.so.13");
  environment_.set("CUDAHOT_TOOLKIT", root.string());
  const auto half = find_toolkit();
  ASSERT_FALSE(half);
  EXPECT_THAT(half.error().message, HasSubstr("CUDAHOT_TOOLKIT"));
  EXPECT_THAT(half.error().message, HasSubstr("libnvJitLink.so.13"));
}

TEST_F(FindToolkit, MissingBuiltinsLibraryIsNamed) {
  const fs::path root = make_toolkit("cuda", "include", "lib64");
  fs::remove(root / "lib64/libnvrtc-builtins.so.13.0");
  const auto toolkit = find_toolkit(root);
  ASSERT_FALSE(toolkit);
  EXPECT_THAT(toolkit.error().message, HasSubstr("libnvrtc-builtins.so.13.0"));
}

TEST_F(FindToolkit, HeaderWithoutVersionIsNoToolkit) {
  const fs::path root = make_toolkit("cuda", "include", "lib64");
  for (const char* text :
       {"", "#define CUDA_VERSION", "#define CUDA_VERSION x\n", "#define CUDA_VERSION 99999999999999\n"}) {
    write("cuda/include/cuda.h", text);
    EXPECT_FALSE(find_toolkit(root)) << text;
  }
}

TEST_F(FindToolkit, TakesPlacesInTheirOrder) {
  const fs::path first = make_toolkit("first", "include", "lib64");
  const fs::path second = make_toolkit("second", "include", "lib64");
  const fs::path third = make_toolkit("third", "include", "lib64");
  const fs::path nvcc = write("third/bin/nvcc");
  fs::permissions(nvcc, fs::perms::owner_all);
  environment_.set("PATH", nvcc.parent_path().string());
  EXPECT_EQ(find_toolkit()->root, third);
  EXPECT_EQ(find_toolkit()->found_by, "nvcc on PATH");
  environment_.set("CUDA_PATH", second.string());
  EXPECT_EQ(find_toolkit()->root, second);
  environment_.set("CUDA_HOME", (folder_.path() / "empty").string());
  EXPECT_EQ(find_toolkit()->root, second) << "a bad CUDA_HOME is passed over";
  environment_.set("CUDAHOT_TOOLKIT", first.string());
  EXPECT_EQ(find_toolkit()->root, first);
  EXPECT_EQ(find_toolkit(third)->root, third);
}

TEST_F(FindToolkit, NvccBehindALinkBelongsToItsRealFolder) {
  const fs::path root = make_toolkit("cuda-13.0", "include", "lib64");
  const fs::path nvcc = write("cuda-13.0/bin/nvcc");
  fs::permissions(nvcc, fs::perms::owner_all);
  fs::create_directories(folder_.path() / "bin");
  fs::create_symlink(nvcc, folder_.path() / "bin/nvcc");
  environment_.set("PATH", (folder_.path() / "bin").string());
  EXPECT_EQ(find_toolkit()->root, root);
}

TEST_F(FindToolkit, NvccThatIsALinkBelongsToTheFolderThatHasTheHeaders) {
  const fs::path root = make_toolkit("cuda", "include", "lib64");
  const fs::path nvcc = write("nvidia-cuda-toolkit/bin/nvcc");
  fs::permissions(nvcc, fs::perms::owner_all);
  fs::create_directories(root / "bin");
  fs::create_symlink(nvcc, root / "bin/nvcc");
  fs::create_directories(folder_.path() / "bin");
  fs::create_symlink(root / "bin/nvcc", folder_.path() / "bin/nvcc");
  environment_.set("PATH", (folder_.path() / "bin").string());
  EXPECT_EQ(find_toolkit()->root, root);
}

TEST_F(FindToolkit, MessageNamesEveryPlaceThatWasLookedAt) {
  if (fs::exists("/usr/local/cuda")) GTEST_SKIP() << "the last place looked at holds a toolkit here";
  environment_.set("CUDA_HOME", "/opt/one");
  environment_.set("CUDA_PATH", "/opt/two");
  const auto toolkit = find_toolkit();
  ASSERT_FALSE(toolkit);
  for (const char* part : {"CUDAHOT_TOOLKIT", "/opt/one", "/opt/two", "nvcc on PATH", "/usr/local/cuda"}) {
    EXPECT_THAT(toolkit.error().message, HasSubstr(part));
  }
}

TEST_F(FindToolkit, IdentityChangesWithEachLibrary) {
  const fs::path root = make_toolkit("cuda", "include", "lib64");
  const auto toolkit = find_toolkit(root);
  ASSERT_TRUE(toolkit);
  const auto before = identity_of(*toolkit);
  EXPECT_EQ(before.version, "13.0");
  write("cuda/lib64/libnvrtc-builtins.so.13.0", "another build");
  const auto builtins = identity_of(*toolkit);
  write("cuda/lib64/libnvJitLink.so.13", "another build");
  const auto linker = identity_of(*toolkit);
  EXPECT_NE(builtins.nvrtc, before.nvrtc);
  EXPECT_EQ(builtins.nvjitlink, before.nvjitlink);
  EXPECT_NE(linker.nvjitlink, before.nvjitlink);
}

TEST_F(FindToolkit, VersionDownToTheBuildWhereTheToolkitTellsIt) {
  const fs::path root = make_toolkit("cuda", "include", "lib64");
  write("cuda/version.json",
        R"({"cuda": {"name": "CUDA", "version": "13.0.2"}, "cuda_nvrtc": {"version": "13.0.88"}})");
  EXPECT_EQ(identity_of(*find_toolkit(root)).version, "13.0.88");
  write("cuda/version.json", "not json");
  EXPECT_EQ(identity_of(*find_toolkit(root)).version, "13.0");
}

TEST(Identify, RealLibrariesCarryBuildIds) {
  const auto identity = identity_of(testing::toolkit());
  EXPECT_THAT(identity.nvrtc, MatchesRegex("id:[0-9a-f]+\\+id:[0-9a-f]+"));
  EXPECT_THAT(identity.nvjitlink, MatchesRegex("id:[0-9a-f]+"));
}

}  // namespace
}  // namespace cudahot::cuda
