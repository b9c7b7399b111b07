#include "cache/artifact_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cache/artifact_row.hpp"
#include "cache/compression.hpp"
#include "cache/facts_json.hpp"
#include "cache/seal.hpp"

namespace cudahot::cache {
namespace {

#define CUDAHOT_BOTH_TABLES "artifact AS a LEFT JOIN artifact_content AS c ON c.id = a.id"

constexpr std::string_view kSelectRow =
    "SELECT " CUDAHOT_SUMMARY_COLUMNS ", " CUDAHOT_CONTENT_COLUMNS " FROM " CUDAHOT_BOTH_TABLES " WHERE a.key = ?";
constexpr std::string_view kSelectRowById =
    "SELECT " CUDAHOT_SUMMARY_COLUMNS ", " CUDAHOT_CONTENT_COLUMNS " FROM " CUDAHOT_BOTH_TABLES " WHERE a.id = ?";
constexpr std::string_view kSelectAllRows =
    "SELECT " CUDAHOT_SUMMARY_COLUMNS ", " CUDAHOT_CONTENT_COLUMNS ", a.id FROM " CUDAHOT_BOTH_TABLES " ORDER BY a.id";
constexpr std::string_view kCountRows = "SELECT count(*) FROM artifact";
constexpr std::string_view kSelectSummaries = "SELECT " CUDAHOT_SUMMARY_COLUMNS " FROM artifact AS a ORDER BY a.id";
constexpr std::string_view kSelectBriefSummaries =
    "SELECT key, kind, architecture, tier, name, regions, '', '', registers, static_shared_bytes, blob_bytes, "
    "created_unix, 0, hits, 0, 0 FROM artifact ORDER BY id";
constexpr std::string_view kSelectPreimagesOfSource =
    "SELECT a.key, c.preimage FROM artifact AS a JOIN artifact_content AS c ON c.id = a.id "
    "WHERE a.source = ? AND a.kind = 'cubin' ORDER BY a.id DESC LIMIT 64";
constexpr std::string_view kSelectKeyRange = "SELECT key FROM artifact WHERE key >= ? AND key <= ? ORDER BY key";
constexpr std::string_view kCountOrphans =
    "SELECT count(*) FROM artifact_content WHERE id NOT IN (SELECT id FROM artifact)";
constexpr std::string_view kInsertArtifact =
    "INSERT INTO artifact (key, kind, architecture, tier, name, regions, source, toolkit_version, registers, "
    "static_shared_bytes, blob_bytes, created_unix, last_used_unix, hits, stored_bytes, build_us) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)";
constexpr std::string_view kInsertContent =
    "INSERT INTO artifact_content (id, kernels, lowered_names, preimage, seal, blob, files) "
    "VALUES ((SELECT id FROM artifact WHERE key = ?), ?, ?, ?, ?, ?, ?)";
constexpr std::string_view kDeleteContent =
    "DELETE FROM artifact_content WHERE id = (SELECT id FROM artifact WHERE key = ?)";
constexpr std::string_view kDeleteArtifact = "DELETE FROM artifact WHERE key = ?";
constexpr std::string_view kDeleteContentRow = "DELETE FROM artifact_content WHERE id = ?";
constexpr std::string_view kDeleteArtifactRow = "DELETE FROM artifact WHERE id = ?";
constexpr std::string_view kDeleteOrphans = "DELETE FROM artifact_content WHERE id NOT IN (SELECT id FROM artifact)";
constexpr std::string_view kAddUsage =
    "UPDATE artifact SET hits = hits + ?, last_used_unix = max(last_used_unix, ?) WHERE key = ? "
    "RETURNING build_us";

}  // namespace

Result<ArtifactTable::Lookup> ArtifactTable::find(const CacheKey& key) {
  auto select = statements_->use(kSelectRow);
  if (!select) return fail(select.error());
  Statement& row = **select;
  const std::string key_bytes = to_bytes(key.digest);
  const auto found = row.bind_blob(1, key_bytes).step();
  if (!found) return fail(found.error());
  if (!*found) return Lookup{};
  const auto preimage = read_preimage(row);
  if (!preimage) return Lookup{Lookup::Kind::damaged, {}, preimage.error().message};
  if (*preimage != key.preimage) return Lookup{Lookup::Kind::collision, {}, {}};
  auto artifact = read_artifact(row);
  if (!artifact) return Lookup{Lookup::Kind::damaged, {}, artifact.error().message};
  return Lookup{Lookup::Kind::hit, std::move(*artifact), {}};
}

Status ArtifactTable::insert(const CacheKey& key, const Artifact& artifact, const Provenance& provenance,
                             std::int64_t now_unix) {
  if (const auto removed = remove(key.digest); !removed) return fail(removed.error());
  const std::string key_bytes = to_bytes(key.digest);
  const std::string architecture = region::to_string(artifact.arch);
  const std::string kernels = kernels_to_json(artifact.kernels);
  const std::string lowered_names = lowered_names_to_json(artifact.lowered_names);
  const auto preimage = compress(key.preimage);
  if (!preimage) return fail(preimage.error());
  const ArtifactColumns columns{key_bytes,       to_string(artifact.kind),
                                architecture,    region::to_string(artifact.tier),
                                artifact.name,   artifact.regions,
                                artifact.source, artifact.toolkit_version,
                                kernels,         lowered_names,
                                artifact.blob};
  const std::string seal_bytes = to_bytes(seal(columns));
  const std::string files = write_files(key_bytes, provenance.files);
  const std::size_t stored_bytes =
      kernels.size() + lowered_names.size() + preimage->size() + columns.blob.size() + files.size();
  std::uint32_t registers = 0;
  std::uint32_t static_shared_bytes = 0;
  for (const base::KernelFacts& kernel : artifact.kernels) {
    registers = std::max(registers, kernel.registers);
    static_shared_bytes = std::max(static_shared_bytes, kernel.static_shared_bytes);
  }

  auto insert_artifact = statements_->use(kInsertArtifact);
  if (!insert_artifact) return fail(insert_artifact.error());
  (*insert_artifact)
      ->bind_blob(1, columns.key)
      .bind_text(2, columns.kind)
      .bind_text(3, columns.architecture)
      .bind_text(4, columns.tier)
      .bind_text(5, columns.name)
      .bind_text(6, columns.regions)
      .bind_text(7, columns.source)
      .bind_text(8, columns.toolkit_version)
      .bind(9, registers)
      .bind(10, static_shared_bytes)
      .bind(11, static_cast<std::int64_t>(columns.blob.size()))
      .bind(12, now_unix)
      .bind(13, static_cast<std::int64_t>(stored_bytes))
      .bind(14, provenance.build_us);
  if (const auto done = (*insert_artifact)->run(); !done) return done;

  auto insert_content = statements_->use(kInsertContent);
  if (!insert_content) return fail(insert_content.error());
  return (*insert_content)
      ->bind_blob(1, columns.key)
      .bind_text(2, columns.kernels)
      .bind_text(3, columns.lowered_names)
      .bind_blob(4, *preimage)
      .bind_blob(5, seal_bytes)
      .bind_blob(6, columns.blob)
      .bind_blob(7, files)
      .run();
}

Status ArtifactTable::copy(const Store::Entry& entry) {
  Preimage preimage;
  for (const Field& field : entry.preimage) preimage.add(field.tag, field.bytes);
  const CacheKey key = make_key(preimage);
  if (const auto done = insert(key, entry.artifact, entry.provenance, entry.summary.created_unix); !done) return done;
  if (entry.summary.last_used_unix == 0) return {};
  const auto used = add_usage(key.digest, static_cast<std::int64_t>(entry.summary.hits), entry.summary.last_used_unix);
  if (!used) return fail(used.error());
  return {};
}

Result<bool> ArtifactTable::remove(const base::Digest& key) {
  const std::string key_bytes = to_bytes(key);
  for (const std::string_view sql : {kDeleteContent, kDeleteArtifact}) {
    auto statement = statements_->use(sql);
    if (!statement) return fail(statement.error());
    if (const auto done = (*statement)->bind_blob(1, key_bytes).run(); !done) return fail(done.error());
  }
  return statements_->changed_rows() > 0;
}

Result<std::int64_t> ArtifactTable::add_usage(const base::Digest& key, std::int64_t hits, std::int64_t last_used_unix) {
  const std::string key_bytes = to_bytes(key);
  auto statement = statements_->use(kAddUsage);
  if (!statement) return fail(statement.error());
  (*statement)->bind(1, hits).bind(2, last_used_unix).bind_blob(3, key_bytes);
  const auto row = (*statement)->step();
  if (!row) return fail(row.error());
  if (!*row) return 0;  // removed meanwhile
  const std::int64_t build_us = (*statement)->integer(0);
  const auto end = (*statement)->step();
  if (!end) return fail(end.error());
  return build_us;
}

Result<std::vector<EntrySummary>> ArtifactTable::list(Store::Details details) {
  std::vector<EntrySummary> entries;
  // To move a hundred thousand rows once more takes longer than to count them. What is wrong shows below.
  if (auto count = statements_->use(kCountRows)) {
    if (const auto row = (*count)->step(); row && *row) entries.reserve(static_cast<std::size_t>((*count)->integer(0)));
  }
  auto select = statements_->use(details == Store::Details::all ? kSelectSummaries : kSelectBriefSummaries);
  if (!select) return fail(select.error());
  for (;;) {
    const auto row = (*select)->step();
    if (!row) return fail(row.error());
    if (!*row) return entries;
    if (!read_summary(**select, entries.emplace_back())) entries.pop_back();
  }
}

Result<std::optional<Store::Entry>> ArtifactTable::entry(const base::Digest& key) {
  auto select = statements_->use(kSelectRow);
  if (!select) return fail(select.error());
  const std::string key_bytes = to_bytes(key);
  const auto found = (*select)->bind_blob(1, key_bytes).step();
  if (!found) return fail(found.error());
  if (!*found) return std::nullopt;
  auto entry = read_entry(**select);
  if (!entry) {
    return fail(ErrorCode::damaged, fmt::format("entry {} is damaged: {}", base::to_hex(key), entry.error().message));
  }
  return std::move(*entry);
}

Result<std::optional<Store::Entry>> ArtifactTable::entry_in_row(std::int64_t id) {
  auto select = statements_->use(kSelectRowById);
  if (!select) return fail(select.error());
  const auto found = (*select)->bind(1, id).step();
  if (!found) return fail(found.error());
  if (!*found) return std::nullopt;
  auto entry = read_entry(**select);
  if (!entry) return fail(entry.error());
  return std::move(*entry);
}

Result<std::vector<base::Digest>> ArtifactTable::keys_with_prefix(std::string_view prefix) {
  std::vector<base::Digest> keys;
  std::string lowest(prefix.substr(0, 2 * kKeyBytes));
  std::string highest = lowest;
  lowest.resize(2 * kKeyBytes, '0');
  highest.resize(2 * kKeyBytes, 'f');
  const auto first = base::digest_from_hex(lowest);
  const auto last = base::digest_from_hex(highest);
  if (!first || !last || prefix.size() > 2 * kKeyBytes) return keys;
  const std::string first_bytes = to_bytes(*first);
  const std::string last_bytes = to_bytes(*last);
  auto select = statements_->use(kSelectKeyRange);
  if (!select) return fail(select.error());
  (*select)->bind_blob(1, first_bytes).bind_blob(2, last_bytes);
  for (;;) {
    const auto row = (*select)->step();
    if (!row) return fail(row.error());
    if (!*row) return keys;
    if (const auto key = digest_from_bytes((*select)->blob(0))) keys.push_back(*key);
  }
}

Result<std::vector<ArtifactTable::Candidate>> ArtifactTable::of_source(std::string_view source) {
  auto select = statements_->use(kSelectPreimagesOfSource);
  if (!select) return fail(select.error());
  std::vector<Candidate> candidates;
  (*select)->bind_text(1, source);
  for (;;) {
    const auto row = (*select)->step();
    if (!row) return fail(row.error());
    if (!*row) return candidates;
    const auto key = digest_from_bytes((*select)->blob(0));
    const auto preimage = read_preimage((*select)->blob(0), (*select)->blob(1));
    if (!key || !preimage) continue;
    if (auto fields = parse_preimage(*preimage)) candidates.push_back({*key, std::move(*fields)});
  }
}

Result<std::vector<ArtifactTable::Damage>> ArtifactTable::verify() {
  std::vector<Damage> damages;
  auto select = statements_->use(kSelectAllRows);
  if (!select) return fail(select.error());
  for (;;) {
    const auto row = (*select)->step();
    if (!row) return fail(row.error());
    if (!*row) break;
    if (const auto entry = read_entry(**select); !entry) {
      const auto key = read_key(**select);
      damages.push_back({{key ? base::to_hex(*key) : "entry without key", entry.error().message},
                         (*select)->integer(kArtifactColumns)});
    }
  }
  auto count = statements_->use(kCountOrphans);
  if (!count) return fail(count.error());
  const auto row = (*count)->step();
  if (!row) return fail(row.error());
  if (const auto orphans = (*count)->integer(0); *row && orphans > 0) {
    damages.push_back({{"database", fmt::format("{} contents belong to no entry", orphans)}, std::nullopt});
  }
  return damages;
}

Status ArtifactTable::remove_damaged(const std::vector<Damage>& damages) {
  for (const Damage& damage : damages) {
    if (!damage.row) {
      auto remove = statements_->use(kDeleteOrphans);
      if (!remove) return fail(remove.error());
      if (const auto done = (*remove)->run(); !done) return done;
      continue;
    }
    for (const std::string_view sql : {kDeleteContentRow, kDeleteArtifactRow}) {
      auto remove = statements_->use(sql);
      if (!remove) return fail(remove.error());
      if (const auto done = (*remove)->bind(1, *damage.row).run(); !done) return done;
    }
  }
  return {};
}

}  // namespace cudahot::cache
