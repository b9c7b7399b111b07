// Leases between processes: the tests fork, since locks and death are between processes.
#include "cache/lease.hpp"

#include <atomic>
#include <csignal>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

constexpr base::Digest kKey{11, 22};
constexpr base::Digest kOther{11, 23};

// One process that does something and waits to be told to end, or is killed.
class Child {
 public:
  template <typename Action>
  explicit Child(Action action) {
    int ready[2];
    int go[2];
    if (::pipe(ready) != 0 || ::pipe(go) != 0) throw std::runtime_error("pipe");
    process_ = ::fork();
    if (process_ == 0) {
      ::close(go[1]);
      action([&] {
        char byte = 'r';
        if (::write(ready[1], &byte, 1) != 1) ::_exit(1);
        if (::read(go[0], &byte, 1) != 1) ::_exit(2);
      });
      ::_exit(0);
    }
    ::close(go[0]);
    ::close(ready[1]);
    go_ = go[1];
    char byte = 0;
    if (::read(ready[0], &byte, 1) != 1) throw std::runtime_error("the child ended early");
    ::close(ready[0]);
  }
  ~Child() {
    ::close(go_);
    if (process_ > 0) wait();
  }
  void go_on() const {
    const char byte = 'g';
    EXPECT_EQ(::write(go_, &byte, 1), 1);
  }
  void signal(int number) const { ::kill(process_, number); }
  int wait() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return status;
  }

 private:
  pid_t process_ = -1;
  int go_ = -1;
};

class LeaseTest : public CacheTest {
 protected:
  std::shared_ptr<LeaseFile> open_leases() { return LeaseFile::open(path("leases"), LeaseFile::Open::create).value(); }
};

TEST_F(LeaseTest, FileIsMadeWithItsFolderWhenAskedTo) {
  EXPECT_EQ(LeaseFile::open(path("a/b/leases"), LeaseFile::Open::existing).error().code, ErrorCode::not_found);
  EXPECT_TRUE(LeaseFile::open(path("a/b/leases"), LeaseFile::Open::create));
  EXPECT_TRUE(LeaseFile::open(path("a/b/leases"), LeaseFile::Open::existing));
}

TEST_F(LeaseTest, IsHeldByOneAndGoesOnWhenReleased) {
  const auto mine = open_leases();
  const auto theirs = open_leases();
  Lease lease = mine->acquire(kKey);
  ASSERT_TRUE(lease);
  EXPECT_TRUE(theirs->acquire(kOther)) << "another key";
  EXPECT_FALSE(theirs->acquire(kKey, [] { return true; })) << "cancelled at once";
  EXPECT_FALSE(mine->acquire(kKey, [] { return true; })) << "also for the same file in this process";
  lease.set_stored();
  lease.release();
  EXPECT_TRUE(theirs->acquire(kKey));
}

TEST_F(LeaseTest, WaiterGoesOnWhenTheHolderHasStored) {
  const auto mine = open_leases();
  Child holder([&](auto&& pause) {
    Lease lease = open_leases()->acquire(kKey);
    pause();
    lease.set_stored();
  });
  std::atomic<int> asked = 0;
  const Lease lease = mine->acquire(kKey, [&] {
    if (++asked == 2) holder.go_on();
    return false;
  });
  EXPECT_TRUE(lease);
  EXPECT_GE(asked, 2);
}

TEST_F(LeaseTest, DeathOfTheHolderGivesTheLeaseToOneWaiter) {
  const auto mine = open_leases();
  Child holder([&](auto&& pause) {
    const Lease lease = open_leases()->acquire(kKey);
    pause();
  });
  std::atomic<int> asked = 0;
  const Lease lease = mine->acquire(kKey, [&] {
    if (++asked == 2) holder.signal(SIGKILL);
    return false;
  });
  EXPECT_TRUE(lease);
  EXPECT_FALSE(open_leases()->acquire(kKey, [] { return true; }));
}

TEST_F(LeaseTest, HolderThatStoredNothingLetsAllWaitersGoOnAtOnce) {
  const auto mine = open_leases();
  Child holder([&](auto&& pause) {
    const Lease lease = open_leases()->acquire(kKey);
    pause();
  });
  std::atomic<int> asked = 0;
  EXPECT_FALSE(mine->acquire(kKey, [&] {
    if (++asked == 2) holder.go_on();
    return false;
  })) << "without a lease: others need not wait for this one";
  EXPECT_EQ(holder.wait(), 0);
  EXPECT_TRUE(mine->acquire(kKey)) << "who comes later";
}

TEST_F(LeaseTest, StoppedHolderIsNotWaitedFor) {
  const auto mine = open_leases();
  Child holder([&](auto&& pause) {
    const Lease lease = open_leases()->acquire(kKey);
    pause();
  });
  holder.signal(SIGSTOP);
  LeaseTimes impatient;
  impatient.silence = std::chrono::milliseconds(100);
  EXPECT_FALSE(LeaseFile::open(path("leases"), LeaseFile::Open::create, impatient).value()->acquire(kKey));
  holder.signal(SIGCONT);
  holder.go_on();
}

