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

// Runs `work` in a child process; gives its exit status.
int in_child(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  return WEXITSTATUS(status);
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
