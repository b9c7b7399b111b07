// Names of files that are written beside where they are to be, and then renamed.
#pragma once

#include <filesystem>

namespace cudahot::base {

// "FILE.PROCESS.NUMBER.cudahot-new", another one each time. Removes what processes that are gone have left under such
// names of the same file, with what SQLite makes beside it. As a process may run on another machine, or in another
// container, only what was not written to for ten minutes counts as left.
std::filesystem::path temporary_name(const std::filesystem::path& file);

}  // namespace cudahot::base
