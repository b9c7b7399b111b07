// Choosing entries, the same in every command.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache/store.hpp"

namespace cudahot::tool {

// As written on the command line.
struct FilterOptions {
  std::vector<std::string> architectures{};  // "90a", "sm_90,75"
  std::string name{};
  std::string region{};
  std::string source{};
  std::string tier{};  // one of kTiers, or empty
  std::string kind{};  // one of kKinds, or empty
  std::string newer{};
  std::string older{};
  std::string unused{};

  bool empty() const;  // all entries are meant
};
inline constexpr const char* kTiers[] = {"quick", "full"};
inline constexpr const char* kKinds[] = {"kernel", "library"};

// What all of them have to be.
struct Filter {
  std::vector<region::SmArch> architectures;  // one of these; empty: any
  std::string name;                           // a part of the kernels' names
  std::string region;                         // one of the regions' names
  std::optional<std::vector<std::string>> sources;
  std::optional<region::Tier> tier;                                   // of a kernel
  std::optional<bool> kernel;                                         // else a helper library
  std::optional<std::int64_t> made_after, made_before, unused_since;  // seconds since 1970
};

// `entries`: where the source is looked for. Errors: usage.
Result<Filter> make_filter(const FilterOptions& options, const std::vector<cache::EntrySummary>& entries,
                           std::int64_t now_unix);

bool matches(const Filter& filter, const cache::EntrySummary& entry);

// Different ones, in order.
std::vector<std::string> sources_of(const std::vector<cache::EntrySummary>& entries);

}  // namespace cudahot::tool
