// The commands of cudahot-cache. Each prints data on standard output and messages on standard
// error, changes no entry, and returns the exit code.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cache/store.hpp"

namespace cudahot::tool {

enum ExitCode : int { kFine = 0, kProblem = 1, kUsage = 2, kEnvironment = 3 };

// What all commands are given.
struct Session {
  std::filesystem::path file;   // the database
  bool file_was_named = false;  // by --db: then it must exist
  bool json = false;
};

struct ListOptions {
  std::vector<std::string> architectures;  // as written: "90a", "sm_90"; empty: all
  std::string name;                        // part of the kernels' names
  std::string sort = "age";                // one of kSortColumns
  bool reverse = false;
};
inline constexpr const char* kSortColumns[] = {"age",  "name", "region", "arch", "tier",
                                               "size", "regs", "shared", "hits"};

int list(const Session& session, const ListOptions& options);
int show(const Session& session, const std::string& key);
int verify(const Session& session);
int stats(const Session& session);
int path(const Session& session);
int dump(const Session& session, const std::string& key, const std::filesystem::path& output);

}  // namespace cudahot::tool
