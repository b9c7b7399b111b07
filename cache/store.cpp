#include "cache/store.hpp"

#include <chrono>
#include <mutex>
#include <unordered_set>

#include <unistd.h>

#include <fmt/format.h>

#include "cache/artifact_table.hpp"
#include "cache/difference.hpp"
#include "cache/healing.hpp"
#include "cache/miss_table.hpp"
#include "cache/schema.hpp"
#include "cache/slice_table.hpp"
#include "cache/sqlite.hpp"
#include "cache/statement_cache.hpp"
#include "cache/usage_batch.hpp"

namespace cudahot::cache {
namespace {

std::int64_t now_unix() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// SQLite cannot make the files it needs beside a WAL database there.
bool folder_is_write_protected(const std::filesystem::path& file) {
  std::error_code error;
  const auto folder = std::filesystem::absolute(file, error).parent_path();
  return !error && ::eaccess(folder.c_str(), W_OK) != 0;
}

// An open database of our schema and what works on it. Not moved once made.
struct OpenStore {
  explicit OpenStore(Database opened) : database(std::move(opened)) {}
  Database database;
  StatementCache statements{database};
  ArtifactTable artifacts{statements};
  SliceTable slices{statements};
  MissTable misses{statements};
  bool older = false;  // of an older schema, presented as a current one
};

Result<std::unique_ptr<OpenStore>> open_with_schema(const std::filesystem::path& file, Database::Access access,
                                                    Database::Sharing sharing, std::chrono::milliseconds wait) {
  auto database = Database::open(file, access, sharing, wait);
  if (!database) return fail(database.error());
  const auto schema = check_schema(*database);
  if (!schema) return fail(schema.error());
  if (*schema == SchemaState::empty) return nullptr;
  const bool older = *schema == SchemaState::older;
  if (older) {
    if (const auto done = present_as_current(*database); !done) return fail(done.error());
  }
  auto store = std::make_unique<OpenStore>(std::move(*database));
  store->older = older;
  return store;
}

MissReason reason_of_miss(const CacheKey& key, const std::vector<ArtifactTable::Candidate>& candidates) {
  const auto now = parse_preimage(key.preimage);
  std::vector<std::vector<Field>> preimages;
  for (const auto& candidate : candidates) {
    if (candidate.key != key.digest) preimages.push_back(candidate.preimage);
  }
  if (!now) return MissReason::first;
  const auto best = nearest(*now, preimages);
  if (!best) return MissReason::first;
  const auto found = differences(*now, preimages[*best]);
  return found.empty() ? MissReason::first : found.front().reason;
}

Status put_miss(OpenStore& store, const CacheKey& key, const Artifact& missed, std::optional<MissReason> reason) {
  if (missed.source.empty()) return {};
  if (!reason) {
    const auto candidates = store.artifacts.of_source(missed.source);
    if (!candidates) return fail(candidates.error());
    reason = reason_of_miss(key, *candidates);
  }
  return store.misses.put({missed.source, missed.arch, missed.tier, key, *reason, now_unix()});
}

}  // namespace

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
  Database::Sharing sharing = Database::Sharing::memory;  // as the mount allows when the file is opened
  HealingMark mark;                                       // from before the user cache was opened
  std::optional<Error> damage;  // of the user cache as a whole: nothing is found until a write has healed it
  UsageBatch usage;
  std::unordered_set<base::Digest> damaged;  // entries that were found so, until was_damaged() is asked

  ~State();

  // nullptr: there is no database yet, or it is empty.
  Result<OpenStore*> for_reading();
  Result<OpenStore*> for_writing();
  Status create_user_cache();
  Status migrate();
  void use_wal();
  Status create_bundle();
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
  // Takes its time: waits for other processes, heals a damaged user cache.
  template <typename Write>
  Status write(Write&& action);
  template <typename Write>
  Status try_write(Write&& action);  // for what a launch may wait for
  Status note_damage(Error error);
  Status heal_damage();
};

Store::State::~State() {
  if (mode != Mode::create_bundle) {
    write_usage();
    return;
  }
  if (!unfinished_bundle) return;
  bundle_transaction.reset();
  open.reset();
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
}

