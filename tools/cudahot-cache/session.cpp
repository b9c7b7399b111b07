#include "tools/cudahot-cache/session.hpp"
#include "lib/base/unix_time.hpp"

#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include <fmt/format.h>

#include "tools/cudahot-cache/filter.hpp"

namespace cudahot::tool {
namespace {

constexpr std::size_t kMostCandidates = 10;

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

bool is_key_prefix(const std::string& text) {
  return !text.empty() && text.size() <= 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Result<cache::Store> open_as(const Session& session, cache::Store::Mode mode) {
  return cache::Store::open(session.file, mode, [](LogLevel, std::string_view text) { message(std::string(text)); });
}

bool is_there(const std::filesystem::path& file) {
  std::error_code error;
  return std::filesystem::exists(file, error) || error;
}

Result<std::optional<cache::Store>> open(const Session& session, cache::Store::Mode mode) {
  if (!is_there(session.file)) {
    if (session.file_was_named) {
      return fail(ErrorCode::not_found, fmt::format("'{}' does not exist", session.file.string()));
    }
    message(fmt::format("the cache '{}' does not exist yet: it is made when the first kernel is stored",
                        session.file.string()));
    return std::nullopt;
  }
  auto store = open_as(session, mode);
  if (!store) return fail(store.error());
  return std::move(*store);
}

Status check_is_cache(cache::Store& store) {
  const auto bundle = store.is_bundle();
  if (!bundle) return fail(bundle.error());
  if (!*bundle) return {};
  return fail(ErrorCode::usage,
              fmt::format("'{}' is a bundle, which is not changed: make another one with export or merge",
                          store.file().string()));
}

Error unknown_key(const std::filesystem::path& file, const std::string& prefix) {
  return {ErrorCode::usage,
          fmt::format("no entry of '{}' has a key that begins with {}; see cudahot-cache ls", file.string(), prefix),
          {},
          {}};
}

}  // namespace

Result<std::optional<cache::Store>> open_store(const Session& session) {
  return open(session, cache::Store::Mode::inspect);
}

Result<std::optional<cache::Store>> open_for_change(const Session& session) {
  auto store = open(session, cache::Store::Mode::read_write);
  if (!store || !*store) return store;
  if (const auto done = check_is_cache(**store); !done) return fail(done.error());
  return store;
}

Result<cache::Store> open_or_make(const Session& session) {
  auto store = open_as(session, cache::Store::Mode::read_write);
  if (!store) return store;
  if (const auto done = check_is_cache(*store); !done) return fail(done.error());
  return store;
}

Result<base::Digest> find_key(cache::Store& store, const std::string& text) {
  const std::string prefix = lower_case(text);
  if (!is_key_prefix(prefix)) {
    return fail(ErrorCode::usage, fmt::format("'{}' is not a key or its beginning: 1 to 32 hexadecimal digits", text));
  }
  const auto keys = store.keys_with_prefix(prefix);
  if (!keys) return fail(keys.error());
  if (keys->empty()) return fail(unknown_key(store.file(), prefix));
  if (keys->size() == 1) return keys->front();
  std::string candidates;
  for (std::size_t i = 0; i < keys->size() && i < kMostCandidates; ++i) {
    const auto entry = store.entry((*keys)[i]);
    candidates += fmt::format("\n  {}", base::to_hex((*keys)[i]));
    if (entry && *entry) candidates += fmt::format("  {}", one_line((*entry)->summary).substr(kShortKey + 2));
  }
  if (keys->size() > kMostCandidates) candidates += fmt::format("\n  and {} more", keys->size() - kMostCandidates);
  return fail(ErrorCode::usage, fmt::format("{} entries have a key that begins with {}; give more digits:{}",
                                            keys->size(), prefix, candidates));
}

Result<cache::Store::Entry> find_entry(const Session& session, const std::string& key) {
  auto store = open_store(session);
  if (!store) return fail(store.error());
  if (!*store) return fail(unknown_key(session.file, key));
  const auto found = find_key(**store, key);
  if (!found) return fail(found.error());
  auto entry = (*store)->entry(*found);
  if (!entry) return fail(entry.error());
  if (!*entry) return fail(unknown_key(session.file, key));
  return std::move(**entry);
}

Result<std::vector<cache::EntrySummary>> list_entries(const Session& session, cache::Store::Details details) {
  auto store = open_store(session);
  if (!store) return fail(store.error());
  if (!*store) return std::vector<cache::EntrySummary>{};
  return (*store)->list(details);
}

Result<Chosen> choose(const std::vector<cache::EntrySummary>& entries, const FilterOptions& options) {
  const auto filter = make_filter(options, entries, base::now_unix());
  if (!filter) return fail(filter.error());
  Chosen chosen;
  for (const auto& entry : entries) {
    if (matches(*filter, entry)) chosen.push_back(&entry);
  }
  return chosen;
}

Result<Chosen> choose(cache::Store& store, const std::vector<cache::EntrySummary>& entries,
                      const Selection& selection) {
  if (selection.keys.empty()) return choose(entries, selection.filter);
  if (!selection.filter.empty()) return fail(ErrorCode::usage, "name either keys or what entries have to match");
  std::unordered_map<base::Digest, const cache::EntrySummary*> by_key;
  for (const auto& entry : entries) by_key.emplace(entry.key, &entry);
  Chosen chosen;
  for (const std::string& text : selection.keys) {
    const auto key = find_key(store, text);
    if (!key) return fail(key.error());
    const auto found = by_key.find(*key);
    if (found == by_key.end()) {
      return fail(ErrorCode::damaged, fmt::format("entry {} is damaged: see cudahot-cache verify", base::to_hex(*key)));
    }
    if (std::ranges::find(chosen, found->second) == chosen.end()) chosen.push_back(found->second);
  }
  return chosen;
}

int report(const Error& error) {
  std::string text = error.message;
  if (error.code == ErrorCode::busy) {  // programs try again by themselves
    constexpr std::string_view kLater = "it is tried again later";
    if (const auto at = text.find(kLater); at != std::string::npos) text.replace(at, kLater.size(), "try again later");
  }
  message(text);
  switch (error.code) {
    case ErrorCode::usage:
      return kUsage;
    case ErrorCode::damaged:
    case ErrorCode::source:
      return kProblem;
    default:
      return kEnvironment;
  }
}

// Where nobody can be told there is nothing to do about it: it may not throw.
void message(const std::string& text) { (void)std::fputs(fmt::format("cudahot-cache: {}\n", text).c_str(), stderr); }

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print(const Json& json) { print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"); }

}  // namespace cudahot::tool
