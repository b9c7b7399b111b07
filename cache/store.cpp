#include "cache/store.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cache/difference.hpp"
#include "cache/start_section.hpp"
#include "cache/store_state.hpp"
#include "lib/base/unix_time.hpp"

namespace cudahot::cache {
namespace {

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
  return store.misses.put({missed.source, missed.arch, missed.tier, key, *reason, base::now_unix()});
}

// Not of a cache, whose file must not be opened by other means while it is in use. Errors: those of no damage.
Result<std::optional<Store::Problem>> problem_of_start_section(OpenStore& store) {
  const auto cache = store.database.has_incremental_vacuum();
  if (!cache) return fail(cache.error());
  if (*cache) return std::nullopt;
  auto file = BundleFile::open(store.database.file());
  if (!file) return fail(file.error());
  const auto section = StartSection::read(std::make_shared<const BundleFile>(std::move(*file)));
  const Status sound = !section ? Status(fail(section.error())) : *section ? (*section)->verify() : Status();
  if (sound) return std::nullopt;
  if (sound.error().code != ErrorCode::damaged) return fail(sound.error());
  return Store::Problem{"start section", sound.error().message};
}

}  // namespace

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
  state->bundle_file = settings.bundle;
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
      if (state_->may_write()) state_->usage.count(key.digest, base::now_unix());
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
  const auto done = state_->write(
      [&](OpenStore& store) { return store.artifacts.insert(key, artifact, provenance, base::now_unix()); });
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
    return store.artifacts.insert(key, artifact, provenance, base::now_unix());
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

Result<std::vector<EntrySummary>> Store::list(Details details) {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened) return fail(opened.error());
  if (*opened == nullptr) return std::vector<EntrySummary>{};
  return (*opened)->artifacts.list(details);
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

Result<Store::StoredSlice> Store::stored_slice(std::string_view source) {
  const std::lock_guard lock(state_->mutex);
  const auto opened = state_->for_reading();
  if (!opened) return fail(opened.error());
  Result<std::optional<StoredSlice>> stored;
  if (*opened != nullptr) stored = (*opened)->slices.slice_of(source);
  if (!stored && stored.error().code == ErrorCode::damaged) {
    return fail(ErrorCode::damaged, fmt::format("the slice of '{}' in '{}' is damaged ({}): extract it again", source,
                                                state_->file.string(), stored.error().message));
  }
  if (!stored) return fail(stored.error());
  if (!*stored) {
    return fail(ErrorCode::not_found, fmt::format("'{}' has no slice of '{}'", state_->file.string(), source));
  }
  return std::move(**stored);
}

Status Store::finish() {
  const std::lock_guard lock(state_->mutex);
  if (state_->mode != Mode::create_bundle || !state_->bundle_transaction) {
    return fail(ErrorCode::usage, fmt::format("'{}' is not a bundle being made", state_->file.string()));
  }
  const auto section = StartSectionWriter::of(state_->open->slices, state_->open->artifacts);
  if (!section) return fail(section.error());
  if (const auto done = state_->open->database.set_identity(section->identity()); !done) return done;
  if (const auto done = state_->bundle_transaction->commit(); !done) return done;
  state_->bundle_transaction.reset();
  state_->open.reset();
  if (const auto done = section->append_to(state_->file); !done) return done;
  state_->unfinished_bundle = false;
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
  auto start = problem_of_start_section(**opened);
  if (!start) return fail(start.error());
  if (*start) problems.push_back(std::move(**start));
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
  return state_->is_bundle();
}

const std::filesystem::path& Store::file() const { return state_->file; }

}  // namespace cudahot::cache
