// What a store does when somebody changes its files, or the process forks, while it is open.
#include <functional>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "cache/sqlite.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using testing::IsEmpty;

class OutsideFaults : public CacheTest {
 protected:
  OutsideFaults() {
    std::filesystem::create_directory(path("folder"));
    put(cache_name, "old");
  }

  void put(const std::string& name, const char* text) {
    const auto done = open(name, Store::Mode::read_write).insert(example_key(text), example_artifact(text));
    ASSERT_TRUE(done) << done.error().message;
  }

  std::optional<std::string> get(const std::string& name, const char* text) {
    const auto found = open(name, Store::Mode::read_write).find(example_key(text));
    EXPECT_TRUE(found) << found.error().message;
    if (!found || !*found) return std::nullopt;
    EXPECT_EQ(**found, example_artifact((*found)->blob));
    return (*found)->blob;
  }

  const std::string cache_name = "folder/cache.db";
};

struct Change {
  const char* name;
  std::function<void(const std::filesystem::path& cache)> make;
};

void remove_with(const std::filesystem::path& cache, std::initializer_list<const char*> suffixes) {
  for (const char* suffix : suffixes) std::filesystem::remove(cache.string() + suffix);
}

const Change kChanges[] = {
    {"file removed", [](const auto& cache) { remove_with(cache, {""}); }},
    {"file and log removed", [](const auto& cache) { remove_with(cache, {"", "-wal", "-shm"}); }},
    {"log removed", [](const auto& cache) { remove_with(cache, {"-wal"}); }},
    {"index of the log removed", [](const auto& cache) { remove_with(cache, {"-shm"}); }},
    {"folder removed", [](const auto& cache) { std::filesystem::remove_all(cache.parent_path()); }},
    {"folder renamed",
     [](const auto& cache) { std::filesystem::rename(cache.parent_path(), cache.parent_path().string() + " before"); }},
    {"another cache in its place",
     [](const auto& cache) {
       const auto other = cache.parent_path() / "other.db";
       ASSERT_TRUE(
           Store::open(other, Store::Mode::read_write)->insert(example_key("other"), example_artifact("other")));
       remove_with(cache, {"-wal", "-shm"});
       std::filesystem::rename(other, cache);
     }},
    {"an empty file in its place", [](const auto& cache) { ASSERT_TRUE(base::write_file_atomically(cache, "")); }},
    {"index of the log cut to nothing",
     [](const auto& cache) { std::filesystem::resize_file(cache.string() + "-shm", 0); }},
    {"index of the log cut to a part",
     [](const auto& cache) { std::filesystem::resize_file(cache.string() + "-shm", 4096); }},
};

TEST_F(OutsideFaults, AStoreGoesOnWithWhatIsThereNow) {
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.name);
    std::filesystem::remove_all(path("folder"));
    std::filesystem::create_directory(path("folder"));
    put(cache_name, "old");
    {
      Store store = open(cache_name, Store::Mode::read_write);
      ASSERT_TRUE(store.insert(example_key("before"), example_artifact("before")));
      change.make(path(cache_name));
      const auto found = store.find(example_key("before"));
      ASSERT_TRUE(found) << found.error().message;
      if (*found) {
        EXPECT_EQ(**found, example_artifact("before"));
      }
      const auto done = store.insert(example_key("after"), example_artifact("after"));
      ASSERT_TRUE(done) << done.error().message;
      EXPECT_EQ(store.find(example_key("after")).value(), example_artifact("after"));
      EXPECT_EQ(get(cache_name, "after"), "after") << "for other processes, too";
    }
    EXPECT_EQ(get(cache_name, "after"), "after");
    EXPECT_THAT(open(cache_name, Store::Mode::inspect).verify().value(), IsEmpty());
    EXPECT_THAT(log, IsEmpty());
    std::filesystem::remove_all(path("folder before"));
  }
}

void write_over(const std::filesystem::path& file, std::string_view content) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  EXPECT_EQ(::write(descriptor, content.data(), content.size()), static_cast<ssize_t>(content.size()));
  ::close(descriptor);
}

