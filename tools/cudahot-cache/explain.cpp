#include <algorithm>
#include <map>
#include <tuple>
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

// Of a source as the compiler is given it; nullopt: it cannot be read.
std::optional<base::Digest> content_of(const std::filesystem::path& source) {
  const auto text = base::read_file(source);
  if (!text) return std::nullopt;
  return base::digest(base::normalise_source(*text));
}

bool was_made_from(const Store::Entry& entry, const base::Digest& content) {
  return std::ranges::any_of(entry.provenance.files, [&](const cache::SourceFile& file) {
    return file.role == region::to_string(region::FileRecord::Role::main) && file.content == content;
  });
}

// A copy shares its entries only under the same name, which is in the text.
bool has_name(const std::string& source, const std::filesystem::path& name) {
  return source.ends_with(name.native()) && std::filesystem::path(source).filename() == name;
}

Result<std::optional<Store::Entry>> sound_entry(Store& store, const base::Digest& key) {
  auto entry = store.entry(key);
  if (!entry && entry.error().code == ErrorCode::damaged) return std::nullopt;
  return entry;
}

// Sources of which an entry was made from the same content as `file`.
Result<std::vector<std::string>> sources_with_content_of(Store& store, const std::filesystem::path& file,
                                                         const std::vector<cache::EntrySummary>& entries) {
  std::vector<std::string> sources;
  const auto content = content_of(file);
  if (!content) return sources;
  for (const auto& entry : entries) {
    if (!is_kernel(entry) || !has_name(entry.source, file.filename())) continue;
    if (std::ranges::find(sources, entry.source) != sources.end()) continue;
    const auto whole = sound_entry(store, entry.key);
    if (!whole) return fail(whole.error());
    if (*whole && was_made_from(**whole, *content)) sources.push_back(entry.source);
  }
  std::ranges::sort(sources);
  return sources;
}

// Entries of a copy belong to it where they were looked for, or made from its content of now.
Result<SourceHistory> history_of(Store& store, const std::string& source,
                                 const std::vector<cache::EntrySummary>& entries) {
  SourceHistory history{source, {}, {}};
  auto misses = store.misses(source);
  if (!misses) return fail(misses.error());
  history.misses = std::move(*misses);
  const auto was_missed = [&](const base::Digest& key) {
    return std::ranges::any_of(history.misses, [&](const cache::Miss& miss) { return miss.key.digest == key; });
  };
  const auto content = content_of(source);
  const auto name = std::filesystem::path(source).filename();
  std::map<std::tuple<region::SmArch, region::Tier, bool>, std::size_t> taken;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const bool is_own = entry->source == source;
    if (!is_kernel(*entry) || (!is_own && !has_name(entry->source, name))) continue;
    if (++taken[{entry->arch, entry->tier, is_own}] > kMostCompared) continue;
    auto whole = sound_entry(store, entry->key);
    if (!whole) return fail(whole.error());
    if (!*whole) continue;
    if (!is_own && !was_missed(entry->key) && !(content && was_made_from(**whole, *content))) continue;
    history.entries.push_back(std::move(**whole));
  }
  return history;
}

// Files that the latest entry of `source` was made from and that are different now, or gone.
std::vector<std::string> changed_files(const Explanation& explanation, const std::string& source) {
  std::vector<std::string> changed;
  const auto latest =
      std::ranges::find(explanation.present, source, [](const auto* entry) { return entry->summary.source; });
  if (latest == explanation.present.end()) return changed;
  for (const auto& file : (*latest)->provenance.files) {
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

std::string to_text(const Explanation& explanation, const std::string& source, std::int64_t now) {
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
    if (explanation.hit_since) text += "  since then  lookups of it hit\n";
  }
  for (std::size_t i = 0; i < explanation.present.size(); ++i) {
    const auto& summary = explanation.present[i]->summary;
    text += fmt::format("  {:<12}{}  made {} ago, last used {}, {}{}\n", i == 0 ? "stored" : "", short_key(summary.key),
                        human_age(now - summary.created_unix),
                        summary.last_used_unix == 0 ? "never" : human_age(now - summary.last_used_unix) + " ago",
                        counted(summary.hits, "hit", "hits"),
                        summary.source == source ? "" : ", of " + printable(summary.source));
  }
  for (const std::string& file : changed_files(explanation, source)) {
    text += fmt::format("  changed     {}, since the latest was made\n", printable(file));
  }
  return text;
}

Json to_json(const Explanation& explanation, const std::string& source) {
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
  json["changed_files"] = changed_files(explanation, source);
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
  SourceMatch match = match_source(file, *sources);
  std::string same_content;  // as what
  if (!match.same_file) {
    auto copies = sources_with_content_of(**store, file, *entries);
    if (!copies) return report(copies.error());
    if (!copies->empty()) {
      match = {std::move(*copies), true};
      same_content = file.string();
    }
  }
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
    if (!same_content.empty()) text += fmt::format("  has the content of {}\n", printable(same_content));
    for (const Explanation& explanation : explain_history(*history)) {
      if (session.json) parts.push_back(to_json(explanation, source));
      else text += to_text(explanation, source, base::now_unix());
    }
    if (history->entries.empty() && history->misses.empty()) text += "  only its slice is here\n";
    list.push_back({{"source", source}, {"lookups", std::move(parts)}});
  }
  if (session.json) print({{"database", session.file.string()}, {"sources", std::move(list)}});
  else print(text);
  return kFine;
}

}  // namespace cudahot::tool
