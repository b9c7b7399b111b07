// Store::State: what a store is made of: when its file is opened, made, migrated, healed and written.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "cache/healing_mark.hpp"
#include "cache/open_store.hpp"
#include "cache/store.hpp"
#include "cache/usage_batch.hpp"

namespace cudahot::cache {

struct Store::State {
  std::filesystem::path file;
  Mode mode = Mode::read_only;
  LogCallback log;
  std::mutex mutex;  // guards what follows
  std::unique_ptr<OpenStore> open;
  std::optional<Transaction> bundle_transaction;  // create_bundle: from open to finish()
  bool unfinished_bundle = false;                 // our file, to be removed
  bool journal_checked = false;
  std::chrono::milliseconds wait = kLongWait;
  MountProbe network_mount = nullptr;
  std::shared_ptr<const BundleFile> bundle_file;          // read_only: what is read
  Database::Sharing sharing = Database::Sharing::memory;  // as the mount allows when the file is opened
  HealingMark mark;                                       // from before the user cache was opened
  std::optional<Error> damage;  // of the user cache as a whole: nothing is found until a write has healed it
  UsageBatch usage;
  std::unordered_set<base::Digest> damaged;  // entries that were found so, until was_damaged() is asked

  ~State();

  // nullptr: there is no database yet, or it is empty.
  Result<OpenStore*> for_reading();
  Result<OpenStore*> for_writing();
  Result<std::unique_ptr<OpenStore>> open_bundle();
  Status create_user_cache();
  Status migrate();
  void use_wal();
  Status create_bundle();
  Result<bool> is_bundle();  // what is open
  Status check_not_finished() const;
  Status check_hold();
  void look_at_mount();

  bool may_write() const { return mode == Mode::read_write && open && !open->database.write_protected(); }
  void delete_damaged(const base::Digest& key, std::string_view problem);
  void write_usage();
  void warn(std::string_view text) const {
    if (log) log(LogLevel::warning, text);
  }

  class LongWait;
  using Write = std::function<Status(OpenStore&)>;
  // Runs `action` on the open store inside a transaction. Takes its time: waits for other processes, heals a damaged
  // user cache.
  Status write(const Write& action);
  Status try_write(const Write& action);  // for what a launch may wait for
  Status note_damage(Error error);
  Status heal_damage();
};

// While it lives a user cache waits for other processes as long as is right where no launch waits.
class Store::State::LongWait {
 public:
  explicit LongWait(State& state) : state_(state), before_(state.wait) { set(kLongWait); }
  ~LongWait() { set(before_); }
  LongWait(const LongWait&) = delete;
  LongWait& operator=(const LongWait&) = delete;

 private:
  void set(std::chrono::milliseconds wait) {
    state_.wait = wait;
    if (state_.open) state_.open->database.wait_for_locks(wait);
  }
  State& state_;
  const std::chrono::milliseconds before_;
};

}  // namespace cudahot::cache
