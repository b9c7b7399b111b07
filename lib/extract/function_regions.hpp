// Function regions: one or more whole functions at namespace scope between the pragmas.
#pragma once

#include <optional>
#include <vector>

#include "lib/extract/region_edges.hpp"
#include "lib/extract/units.hpp"

namespace cudahot::extract {

struct WholeFunctions {
  std::vector<UnitIndex> units;            // with a body
  std::vector<region::Variable> declared;  // name and type of each
};

// What stands between edges that are in no function; refuses everything but whole device functions.
std::optional<WholeFunctions> whole_functions(AstSession& session, const UnitTable& table, const EdgePair& edges);

}  // namespace cudahot::extract
