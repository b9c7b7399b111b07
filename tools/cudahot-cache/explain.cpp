#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "lib/base/files.hpp"
#include "lib/base/unix_time.hpp"
#include "lib/region/slice.hpp"
#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/describe.hpp"
#include "tools/cudahot-cache/explanation.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"
#include "tools/cudahot-cache/source_match.hpp"

namespace cudahot::tool {
namespace {

using cache::Store;

constexpr std::size_t kMostCompared = 64;  // entries of one architecture and tier, the latest

std::string quoted_lines(const std::vector<std::string>& texts) {
  std::string lines;
  for (const std::string& text : texts) lines += fmt::format("\n  {}", printable(text));
  return lines;
}

// Every source of which the database knows something.
Result<std::vector<std::string>> known_sources(Store& store, const std::vector<cache::EntrySummary>& entries) {
  std::vector<std::string> sources = sources_of(entries);
  auto missed = store.missed_sources();
  if (!missed) return fail(missed.error());
  sources.insert(sources.end(), missed->begin(), missed->end());
  const auto slices = store.slices();
  if (!slices) return fail(slices.error());
  for (const auto& stored : *slices) sources.push_back(region::main_file(stored.slice).path);
  std::ranges::sort(sources);
  sources.erase(std::ranges::unique(sources).begin(), sources.end());
  return sources;
}

Result<SourceHistory> history_of(Store& store, const std::string& source,
                                 const std::vector<cache::EntrySummary>& entries) {
  SourceHistory history{source, {}, {}};
  auto misses = store.misses(source);
  if (!misses) return fail(misses.error());
  history.misses = std::move(*misses);
  std::map<std::pair<region::SmArch, region::Tier>, std::size_t> taken;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->source != source || !is_kernel(*entry)) continue;
    if (++taken[{entry->arch, entry->tier}] > kMostCompared) continue;
    auto whole = store.entry(entry->key);
    if (!whole && whole.error().code != ErrorCode::damaged) return fail(whole.error());
    if (whole && *whole) history.entries.push_back(std::move(**whole));
  }
  return history;
}

// Files that an entry was made from and that are different now, or gone.
std::vector<std::string> changed_files(const Store::Entry& entry) {
  std::vector<std::string> changed;
  for (const auto& file : entry.provenance.files) {
    if (file.role != region::to_string(region::FileRecord::Role::main) &&
        file.role != region::to_string(region::FileRecord::Role::user_header)) {
      continue;
    }
    const auto text = base::read_file(file.path);
    if (!text)
      changed.push_back(file.path + (text.error().code == ErrorCode::not_found ? " (gone)" : " (not readable)"));
    else if (base::digest(base::normalise_source(*text)) != file.content) changed.push_back(file.path);
  }
  return changed;
}

std::string_view consequence(const Explanation& explanation) {
  return explanation.stored_since ? "it was compiled and stored" : "what was looked for is not stored";
}

std::string to_text(const Explanation& explanation, std::int64_t now) {
  std::string text = fmt::format("\n{} {}  {}\n", region::to_string(explanation.arch),
                                 region::to_string(explanation.tier), printable(explanation.name));
  if (!explanation.miss) {
    text += "  no lookup missed\n";
  } else {
    text += fmt::format("  last miss   {} ago, {}: {}; {}\n", human_age(now - explanation.miss->missed_unix),
                        utc_time(explanation.miss->missed_unix), cache::to_string(explanation.miss->reason),
                        consequence(explanation));
    text += fmt::format("  looked for  {}\n", base::to_hex(explanation.miss->key.digest));
    if (explanation.nearest != nullptr) {
      text += fmt::format("  nearest     {}, made {} ago, differs in\n", base::to_hex(explanation.nearest->summary.key),
                          human_age(now - explanation.nearest->summary.created_unix));
      for (const auto& difference : explanation.differences) {
        text += fmt::format("    {:<13}{}\n", cache::to_string(difference.reason), printable(difference.what));
      }
    }
    if (explanation.hit_since) text += "  since then  lookups hit\n";
  }
  for (std::size_t i = 0; i < explanation.present.size(); ++i) {
    const auto& summary = explanation.present[i]->summary;
    text += fmt::format("  {:<12}{}  made {} ago, last used {}, {}\n", i == 0 ? "stored" : "", short_key(summary.key),
                        human_age(now - summary.created_unix),
                        summary.last_used_unix == 0 ? "never" : human_age(now - summary.last_used_unix) + " ago",
                        counted(summary.hits, "hit", "hits"));
  }
  if (!explanation.present.empty()) {
    for (const std::string& file : changed_files(*explanation.present.front())) {
      text += fmt::format("  changed     {}, since the latest was made\n", printable(file));
    }
  }
  return text;
}

