// Fourth stage: region pragmas are paired by the statements around them and checked.
#pragma once

#include <vector>

#include <clang/AST/Stmt.h>

#include "lib/extract/units.hpp"

namespace cudahot::extract {

// Fills source.regions; what is refused goes to source.diagnostics.
void find_regions(AstSession& session, const UnitTable& table);

// A region and the statements that it holds.
struct StatementRegion {
  const clang::FunctionDecl* function = nullptr;
  std::vector<const clang::Stmt*> statements;
  bool in_loop = false;  // what is before it in the text may run after it
  FoundRegion* found = nullptr;
};

// Fills in, out and declared; refuses what crosses the region's edges. See interface.cpp.
void analyse_interface(AstSession& session, const StatementRegion& region);

}  // namespace cudahot::extract
