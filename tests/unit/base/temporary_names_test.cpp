#include "lib/base/temporary_names.hpp"

#include <chrono>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "lib/base/files.hpp"

namespace cudahot::base {
namespace {

class TemporaryNames : public testing::Test {
 protected:
  // Made, with `ending`, by a process that is gone, so long ago.
  std::filesystem::path left_by_another(const std::filesystem::path& file, std::chrono::minutes ago,
                                        const std::string& ending = {}) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string name = temporary_name(file).string() + ending;
      std::ofstream(name) << "half";
      ::_exit(::write(ends[1], name.data(), name.size()) > 0 ? 0 : 1);
    }
    ::close(ends[1]);
    std::string name(4096, '\0');
    name.resize(static_cast<std::size_t>(::read(ends[0], name.data(), name.size())));
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    std::filesystem::last_write_time(name, std::filesystem::file_time_type::clock::now() - ago);
    EXPECT_TRUE(std::filesystem::exists(name));
    return name;
  }

  const TemporaryFolder folder_ = TemporaryFolder::create("cudahot-temporary-names").value();
  const std::filesystem::path file_ = folder_.path() / "app.cudahot";
};

TEST_F(TemporaryNames, AreOfTheSameFolderAndDiffer) {
  EXPECT_EQ(temporary_name(file_).parent_path(), folder_.path());
  EXPECT_NE(temporary_name(file_), temporary_name(file_));
}

TEST_F(TemporaryNames, WhatAProcessThatIsGoneHasLeftIsRemoved) {
  const auto database = left_by_another(file_, std::chrono::minutes(11));
  const auto journal = left_by_another(file_, std::chrono::minutes(11), "-journal");
  temporary_name(file_);
  EXPECT_FALSE(std::filesystem::exists(database));
  EXPECT_FALSE(std::filesystem::exists(journal));
}

TEST_F(TemporaryNames, WhatMayBeInUseStays) {
  const auto lately = left_by_another(file_, std::chrono::minutes(9));
  const auto of_another_file = left_by_another(folder_.path() / "app", std::chrono::minutes(11));
  const auto mine = temporary_name(file_);
  std::ofstream(mine) << "slow";
  std::filesystem::last_write_time(mine, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  temporary_name(file_);
  for (const auto& path : {lately, of_another_file, mine}) EXPECT_TRUE(std::filesystem::exists(path)) << path;
}

TEST_F(TemporaryNames, FilesOfOtherNamesStay) {
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  for (const char* name : {"app.cudahot", "app.cudahot.4194305.tmp", "app.cudahot.x.0.cudahot-new",
                           "app.cudahot.cudahot-new", "app.cudahot4194305.0.cudahot-new"}) {
    std::ofstream(folder_.path() / name) << "x";
    std::filesystem::last_write_time(folder_.path() / name, old);
    temporary_name(file_);
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / name)) << name;
  }
}

TEST_F(TemporaryNames, AtomicWritesRemoveWhatIsLeft) {
  const auto left = left_by_another(file_, std::chrono::minutes(11));
  ASSERT_TRUE(write_file_atomically(file_, "whole"));
  EXPECT_FALSE(std::filesystem::exists(left));
}

}  // namespace
}  // namespace cudahot::base
