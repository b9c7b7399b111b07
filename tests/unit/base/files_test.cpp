#include "lib/base/files.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/write_protected.hpp"

namespace cudahot::base {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Files : public testing::Test {
 protected:
  fs::path at(const char* name) const { return folder_->path() / name; }

  void put(const fs::path& path, std::string_view content) { std::ofstream(path, std::ios::binary) << content; }

  std::vector<std::string> names(const fs::path& folder) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::create("cudahot-files-test");
};

TEST_F(Files, ReadGivesEveryByte) {
  for (const std::size_t size : {0U, 1U, 4096U, 100'000U}) {
    std::string content(size, '\0');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i);
    put(at("file"), content);
    EXPECT_EQ(read_file(at("file")).value(), content) << size;
  }
}

TEST_F(Files, ReadsAFileWhoseSizeTheSystemDoesNotState) {
  ASSERT_EQ(fs::file_size("/proc/self/status"), 0U);
  EXPECT_THAT(read_file("/proc/self/status").value(), HasSubstr("VmSize:"));
}

TEST_F(Files, ReadSaysWhatIsMissing) {
  const auto read = read_file(at("missing.cu"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::not_found);
  EXPECT_EQ(read.error().message, "cannot read '" + at("missing.cu").string() + "': No such file or directory");
}

TEST_F(Files, ReadBelowAFileIsNotFound) {
  put(at("file"), "");
  EXPECT_EQ(read_file(at("file") / "below").error().code, ErrorCode::not_found);
}

TEST_F(Files, ReadRefusesAFolder) {
  const auto read = read_file(folder_->path());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::environment);
  EXPECT_THAT(read.error().message, HasSubstr("Is a directory"));
}

TEST_F(Files, ReadDoesNotWaitForTheWriterOfAFifo) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  const auto read = read_file(at("fifo"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::environment);
  EXPECT_THAT(read.error().message, HasSubstr("it is not a regular file"));
}

TEST_F(Files, ReadRefusesADeviceWithoutEnd) { EXPECT_FALSE(read_file("/dev/zero")); }

TEST_F(Files, ReadTakesNoMoreMemoryThanAllowed) {
  put(at("sparse"), "");
  fs::resize_file(at("sparse"), std::uintmax_t{1} << 42);
  const auto read = read_file(at("sparse"));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("larger than 1024 MiB"));
  put(at("file"), "four");
  EXPECT_TRUE(read_file(at("file"), 4));
  EXPECT_FALSE(read_file(at("file"), 3));
}

TEST_F(Files, WriteReplacesTheWholeContent) {
  ASSERT_TRUE(write_file_atomically(at("file"), "a longer first content"));
  ASSERT_TRUE(write_file_atomically(at("file"), "second"));
  EXPECT_EQ(read_file(at("file")).value(), "second");
  EXPECT_THAT(names(folder_->path()), ElementsAre("file"));
}

TEST_F(Files, WriteGivesTheFileThePermissionsOfTheUmask) {
  const mode_t old = ::umask(0027);
  ASSERT_TRUE(write_file_atomically(at("file"), ""));
  ::umask(old);
  EXPECT_EQ(fs::status(at("file")).permissions(), fs::perms{0640});
}

TEST_F(Files, ReadersSeeTheOldOrTheNewContentAndNoPart) {
  const std::string old_content(300'000, 'o');
  const std::string new_content(300'000, 'n');
  ASSERT_TRUE(write_file_atomically(at("file"), old_content));
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(write_file_atomically(at("file"), i % 2 == 0 ? new_content : old_content));
    }
    done = true;
  });
  do {
    const auto content = read_file(at("file"));
    EXPECT_TRUE(content && (*content == old_content || *content == new_content));
  } while (!done);
  writer.join();
}

TEST_F(Files, FailedWriteIntoAMissingFolderLeavesNothing) {
  const auto written = write_file_atomically(at("missing") / "file", "content");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::environment);
  EXPECT_EQ(written.error().message,
            "cannot write '" + (at("missing") / "file").string() + "': No such file or directory");
  EXPECT_THAT(names(folder_->path()), IsEmpty());
}

TEST_F(Files, FailedWriteBelowAFileLeavesNothing) {
  put(at("file"), "kept");
  const auto written = write_file_atomically(at("file") / "below", "content");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::environment);
  EXPECT_THAT(names(folder_->path()), ElementsAre("file"));
  EXPECT_EQ(read_file(at("file")).value(), "kept");
}

TEST_F(Files, FailedWriteOverAFolderLeavesNothing) {
  fs::create_directory(at("folder"));
  EXPECT_EQ(write_file_atomically(at("folder"), "content").error().code, ErrorCode::environment);
  EXPECT_THAT(names(folder_->path()), ElementsAre("folder"));
  EXPECT_THAT(names(at("folder")), IsEmpty());
}