Result<OpenStore*> Store::State::for_reading() {
  if (mode == Mode::read_write) {
    if (const auto usable = check_hold(); !usable) return fail(usable.error());
    if (damage) return nullptr;
  }
  if (open) return open.get();
  if (const auto usable = check_not_finished(); !usable) return fail(usable.error());
  const auto access = mode == Mode::read_only ? Database::Access::immutable
                      : mode == Mode::inspect ? Database::Access::inspect
                                              : Database::Access::read_write;
  if (mode == Mode::read_write) mark = healing_mark(file);
  if (mode != Mode::read_only) look_at_mount();
  auto opened = open_with_schema(file, access, sharing, wait);
  if (!opened && opened.error().code == ErrorCode::environment && folder_is_write_protected(file)) {
    auto immutable = open_with_schema(file, Database::Access::immutable, sharing, wait);
    if (immutable) opened = std::move(immutable);
  }
  if (!opened) {
    if (opened.error().code == ErrorCode::not_found && mode == Mode::read_write) return nullptr;
    if (const auto noted = note_damage(opened.error()); !noted) return fail(noted.error());
    return nullptr;
  }
  if (*opened == nullptr && mode == Mode::read_only) {
    return fail(
        ErrorCode::environment,
        fmt::format("'{}' is an empty database, not a bundle; make it again with cudahot-extract", file.string()));
  }
  open = std::move(*opened);
  return open.get();
}

// What happened from outside to the user cache since its last use.
Status Store::State::check_hold() {
  if (damage && healing_mark(file) != mark) damage.reset();
  if (!open) return {};
  switch (open->database.hold()) {
    case Database::Hold::usable:
      return {};
    case Database::Hold::stale:
      open.reset();
      journal_checked = false;
      return {};
    case Database::Hold::inherited:
      break;
  }
  return open->database.inherited_error();
}

void Store::State::look_at_mount() {
  const auto network = network_mount(file);
  sharing = network ? Database::Sharing::locks_only : Database::Sharing::memory;
  if (!network || mode != Mode::read_write) return;
  warn(
      fmt::format("'{}' lies on a network mount ({}), where each use of it takes longer; name a local file with "
                  "CUDAHOT_CACHE",
                  file.string(), *network));
}

// A damaged user cache is as good as an empty one: other errors are passed on.
Status Store::State::note_damage(Error error) {
  if (error.code != ErrorCode::damaged || mode != Mode::read_write) return fail(std::move(error));
  damage = std::move(error);
  open.reset();
  return {};
}

Status Store::State::heal_damage() {
  const auto healed = heal(file, mark, sharing);
  if (!healed) return fail(healed.error());
  damage.reset();
  if (*healed) warn(**healed);
  return {};
}

Result<OpenStore*> Store::State::for_writing() {
  if (mode == Mode::read_only || mode == Mode::inspect) {
    return fail(ErrorCode::usage, fmt::format("'{}' was opened for reading", file.string()));
  }
  const auto opened = for_reading();
  if (!opened) return fail(opened.error());
  if (damage) return fail(*damage);
  if (*opened == nullptr) {
    if (const auto created = create_user_cache(); !created) return fail(created.error());
  }
  if (open->older) {
    if (const auto migrated = migrate(); !migrated) return fail(migrated.error());
  }
  if (mode == Mode::read_write && !std::exchange(journal_checked, true)) use_wal();
  return open.get();
}

Status Store::State::create_user_cache() {
  std::error_code error;
  const auto folder = std::filesystem::absolute(file, error).parent_path();
  if (!error) std::filesystem::create_directories(folder, error);
  if (error) {
    return fail(ErrorCode::environment,
                fmt::format("cannot make the folder of '{}': {}; name another file with CUDAHOT_CACHE", file.string(),
                            error.message()));
  }
  look_at_mount();
  if (auto database = Database::open(file, Database::Access::create, sharing); !database) {
    return fail(database.error());
  } else {
    if (const auto done = database->enable_incremental_vacuum(); !done) return done;
    if (const auto done = create_schema(*database); !done) return done;
  }
  auto opened = open_with_schema(file, Database::Access::read_write, sharing, wait);
  if (!opened) return fail(opened.error());
  open = std::move(*opened);
  return {};
}

// Reading goes on as before where it fails.
Status Store::State::migrate() {
  {
    auto database = Database::open(file, Database::Access::read_write, sharing);
    if (!database) return fail(database.error());
    if (const auto done = migrate_schema(*database); !done) return done;
  }
  auto opened = open_with_schema(file, Database::Access::read_write, sharing, wait);
  if (!opened) return fail(opened.error());
  open = std::move(*opened);
  return {};
}

// Another process may be in the way, or the file system may not allow it: the cache works without
// WAL as well, only with more waiting, and the next store tries again.
void Store::State::use_wal() {
  if (sharing == Database::Sharing::locks_only) return;
  if (const auto wal = open->database.uses_wal(); wal && !*wal) (void)open->database.switch_to_wal();
}

