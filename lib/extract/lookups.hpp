// Where headers were looked for, as far as it is a user's business.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lib/extract/file_owner.hpp"
#include "lib/extract/source_model.hpp"

namespace cudahot::extract {

// Of the paths that were looked for and are not there (`missing`: relative to the working directory or absolute) those
// that user files and flags asked for; and what their __has_include found. Of a path in a missing folder, that folder
// is the lookup: nothing below it can appear before it does.
std::vector<region::Lookup> make_lookups(const std::set<std::string>& missing, const ParsedSource& source,
                                         const FileOwners& owners, const std::vector<std::string>& flags,
                                         const std::string& working_directory);

}  // namespace cudahot::extract
