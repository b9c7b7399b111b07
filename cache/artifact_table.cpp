#include "cache/artifact_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cache/compression.hpp"
#include "cache/facts_json.hpp"
#include "cache/seal.hpp"

namespace cudahot::cache {
namespace {

#define CUDAHOT_SUMMARY_COLUMNS                                                                  \
  "a.key, a.kind, a.architecture, a.tier, a.name, a.regions, a.source, a.toolkit_version, "      \
  "a.registers, a.static_shared_bytes, a.blob_bytes, a.created_unix, a.last_used_unix, a.hits, " \
  "a.stored_bytes, a.build_us"
#define CUDAHOT_CONTENT_COLUMNS "c.kernels, c.lowered_names, c.preimage, c.seal, c.blob, c.files"
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

// Positions in CUDAHOT_SUMMARY_COLUMNS, CUDAHOT_CONTENT_COLUMNS and, in kSelectAllRows, behind them.
enum Column : int {
  kKey,
  kKind,
  kArchitecture,
  kTier,
  kName,
  kRegions,
  kSource,
  kToolkitVersion,
  kRegisters,
  kStaticSharedBytes,
  kBlobBytes,
  kCreatedUnix,
  kLastUsedUnix,
  kHits,
  kStoredBytes,
  kBuildUs,
  kKernels,
  kLoweredNames,
  kPreimage,
  kSeal,
  kBlob,
  kFiles,
  kId
};

constexpr std::size_t kKeyBytes = 16;

// What is stored of an artifact as text; the seal is over these and the blob.
struct Columns {
  std::string_view key;
  std::string_view kind;
  std::string_view architecture;
  std::string_view tier;
  std::string_view name;
  std::string_view regions;
  std::string_view source;
  std::string_view toolkit_version;
  std::string_view kernels;
  std::string_view lowered_names;
  std::string_view blob;
};

base::Digest seal(const Columns& c) {
  return Seal()
      .add(c.key)
      .add(c.kind)
      .add(c.architecture)
      .add(c.tier)
      .add(c.name)
      .add(c.regions)
      .add(c.source)
      .add(c.toolkit_version)
      .add(c.kernels)
      .add(c.lowered_names)
      .add(c.blob)
      .finish();
}

tl::unexpected<Error> damaged(std::string what) { return fail(ErrorCode::damaged, std::move(what)); }

Status read_summary(const Statement& row, EntrySummary& summary) {
  const auto key = digest_from_bytes(row.blob(kKey));
  if (!key) return damaged("its key is not 16 bytes long");
  const auto kind = parse_artifact_kind(row.text(kKind));
  if (!kind) return damaged(fmt::format("unknown kind '{}'", row.text(kKind)));
  const auto arch = region::parse_sm_arch(row.text(kArchitecture));
  if (!arch) return damaged(fmt::format("unknown architecture '{}'", row.text(kArchitecture)));
  const auto tier = region::parse_tier(row.text(kTier));
  if (!tier) return damaged(fmt::format("unknown tier '{}'", row.text(kTier)));
  summary.key = *key;
  summary.kind = *kind;
  summary.arch = *arch;
  summary.tier = *tier;
  summary.name = row.text(kName);
  summary.regions = row.text(kRegions);
  summary.source = row.text(kSource);
  summary.toolkit_version = row.text(kToolkitVersion);
  summary.registers = static_cast<std::uint32_t>(row.integer(kRegisters));
  summary.static_shared_bytes = static_cast<std::uint32_t>(row.integer(kStaticSharedBytes));
  summary.blob_bytes = static_cast<std::uint64_t>(row.integer(kBlobBytes));
  summary.created_unix = row.integer(kCreatedUnix);
  summary.last_used_unix = row.integer(kLastUsedUnix);
  summary.hits = static_cast<std::uint64_t>(row.integer(kHits));
  // A program of schema 1 leaves it 0.
  summary.stored_bytes = std::max(static_cast<std::uint64_t>(row.integer(kStoredBytes)), summary.blob_bytes);
  summary.build_us = row.integer(kBuildUs);
  return {};
}

Result<Artifact> read_artifact(const Statement& row) {
  const Columns columns{row.blob(kKey),     row.text(kKind),         row.text(kArchitecture), row.text(kTier),
                        row.text(kName),    row.text(kRegions),      row.text(kSource),       row.text(kToolkitVersion),
                        row.text(kKernels), row.text(kLoweredNames), row.blob(kBlob)};
  const auto stored_seal = digest_from_bytes(row.blob(kSeal));
  if (!stored_seal) return damaged("its content is missing");
  if (seal(columns) != *stored_seal) return damaged("its content does not match its digest");
  EntrySummary summary;
  if (const auto done = read_summary(row, summary); !done) return fail(done.error());
  auto kernels = kernels_from_json(columns.kernels);
  if (!kernels) return fail(kernels.error());
  auto lowered_names = lowered_names_from_json(columns.lowered_names);
  if (!lowered_names) return fail(lowered_names.error());

  Artifact artifact;
  artifact.kind = summary.kind;
  artifact.arch = summary.arch;
  artifact.tier = summary.tier;
  artifact.name = std::move(summary.name);
  artifact.regions = std::move(summary.regions);
  artifact.source = std::move(summary.source);
  artifact.kernels = std::move(*kernels);
  artifact.lowered_names = std::move(*lowered_names);
  artifact.toolkit_version = std::move(summary.toolkit_version);
  artifact.blob = columns.blob;
  return artifact;
}

// The preimage that a key must have.
Result<std::string> read_preimage(std::string_view key, std::string_view compressed) {
  auto preimage = decompress(compressed);
  if (!preimage) return damaged(fmt::format("its preimage is damaged: {}", preimage.error().message));
  if (to_bytes(base::digest(*preimage)) != key) return damaged("its preimage does not match its key");
  return preimage;
}

Result<std::string> read_preimage(const Statement& row) { return read_preimage(row.blob(kKey), row.blob(kPreimage)); }

base::Digest seal_of_files(std::string_view key, std::string_view json) { return Seal().add(key).add(json).finish(); }

// The column `files`: nothing, or the seal and the list.
std::string write_files(std::string_view key, const std::vector<SourceFile>& files) {
  if (files.empty()) return {};
  const std::string json = files_to_json(files);
  return to_bytes(seal_of_files(key, json)) + json;
}

Result<std::vector<SourceFile>> read_files(std::string_view key, std::string_view column) {
  if (column.empty()) return std::vector<SourceFile>{};
  const auto stored_seal = digest_from_bytes(column.substr(0, kKeyBytes));
  const std::string_view json = column.substr(std::min(kKeyBytes, column.size()));
  if (!stored_seal || *stored_seal != seal_of_files(key, json)) return damaged("its list of files is damaged");
  return files_from_json(json);
}

Result<Store::Entry> read_entry(const Statement& row) {
  auto artifact = read_artifact(row);
  if (!artifact) return fail(artifact.error());
  auto preimage = read_preimage(row);
  if (!preimage) return fail(preimage.error());
  auto fields = parse_preimage(*preimage);
  if (!fields) return fail(fields.error());
  auto files = read_files(row.blob(kKey), row.blob(kFiles));
  if (!files) return fail(files.error());
  Store::Entry entry;
  if (const auto done = read_summary(row, entry.summary); !done) return fail(done.error());
  entry.artifact = std::move(*artifact);
  entry.preimage = std::move(*fields);
  entry.provenance = {entry.summary.build_us, std::move(*files)};
  return entry;
}

}  // namespace

std::string_view to_string(ArtifactKind kind) {
  switch (kind) {
    case ArtifactKind::cubin:
      return "cubin";
    case ArtifactKind::library_cubin:
      return "library cubin";
    case ArtifactKind::library_ltoir:
      return "library ltoir";
  }
  return "";
}

std::optional<ArtifactKind> parse_artifact_kind(std::string_view text) {
  for (const auto kind : {ArtifactKind::cubin, ArtifactKind::library_cubin, ArtifactKind::library_ltoir}) {
    if (text == to_string(kind)) return kind;
  }
  return std::nullopt;
}

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
  const Columns columns{key_bytes,       to_string(artifact.kind),
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
  if (!entry) return damaged(fmt::format("entry {} is damaged: {}", base::to_hex(key), entry.error().message));
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
      const auto key = digest_from_bytes((*select)->blob(kKey));
      damages.push_back(
          {{key ? base::to_hex(*key) : "entry without key", entry.error().message}, (*select)->integer(kId)});
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