Status Store::State::create_bundle() {
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    return fail(ErrorCode::usage, fmt::format("cannot make the bundle '{}': the file exists", file.string()));
  }
  auto database = Database::open(file, Database::Access::create);
  if (!database) return fail(database.error());
  unfinished_bundle = true;
  open = std::make_unique<OpenStore>(std::move(*database));
  auto transaction = Transaction::begin(open->database);
  if (!transaction) return fail(transaction.error());
  bundle_transaction.emplace(std::move(*transaction));
  return create_schema(open->database);
}

Status Store::State::check_not_finished() const {
  if (mode != Mode::create_bundle) return {};
  return fail(ErrorCode::usage, fmt::format("the bundle '{}' is finished", file.string()));
}

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

// Runs `action` on the open store inside a transaction.
template <typename Write>
Status Store::State::write(Write&& action) {
  const LongWait waits(*this);
  Status done = try_write(action);
  if (done || !damage) return done;
  if (const Status healed = heal_damage(); !healed) return healed;
  return try_write(action);
}

template <typename Write>
Status Store::State::try_write(Write&& action) {
  const auto opened = for_writing();
  if (!opened) return fail(opened.error());
  const auto in_transaction = [&]() -> Status {
    auto transaction = Transaction::begin(open->database);
    if (!transaction) return fail(transaction.error());
    if (const Status done = action(*open); !done) return done;
    return transaction->commit();
  };
  const Status done = in_transaction();
  if (done) return done;
  // A connection that could not even roll back must not be written to again.
  if (mode == Mode::read_write && open->database.in_transaction()) open.reset();
  if (const Status noted = note_damage(done.error()); !noted) return noted;
  return done;
}

void Store::State::delete_damaged(const base::Digest& key, std::string_view problem) {
  const std::string what = fmt::format("entry {} of '{}' is damaged ({})", base::to_hex(key), file.string(), problem);
  if (!may_write()) {
    warn(fmt::format("{} and not used; make the file again", what));
    return;
  }
  damaged.insert(key);
  const auto removed = try_write([&](OpenStore& store) -> Status {
    if (const auto done = store.artifacts.remove(key); !done) return fail(done.error());
    return {};
  });
  if (removed) warn(fmt::format("{}; it was deleted and is made anew when it is needed", what));
  else warn(fmt::format("{} and could not be deleted: {}", what, removed.error().message));
}

// Counts are for people and for cleaning up: losing some is no failure.
void Store::State::write_usage() {
  if (usage.empty() || !may_write()) return;
  (void)try_write([&](OpenStore& store) -> Status {
    std::int64_t hits = 0;
    std::int64_t saved_us = 0;
    for (const auto& [key, used] : usage.usages()) {
      const auto build_us = store.artifacts.add_usage(key, used.hits, used.last_used_unix);
      if (!build_us) return fail(build_us.error());
      hits += used.hits;
      saved_us += used.hits * *build_us;
    }
    return store.misses.add_hits(hits, saved_us);
  });
  usage.clear(UsageBatch::Clock::now());
}

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Result<Store> Store::open(const std::filesystem::path& file, Mode mode, LogCallback log) {
  return open(file, mode, std::move(log), Settings());
}

Result<Store> Store::open(const std::filesystem::path& file, Mode mode, LogCallback log, const Settings& settings) {
  auto state = std::make_unique<State>();
  state->file = file;
  state->mode = mode;
  state->log = std::move(log);
  state->wait = settings.wait;
  state->network_mount = settings.network_mount;
  if (mode == Mode::create_bundle) {
    if (const auto created = state->create_bundle(); !created) return fail(created.error());
  } else {
    if (const auto opened = state->for_reading(); !opened) return fail(opened.error());
  }
  return Store(std::move(state));
}

Result<std::optional<Artifact>> Store::find(const CacheKey& key) {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened) return fail(opened.error());
  if (*opened == nullptr) return std::nullopt;
  auto lookup = (*opened)->artifacts.find(key);
  if (!lookup) {
    if (const auto noted = state_->note_damage(lookup.error()); !noted) return fail(noted.error());
    return std::nullopt;
  }
  switch (lookup->kind) {
    case ArtifactTable::Lookup::Kind::hit:
      if (state_->may_write()) state_->usage.count(key.digest, now_unix());
      return std::move(lookup->artifact);
    case ArtifactTable::Lookup::Kind::damaged:
      state_->delete_damaged(key.digest, lookup->problem);
      return std::nullopt;
    case ArtifactTable::Lookup::Kind::collision:
    case ArtifactTable::Lookup::Kind::miss:
      break;
  }
  return std::nullopt;
}

