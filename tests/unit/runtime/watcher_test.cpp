// Every way in which a file is saved.
#include "lib/runtime/watcher.hpp"

#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <sys/stat.h>

#include <gmock/gmock.h>

namespace cudahot::runtime {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

enum class By { inotify, polling };

class WatcherTest : public ::testing::TestWithParam<By> {
 protected:
  WatcherTest() : folder_(std::move(*base::TemporaryFolder::create("cudahot-watcher-test"))) {}

  fs::path path(const std::string& name) const { return folder_.path() / name; }

  static void write_in_place(const fs::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  }

  void watch(const fs::path& file, const std::string& known, bool look_now = false) {
    if (!watcher_) {
      WatcherOptions options;
      if (GetParam() == By::polling) options.poll = std::chrono::milliseconds(5);
      watcher_ = std::make_unique<Watcher>(options, [this](FileChange change) {
        const std::lock_guard lock(mutex_);
        changes_.push_back(std::move(change));
        changed_.notify_all();
      });
    }
    watcher_->watch(file.string(), base::digest(known), look_now);
    settle();
  }

  void watch_for(const fs::path& place, bool found) {
    watch(path("any"), "");
    watcher_->watch_for(place.string(), found);
    settle();
  }

  // Waits until the watcher has told so many times that something is at `place` or not, and gives what it told.
  std::vector<bool> await_lookups(const fs::path& place, std::size_t count) {
    std::unique_lock lock(mutex_);
    const auto told = [&] {
      std::vector<bool> answers;
      for (const FileChange& change : changes_) {
        if (change.file == place.string() && change.found) answers.push_back(*change.found);
      }
      return answers;
    };
    const bool came = changed_.wait_for(lock, std::chrono::seconds(60), [&] { return told().size() >= count; });
    EXPECT_TRUE(came) << place << " was not told of";
    return told();
  }

  // Waits until the watcher has come round: a save that follows is seen as one.
  void settle() {
    const std::size_t round = ++rounds_;
    const auto probe = path("probe" + std::to_string(round));
    write_in_place(probe, "probe");
    watcher_->watch(probe.string(), base::digest(""), true);
    await(probe, "probe");
  }

  // Waits until `file` is reported with `text`; what was reported of it before is kept.
  std::vector<std::string> await(const fs::path& file, const std::string& text) {
    std::unique_lock lock(mutex_);
    auto reported = [&] {
      std::vector<std::string> texts;
      for (const FileChange& change : changes_) {
        if (change.file == file.string() && !change.lost) texts.push_back(change.content.text);
      }
      return texts;
    };
    // Only a hang is waited for this long.
    const bool came = changed_.wait_for(lock, std::chrono::seconds(60), [&] {
      const auto texts = reported();
      return !texts.empty() && texts.back() == text;
    });
    EXPECT_TRUE(came) << file << " was not reported with " << text;
    return reported();
  }

  // Waits until the loss of `file` has been told so many times, and gives the last reason.
  std::string await_loss(const fs::path& file, std::size_t count = 1) {
    std::unique_lock lock(mutex_);
    const auto losses = [&] {
      std::vector<std::string> reasons;
      for (const FileChange& change : changes_) {
        if (change.file == file.string() && change.lost) reasons.push_back(change.lost->message);
      }
      return reasons;
    };
    const bool came = changed_.wait_for(lock, std::chrono::seconds(60), [&] { return losses().size() >= count; });
    EXPECT_TRUE(came) << file << " was not reported as lost";
    EXPECT_EQ(losses().size(), count);
    return came ? losses().back() : std::string();
  }

  std::vector<std::string> reported(const fs::path& file) {
    settle();
    const std::lock_guard lock(mutex_);
    std::vector<std::string> texts;
    for (const FileChange& change : changes_) {
      if (change.file == file.string() && !change.lost) texts.push_back(change.content.text);
    }
    return texts;
  }

