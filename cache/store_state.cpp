#include "cache/store_state.hpp"

#include <utility>

#include <unistd.h>

#include <fmt/format.h>

#include "cache/healing.hpp"
#include "cache/schema.hpp"
#include "lib/base/unix_time.hpp"

namespace cudahot::cache {
namespace {

// SQLite cannot make the files it needs beside a WAL database there.
bool folder_is_write_protected(const std::filesystem::path& file) {
  std::error_code error;
  const auto folder = std::filesystem::absolute(file, error).parent_path();
  return !error && ::eaccess(folder.c_str(), W_OK) != 0;
}

// Not random: what is started anew in place stays what it was to those who have it open.
std::uint32_t identity_of(const std::filesystem::path& file) {
  const auto stamp = base::stamp_file(file);
  if (!stamp) return 0;
  base::Digester digester;
  digester.add(fmt::format("{} {}", stamp->device, stamp->inode));
  return static_cast<std::uint32_t>(digester.finish().low) | 1;
}

}  // namespace

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
  auto opened = bundle_file ? open_bundle() : open_with_schema(file, access, sharing, wait);
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

// SQLite opens files by their names only: one that has lost its name is read into memory.
Result<std::unique_ptr<OpenStore>> Store::State::open_bundle() {
  if (bundle_file->is_in_place()) {
    auto opened = open_with_schema(file, Database::Access::immutable, sharing, wait);
    if (bundle_file->is_in_place()) return opened;
  }
  const auto bytes = bundle_file->read(0, bundle_file->size());
  if (!bytes) return fail(bytes.error());
  auto database = Database::from_bytes(file, *bytes);
  if (!database) return fail(database.error());
  return with_schema(std::move(*database));
}

// What happened from outside to the user cache since its last use.
Status Store::State::check_hold() {
  if (damage && healing_mark(file) != mark) damage.reset();
  if (!open) return {};
  switch (open->database.hold()) {
    case Database::Hold::usable:
      return {};
    case Database::Hold::stale:
    case Database::Hold::overwritten:
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
  if (mode == Mode::read_write) {
    const auto bundle = is_bundle();
    if (!bundle) return fail(bundle.error());
    if (*bundle) return fail(is_a_bundle(file));
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
    if (const auto done = create_schema(*database, identity_of(file)); !done) return done;
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

Result<bool> Store::State::is_bundle() {
  const auto header = open->database.header();
  if (!header) return fail(header.error());
  return *header && !(*header)->gives_pages_back;
}

Status Store::State::check_not_finished() const {
  if (mode != Mode::create_bundle) return {};
  return fail(ErrorCode::usage, fmt::format("the bundle '{}' is finished", file.string()));
}

Status Store::State::write(const Write& action) {
  const LongWait waits(*this);
  Status done = try_write(action);
  if (done || !damage) return done;
  if (const Status healed = heal_damage(); !healed) return healed;
  return try_write(action);
}

Status Store::State::try_write(const Write& action) {
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

}  // namespace cudahot::cache
