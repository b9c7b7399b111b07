#include "tools/cudahot-cache/filter.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "lib/base/amounts.hpp"
#include "tools/cudahot-cache/describe.hpp"
#include "tools/cudahot-cache/source_match.hpp"

namespace cudahot::tool {
namespace {

Status set_time(const std::string& age, std::int64_t now_unix, std::optional<std::int64_t>& time) {
  if (age.empty()) return {};
  const auto seconds = base::parse_age(age);
  if (!seconds) return fail(seconds.error());
  time = now_unix - seconds->count();
  return {};
}

// `regions` are joined by ", ".
bool has_region(std::string_view regions, std::string_view name) {
  for (;;) {
    const auto end = regions.find(", ");
    if (regions.substr(0, end) == name) return true;
    if (end == std::string_view::npos) return false;
    regions.remove_prefix(end + 2);
  }
}

}  // namespace

bool FilterOptions::empty() const {
  return architectures.empty() && name.empty() && region.empty() && source.empty() && tier.empty() && kind.empty() &&
         newer.empty() && older.empty() && unused.empty();
}

Result<Filter> make_filter(const FilterOptions& options, const std::vector<cache::EntrySummary>& entries,
                           std::int64_t now_unix) {
  Filter filter;
  for (const std::string& text : options.architectures) {
    const auto parsed = region::parse_sm_arch_list(text);
    if (!parsed) return fail(parsed.error());
    filter.architectures.insert(filter.architectures.end(), parsed->begin(), parsed->end());
  }
  filter.name = options.name;
  filter.region = options.region;
  filter.tier = region::parse_tier(options.tier);
  if (!options.kind.empty()) filter.kernel = options.kind == "kernel";
  for (const auto& [age, time] : {std::pair(&options.newer, &filter.made_after),
                                  {&options.older, &filter.made_before},
                                  {&options.unused, &filter.unused_since}}) {
    if (const auto done = set_time(*age, now_unix, *time); !done) return fail(done.error());
  }
  if (!options.source.empty()) filter.sources = match_source(options.source, sources_of(entries)).sources;
  return filter;
}

bool matches(const Filter& filter, const cache::EntrySummary& entry) {
  const auto one_of = [](const auto& list, const auto& value) { return std::ranges::find(list, value) != list.end(); };
  if (!filter.architectures.empty() && !one_of(filter.architectures, entry.arch)) return false;
  if (entry.name.find(filter.name) == std::string::npos) return false;
  if (!filter.region.empty() && !has_region(entry.regions, filter.region)) return false;
  if (filter.sources && !one_of(*filter.sources, entry.source)) return false;
  if (filter.tier && !(is_kernel(entry) && entry.tier == *filter.tier)) return false;
  if (filter.kernel && is_kernel(entry) != *filter.kernel) return false;
  if (filter.made_after && entry.created_unix < *filter.made_after) return false;
  if (filter.made_before && entry.created_unix > *filter.made_before) return false;
  return !filter.unused_since || last_needed(entry) <= *filter.unused_since;
}

std::vector<std::string> sources_of(const std::vector<cache::EntrySummary>& entries) {
  std::unordered_set<std::string_view> different;
  for (const auto& entry : entries) {
    if (!entry.source.empty()) different.insert(entry.source);
  }
  std::vector<std::string> sources(different.begin(), different.end());
  std::ranges::sort(sources);
  return sources;
}

}  // namespace cudahot::tool