TEST_F(LeaseTest, HolderThatIsAliveIsWaitedForButNotForEver) {
  LeaseTimes times;
  times.beat = std::chrono::milliseconds(1);
  times.longest_wait = std::chrono::milliseconds(200);
  const auto mine = LeaseFile::open(path("leases"), LeaseFile::Open::create, times).value();
  const Lease lease = mine->acquire(kKey);
  EXPECT_FALSE(LeaseFile::open(path("leases"), LeaseFile::Open::create, times).value()->acquire(kKey));
}

TEST_F(LeaseTest, MarksSayThatAnEntryIsInUseUntilTheyGo) {
  const auto mine = open_leases();
  const auto theirs = open_leases();
  EXPECT_FALSE(mine->in_use(kKey));
  {
    const UseMark first = mine->mark_in_use(kKey);
    UseMark moved;
    {
      UseMark second = mine->mark_in_use(kKey);
      moved = std::move(second);
    }
    EXPECT_TRUE(mine->in_use(kKey));
    EXPECT_TRUE(theirs->in_use(kKey));
    EXPECT_FALSE(theirs->in_use(kOther));
    const UseMark third = theirs->mark_in_use(kKey);
    EXPECT_TRUE(mine->acquire(kKey)) << "compiling is something else";
  }
  EXPECT_FALSE(mine->in_use(kKey));
  EXPECT_FALSE(theirs->in_use(kKey));
}

TEST_F(LeaseTest, MarksGoWithTheirProcess) {
  const auto mine = open_leases();
  Child user([&](auto&& pause) {
    const UseMark mark = open_leases()->mark_in_use(kKey);
    pause();
  });
  EXPECT_TRUE(mine->in_use(kKey));
  user.signal(SIGKILL);
  user.wait();
  EXPECT_FALSE(mine->in_use(kKey));
}

TEST_F(LeaseTest, MarksComeIntoTheFileThatIsThereNow) {
  const auto mine = open_leases();
  const UseMark before = mine->mark_in_use(kKey);
  std::filesystem::remove(path("leases"));
  const auto theirs = open_leases();
  EXPECT_FALSE(theirs->in_use(kKey)) << "nothing of it has happened since";
  const UseMark after = mine->mark_in_use(kOther);
  EXPECT_TRUE(theirs->in_use(kKey));
  EXPECT_TRUE(theirs->in_use(kOther));
}

TEST_F(LeaseTest, WhatIsCompiledIsHeldInTheFileThatIsThereNow) {
  const auto mine = LeaseFile::open(path("folder/leases"), LeaseFile::Open::create).value();
  const Lease first = mine->acquire(kKey);
  std::filesystem::remove_all(path("folder"));
  const Lease second = mine->acquire(kOther);
  const auto theirs = LeaseFile::open(path("folder/leases"), LeaseFile::Open::existing).value();
  const auto at_once = [] { return true; };
  EXPECT_FALSE(theirs->acquire(kKey, at_once));
  EXPECT_FALSE(theirs->acquire(kOther, at_once));
}

TEST_F(LeaseTest, WhoWaitsForAHolderThatHasMovedToANewFileGoesOnWaiting) {
  LeaseTimes times;
  times.beat = std::chrono::milliseconds(1);
  const auto theirs = open_leases();
  Lease lease = LeaseFile::open(path("leases"), LeaseFile::Open::create, times).value()->acquire(kKey);
  std::filesystem::remove(path("leases"));
  while (!std::filesystem::exists(path("leases"))) std::this_thread::yield();
  std::atomic<bool> released = false;
  std::atomic<int> asked = 0;
  std::thread holder([&] {
    while (asked < 20) std::this_thread::yield();
    released = true;
    lease.set_stored();
    lease.release();
  });
  EXPECT_TRUE(theirs->acquire(kKey, [&] {
    ++asked;
    return false;
  }));
  EXPECT_TRUE(released);
  holder.join();
}

TEST_F(LeaseTest, OneCleansUpAtATime) {
  const auto mine = open_leases();
  Lease right = mine->try_clean_up();
  EXPECT_TRUE(right);
  EXPECT_FALSE(open_leases()->try_clean_up());
  right.release();
  EXPECT_TRUE(open_leases()->try_clean_up());
}

TEST_F(LeaseTest, ForkedChildLetsGoOfWhatItInheritedAndItsParentKeepsIt) {
  auto mine = open_leases();
  Lease lease = mine->acquire(kKey);
  UseMark mark = mine->mark_in_use(kOther);
  const pid_t child = ::fork();
  if (child == 0) {
    lease.release();
    mark = {};
    mine.reset();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(open_leases()->acquire(kKey, [] { return true; }));
  EXPECT_TRUE(open_leases()->in_use(kOther));
}

TEST_F(LeaseTest, ThreadsOfOneProcessTakeTurns) {
  const auto mine = open_leases();
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      Lease lease = mine->acquire(kKey);
      EXPECT_TRUE(lease);
      most = std::max(most.load(), ++inside);
      --inside;
      lease.set_stored();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
}

}  // namespace
}  // namespace cudahot::cache