Status Store::insert(const CacheKey& key, const Artifact& artifact, const Provenance& provenance) {
  const std::lock_guard lock(state_->mutex);
  const auto done =
      state_->write([&](OpenStore& store) { return store.artifacts.insert(key, artifact, provenance, now_unix()); });
  if (!done) return done;
  if (state_->usage.due(UsageBatch::Clock::now())) state_->write_usage();
  return {};
}

Result<std::size_t> Store::remove(const std::vector<base::Digest>& keys) {
  const std::lock_guard lock(state_->mutex);
  std::size_t count = 0;
  const auto done = state_->write([&](OpenStore& store) -> Status {
    for (const base::Digest& key : keys) {
      const auto removed = store.artifacts.remove(key);
      if (!removed) return fail(removed.error());
      if (*removed) ++count;
    }
    return {};
  });
  if (!done) return fail(done.error());
  return count;
}

Result<bool> Store::copy(const Entry& entry) {
  Preimage preimage;
  for (const Field& field : entry.preimage) preimage.add(field.tag, field.bytes);
  const CacheKey key = make_key(preimage);
  const std::lock_guard lock(state_->mutex);
  bool copied = false;
  const auto done = state_->write([&](OpenStore& store) -> Status {
    const auto present = store.artifacts.find(key);
    if (!present) return fail(present.error());
    if (present->kind == ArtifactTable::Lookup::Kind::hit) return {};
    copied = true;
    return store.artifacts.copy(entry);
  });
  if (!done) return fail(done.error());
  return copied;
}

std::optional<HealingMark> Store::damage() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->damage || healing_mark(state_->file) != state_->mark) return std::nullopt;
  return state_->mark;
}

void Store::report_damage(const HealingMark& damage) {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened || *opened == nullptr || state_->mark != damage) return;
  (void)state_->note_damage({ErrorCode::damaged, fmt::format("'{}' is damaged", state_->file.string()), {}, {}});
}

bool Store::was_damaged(const base::Digest& key) {
  const std::lock_guard lock(state_->mutex);
  return state_->damaged.erase(key) > 0;
}

Status Store::note_miss(const CacheKey& key, const Artifact& missed, std::optional<MissReason> reason) {
  const std::lock_guard lock(state_->mutex);
  return state_->write([&](OpenStore& store) { return put_miss(store, key, missed, reason); });
}

Status Store::insert_missed(const CacheKey& key, const Artifact& artifact, const Provenance& provenance,
                            std::optional<MissReason> reason) {
  const std::lock_guard lock(state_->mutex);
  return state_->write([&](OpenStore& store) -> Status {
    if (const auto done = put_miss(store, key, artifact, reason); !done) return done;
    return store.artifacts.insert(key, artifact, provenance, now_unix());
  });
}

Result<std::vector<Miss>> Store::misses(std::string_view source) {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened) return fail(opened.error());
  if (*opened == nullptr) return std::vector<Miss>{};
  return (*opened)->misses.of_source(source);
}

Result<std::vector<std::string>> Store::missed_sources() {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened) return fail(opened.error());
  if (*opened == nullptr) return std::vector<std::string>{};
  return (*opened)->misses.sources();
}

Result<Totals> Store::totals() {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened) return fail(opened.error());
  if (*opened == nullptr) return Totals{};
  return (*opened)->misses.totals();
}

Result<Store::Size> Store::size() {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened) return fail(opened.error());
  if (*opened == nullptr) return Size{};
  const auto pages = (*opened)->database.pages();
  if (!pages) return fail(pages.error());
  const auto bytes = [](std::int64_t count, std::int64_t page) { return static_cast<std::uint64_t>(count * page); };
  std::error_code error;
  const auto log_bytes = std::filesystem::file_size(state_->file.native() + "-wal", error);
  return Size{bytes(pages->all, pages->bytes) + (error ? 0 : log_bytes), bytes(pages->free, pages->bytes)};
}

Status Store::shrink(std::uint64_t most_bytes) {
  const std::lock_guard lock(state_->mutex);
  const State::LongWait waits(*state_);
  const auto opened = state_->for_writing();
  if (!opened) return fail(opened.error());
  Database& database = (*opened)->database;
  const auto pages = database.pages();
  if (!pages) return fail(pages.error());
  const auto most = static_cast<std::int64_t>(most_bytes / static_cast<std::uint64_t>(pages->bytes));
  if (pages->free > 0 && most > 0) {
    if (const auto done = database.give_back_pages(most); !done) return done;
  }
  const auto done = database.checkpoint();
  if (!done && done.error().code == ErrorCode::busy) return {};
  return done;
}

