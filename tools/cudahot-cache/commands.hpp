// The commands of cudahot-cache. Each prints data on standard output and messages on standard
// error, and returns the exit code.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tools/cudahot-cache/filter.hpp"

namespace cudahot::tool {

enum ExitCode : int { kFine = 0, kProblem = 1, kUsage = 2, kEnvironment = 3 };

// What all commands are given.
struct Session {
  std::filesystem::path file;   // the database
  bool file_was_named = false;  // by --db: then it must exist
  bool json = false;
};

// Entries by their keys, or by what they match.
struct Selection {
  std::vector<std::string> keys;
  FilterOptions filter;
};

struct ListOptions {
  FilterOptions filter;
  std::string columns;  // names with ',' between them; empty: the usual ones
  std::string sort = "age";
  bool reverse = false;
  bool tree = false;
  bool bytes = false;     // exact sizes
  std::size_t limit = 0;  // 0: all
};

struct ShowOptions {
  std::string key;
  bool full = false;  // long fields whole
};

struct VerifyOptions {
  bool repair = false;
  bool dry_run = false;
};

struct RemoveOptions {
  Selection selection;
  bool all = false;
  bool dry_run = false;
};

struct GcOptions {
  std::string max_size, max_age;  // empty: as for running programs, by the environment
  bool dry_run = false;
};

struct ExportOptions {
  std::filesystem::path output;
  Selection selection;
  bool force = false;  // replaces a bundle
};

// Where bundles have slices of one source that differ in more than their architectures.
enum class Preference { none, first, newest };

struct MergeOptions {
  std::filesystem::path output;
  std::vector<std::filesystem::path> inputs;
  Preference preference = Preference::none;
  bool force = false;
};

int list(const Session& session, const ListOptions& options);
int show(const Session& session, const ShowOptions& options);
int explain(const Session& session, const std::filesystem::path& source);
int verify(const Session& session, const VerifyOptions& options);
int remove(const Session& session, const RemoveOptions& options);
int gc(const Session& session, const GcOptions& options);
int export_bundle(const Session& session, const ExportOptions& options);
int import_bundles(const Session& session, const std::vector<std::filesystem::path>& inputs);
int merge(const Session& session, const MergeOptions& options);
int stats(const Session& session);
int path(const Session& session);
int dump(const Session& session, const std::string& key, const std::filesystem::path& output);

}  // namespace cudahot::tool