const Change kWrittenOver[] = {
    {"nothing", [](const auto& cache) { write_over(cache, ""); }},
    {"a text", [](const auto& cache) { write_over(cache, "x\n"); }},
    {"an earlier copy of it",
     [](const auto& cache) { write_over(cache, base::read_file(cache.string() + ".copy").value()); }},
    {"another cache, written to more often",
     [](const auto& cache) {
       const auto other = cache.string() + ".other";
       auto store = Store::open(other, Store::Mode::read_write).value();
       for (int i = 0; i < 9; ++i) {
         ASSERT_TRUE(store.insert(example_key(std::to_string(i)), example_artifact(std::string(10'000, 'o'))));
         ASSERT_TRUE(store.shrink(1 << 20));
       }
       write_over(cache, base::read_file(other).value());
     }},
};

// Runs `work` in a child process; gives its exit status.
int in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  return WEXITSTATUS(status);
}

// In place, as `cp` does.
TEST_F(OutsideFaults, AStoreWhoseFileIsWrittenOverGoesOnWithWhatIsThereNow) {
  for (const bool is_used_again : {true, false}) {
    for (const Change& change : kWrittenOver) {
      SCOPED_TRACE(change.name);
      SCOPED_TRACE(is_used_again ? "used again" : "not used again");
      const bool is_text = change.name == std::string("a text");
      std::filesystem::remove_all(path("folder"));
      std::filesystem::create_directory(path("folder"));
      put(cache_name, "old");
      std::filesystem::copy_file(path(cache_name), path(cache_name + ".copy"));
      {
        Store store = open(cache_name, Store::Mode::read_write);
        ASSERT_TRUE(store.insert(example_key("before"), example_artifact(std::string(50'000, 'b'))));
        ASSERT_TRUE(store.shrink(1 << 20)) << "from the log into the file";
        ASSERT_TRUE(store.insert(example_key("logged"), example_artifact(std::string(50'000, 'l'))));
        ASSERT_TRUE(store.find(example_key("logged")).value());
        // In a process of its own: closing the file would drop the locks of this one.
        EXPECT_EQ(in_child([&] {
                    change.make(path(cache_name));
                    return HasFailure() ? 1 : 0;
                  }),
                  0);
        if (is_used_again) {
          EXPECT_EQ(store.insert(example_key("after"), example_artifact("after")).has_value(), !is_text);
        }
      }
      if (is_text) {
        EXPECT_EQ(base::read_file(path(cache_name)).value(), "x\n");
        continue;
      }
      EXPECT_EQ(get(cache_name, "after").has_value(), is_used_again);
      EXPECT_EQ(get(cache_name, "logged"), std::nullopt);
      EXPECT_EQ(get(cache_name, "8").has_value(), change.name == std::string_view(kWrittenOver[3].name));
      EXPECT_THAT(open(cache_name, Store::Mode::inspect).verify().value(), IsEmpty());
      put(cache_name, "new");
      EXPECT_EQ(get(cache_name, "new"), "new");
      EXPECT_THAT(open(cache_name, Store::Mode::inspect).verify().value(), IsEmpty());
      EXPECT_THAT(log, IsEmpty());
    }
  }
}

TEST_F(OutsideFaults, ALogThatIsCutLosesWhatItHadAndNoMore) {
  for (const std::uintmax_t kept : {0u, 20u, 100u, 5000u, 30'000u}) {
    for (const bool is_used_again : {true, false}) {
      SCOPED_TRACE(kept);
      std::filesystem::remove_all(path("folder"));
      std::filesystem::create_directory(path("folder"));
      put(cache_name, "old");
      {
        Store store = open(cache_name, Store::Mode::read_write);
        ASSERT_TRUE(store.insert(example_key("before"), example_artifact(std::string(50'000, 'b'))));
        std::filesystem::resize_file(path(cache_name + "-wal"), kept);
        if (is_used_again) {
          EXPECT_EQ(store.find(example_key("before")).value(), std::nullopt);
          EXPECT_EQ(store.find(example_key("old")).value(), example_artifact("old"));
          ASSERT_TRUE(store.insert(example_key("after"), example_artifact("after")));
        }
      }
      EXPECT_EQ(get(cache_name, "before"), std::nullopt);
      EXPECT_EQ(get(cache_name, "old"), "old");
      EXPECT_EQ(get(cache_name, "after").has_value(), is_used_again);
      EXPECT_THAT(open(cache_name, Store::Mode::inspect).verify().value(), IsEmpty());
      EXPECT_THAT(log, IsEmpty());
    }
  }
}

// A process of its own, made before the caller opens a database, that does its work when it is told to.
class OtherProcess {
 public:
  explicit OtherProcess(const std::function<int()>& work) {
    EXPECT_EQ(::pipe2(pipe_, O_CLOEXEC), 0);
    child_ = ::fork();
    if (child_ != 0) return;
    ::close(pipe_[1]);
    char told = 0;
    ::_exit(::read(pipe_[0], &told, 1) == 0 ? work() : 2);
  }
  // Its exit status.
  int run() {
    for (const int end : pipe_) ::close(end);
    int status = -1;
    EXPECT_EQ(::waitpid(child_, &status, 0), child_);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    return WEXITSTATUS(status);
  }

 private:
  int pipe_[2] = {-1, -1};
  pid_t child_ = -1;
};

TEST_F(OutsideFaults, AStoreThatIsNotUsedAgainClosesWithoutWritingToWhatIsThereNow) {
  for (const Change& change : kChanges) {
    SCOPED_TRACE(change.name);
    std::filesystem::remove_all(path("folder"));
    std::filesystem::create_directory(path("folder"));
    put(cache_name, "old");
    OtherProcess other([&] {
      auto store = Store::open(path(cache_name), Store::Mode::read_write);
      return store && store->insert(example_key("other"), example_artifact("other")) ? 0 : 1;
    });
    std::optional<Store> store(open(cache_name, Store::Mode::read_write));
    ASSERT_TRUE(store->insert(example_key("before"), example_artifact("before")));
    change.make(path(cache_name));
    // Whoever comes while the log is missing cannot use the cache.
    const bool stored = other.run() == 0;
    EXPECT_TRUE(stored || change.name == std::string("log removed"));
    store.reset();
    EXPECT_EQ(get(cache_name, "other"), stored ? std::optional<std::string>("other") : std::nullopt);
    put(cache_name, "after");
    EXPECT_EQ(get(cache_name, "after"), "after");
    EXPECT_THAT(open(cache_name, Store::Mode::inspect).verify().value(), IsEmpty());
    std::filesystem::remove_all(path("folder before"));
  }
}

// One process has it open and does not look.
TEST_F(OutsideFaults, WhoComesWhileTheLogIsCutSaysSoAndTheNextOneGoesOn) {
  OtherProcess other([&] {
    const auto refused = Store::open(path(cache_name), Store::Mode::read_write);
    if (refused || refused.error().code != ErrorCode::busy) return 1;
    if (refused.error().message.find("was cut") == std::string::npos) return 2;
    auto store = Store::open(path(cache_name), Store::Mode::read_write);
    if (!store) return 3;
    return store->insert(example_key("other"), example_artifact("other")) ? 0 : 4;
  });
  Store store = open(cache_name, Store::Mode::read_write);
  ASSERT_TRUE(store.insert(example_key("before"), example_artifact(std::string(50'000, 'b'))));
  std::filesystem::resize_file(path(cache_name + "-wal"), 20);
  EXPECT_EQ(other.run(), 0);
  EXPECT_EQ(store.find(example_key("other")).value(), example_artifact("other"));
  EXPECT_THAT(open(cache_name, Store::Mode::inspect).verify().value(), IsEmpty());
}

TEST_F(OutsideFaults, AnotherStoreOfTheProcessWaitsUntilTheFirstOneHasNoticed) {
  Store first = open(cache_name, Store::Mode::read_write);
  ASSERT_TRUE(first.insert(example_key("before"), example_artifact("before")));
  std::filesystem::resize_file(path(cache_name + "-shm"), 0);
  const auto second = Store::open(path(cache_name), Store::Mode::read_write);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::busy);
  EXPECT_EQ(first.find(example_key("before")).value(), example_artifact("before"));
  EXPECT_EQ(get(cache_name, "before"), "before");
}

// Stores of two processes: one goes on with the removed file until it notices.
TEST_F(OutsideFaults, ANewCacheDoesNotTakeTheLogOfTheRemovedOne) {
  Store slow = open(cache_name, Store::Mode::read_write);
  ASSERT_TRUE(slow.insert(example_key("slow"), example_artifact(std::string(100'000, 's'))));
  std::filesystem::remove(path(cache_name));
  put(cache_name, "new");
  EXPECT_EQ(get(cache_name, "new"), "new");
  EXPECT_EQ(get(cache_name, "slow"), std::nullopt);
  ASSERT_TRUE(slow.insert(example_key("slow again"), example_artifact("slow again")));
  EXPECT_EQ(get(cache_name, "slow again"), "slow again");
  EXPECT_EQ(get(cache_name, "new"), "new");
}

TEST_F(OutsideFaults, AChildProcessDoesNotUseTheStoreOfItsParent) {
  std::optional<Store> store(open(cache_name, Store::Mode::read_write));
  EXPECT_EQ(store->find(example_key("old")).value(), example_artifact("old"));
  const int wrong = in_child([&] {
    const auto found = store->find(example_key("old"));
    const auto inserted = store->insert(example_key("child"), example_artifact("child"));
    store.reset();
    const bool refused = !found && !inserted && found.error().code == ErrorCode::environment &&
                         found.error().message.find("forked") != std::string::npos;
    return refused ? 0 : 1;
  });
  EXPECT_EQ(wrong, 0);
  ASSERT_TRUE(store->insert(example_key("parent"), example_artifact("parent")));
  EXPECT_EQ(get(cache_name, "parent"), "parent");
}

// Whether another process holds a lock of the file.
bool is_locked(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool asked = ::fcntl(descriptor, F_GETLK, &lock) == 0;
  ::close(descriptor);
  return asked && lock.l_type != F_UNLCK;
}

TEST_F(OutsideFaults, AChildProcessThatEndsLeavesItsParentTheLocks) {
  std::optional<Database> database(Database::open(path(cache_name), Database::Access::read_write).value());
  auto transaction = Transaction::begin(*database);
  ASSERT_TRUE(transaction);
  const auto locked = [&] { return is_locked(path(cache_name)) && is_locked(path(cache_name + "-shm")) ? 1 : 0; };
  EXPECT_EQ(in_child(locked), 1);
  in_child([&] {
    database.reset();
    return 0;
  });
  EXPECT_EQ(in_child(locked), 1);
}

}  // namespace
}  // namespace cudahot::cache
