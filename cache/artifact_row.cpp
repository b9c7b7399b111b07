#include "cache/artifact_row.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cache/compression.hpp"
#include "cache/facts_json.hpp"
#include "cache/seal.hpp"

namespace cudahot::cache {
namespace {

// Positions in CUDAHOT_SUMMARY_COLUMNS and CUDAHOT_CONTENT_COLUMNS.
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
  kFiles
};
static_assert(kFiles + 1 == kArtifactColumns);

tl::unexpected<Error> damaged(std::string what) { return fail(ErrorCode::damaged, std::move(what)); }

base::Digest seal_of_files(std::string_view key, std::string_view json) { return Seal().add(key).add(json).finish(); }

Result<std::vector<SourceFile>> read_files(std::string_view key, std::string_view column) {
  if (column.empty()) return std::vector<SourceFile>{};
  const auto stored_seal = digest_from_bytes(column.substr(0, kKeyBytes));
  const std::string_view json = column.substr(std::min(kKeyBytes, column.size()));
  if (!stored_seal || *stored_seal != seal_of_files(key, json)) return damaged("its list of files is damaged");
  return files_from_json(json);
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

base::Digest seal(const ArtifactColumns& c) {
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

std::optional<base::Digest> read_key(const Statement& row) { return digest_from_bytes(row.blob(kKey)); }

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
  const ArtifactColumns columns{
      row.blob(kKey),     row.text(kKind),         row.text(kArchitecture), row.text(kTier),
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

Result<std::string> read_preimage(std::string_view key, std::string_view compressed) {
  auto preimage = decompress(compressed);
  if (!preimage) return damaged(fmt::format("its preimage is damaged: {}", preimage.error().message));
  if (to_bytes(base::digest(*preimage)) != key) return damaged("its preimage does not match its key");
  return preimage;
}

Result<std::string> read_preimage(const Statement& row) { return read_preimage(row.blob(kKey), row.blob(kPreimage)); }

std::string write_files(std::string_view key, const std::vector<SourceFile>& files) {
  if (files.empty()) return {};
  const std::string json = files_to_json(files);
  return to_bytes(seal_of_files(key, json)) + json;
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

}  // namespace cudahot::cache
