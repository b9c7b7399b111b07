#include "cache/miss_table.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

#include "cache/compression.hpp"
#include "cache/seal.hpp"

namespace cudahot::cache {
namespace {

#define CUDAHOT_MISS_COLUMNS "source, architecture, tier, missed_unix, reason, key, preimage"
// The row that takes the place of another one gets a new id, so that ids tell the order, within one second too.
constexpr std::string_view kReplaceMiss = "INSERT OR REPLACE INTO miss (" CUDAHOT_MISS_COLUMNS
                                          ") "
                                          "VALUES (?, ?, ?, ?, ?, ?, ?)";
// Sources come and go; so many are remembered.
constexpr std::string_view kForgetOldMisses =
    "DELETE FROM miss WHERE id NOT IN (SELECT id FROM miss ORDER BY id DESC LIMIT 512)";
constexpr std::string_view kSelectMisses =
    "SELECT " CUDAHOT_MISS_COLUMNS " FROM miss WHERE source = ? ORDER BY id DESC";
constexpr std::string_view kSelectAllMisses = "SELECT " CUDAHOT_MISS_COLUMNS " FROM miss ORDER BY id";
constexpr std::string_view kSelectSources = "SELECT DISTINCT source FROM miss ORDER BY source";
constexpr std::string_view kAddTotal =
    "INSERT INTO total (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value";
constexpr std::string_view kSelectTotals = "SELECT name, value FROM total";

// Positions in CUDAHOT_MISS_COLUMNS.
enum Column : int { kSource, kArchitecture, kTier, kMissedUnix, kReason, kKey, kPreimage };

constexpr std::string_view kHits = "hits";
constexpr std::string_view kSavedUs = "saved_us";
constexpr std::string_view kMissPrefix = "miss ";

constexpr std::array kReasons = {MissReason::first,   MissReason::architecture, MissReason::tier,
                                 MissReason::text,    MissReason::options,      MissReason::toolkit,
                                 MissReason::headers, MissReason::helpers,      MissReason::kernels,
                                 MissReason::version, MissReason::damaged};

std::optional<MissReason> parse_reason(std::string_view text) {
  for (const MissReason reason : kReasons) {
    if (to_string(reason) == text) return reason;
  }
  return std::nullopt;
}

std::optional<Miss> read_miss(const Statement& row) {
  const auto key = digest_from_bytes(row.blob(kKey));
  auto preimage = decompress(row.blob(kPreimage));
  auto arch = region::parse_sm_arch(row.text(kArchitecture));
  const auto tier = region::parse_tier(row.text(kTier));
  const auto reason = parse_reason(row.text(kReason));
  if (!key || !preimage || !arch || !tier || !reason || base::digest(*preimage) != *key) return std::nullopt;
  return Miss{std::string(row.text(kSource)), *arch,   *tier,
              {*key, std::move(*preimage)},   *reason, row.integer(kMissedUnix)};
}

}  // namespace

std::string_view to_string(MissReason reason) {
  switch (reason) {
    case MissReason::first:
      return "first";
    case MissReason::architecture:
      return "architecture";
    case MissReason::tier:
      return "tier";
    case MissReason::text:
      return "text";
    case MissReason::options:
      return "options";
    case MissReason::toolkit:
      return "toolkit";
    case MissReason::headers:
      return "headers";
    case MissReason::helpers:
      return "helpers";
    case MissReason::kernels:
      return "kernels";
    case MissReason::version:
      return "version";
    case MissReason::damaged:
      return "damaged";
  }
  return "";
}

Status MissTable::put(const Miss& miss) {
  if (const auto done = copy(miss); !done) return done;
  return add_total(fmt::format("{}{}", kMissPrefix, to_string(miss.reason)), 1);
}

Status MissTable::copy(const Miss& miss) {
  const std::string architecture = region::to_string(miss.arch);
  const std::string key = to_bytes(miss.key.digest);
  const auto preimage = compress(miss.key.preimage);
  if (!preimage) return fail(preimage.error());
  auto replace = statements_->use(kReplaceMiss);
  if (!replace) return fail(replace.error());
  (*replace)
      ->bind_text(1, miss.source)
      .bind_text(2, architecture)
      .bind_text(3, region::to_string(miss.tier))
      .bind(4, miss.missed_unix)
      .bind_text(5, to_string(miss.reason))
      .bind_blob(6, key)
      .bind_blob(7, *preimage);
  if (const auto done = (*replace)->run(); !done) return done;
  auto forget = statements_->use(kForgetOldMisses);
  if (!forget) return fail(forget.error());
  return (*forget)->run();
}

Status MissTable::add_hits(std::int64_t hits, std::int64_t saved_us) {
  if (const auto done = add_total(kHits, hits); !done) return done;
  return add_total(kSavedUs, saved_us);
}

Status MissTable::add(const Totals& totals) {
  for (const auto& [reason, count] : totals.misses) {
    const auto done = add_total(fmt::format("{}{}", kMissPrefix, to_string(reason)), static_cast<std::int64_t>(count));
    if (!done) return done;
  }
  return add_hits(static_cast<std::int64_t>(totals.hits), static_cast<std::int64_t>(totals.saved_us));
}

Status MissTable::add_total(std::string_view name, std::int64_t value) {
  auto add = statements_->use(kAddTotal);
  if (!add) return fail(add.error());
  return (*add)->bind_text(1, name).bind(2, value).run();
}

Result<std::vector<Miss>> MissTable::read(Statement& select) {
  std::vector<Miss> misses;
  for (;;) {
    const auto row = select.step();
    if (!row) return fail(row.error());
    if (!*row) return misses;
    if (auto miss = read_miss(select)) misses.push_back(std::move(*miss));
  }
}

Result<std::vector<Miss>> MissTable::of_source(std::string_view source) {
  auto select = statements_->use(kSelectMisses);
  if (!select) return fail(select.error());
  (*select)->bind_text(1, source);
  return read(**select);
}

Result<std::vector<Miss>> MissTable::all() {
  auto select = statements_->use(kSelectAllMisses);
  if (!select) return fail(select.error());
  return read(**select);
}

Result<std::vector<std::string>> MissTable::sources() {
  auto select = statements_->use(kSelectSources);
  if (!select) return fail(select.error());
  std::vector<std::string> sources;
  for (;;) {
    const auto row = (*select)->step();
    if (!row) return fail(row.error());
    if (!*row) return sources;
    sources.emplace_back((*select)->text(0));
  }
}

Result<Totals> MissTable::totals() {
  auto select = statements_->use(kSelectTotals);
  if (!select) return fail(select.error());
  std::array<std::uint64_t, kReasons.size()> misses{};
  Totals totals;
  for (;;) {
    const auto row = (*select)->step();
    if (!row) return fail(row.error());
    if (!*row) break;
    const std::string_view name = (*select)->text(0);
    const auto value = static_cast<std::uint64_t>((*select)->integer(1));
    if (name == kHits) totals.hits = value;
    if (name == kSavedUs) totals.saved_us = value;
    if (!name.starts_with(kMissPrefix)) continue;
    const auto reason = parse_reason(name.substr(kMissPrefix.size()));
    if (reason) misses[static_cast<std::size_t>(*reason)] = value;
  }
  for (const MissReason reason : kReasons) {
    const auto count = misses[static_cast<std::size_t>(reason)];
    if (count != 0) totals.misses.emplace_back(reason, count);
  }
  return totals;
}

}  // namespace cudahot::cache
