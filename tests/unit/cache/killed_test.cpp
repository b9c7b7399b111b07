// Processes that are killed at any moment while they use the cache: what is there afterwards is whole and right.
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <random>

#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cache/layers.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using testing::IsEmpty;

#ifdef __SANITIZE_ADDRESS__
constexpr int kKills = 40;
#else
constexpr int kKills = 400;
#endif
constexpr unsigned kSeed = 20'240'601;
constexpr int kKeys = 12;
constexpr long kLongestLifeNs = 12'000'000;
constexpr const char* kKept = "kept";

// What is stored under a key is one of some values, which can be told to be whole.
std::string value(int key, unsigned version) {
  return std::string(1000 + 2500 * (version % 5), static_cast<char>('a' + key)) + std::to_string(version);
}

bool is_value_of(int key, const std::string& blob) {
  const auto digits = blob.find_first_not_of(static_cast<char>('a' + key));
  if (digits == std::string::npos) return false;
  return blob == value(key, static_cast<unsigned>(std::strtoul(blob.c_str() + digits, nullptr, 10)));
}

std::string name_of(int key) { return "key " + std::to_string(key); }

// The kernel kills this process when its time is over, wherever it is then.
void be_killed_after(long nanoseconds) {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
  timer_t timer{};
  itimerspec when{};
  when.it_value.tv_nsec = nanoseconds;
  if (::timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || ::timer_settime(timer, 0, &when, nullptr) != 0)
    ::_exit(3);
}

[[noreturn]] void use_cache(const std::filesystem::path& file, unsigned seed) {
  std::mt19937 random(seed);
  be_killed_after(1 + static_cast<long>(random() % kLongestLifeNs));
  for (;;) {
    LayersOptions options;
    options.user_cache = file;
    options.memory_bytes = 1;
    Layers layers(std::move(options));
    auto opened = Store::open(file, Store::Mode::read_write);
    for (int step = 0; opened && step < 50; ++step) {
      const int key = static_cast<int>(random() % kKeys);
      const unsigned version = static_cast<unsigned>(random() % 1000);
      switch (random() % 6) {
        case 0:
          layers.insert(example_key(name_of(key)), example_artifact(value(key, version)));
          break;
        case 1:
          (void)opened->insert(example_key(name_of(key)), example_artifact(value(key, version)));
          break;
        case 2:
          if (const auto hit = layers.find(example_key(name_of(key))); hit && !is_value_of(key, hit->artifact->blob)) {
            ::_exit(1);
          }
          break;
        case 3:
          if (const auto found = opened->find(example_key(kKept)); found && !*found) ::_exit(2);
          break;
        case 4:
          (void)opened->remove({example_key(name_of(key)).digest});
          break;
        case 5:
          (void)opened->shrink(1u << 16);
          break;
        default:
          break;
      }
    }
  }
}

pid_t start(const std::filesystem::path& file, unsigned seed) {
  const pid_t child = ::fork();
  if (child == 0) use_cache(file, seed);
  return child;
}

class Killed : public CacheTest {
 protected:
  Killed() {
    EXPECT_TRUE(open("cache.db", Store::Mode::read_write).insert(example_key(kKept), example_artifact(kKept)));
  }

  void expect_whole() {
    {
      Store store = open("cache.db", Store::Mode::read_write);
      EXPECT_EQ(store.find(example_key(kKept)).value(), example_artifact(kKept));
      for (int key = 0; key < kKeys; ++key) {
        const auto found = store.find(example_key(name_of(key))).value();
        if (found) {
          EXPECT_TRUE(is_value_of(key, found->blob)) << found->blob.substr(0, 20);
        }
      }
    }
    Store store = open("cache.db", Store::Mode::inspect);
    const auto problems = store.verify().value();
    for (const auto& problem : problems) ADD_FAILURE() << problem.subject << ": " << problem.text;
    EXPECT_THAT(log, IsEmpty());
    EXPECT_THAT(files(), testing::IsSubsetOf({"cache.db", "cache.db-leases", "cache.db-wal", "cache.db-shm"}));
  }

  static int kills() {
    const char* const count = std::getenv("CUDAHOT_TEST_KILLS");
    return count != nullptr ? std::atoi(count) : kKills;
  }
};

void expect_killed(pid_t child) {
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
      << "1: a wrong artifact, 2: one was lost; status " << WEXITSTATUS(status);
}

TEST_F(Killed, AtAnyMomentAProcessLeavesAWholeCache) {
  for (int kill = 0; kill < kills() * 3 / 4; ++kill) {
    SCOPED_TRACE(fmt::format("kill {}", kill));
    expect_killed(start(path("cache.db"), kSeed + static_cast<unsigned>(kill)));
    expect_whole();
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(Killed, AtAnyMomentManyProcessesLeaveAWholeCache) {
  constexpr int kProcesses = 4;
  for (int kill = 0; kill < kills() / 4; kill += kProcesses) {
    SCOPED_TRACE(fmt::format("kill {}", kill));
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
      children.push_back(start(path("cache.db"), 2 * kSeed + static_cast<unsigned>(kill + i)));
    }
    for (const pid_t child : children) expect_killed(child);
    expect_whole();
    ASSERT_FALSE(HasFailure());
  }
}

// The cache is new each time: nothing but the file that is being made.
TEST_F(Killed, AtAnyMomentOfMakingItAProcessLeavesACacheThatCanBeUsed) {
  for (int kill = 0; kill < kills() / 4; ++kill) {
    SCOPED_TRACE(fmt::format("kill {}", kill));
    for (const std::string& name : files()) std::filesystem::remove(path(name));
    const pid_t child = ::fork();
    if (child == 0) {
      std::mt19937 random(3 * kSeed + static_cast<unsigned>(kill));
      be_killed_after(1 + static_cast<long>(random() % (kLongestLifeNs / 6)));
      for (;;) {
        auto store = Store::open(path("cache.db"), Store::Mode::read_write);
        if (store) (void)store->insert(example_key(kKept), example_artifact(kKept));
      }
    }
    expect_killed(child);
    Store store = open("cache.db", Store::Mode::read_write);
    ASSERT_TRUE(store.insert(example_key(kKept), example_artifact(kKept)));
    EXPECT_EQ(store.find(example_key(kKept)).value(), example_artifact(kKept));
    EXPECT_THAT(store.verify().value(), IsEmpty());
    EXPECT_THAT(log, IsEmpty());
    ASSERT_FALSE(HasFailure());
  }
}

}  // namespace
}  // namespace cudahot::cache
