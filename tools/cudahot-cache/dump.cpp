#include <unistd.h>

#include <fmt/format.h>

#include "cache/salvage.hpp"
#include "lib/base/files.hpp"
#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/describe.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"

namespace cudahot::tool {

int dump(const Session& session, const std::string& key, const std::filesystem::path& output) {
  if (output.empty() && session.json) {
    return report({ErrorCode::usage, "dump --json describes the written file: name it with --output FILE", {}, {}});
  }
  if (output.empty() && ::isatty(STDOUT_FILENO) != 0) {
    return report({ErrorCode::usage, "a CUBIN is not for a terminal: name a file with --output FILE", {}, {}});
  }
  if (!output.empty() && cache::kind_of_database(output)) {
    return report({ErrorCode::usage,
                   fmt::format("'{}' is a cache or a bundle and is not overwritten: name another file with --output",
                               printable(output.string())),
                   {},
                   {}});
  }
  const auto entry = find_entry(session, key);
  if (!entry) return report(entry.error());
  if (output.empty()) {
    print(entry->artifact.blob);
    return kFine;
  }
  if (const auto written = base::write_file_atomically(output, entry->artifact.blob); !written) {
    return report(written.error());
  }
  if (session.json) {
    Json json = summary_to_json(entry->summary);
    json["file"] = output.string();
    print(json);
  }
  return kFine;
}

}  // namespace cudahot::tool
