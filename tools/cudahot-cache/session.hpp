// Opening the database, finding the entry of a key, reporting errors.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "cache/store.hpp"
#include "tools/cudahot-cache/commands.hpp"

namespace cudahot::tool {

// nullopt: the cache does not exist yet. Errors: as Store::open.
Result<std::optional<cache::Store>> open_store(const Session& session);

// The entry whose key begins with `key`. Errors: usage (not hexadecimal, unknown,
// ambiguous: names the candidates), damaged, those of open_store.
Result<cache::Store::Entry> find_entry(const Session& session, const std::string& key);

// Says on standard error what is wrong; gives the exit code for it.
int report(const Error& error);
void message(const std::string& text);

void print(const std::string& text);
void print(const nlohmann::ordered_json& json);  // names that are not UTF-8 are made so

}  // namespace cudahot::tool
