// Third stage: what each unit needs, of the user's and of others.
#pragma once

#include "lib/extract/units.hpp"

namespace cudahot::extract {

// Fills needs, needs_one_of, reaches and unavailable of source.units, source.host_typedefs,
// uses_std and uses_helper_library.
void collect_references(AstSession& session, const UnitTable& table);

}  // namespace cudahot::extract
