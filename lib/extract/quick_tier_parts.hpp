// Which half of the quick tier a declaration belongs to.
#pragma once

#include "lib/extract/ast_session.hpp"

namespace cudahot::extract {

// Sets unit.part and what goes with it for a top-level unit that declares `declaration`.
// Definitions that the linker must see once are a helper where a declaration can stand for
// them, and the kernels' otherwise.
void assign_quick_tier_part(AstSession& session, const clang::Decl* declaration, Unit& unit);

}  // namespace cudahot::extract
