#include "lib/base/paths.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/files.hpp"
#include "tests/unit/base/scoped_environment.hpp"

namespace cudahot::base {
namespace {

namespace fs = std::filesystem;

TEST(Environment, EmptyCountsAsNotSet) {
  const ScopedEnvironment set("CUDAHOT_TEST_VARIABLE", "value");
  EXPECT_EQ(environment("CUDAHOT_TEST_VARIABLE"), "value");
  const ScopedEnvironment empty("CUDAHOT_TEST_VARIABLE", "");
  EXPECT_EQ(environment("CUDAHOT_TEST_VARIABLE"), std::nullopt);
  const ScopedEnvironment unset("CUDAHOT_TEST_VARIABLE", nullptr);
  EXPECT_EQ(environment("CUDAHOT_TEST_VARIABLE"), std::nullopt);
}

TEST(UserCachePath, TakesTheFirstPlaceThatIsNamed) {
  const ScopedEnvironment home("HOME", "/home/user");
  const ScopedEnvironment folder("XDG_CACHE_HOME", "/caches");
  const ScopedEnvironment file("CUDAHOT_CACHE", "/elsewhere/my.db");
  EXPECT_EQ(user_cache_path().value(), "/elsewhere/my.db");
  const ScopedEnvironment no_file("CUDAHOT_CACHE", nullptr);
  EXPECT_EQ(user_cache_path().value(), "/caches/cudahot/cache.db");
  const ScopedEnvironment relative_folder("XDG_CACHE_HOME", "caches");
  EXPECT_EQ(user_cache_path().value(), "/home/user/.cache/cudahot/cache.db") << "relative is not valid";
  const ScopedEnvironment empty_folder("XDG_CACHE_HOME", "");
  EXPECT_EQ(user_cache_path().value(), "/home/user/.cache/cudahot/cache.db");
  const ScopedEnvironment no_home("HOME", nullptr);
  const auto none = user_cache_path();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::environment);
  EXPECT_THAT(none.error().message, testing::HasSubstr("set CUDAHOT_CACHE"));
}

TEST(ExecutablePath, IsThisTest) { EXPECT_EQ(executable_path().filename(), "base_test"); }

class FindProgram : public testing::Test {
 protected:
  fs::path put(const char* folder, const char* name, fs::perms permissions) {
    const fs::path path = folder_->path() / folder / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\n";
    fs::permissions(path, permissions);
    return path;
  }
  std::string search_path(const char* first, const char* second) const {
    return (folder_->path() / first).string() + ":" + (folder_->path() / second).string();
  }
  Result<TemporaryFolder> folder_ = TemporaryFolder::create("cudahot-paths-test");
};

TEST_F(FindProgram, TakesTheFirstFolderThatHasIt) {
  put("one", "other", fs::perms{0755});
  const auto second = put("two", "tool", fs::perms{0755});
  const ScopedEnvironment path("PATH", search_path("one", "two").c_str());
  EXPECT_EQ(find_program("tool"), second);
  const auto first = put("one", "tool", fs::perms{0755});
  EXPECT_EQ(find_program("tool"), first);
  EXPECT_EQ(find_program("missing"), std::nullopt);
}

TEST_F(FindProgram, PassesOverFoldersAndFilesThatAreNoPrograms) {
  fs::create_directories(folder_->path() / "one" / "tool");
  const auto program = put("two", "tool", fs::perms{0755});
  put("one", "plain", fs::perms{0644});
  const ScopedEnvironment path("PATH", search_path("one", "two").c_str());
  EXPECT_EQ(find_program("tool"), program);
  EXPECT_EQ(find_program("plain"), std::nullopt);
}

TEST_F(FindProgram, FindsNothingWithoutAPath) {
  const ScopedEnvironment path("PATH", nullptr);
  EXPECT_EQ(find_program("sh"), std::nullopt);
}

}  // namespace
}  // namespace cudahot::base
