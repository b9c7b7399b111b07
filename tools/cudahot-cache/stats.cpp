#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "cache/gc.hpp"
#include "lib/base/paths.hpp"
#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/describe.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"
#include "tools/cudahot-cache/table.hpp"

namespace cudahot::tool {
namespace {

struct Figures {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t hits = 0;

  void add(const cache::EntrySummary& entry) {
    ++entries;
    bytes += entry.blob_bytes;
    stored_bytes += entry.stored_bytes;
    hits += entry.hits;
  }
};

Json to_json(const Figures& figures) {
  return {{"entries", figures.entries},
          {"bytes", figures.bytes},
          {"stored_bytes", figures.stored_bytes},
          {"hits", figures.hits}};
}

struct Statistics {
  Figures total;
  std::map<region::SmArch, Figures> by_arch;
  std::map<std::string, Figures> by_tier;
  std::int64_t oldest = 0, newest = 0;  // 0: no entry
  std::size_t slices = 0;
  cache::Totals totals;
  cache::Store::Size size;
  std::optional<std::uint64_t> limit;  // of a user cache that has one
};

std::string group_of(const cache::EntrySummary& entry) {
  return is_kernel(entry) ? std::string(tier_of(entry)) : "helper libraries";
}

Result<Statistics> gather(const Session& session) {
  Statistics result;
  auto store = open_store(session);
  if (!store) return fail(store.error());
  if (!*store) return result;
  const auto entries = (*store)->list();
  if (!entries) return fail(entries.error());
  for (const auto& entry : *entries) {
    result.total.add(entry);
    result.by_arch[entry.arch].add(entry);
    result.by_tier[group_of(entry)].add(entry);
    result.oldest = result.oldest == 0 ? entry.created_unix : std::min(result.oldest, entry.created_unix);
    result.newest = std::max(result.newest, entry.created_unix);
  }
  const auto slices = (*store)->slices();
  if (!slices) return fail(slices.error());
  result.slices = slices->size();
  auto totals = (*store)->totals();
  if (!totals) return fail(totals.error());
  result.totals = std::move(*totals);
  const auto size = (*store)->size();
  if (!size) return fail(size.error());
  result.size = *size;
  const auto bundle = (*store)->is_bundle();
  if (!bundle) return fail(bundle.error());
  const auto policy = cache::gc_policy(base::environment);
  if (!policy) return fail(policy.error());
  if (!*bundle) result.limit = policy->max_bytes;
  return result;
}

std::uint64_t missed(const cache::Totals& totals) {
  std::uint64_t sum = 0;
  for (const auto& [reason, count] : totals.misses) sum += count;
  return sum;
}

Json to_json(const Session& session, const Statistics& statistics) {
  const auto known = [](std::int64_t time) { return time == 0 ? Json(nullptr) : Json(time); };
  Json architectures = Json::object();
  for (const auto& [arch, figures] : statistics.by_arch) architectures[region::to_string(arch)] = to_json(figures);
  Json tiers = Json::object();
  for (const auto& [tier, figures] : statistics.by_tier) tiers[tier] = to_json(figures);
  Json reasons = Json::object();
  for (const auto& [reason, count] : statistics.totals.misses) reasons[std::string(cache::to_string(reason))] = count;
  Json json = {{"database", session.file.string()},
               {"file_bytes", statistics.size.file_bytes},
               {"free_bytes", statistics.size.free_bytes},
               {"limit_bytes", statistics.limit ? Json(*statistics.limit) : Json(nullptr)},
               {"slices", statistics.slices}};
  json.update(to_json(statistics.total));
  json["oldest_unix"] = known(statistics.oldest);
  json["newest_unix"] = known(statistics.newest);
  json["architectures"] = std::move(architectures);
  json["tiers"] = std::move(tiers);
  json["lifetime"] = {{"hits", statistics.totals.hits},
                      {"misses", missed(statistics.totals)},
                      {"miss_reasons", std::move(reasons)},
                      {"saved_us", statistics.totals.saved_us}};
  return json;
}

template <typename Groups, typename Name>
std::string to_table(std::string title, const Groups& groups, const Figures& total, Name&& name) {
  Table table({{std::move(title)}, {"ENTRIES", true}, {"SIZE", true}, {"STORED", true}, {"HITS", true}});
  const auto add = [&](std::string_view label, const Figures& figures) {
    table.add_row({label, fmt::format("{}", figures.entries), human_size(figures.bytes),
                   human_size(figures.stored_bytes), fmt::format("{}", figures.hits)});
  };
  for (const auto& [group, figures] : groups) add(name(group), figures);
  add("all", total);
  return table.to_text(0);
}

std::string to_text(const Session& session, const Statistics& statistics) {
  std::string text;
  const auto line = [&](std::string_view label, std::string_view value) {
    text += fmt::format("{:<11}{}\n", label, value);
  };
  line("database", printable(session.file.string()));
  line("file", fmt::format("{}, of which {} are free", human_size(statistics.size.file_bytes),
                           human_size(statistics.size.free_bytes)));
  if (statistics.limit) line("limit", human_size(*statistics.limit));
  line("slices", fmt::format("{}", statistics.slices));
  line("oldest", utc_time(statistics.oldest));
  line("newest", utc_time(statistics.newest));
  const cache::Totals& totals = statistics.totals;
  const std::uint64_t misses = missed(totals);
  const std::uint64_t lookups = totals.hits + misses;
  line("hits", lookups == 0
                   ? "0"
                   : fmt::format("{}, {:.1f} % of {} lookups", totals.hits,
                                 100.0 * static_cast<double>(totals.hits) / static_cast<double>(lookups), lookups));
  line("time saved", human_duration(static_cast<std::int64_t>(totals.saved_us)));
  line("misses", fmt::format("{}", misses));
  for (const auto& [reason, count] : totals.misses) {
    text += fmt::format("  {:<14}{}\n", cache::to_string(reason), count);
  }
  text += '\n';
  text +=
      to_table("ARCH", statistics.by_arch, statistics.total, [](const auto& arch) { return region::to_string(arch); });
  text += '\n';
  text += to_table("TIER", statistics.by_tier, statistics.total, [](const auto& tier) { return tier; });
  return text;
}

}  // namespace

int stats(const Session& session) {
  const auto statistics = gather(session);
  if (!statistics) return report(statistics.error());
  if (session.json) print(to_json(session, *statistics));
  else print(to_text(session, *statistics));
  return kFine;
}

}  // namespace cudahot::tool