TEST_F(Files, FailedWriteIntoAReadOnlyFolderLeavesTheOldContent) {
  fs::permissions(folder_->path(), fs::perms{0755});
  fs::create_directory(at("locked"));
  put(at("locked") / "file", "kept");
  const auto written = [&] {
    const test_support::WriteProtected folder(at("locked"));
    return write_file_atomically(at("locked") / "file", "content");
  }();
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::environment);
  EXPECT_THAT(written.error().message, HasSubstr("Permission denied"));
  EXPECT_THAT(names(at("locked")), ElementsAre("file"));
  EXPECT_EQ(read_file(at("locked") / "file").value(), "kept");
}

TEST_F(Files, StampTellsVersionsApart) {
  ASSERT_TRUE(write_file_atomically(at("file"), "one"));
  const auto first = stamp_file(at("file"));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->size, 3U);
  EXPECT_EQ(stamp_file(at("file")).value(), *first);
  // Held open by a second name, so that the new file cannot get the inode of the old one.
  fs::create_hard_link(at("file"), at("old"));
  ASSERT_TRUE(write_file_atomically(at("file"), "two"));
  EXPECT_NE(stamp_file(at("file")).value(), *first);
  EXPECT_EQ(stamp_file(at("missing")).error().code, ErrorCode::not_found);
}

TEST(WriteFileAtomically, WritesToADeviceOrPipeAndLeavesItWhatItIs) {
  const auto folder = TemporaryFolder::create("cudahot_files").value();
  const auto link = folder.path() / "full";
  std::filesystem::create_symlink("/dev/full", link);
  EXPECT_FALSE(write_file_atomically(link, "x")) << "as full as it says";
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_TRUE(write_file_atomically(pipe, "content"));
  char read[16] = {};
  EXPECT_EQ(::read(reader, read, sizeof(read)), 7);
  EXPECT_STREQ(read, "content");
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(NormaliseSource, RemovesTheByteOrderMarkAndMakesLineEndsOneNewline) {
  EXPECT_EQ(normalise_source(""), "");
  EXPECT_EQ(normalise_source("plain\n"), "plain\n");
  EXPECT_EQ(normalise_source("\xef\xbb\xbfint x;\n"), "int x;\n");
  EXPECT_EQ(normalise_source("\xef\xbb\xbf\xef\xbb\xbf"), "\xef\xbb\xbf") << "only the first";
  EXPECT_EQ(normalise_source("\xef\xbb"), "\xef\xbb") << "not a whole mark";
  EXPECT_EQ(normalise_source("a\r\nb\r\n"), "a\nb\n");
  EXPECT_EQ(normalise_source("a\rb\r"), "a\nb\n");
  EXPECT_EQ(normalise_source("a\r\r\nb"), "a\n\nb");
  EXPECT_EQ(normalise_source("a\n\rb"), "a\n\nb");
}

TEST(NormaliseSource, LeavesNothingBetweenABackslashAndTheEndOfItsLine) {
  EXPECT_EQ(normalise_source("// a \\ \nb"), "// a \\\nb");
  EXPECT_EQ(normalise_source("a\\\t\v\f \r\nb"), "a\\\nb");
  EXPECT_EQ(normalise_source("a \nb\\ c\n \n"), "a \nb\\ c\n \n") << "other white space stays";
  EXPECT_EQ(normalise_source("\"\xc3\xa4\" // \xe2\x82\xac"), "\"\xc3\xa4\" // \xe2\x82\xac");
}

TEST(TemporaryFolder, IsRemovedWithWhatItHolds) {
  fs::path path;
  {
    auto folder = TemporaryFolder::create("cudahot-files-test");
    ASSERT_TRUE(folder);
    path = folder->path();
    fs::create_directory(path / "inner");
    ASSERT_TRUE(write_file_atomically(path / "inner" / "file", "content"));
    const TemporaryFolder moved = std::move(*folder);
    EXPECT_EQ(moved.path(), path);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, OfAKilledProcessIsRemovedADayLaterAndThoseInUseAreNot) {
  constexpr const char* kPrefix = "cudahot-files-test-killed";
  const auto in_use = TemporaryFolder::create(kPrefix);
  ASSERT_TRUE(in_use);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto left = TemporaryFolder::create(kPrefix);
    if (left) static_cast<void>(write_file_atomically(left->path() / "file", "content"));
    const std::string path = left ? left->path().string() : std::string();
    if (::write(ends[1], path.data(), path.size()) < 0) ::_exit(1);
    ::raise(SIGKILL);
  }
  ::close(ends[1]);
  char path[4096] = {};
  EXPECT_GT(::read(ends[0], path, sizeof path - 1), 0);
  ::close(ends[0]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(fs::exists(fs::path(path) / "file"));
  ASSERT_TRUE(TemporaryFolder::create(kPrefix));
  EXPECT_TRUE(fs::exists(path)) << "of a process that may have no locks";
  for (const fs::path& folder : {fs::path(path), in_use->path()}) {
    fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::hours(25));
  }
  ASSERT_TRUE(TemporaryFolder::create("cudahot-files-test-other"));
  EXPECT_TRUE(fs::exists(path)) << "of another prefix";
  ASSERT_TRUE(TemporaryFolder::create(kPrefix));
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists(in_use->path()));
}

}  // namespace
}  // namespace cudahot::base
