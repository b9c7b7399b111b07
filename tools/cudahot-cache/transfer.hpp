// Entries from one database into another.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cache/store.hpp"
#include "tools/cudahot-cache/describe.hpp"

namespace cudahot::tool {

// What was done, and what was damaged and left out.
struct Transfer {
  std::uint64_t copied = 0;
  std::uint64_t present = 0;  // there already
  std::uint64_t slices = 0;
  std::vector<std::string> damaged;  // "FILE: entry 5da2...: what"
};

// A database whose damaged slices are noted in `damaged`, which has to outlive it. Errors: as Store::open.
Result<cache::Store> open_input(const std::filesystem::path& file, std::vector<std::string>& damaged);

// All keys, those of damaged entries too, in order of insertion. Errors: as Store::list.
Result<std::vector<base::Digest>> all_keys(cache::Store& store);

// Errors: those of `from` but for damaged entries, and those of Store::copy.
Status copy_entries(cache::Store& from, const std::vector<base::Digest>& keys, cache::Store& into, Transfer& transfer);

// Names what was damaged; gives the exit code.
int report_damaged(const Transfer& transfer);
Json to_json(const Transfer& transfer);

}  // namespace cudahot::tool
