// Fifth stage: the kernels of the file, as they are named, mangled and called.
#pragma once

#include "lib/extract/units.hpp"

namespace cudahot::extract {

// Fills source.kernels and source.uninstantiated, hot or not.
void find_kernels(AstSession& session, const UnitTable& table);

}  // namespace cudahot::extract
