// One row of the tables `artifact` and `artifact_content`: from columns to what a store gives, and back.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/sqlite.hpp"
#include "cache/store.hpp"
#include "cudahot/result.hpp"

namespace cudahot::cache {

// In this order they have to be selected for the functions that read a row.
#define CUDAHOT_SUMMARY_COLUMNS                                                                  \
  "a.key, a.kind, a.architecture, a.tier, a.name, a.regions, a.source, a.toolkit_version, "      \
  "a.registers, a.static_shared_bytes, a.blob_bytes, a.created_unix, a.last_used_unix, a.hits, " \
  "a.stored_bytes, a.build_us"
#define CUDAHOT_CONTENT_COLUMNS "c.kernels, c.lowered_names, c.preimage, c.seal, c.blob, c.files"
inline constexpr int kArtifactColumns = 22;  // of both; behind them is what a statement selects beside
inline constexpr std::size_t kKeyBytes = 16;

// What is stored of an artifact as text; the seal is over these and the blob.
struct ArtifactColumns {
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
base::Digest seal(const ArtifactColumns& columns);

// Errors (here and below): damaged.
Status read_summary(const Statement& row, EntrySummary& summary);  // needs the summary's columns alone
Result<Artifact> read_artifact(const Statement& row);
Result<Store::Entry> read_entry(const Statement& row);
std::optional<base::Digest> read_key(const Statement& row);

// The preimage that a key must have.
Result<std::string> read_preimage(const Statement& row);
Result<std::string> read_preimage(std::string_view key, std::string_view compressed);

// The column `files`: nothing, or the seal and the list.
std::string write_files(std::string_view key, const std::vector<SourceFile>& files);

}  // namespace cudahot::cache