  base::TemporaryFolder folder_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<FileChange> changes_;
  std::size_t rounds_ = 0;
  std::unique_ptr<Watcher> watcher_;
};

TEST_P(WatcherTest, SeesAFileThatIsWrittenInPlace) {
  write_in_place(path("a.cu"), "old");
  watch(path("a.cu"), "old");
  write_in_place(path("a.cu"), "new text");
  await(path("a.cu"), "new text");
}

TEST_P(WatcherTest, SeesARenameOverTheFileAsVimAndSedDo) {
  write_in_place(path("a.cu"), "old");
  watch(path("a.cu"), "old");
  write_in_place(path("4913"), "new text");
  fs::rename(path("4913"), path("a.cu"));
  await(path("a.cu"), "new text");
}

TEST_P(WatcherTest, SeesTheFileMovedAwayAsBackupAndWrittenAnew) {
  write_in_place(path("a.cu"), "old");
  watch(path("a.cu"), "old");
  fs::rename(path("a.cu"), path("a.cu~"));
  write_in_place(path("a.cu"), "new text");
  await(path("a.cu"), "new text");
}

TEST_P(WatcherTest, SeesACopyOverTheFile) {
  write_in_place(path("a.cu"), "old");
  write_in_place(path("b.cu"), "new text");
  watch(path("a.cu"), "old");
  fs::copy_file(path("b.cu"), path("a.cu"), fs::copy_options::overwrite_existing);
  await(path("a.cu"), "new text");
}

TEST_P(WatcherTest, SaysNothingOfATouchWithoutAChange) {
  write_in_place(path("a.cu"), "old");
  watch(path("a.cu"), "old");
  write_in_place(path("a.cu"), "old");
  fs::last_write_time(path("a.cu"), fs::file_time_type::clock::now());
  write_in_place(path("b.cu"), "other");
  watch(path("b.cu"), "other");
  write_in_place(path("b.cu"), "later");
  await(path("b.cu"), "later");
  EXPECT_THAT(reported(path("a.cu")), IsEmpty());
}

TEST_P(WatcherTest, EndsWithTheNewerOfTwoQuickSaves) {
  write_in_place(path("a.cu"), "old");
  watch(path("a.cu"), "old");
  write_in_place(path("a.cu"), "first");
  write_in_place(path("a.cu"), "the second");
  await(path("a.cu"), "the second");
}

TEST_P(WatcherTest, FollowsALinkToTheFile) {
  fs::create_directory(path("real"));
  write_in_place(path("real/a.cu"), "old");
  fs::create_symlink("real/a.cu", path("a.cu"));
  watch(path("a.cu"), "old");
  write_in_place(path("real/tmp"), "new text");
  fs::rename(path("real/tmp"), path("real/a.cu"));
  await(path("a.cu"), "new text");
}

TEST_P(WatcherTest, SeesALinkThatPointsElsewhere) {
  write_in_place(path("one.cu"), "one");
  write_in_place(path("two.cu"), "two");
  fs::create_symlink("one.cu", path("a.cu"));
  watch(path("a.cu"), "one");
  fs::create_symlink("two.cu", path("tmp"));
  fs::rename(path("tmp"), path("a.cu"));
  await(path("a.cu"), "two");
  write_in_place(path("two.cu"), "two and more");
  await(path("a.cu"), "two and more");
}

TEST_P(WatcherTest, SeesAFileThatWasDeletedAndComesBack) {
  write_in_place(path("a.cu"), "old");
  watch(path("a.cu"), "old");
  fs::remove(path("a.cu"));
  EXPECT_THAT(reported(path("a.cu")), IsEmpty());
  write_in_place(path("a.cu"), "new text");
  await(path("a.cu"), "new text");
}

TEST_P(WatcherTest, TellsOnceThatAFileWasDeletedAndThatItIsBackAsItWas) {
  write_in_place(path("a.cu"), "old");
  watch(path("a.cu"), "old");
  fs::rename(path("a.cu"), path("b.cu"));
  EXPECT_THAT(await_loss(path("a.cu")), HasSubstr(path("a.cu").string()));
  EXPECT_THAT(reported(path("a.cu")), IsEmpty());
  fs::rename(path("b.cu"), path("a.cu"));
  EXPECT_THAT(await(path("a.cu"), "old"), ElementsAre("old"));
  fs::remove(path("a.cu"));
  await_loss(path("a.cu"), 2);
}

TEST_P(WatcherTest, TellsThatAFileCannotBeRead) {
  write_in_place(path("a.cu"), "old");
  watch(path("a.cu"), "old");
  fs::remove(path("a.cu"));
  fs::create_directory(path("a.cu"));
  EXPECT_THAT(await_loss(path("a.cu")), HasSubstr(path("a.cu").string()));
}

TEST_P(WatcherTest, SeesAFileThatDidNotExist) {
  watch(path("a.cu"), "");
  write_in_place(path("a.cu"), "new text");
  await(path("a.cu"), "new text");
}

TEST_P(WatcherTest, SeesAFileInAFolderThatIsMissingAtFirst) {
  watch(path("later/a.cu"), "");
  fs::create_directory(path("later"));
  write_in_place(path("later/a.cu"), "new text");
  await(path("later/a.cu"), "new text");
}

TEST_P(WatcherTest, SeesAFolderThatIsReplacedAsAWhole) {
  fs::create_directory(path("src"));
  write_in_place(path("src/a.cu"), "old");
  watch(path("src/a.cu"), "old");
  fs::create_directory(path("next"));
  write_in_place(path("next/a.cu"), "new text");
  fs::rename(path("src"), path("previous"));
  fs::rename(path("next"), path("src"));
  await(path("src/a.cu"), "new text");
}

TEST_P(WatcherTest, SeesAFileWhenAFolderAboveItsOwnIsReplaced) {
  fs::create_directories(path("project/src"));
  write_in_place(path("project/src/a.cu"), "old");
  watch(path("project/src/a.cu"), "old");
  fs::rename(path("project"), path("backup"));
  fs::create_directories(path("project/src"));
  write_in_place(path("project/src/a.cu"), "new text");
  await(path("project/src/a.cu"), "new text");
}

TEST_P(WatcherTest, SeesWhatAppearsWhereAHeaderWasLookedForAndThatItGoes) {
  watch_for(path("a.cuh"), false);
  write_in_place(path("a.cuh"), "text");
  EXPECT_THAT(await_lookups(path("a.cuh"), 1), ElementsAre(true));
  fs::remove(path("a.cuh"));
  EXPECT_THAT(await_lookups(path("a.cuh"), 2), ElementsAre(true, false));
}

TEST_P(WatcherTest, SeesAFolderThatAppearsWhereAHeaderWasLookedFor) {
  watch_for(path("include"), false);
  fs::create_directory(path("include"));
  EXPECT_THAT(await_lookups(path("include"), 1), ElementsAre(true));
}

TEST_P(WatcherTest, SeesWhatAppearsInAFolderThatIsMissingAtFirst) {
  watch_for(path("include/deep/a.cuh"), false);
  fs::create_directories(path("include/deep"));
  write_in_place(path("include/deep/a.cuh"), "text");
  EXPECT_THAT(await_lookups(path("include/deep/a.cuh"), 1), ElementsAre(true));
}

TEST_P(WatcherTest, TellsAtOnceOfALookupWhoseAnswerIsAnotherNow) {
  write_in_place(path("a.cuh"), "text");
  watch_for(path("a.cuh"), false);
  EXPECT_THAT(await_lookups(path("a.cuh"), 1), ElementsAre(true));
  watch_for(path("b.cuh"), true);
  EXPECT_THAT(await_lookups(path("b.cuh"), 1), ElementsAre(false));
}

TEST_P(WatcherTest, SaysNothingOfALookupWhoseAnswerStays) {
  write_in_place(path("a.cuh"), "text");
  watch_for(path("a.cuh"), true);
  write_in_place(path("a.cuh"), "other text");
  watch_for(path("b.cuh"), false);
  EXPECT_THAT(await_lookups(path("a.cuh"), 0), IsEmpty());
  EXPECT_THAT(await_lookups(path("b.cuh"), 0), IsEmpty());
}

TEST_P(WatcherTest, DoesNotHangAtAFifoInTheFilesPlace) {
  write_in_place(path("a.cu"), "old");
  watch(path("a.cu"), "old");
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  fs::rename(path("fifo"), path("a.cu"));
  EXPECT_THAT(reported(path("a.cu")), IsEmpty());
  write_in_place(path("saved"), "new text");
  fs::rename(path("saved"), path("a.cu"));
  await(path("a.cu"), "new text");
}

TEST_P(WatcherTest, ComparesAtOnceWhenAsked) {
  write_in_place(path("a.cu"), "on disk");
  watch(path("a.cu"), "in the bundle", true);
  await(path("a.cu"), "on disk");
}

TEST_P(WatcherTest, ReportsTextAsCudahotWorksOnIt) {
  write_in_place(path("a.cu"), "old");
  watch(path("a.cu"), "old");
  write_in_place(path("a.cu"), "\xef\xbb\xbfline\r\nline\r\n");
  await(path("a.cu"), "line\nline\n");
}

TEST_P(WatcherTest, WaitsForAWriterThatHasTheFileOpen) {
  write_in_place(path("a.cu"), "old");
  watch(path("a.cu"), "old");
  {
    std::ofstream writer(path("a.cu"), std::ios::binary | std::ios::trunc);
    writer << "first half, " << std::flush;
    writer << "second half" << std::flush;
  }
  const auto texts = await(path("a.cu"), "first half, second half");
  if (GetParam() == By::inotify) {
    EXPECT_EQ(texts.size(), 1u);
  }
}

TEST_P(WatcherTest, WaitsForTheTextOfAFileThatWasTruncated) {
  write_in_place(path("a.cu"), "old");
  watch(path("a.cu"), "old");
  write_in_place(path("a.cu"), "");
  settle();
  write_in_place(path("a.cu"), "new text");
  EXPECT_THAT(await(path("a.cu"), "new text"), ElementsAre("new text"));
}

TEST_P(WatcherTest, SeesAFileThatStaysEmpty) {
  write_in_place(path("a.cu"), "old");
  watch(path("a.cu"), "old");
  write_in_place(path("a.cu"), "");
  await(path("a.cu"), "");
}

INSTANTIATE_TEST_SUITE_P(Both, WatcherTest, ::testing::Values(By::inotify, By::polling),
                         [](const auto& test) { return test.param == By::inotify ? "Inotify" : "Polling"; });

}  // namespace
}  // namespace cudahot::runtime
