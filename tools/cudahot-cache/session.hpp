// Opening the database, choosing entries, reporting errors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cache/store.hpp"
#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/describe.hpp"

namespace cudahot::tool {

// For display. nullopt: the cache does not exist yet, which is said. Errors: as Store::open.
Result<std::optional<cache::Store>> open_store(const Session& session);

// A user cache, for changing it. nullopt: there is none. Errors: also usage (a bundle).
Result<std::optional<cache::Store>> open_for_change(const Session& session);

// The same, made by the first insert where there is none.
Result<cache::Store> open_or_make(const Session& session);

// The key that begins with `text`. Errors: usage (not hexadecimal, unknown, ambiguous: names the candidates).
Result<base::Digest> find_key(cache::Store& store, const std::string& text);

// The entry whose key begins with `key`. Errors: also damaged, and those of open_store.
Result<cache::Store::Entry> find_entry(const Session& session, const std::string& key);

// Empty where the cache does not exist yet.
Result<std::vector<cache::EntrySummary>> list_entries(const Session& session, cache::Store::Details details);

using Chosen = std::vector<const cache::EntrySummary*>;

// Those of `entries` that match. Errors: usage.
Result<Chosen> choose(const std::vector<cache::EntrySummary>& entries, const FilterOptions& filter);
// The same, or those of the keys that were named. Errors: usage (both, or none).
Result<Chosen> choose(cache::Store& store, const std::vector<cache::EntrySummary>& entries, const Selection& selection);

// Says on standard error what is wrong; gives the exit code for it.
int report(const Error& error);
void message(const std::string& text);

void print(const std::string& text);
void print(const Json& json);  // names that are not UTF-8 are made so

// What may be long goes out in pieces, the last of them at the end.
class LongOutput {
 public:
  LongOutput() = default;
  LongOutput(const LongOutput&) = delete;
  LongOutput& operator=(const LongOutput&) = delete;
  ~LongOutput() { print(text_); }

  // To append the next part to.
  std::string& next() {
    constexpr std::size_t kPiece = 64 * 1024;
    if (text_.size() >= kPiece) {
      print(text_);
      text_.clear();
    }
    return text_;
  }

 private:
  std::string text_;
};

}  // namespace cudahot::tool