Json to_json(const Explanation& explanation) {
  Json json = {{"architecture", region::to_string(explanation.arch)},
               {"tier", region::to_string(explanation.tier)},
               {"name", explanation.name},
               {"miss", nullptr}};
  if (explanation.miss) {
    Json differences = Json::array();
    for (const auto& difference : explanation.differences) {
      differences.push_back({{"reason", cache::to_string(difference.reason)}, {"what", difference.what}});
    }
    json["miss"] = {{"key", base::to_hex(explanation.miss->key.digest)},
                    {"missed_unix", explanation.miss->missed_unix},
                    {"reason", cache::to_string(explanation.miss->reason)},
                    {"stored_since", explanation.stored_since},
                    {"hit_since", explanation.hit_since},
                    {"nearest", explanation.nearest == nullptr ? Json(nullptr)
                                                               : Json(base::to_hex(explanation.nearest->summary.key))},
                    {"differences", std::move(differences)}};
  }
  std::vector<const cache::EntrySummary*> present;
  for (const auto* entry : explanation.present) present.push_back(&entry->summary);
  json["entries"] = summaries_to_json(present);
  json["changed_files"] =
      explanation.present.empty() ? std::vector<std::string>{} : changed_files(*explanation.present.front());
  return json;
}

int nothing_known(const Session& session, const std::filesystem::path& file, const std::vector<std::string>& sources) {
  if (session.json) print({{"database", session.file.string()}, {"sources", Json::array()}});
  message(fmt::format("'{}' knows nothing of '{}'{}{}", session.file.string(), file.string(),
                      sources.empty() ? "" : "; there are", quoted_lines(sources)));
  return kProblem;
}

}  // namespace

int explain(const Session& session, const std::filesystem::path& file) {
  auto store = open_store(session);
  if (!store) return report(store.error());
  if (!*store) return nothing_known(session, file, {});
  const auto entries = (*store)->list();
  if (!entries) return report(entries.error());
  const auto sources = known_sources(**store, *entries);
  if (!sources) return report(sources.error());
  const SourceMatch match = match_source(file, *sources);
  if (match.sources.empty()) return nothing_known(session, file, *sources);
  if (!match.same_file && match.sources.size() > 1) {
    return report(
        {ErrorCode::usage,
         fmt::format("'{}' may be any of these; name one of them:{}", file.string(), quoted_lines(match.sources)),
         {},
         {}});
  }
  Json list = Json::array();
  std::string text;
  for (const std::string& source : match.sources) {
    const auto history = history_of(**store, source, *entries);
    if (!history) return report(history.error());
    Json parts = Json::array();
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", printable(source));
    for (const Explanation& explanation : explain_history(*history)) {
      if (session.json) parts.push_back(to_json(explanation));
      else text += to_text(explanation, base::now_unix());
    }
    if (history->entries.empty() && history->misses.empty()) text += "  only its slice is here\n";
    list.push_back({{"source", source}, {"lookups", std::move(parts)}});
  }
  if (session.json) print({{"database", session.file.string()}, {"sources", std::move(list)}});
  else print(text);
  return kFine;
}

}  // namespace cudahot::tool