Result<std::vector<EntrySummary>> Store::list() {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened) return fail(opened.error());
  if (*opened == nullptr) return std::vector<EntrySummary>{};
  return (*opened)->artifacts.list();
}

Status Store::put_slice(const StoredSlice& slice) {
  const std::lock_guard lock(state_->mutex);
  return state_->write([&](OpenStore& store) { return store.slices.put(slice); });
}

Result<std::vector<Store::StoredSlice>> Store::slices() {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened) return fail(opened.error());
  if (*opened == nullptr) return std::vector<StoredSlice>{};
  auto content = (*opened)->slices.read_all();
  if (!content) return fail(content.error());
  for (const Problem& problem : content->problems) {
    state_->warn(fmt::format("{} of '{}' is damaged ({}) and not used; extract it again", problem.subject,
                             state_->file.string(), problem.text));
  }
  return std::move(content->slices);
}

Status Store::finish() {
  const std::lock_guard lock(state_->mutex);
  if (state_->mode != Mode::create_bundle || !state_->bundle_transaction) {
    return fail(ErrorCode::usage, fmt::format("'{}' is not a bundle being made", state_->file.string()));
  }
  if (const auto done = state_->bundle_transaction->commit(); !done) return done;
  state_->unfinished_bundle = false;
  state_->bundle_transaction.reset();
  state_->open.reset();
  return {};
}

Result<std::optional<Store::Entry>> Store::entry(const base::Digest& key) {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened) return fail(opened.error());
  if (*opened == nullptr) return std::nullopt;
  return (*opened)->artifacts.entry(key);
}

Result<std::vector<base::Digest>> Store::keys_with_prefix(std::string_view prefix) {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened) return fail(opened.error());
  if (*opened == nullptr) return std::vector<base::Digest>{};
  return (*opened)->artifacts.keys_with_prefix(prefix);
}

Result<std::vector<Store::Problem>> Store::verify() {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened) return fail(opened.error());
  std::vector<Problem> problems;
  if (*opened == nullptr) return problems;
  auto integrity = (*opened)->database.integrity_problems();
  if (!integrity) return fail(integrity.error());
  for (std::string& text : *integrity) problems.push_back({"database", std::move(text)});
  auto artifacts = (*opened)->artifacts.verify();
  if (!artifacts) return fail(artifacts.error());
  auto slices = (*opened)->slices.read_all();
  if (!slices) return fail(slices.error());
  for (auto& damage : *artifacts) problems.push_back(std::move(damage.problem));
  for (Problem& problem : slices->problems) problems.push_back(std::move(problem));
  return problems;
}

Result<std::vector<std::string>> Store::integrity_problems() {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened) return fail(opened.error());
  if (*opened == nullptr) return std::vector<std::string>{};
  return (*opened)->database.integrity_problems();
}

Result<std::vector<Store::Problem>> Store::remove_damaged() {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened) return fail(opened.error());
  std::vector<Problem> problems;
  if (*opened == nullptr) return problems;
  // Found before the write lock is taken, since it takes long. An entry that has come into such a row is made again.
  auto artifacts = (*opened)->artifacts.verify();
  if (!artifacts) return fail(artifacts.error());
  auto slices = (*opened)->slices.read_all();
  if (!slices) return fail(slices.error());
  if (artifacts->empty() && slices->damaged_rows.empty()) return problems;
  const auto done = state_->write([&](OpenStore& store) -> Status {
    if (const auto removed = store.artifacts.remove_damaged(*artifacts); !removed) return removed;
    for (const std::int64_t row : slices->damaged_rows) {
      if (const auto removed = store.slices.remove_row(row); !removed) return removed;
    }
    return {};
  });
  if (!done) return fail(done.error());
  for (auto& damage : *artifacts) problems.push_back(std::move(damage.problem));
  for (Problem& problem : slices->problems) problems.push_back(std::move(problem));
  return problems;
}

Result<bool> Store::is_bundle() {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened) return fail(opened.error());
  if (*opened == nullptr) return false;
  const auto cache = (*opened)->database.has_incremental_vacuum();
  if (!cache) return fail(cache.error());
  return !*cache;
}

const std::filesystem::path& Store::file() const { return state_->file; }

}  // namespace cudahot::cache
